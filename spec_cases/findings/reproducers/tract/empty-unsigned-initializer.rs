// SPDX-License-Identifier: Apache-2.0
// tract: an initializer of type u32 or u64 without elements is read as one of i32 or i64, and so is the output of Gather, GatherElements and GatherND; "T" is the type of data and of the output.
// Case gather-empty-data-u32, onnx.Gather-13, folded/static, on tract 0.23.9.
// wrong type: expected element type u32, got i32
// Rule onnx.gather-13.types.T (onnx/Gather, Type Constraints): Data and output have one of: boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128, string.
// shows: an output like ^I32 \[1, 0\]
// src/main.rs of a package with the dependency tract-onnx = "=0.23.9".
// Given a folder, it saves the model and its inputs there, laid out as ONNX's node tests.
use tract_onnx::prelude::*;

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
    let model = bytes("08083a6b0a2c0a04646174610a07696e646963657312066f757470757422064761746865722a0b0a04617869731800a0010212086f6e655f63616c6c2a0e08010800100c4204646174614a002a17080110074207696e64696365734a08000000000000000062080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let plan = tract_onnx::onnx().model_for_read(&mut model.as_slice())?.into_optimized()?.into_runnable()?;
    let values: TVec<TValue> = tvec![
    ];
    let outputs = plan.run(values)?;
    let output = &outputs[0];
    println!("output {:?} {:?} {}", output.datum_type(), output.shape(), hex(output.as_bytes()));
    Ok(())
}
