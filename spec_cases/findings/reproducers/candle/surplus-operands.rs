// SPDX-License-Identifier: Apache-2.0
// Candle: operands more than the operator has are taken, and left aside.
// Case gather-one-input-too-many, onnx.Gather-13, runtime/static, on candle 0.11.1.
// accepted what must be rejected: expected the error wrong_input_count, got f32 [2, 2] = [1, 2, 3, 4]
// Rule onnx.gather-13.inputs.count (onnx/Gather, Inputs): The operation has exactly two inputs, all of them required.
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
    // onnx.Gather-13, attributes {}
    let model = bytes("08083a92010a2c0a04646174610a07696e64696365730a04617869730a05657874726112066f7574707574220647617468657212086f6e655f63616c6c5a160a0464617461120e0a0c080112080a0208030a0208025a150a07696e6469636573120a0a08080712040a0208025a0e0a046178697312060a04080712005a0f0a05657874726112060a040807120062080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("0803080210014204646174614a180000803f0000004000004040000080400000a0400000c040"), bytes("080210074207696e64696365734a1000000000000000000100000000000000"), bytes("10074204617869734a080000000000000000"), bytes("1007420565787472614a080000000000000000")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let model = candle_onnx::onnx::ModelProto::decode(model.as_slice())?;
    let values: HashMap<String, Tensor> = HashMap::from([
        ("data".to_string(), Tensor::from_raw_buffer(&bytes("0000803f0000004000004040000080400000a0400000c040"), DType::F32, &[3, 2], &Device::Cpu)?),
        ("indices".to_string(), Tensor::from_raw_buffer(&bytes("00000000000000000100000000000000"), DType::I64, &[2], &Device::Cpu)?),
        ("axis".to_string(), Tensor::from_raw_buffer(&bytes("0000000000000000"), DType::I64, &[], &Device::Cpu)?),
        ("extra".to_string(), Tensor::from_raw_buffer(&bytes("0000000000000000"), DType::I64, &[], &Device::Cpu)?),
    ]);
    let outputs = candle_onnx::simple_eval(&model, values)?;
    let output = &outputs["output"];
    let mut raw = vec![];
    output.write_bytes(&mut raw)?;
    println!("{:?}", output.dtype());
    println!("output {:?} {}", output.dims(), hex(&raw));
    Ok(())
}
