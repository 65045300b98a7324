// SPDX-License-Identifier: Apache-2.0
// Candle: Gather with indices of the shape [0, n] is refused: "stack expects at least one tensor"
// Case gather-empty-matrix-of-no-indices-0-2/data=i64, onnx.Gather-13, runtime/static, on candle 0.11.1.
// rejected what must be accepted: expected an output, got rejected: stack expects at least one tensor
// Rule onnx.gather-13.output.rank (onnx/Gather, Outputs): The output has q + r - 1 dimensions.
// shows: refused: stack expects at least one tensor
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
    let model = bytes("08083a750a2c0a04646174610a07696e646963657312066f757470757422064761746865722a0b0a04617869731801a0010212086f6e655f63616c6c5a160a0464617461120e0a0c080712080a0208030a0208025a190a07696e6469636573120e0a0c080712080a0208000a02080262080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("0803080210074204646174614a30000000000000000001000000000000000200000000000000030000000000000004000000000000000500000000000000"), bytes("0800080210074207696e64696365734a00")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let model = candle_onnx::onnx::ModelProto::decode(model.as_slice())?;
    let values: HashMap<String, Tensor> = HashMap::from([
        ("data".to_string(), Tensor::from_raw_buffer(&bytes("000000000000000001000000000000000200000000000000030000000000000004000000000000000500000000000000"), DType::I64, &[3, 2], &Device::Cpu)?),
        ("indices".to_string(), Tensor::from_raw_buffer(&bytes(""), DType::I64, &[0, 2], &Device::Cpu)?),
    ]);
    let outputs = candle_onnx::simple_eval(&model, values)?;
    let output = &outputs["output"];
    let mut raw = vec![];
    output.write_bytes(&mut raw)?;
    println!("{:?}", output.dtype());
    println!("output {:?} {}", output.dims(), hex(&raw));
    Ok(())
}
