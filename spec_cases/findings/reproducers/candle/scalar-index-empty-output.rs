// SPDX-License-Identifier: Apache-2.0
// Candle: of data without elements a scalar index makes an output whose reading is a panic: "range start index 1 out of range for slice of length 0"
// Case gather-empty-scalar-index-before/data=i64, onnx.Gather-13, runtime/static, on candle 0.11.1.
// rejected what must be accepted: expected an output, got rejected at run: panic: range start index 1 out of range for slice of length 0
// Rule onnx.gather-13.indices.any-rank (onnx/Gather, Inputs): Indices have any number of dimensions q, 0 included.
// shows: refused: panic: range start index 1 out of range for slice of length 0
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
    let model = bytes("08083a6d0a2c0a04646174610a07696e646963657312066f757470757422064761746865722a0b0a04617869731801a0010212086f6e655f63616c6c5a160a0464617461120e0a0c080712080a0208000a0208025a110a07696e646963657312060a040807120062080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("0800080210074204646174614a00"), bytes("10074207696e64696365734a080100000000000000")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let model = candle_onnx::onnx::ModelProto::decode(model.as_slice())?;
    let values: HashMap<String, Tensor> = HashMap::from([
        ("data".to_string(), Tensor::from_raw_buffer(&bytes(""), DType::I64, &[0, 2], &Device::Cpu)?),
        ("indices".to_string(), Tensor::from_raw_buffer(&bytes("0100000000000000"), DType::I64, &[], &Device::Cpu)?),
    ]);
    let outputs = candle_onnx::simple_eval(&model, values)?;
    let output = &outputs["output"];
    let mut raw = vec![];
    output.write_bytes(&mut raw)?;
    println!("{:?}", output.dtype());
    println!("output {:?} {}", output.dims(), hex(&raw));
    Ok(())
}
