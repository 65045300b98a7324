// SPDX-License-Identifier: Apache-2.0
// Candle: element types of indices that the operator version does not list are taken: u8, u32 and booleans.
// Case gather-index-type-u8, onnx.Gather-13, folded/static, on candle 0.11.1.
// accepted what must be rejected: expected the error unsupported_type, got i64 [2, 2] = [1, 3, 2, 2]
// Rule onnx.gather-13.types.Tind (onnx/Gather, Type Constraints): Indices are i32 or i64.
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
    // onnx.Gather-13, attributes {"axis":0}
    let model = bytes("08083a81010a2c0a04646174610a07696e646963657312066f757470757422064761746865722a0b0a04617869731800a0010212086f6e655f63616c6c2a260803080210064204646174614a180100000002000000030000000400000005000000060000002a150802080210024207696e64696365734a040002010162080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let model = candle_onnx::onnx::ModelProto::decode(model.as_slice())?;
    let values: HashMap<String, Tensor> = HashMap::from([
    ]);
    let outputs = candle_onnx::simple_eval(&model, values)?;
    let output = &outputs["output"];
    let mut raw = vec![];
    output.write_bytes(&mut raw)?;
    println!("{:?}", output.dtype());
    println!("output {:?} {}", output.dims(), hex(&raw));
    Ok(())
}
