// SPDX-License-Identifier: Apache-2.0
// tract: GatherND: a batch_dims equal to the rank of data is not refused where tuples are of length 0; it is below min(q, r).
// Case gather-nd-batch-dims-rank-of-data-no-tuples, onnx.GatherND-13, runtime/static, on tract 0.23.9.
// accepted what must be rejected: expected the error batch_dims_out_of_range, got i32 [2, 1] = [1, 2]
// Rule onnx.gather-nd-13.batch_dims.range (onnx/GatherND-13, Description): batch_dims is below min(q, r).
// shows: an output
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
    // onnx.GatherND-13, attributes {"batch_dims":1}
    let model = bytes("08083a7d0a340a04646174610a07696e646963657312066f757470757422084761746865724e442a110a0a62617463685f64696d731801a0010212086f6e655f63616c6c5a120a0464617461120a0a08080612040a0208025a1d0a07696e646963657312120a100807120c0a0208020a0208010a02080062080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("080210064204646174614a080100000002000000"), bytes("08020801080010074207696e64696365734a00")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let plan = tract_onnx::onnx().model_for_read(&mut model.as_slice())?.into_optimized()?.into_runnable()?;
    let values: TVec<TValue> = tvec![
        unsafe { Tensor::from_raw_dt(DatumType::I32, &[2], &bytes("0100000002000000"))? }.into_tvalue(),
        unsafe { Tensor::from_raw_dt(DatumType::I64, &[2, 1, 0], &bytes(""))? }.into_tvalue(),
    ];
    let outputs = plan.run(values)?;
    let output = &outputs[0];
    if output.datum_type() == DatumType::String {
        let texts = output.to_plain_array_view::<String>()?;
        println!("output {:?} {:?}", output.shape(), texts.iter().collect::<Vec<_>>());
    } else {
        println!("output {:?} {}", output.shape(), hex(output.as_bytes()));
    }
    Ok(())
}
