// SPDX-License-Identifier: Apache-2.0
// RTen: constants of f32 that hold whole numbers are folded as integers of 32 bits; -0.0 comes out as 0.0, and indices of f32 are taken, where gather must not change bits nor take them.
// Case gather-type-f32-minus-zero, onnx.Gather-13, folded/static, on rten 0.27.0.
// wrong value: element 0 of [3]: expected -0.0, got 0
// Rule onnx.gather-13.types.T (onnx/Gather, Type Constraints): Data and output have one of: boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128, string.
// shows: an output other than [3] 000000800000000000000080
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
    // onnx.Gather-13, attributes {"axis":0}
    let model = bytes("08083a750a2c0a04646174610a07696e646963657312066f757470757422064761746865722a0b0a04617869731800a0010212086f6e655f63616c6c2a14080210014204646174614a0800000080000000002a1b080310064207696e64696365734a0c00000000010000000000000062080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let model = Model::load(model)?;
    let values: Vec<(NodeId, ValueOrView)> = vec![
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
