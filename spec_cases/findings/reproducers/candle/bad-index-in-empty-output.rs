// SPDX-License-Identifier: Apache-2.0
// Candle: Gather does not refuse an index out of bounds where the output is empty; "It is an error if any of the index values are out of bounds."
// Case gather-empty-output-with-bad-index/data=i64, onnx.Gather-13, runtime/static, on candle 0.11.1.
// accepted what must be rejected: expected the error index_out_of_bounds, got i64 [0, 1] = []
// Rule onnx.gather-13.indices.error (onnx/Gather, Inputs): One index outside the range makes the call an error.
// Rule onnx.gather-13.indices.range (onnx/Gather, Inputs): An index lies between -s and s - 1, s being the size of data along the axis.
// shows: an output
// src/main.rs of a package with the dependencies candle-core and candle-onnx = "=0.11.1" and prost = "0.14".
// Given a folder, it saves the model and its inputs there, laid out as ONNX's node tests.
use candle_core::{DType, Device, Tensor};
use prost::Message;
use std::collections::HashMap;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|k| u8::from_str_radix(&hex[k..k + 2], 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn main() {
    std::panic::set_hook(Box::new(|panic| eprintln!("panic: {}", panic.payload_as_str().unwrap_or(""))));
    if let Err(error) = call() {
        eprintln!("Error: {error:#}");
        std::process::exit(1);
    }
}

fn call() -> Result<(), Box<dyn std::error::Error>> {
    // onnx.Gather-13, attributes {"axis":1}
    let model = bytes("08083a710a2c0a04646174610a07696e646963657312066f757470757422064761746865722a0b0a04617869731801a0010212086f6e655f63616c6c5a160a0464617461120e0a0c080712080a0208000a0208035a150a07696e6469636573120a0a08080712040a02080162080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("0800080310074204646174614a00"), bytes("080110074207696e64696365734a080500000000000000")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let model = candle_onnx::onnx::ModelProto::decode(model.as_slice())?;
    let values: HashMap<String, Tensor> = HashMap::from([
        ("data".to_string(), Tensor::from_raw_buffer(&bytes(""), DType::I64, &[0, 3], &Device::Cpu)?),
        ("indices".to_string(), Tensor::from_raw_buffer(&bytes("0500000000000000"), DType::I64, &[1], &Device::Cpu)?),
    ]);
    let outputs = candle_onnx::simple_eval(&model, values)?;
    let output = &outputs["output"];
    let mut raw = vec![];
    output.write_bytes(&mut raw)?;
    println!("{:?}", output.dtype());
    println!("output {:?} {}", output.dims(), hex(&raw));
    Ok(())
}
