// SPDX-License-Identifier: Apache-2.0
// Candle: GatherElements with indices that are smaller than data in another dimension than that of axis takes other elements.
// Case onnx-gather-elements-sweep-smaller/type=u8/shape=axis-0-dimension-2-is-1, onnx.GatherElements-13, runtime/static, on candle 0.11.1.
// wrong value: element 1 of [3, 3, 1]: expected 21, got 19
// Rule onnx.gather-elements-13.shape.other-dims (onnx/GatherElements-13, Description): Beside the axis, a dimension of indices that is smaller than data's gives the formula's value, or is refused; one that is larger names no element.
// shows: an output other than [3, 3, 1] 00150f00150f00150f
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
    // onnx.GatherElements-13, attributes {"axis":0}
    let model = bytes("08083a85010a340a04646174610a07696e646963657312066f7574707574220e476174686572456c656d656e74732a0b0a04617869731800a0010212086f6e655f63616c6c5a1a0a046461746112120a100802120c0a0208030a0208030a0208035a1d0a07696e646963657312120a100807120c0a0208030a0208030a02080162080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("08030803080310024204646174614a1b000102030405060708090a0b0c0d0e0f101112131415161718191a"), bytes("08030803080110074207696e64696365734a48000000000000000002000000000000000100000000000000000000000000000002000000000000000100000000000000000000000000000002000000000000000100000000000000")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let model = candle_onnx::onnx::ModelProto::decode(model.as_slice())?;
    let values: HashMap<String, Tensor> = HashMap::from([
        ("data".to_string(), Tensor::from_raw_buffer(&bytes("000102030405060708090a0b0c0d0e0f101112131415161718191a"), DType::U8, &[3, 3, 3], &Device::Cpu)?),
        ("indices".to_string(), Tensor::from_raw_buffer(&bytes("000000000000000002000000000000000100000000000000000000000000000002000000000000000100000000000000000000000000000002000000000000000100000000000000"), DType::I64, &[3, 3, 1], &Device::Cpu)?),
    ]);
    let outputs = candle_onnx::simple_eval(&model, values)?;
    let output = &outputs["output"];
    let mut raw = vec![];
    output.write_bytes(&mut raw)?;
    println!("{:?}", output.dtype());
    println!("output {:?} {}", output.dims(), hex(&raw));
    Ok(())
}
