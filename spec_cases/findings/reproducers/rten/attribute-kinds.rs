// SPDX-License-Identifier: Apache-2.0
// RTen: an axis or batch_dims that is no integer but a float, a string or a list is taken, for 0; the value is one integer.
// Case gather-axis-kind-string, onnx.Gather-13, runtime/static, on rten 0.27.0.
// accepted what must be rejected: expected the error invalid_attribute, got f32 [2, 2] = [1, 2, 3, 4]
// Rule onnx.gather-13.attributes.kind (onnx/Gather, Attributes): The value of axis is one integer.
// Rule onnx.gather-13.axis.type (onnx/Gather, Attributes): axis is one integer and may be absent.
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
    // onnx.Gather-13, attributes {"axis":"zero"}
    let model = bytes("08083a750a300a04646174610a07696e646963657312066f757470757422064761746865722a0f0a046178697322047a65726fa0010312086f6e655f63616c6c5a160a0464617461120e0a0c080112080a0208030a0208025a150a07696e6469636573120a0a08080712040a02080262080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("0803080210014204646174614a180000803f0000004000004040000080400000a0400000c040"), bytes("080210074207696e64696365734a1000000000000000000100000000000000")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let model = Model::load(model)?;
    let values: Vec<(NodeId, ValueOrView)> = vec![
        (model.node_id("data")?, Value::from_shape([3, 2], numbers("0000803f0000004000004040000080400000a0400000c040", f32::from_le_bytes))?.into()),
        (model.node_id("indices")?, Value::from_shape([2], numbers("00000000000000000100000000000000", |bytes| i64::from_le_bytes(bytes).try_into().unwrap()) as Vec<i32>)?.into()),
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
