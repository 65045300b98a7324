// SPDX-License-Identifier: Apache-2.0
// RTen: where data is a vector and all operands are initializers, what folds the call cuts the axis to 32 bits: 2^32 is taken for 0, and 2^63 - 1 for -1; "Accepted range is [-r, r-1] where r = rank(data)."
// Case gather-axis-out-of-range-two-to-32-vector, onnx.Gather-13, folded/static, on rten 0.27.0.
// accepted what must be rejected: expected the error axis_out_of_range, got f32 [1] = [3]
// Rule onnx.gather-13.axis.range (onnx/Gather, Attributes): The axis lies between -r and r - 1.
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
    // onnx.Gather-13, attributes {"axis":4294967296}
    let model = bytes("08083a790a300a04646174610a07696e646963657312066f757470757422064761746865722a0f0a0461786973188080808010a0010212086f6e655f63616c6c2a18080310014204646174614a0c0000803f00000040000040402a17080110074207696e64696365734a08020000000000000062080a066f75747075744202100d");
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
