// SPDX-License-Identifier: Apache-2.0
// tract: GatherND refuses negative indices; "All index values are expected to be within bounds [-s, s-1]".
// Case gather-nd-minus-size-first-component, onnx.GatherND-13, runtime/static, on tract 0.23.9.
// rejected what must be accepted: expected an output, got rejected at run: panic: assertion failed: index < dim
// Rule onnx.gather-nd-13.indices.range (onnx/GatherND-13, Description; onnx/GatherND-13, Inputs): Each component of a tuple lies between -s and s - 1, s being the size of its dimension; a negative one counts from the end.
// shows: refused: assertion failed: index < dim
// src/main.rs of a package with the dependency tract-onnx = "=0.23.9".
// Given a folder, it saves the model and its inputs there, laid out as ONNX's node tests.
use tract_onnx::prelude::*;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|k| u8::from_str_radix(&hex[k..k + 2], 16).unwrap()).collect()
}

fn main() -> TractResult<()> {
    // onnx.GatherND-13, attributes {}
    let model = bytes("08083a6a0a210a04646174610a07696e646963657312066f757470757422084761746865724e4412086f6e655f63616c6c5a160a0464617461120e0a0c080612080a0208020a0208035a190a07696e6469636573120e0a0c080712080a0208010a02080262080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("0a02020310064204646174614a18000000000100000002000000030000000400000005000000"), bytes("0a02010210074207696e64696365734a10feffffffffffffff0200000000000000")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let plan = tract_onnx::onnx().model_for_read(&mut model.as_slice())?.into_optimized()?.into_runnable()?;
    let values: TVec<TValue> = tvec![
        unsafe { Tensor::from_raw_dt(DatumType::I32, &[2, 3], &bytes("000000000100000002000000030000000400000005000000"))? }.into_tvalue(),
        unsafe { Tensor::from_raw_dt(DatumType::I64, &[1, 2], &bytes("feffffffffffffff0200000000000000"))? }.into_tvalue(),
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
