// SPDX-License-Identifier: Apache-2.0
// Candle: Gather with indices of rank 3 or more is not implemented, and ends in a panic: "not yet implemented"; indices have any rank.
// Case gather-indices-rank-3-axis-0/data=i64, onnx.Gather-13, runtime/static, on candle 0.11.1.
// unsupported though claimed: panic: not yet implemented: implement gather for Tensor[dims 3, 2; i64] Tensor[dims 2, 1, 2; i64] axis 0
// Rule onnx.gather-13.indices.any-rank (onnx/Gather, Inputs): Indices have any number of dimensions q, 0 included.
// Rule onnx.gather-13.semantics.placement (onnx/Gather, Description): The dimensions of indices stand where the axis stood.
// Rule onnx.gather-13.formula.axis0 (onnx/Gather, Description): For axis 0 the output at i_0 .. i_{q-1}, j_0 .. j_{r-2} is data at indices[i_0 .. i_{q-1}], j_0 .. j_{r-2}.
// shows: refused: not yet implemented
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
    let model = bytes("08083a790a2c0a04646174610a07696e646963657312066f757470757422064761746865722a0b0a04617869731800a0010212086f6e655f63616c6c5a160a0464617461120e0a0c080712080a0208030a0208025a1d0a07696e646963657312120a100807120c0a0208020a0208010a02080262080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("0803080210074204646174614a30010000000000000002000000000000000300000000000000040000000000000005000000000000000600000000000000"), bytes("08020801080210074207696e64696365734a200200000000000000000000000000000001000000000000000100000000000000")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let model = candle_onnx::onnx::ModelProto::decode(model.as_slice())?;
    let values: HashMap<String, Tensor> = HashMap::from([
        ("data".to_string(), Tensor::from_raw_buffer(&bytes("010000000000000002000000000000000300000000000000040000000000000005000000000000000600000000000000"), DType::I64, &[3, 2], &Device::Cpu)?),
        ("indices".to_string(), Tensor::from_raw_buffer(&bytes("0200000000000000000000000000000001000000000000000100000000000000"), DType::I64, &[2, 1, 2], &Device::Cpu)?),
    ]);
    let outputs = candle_onnx::simple_eval(&model, values)?;
    let output = &outputs["output"];
    let mut raw = vec![];
    output.write_bytes(&mut raw)?;
    println!("{:?}", output.dtype());
    println!("output {:?} {}", output.dims(), hex(&raw));
    Ok(())
}
