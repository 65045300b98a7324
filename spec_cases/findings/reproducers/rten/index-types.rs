// SPDX-License-Identifier: Apache-2.0
// RTen: element types of indices that are not listed are taken: i32 by GatherND, and booleans of initializers.
// Case gather-nd-type-indices-i32, onnx.GatherND-13, runtime/static, on rten 0.27.0.
// accepted what must be rejected: expected the error unsupported_type, got i32 [2] = [6, 2]
// Rule onnx.gather-nd-13.types (onnx/GatherND-13, Inputs): Indices are i64 and nothing else; data has one of the sixteen ONNX types of version 13, bf16 included.
// shows: an output
// src/main.rs of a package with the dependencies rten = "=0.27.0" and rten-tensor = "=0.27.0".
// Given a folder, it saves the model and its inputs there, laid out as ONNX's node tests.
use rten::{Model, NodeId, Value, ValueOrView};
use rten_tensor::prelude::*;

#[allow(dead_code)] // not of u8
fn numbers<T, const N: usize>(hex: &str, number: fn([u8; N]) -> T) -> Vec<T> {
    bytes(hex).chunks_exact(N).map(|bytes| number(bytes.try_into().unwrap())).collect()
}

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
    // onnx.GatherND-13, attributes {}
    let model = bytes("08083a6a0a210a04646174610a07696e646963657312066f757470757422084761746865724e4412086f6e655f63616c6c5a160a0464617461120e0a0c080612080a0208020a0208035a190a07696e6469636573120e0a0c080612080a0208020a02080262080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("0802080310064204646174614a18010000000200000003000000040000000500000006000000"), bytes("0802080210064207696e64696365734a1001000000020000000000000001000000")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let model = Model::load(model)?;
    let values: Vec<(NodeId, ValueOrView)> = vec![
        (model.node_id("data")?, Value::from_shape([2, 3], numbers("010000000200000003000000040000000500000006000000", i32::from_le_bytes))?.into()),
        (model.node_id("indices")?, Value::from_shape([2, 2], numbers("01000000020000000000000001000000", i32::from_le_bytes))?.into()),
    ];
    let outputs = model.run(values, model.output_ids(), None)?;
    let output = &outputs[0];
    let raw: Vec<u8> = match output {
        Value::FloatTensor(tensor) => tensor.iter().flat_map(|item| item.to_le_bytes()).collect(),
        Value::Int32Tensor(tensor) => tensor.iter().flat_map(|item| item.to_le_bytes()).collect(),
        Value::Int8Tensor(tensor) => tensor.iter().flat_map(|item| item.to_le_bytes()).collect(),
        Value::UInt8Tensor(tensor) => tensor.to_vec(),
        _ => return Err("no tensor".into()),
    };
    println!("{:?}", output.dtype());
    println!("output {:?} {}", output.shape().to_vec(), hex(&raw));
    Ok(())
}
