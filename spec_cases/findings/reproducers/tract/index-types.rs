// SPDX-License-Identifier: Apache-2.0
// tract: element types of indices that the operator version does not list are taken, strings and floating-point numbers too.
// Case gather-index-negative-i16, onnx.Gather-13, runtime/static, on tract 0.23.9.
// accepted what must be rejected: expected the error unsupported_type, got i32 [2] = [14, 10]
// Rule onnx.gather-13.types.Tind (onnx/Gather, Type Constraints): Indices are i32 or i64.
// shows: an output
// src/main.rs of a package with the dependency tract-onnx = "=0.23.9".
// Given a folder, it saves the model and its inputs there, laid out as ONNX's node tests.
use tract_onnx::prelude::*;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|k| u8::from_str_radix(&hex[k..k + 2], 16).unwrap()).collect()
}

fn main() -> TractResult<()> {
    // onnx.Gather-13, attributes {"axis":0}
    let model = bytes("08083a6b0a2a0a04646174610a07696e646963657312066f757470757422064761746865722a090a0461786973a0010212086f6e655f63616c6c5a120a0464617461120a0a08080612040a0208055a150a07696e6469636573120a0a08080512040a02080262080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("0a010510064204646174614a140a0000000b0000000c0000000d0000000e000000"), bytes("0a010210054207696e64696365734a04fffffbff")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let plan = tract_onnx::onnx().model_for_read(&mut model.as_slice())?.into_optimized()?.into_runnable()?;
    let values: TVec<TValue> = tvec![
        unsafe { Tensor::from_raw_dt(DatumType::I32, &[5], &bytes("0a0000000b0000000c0000000d0000000e000000"))? }.into_tvalue(),
        unsafe { Tensor::from_raw_dt(DatumType::I16, &[2], &bytes("fffffbff"))? }.into_tvalue(),
    ];
    let outputs = plan.run(values)?;
    let output = &outputs[0];
    if output.datum_type() == DatumType::String {
        let texts = output.to_plain_array_view::<String>()?;
        println!("output {:?} {:?}", output.shape(), texts.iter().collect::<Vec<_>>());
    } else {
        let hex: String = output.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        println!("output {:?} {hex}", output.shape());
    }
    Ok(())
}
