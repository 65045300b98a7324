// SPDX-License-Identifier: Apache-2.0
// RTen: GatherElements along an axis without elements that is not the last one gives an output that nobody wrote; "It is an error if any of the index values are out of bounds."
// Case gather-elements-empty-axis-with-indices-rank-3, onnx.GatherElements-13, runtime/static, on rten 0.27.0.
// not deterministic: expected the error index_out_of_bounds, accepted the call with answers that differ: element 0 of the output is -1515850893 in one run and -227935665 in another
// Rule onnx.gather-elements-13.indices.error (onnx/GatherElements-13, Inputs): One index outside the range makes the call an error.
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
    // onnx.GatherElements-13, attributes {"axis":1}
    let model = bytes("08083a85010a340a04646174610a07696e646963657312066f7574707574220e476174686572456c656d656e74732a0b0a04617869731801a0010212086f6e655f63616c6c5a1a0a046461746112120a100806120c0a0208020a0208000a0208025a1d0a07696e646963657312120a100807120c0a0208020a0208010a02080262080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("08020800080210064204646174614a00"), bytes("08020801080210074207696e64696365734a200000000000000000000000000000000000000000000000000000000000000000")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let model = Model::load(model)?;
    let values: Vec<(NodeId, ValueOrView)> = vec![
        (model.node_id("data")?, Value::from_shape([2, 0, 2], numbers("", i32::from_le_bytes))?.into()),
        (model.node_id("indices")?, Value::from_shape([2, 1, 2], numbers("0000000000000000000000000000000000000000000000000000000000000000", |bytes| i64::from_le_bytes(bytes).try_into().unwrap()) as Vec<i32>)?.into()),
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
