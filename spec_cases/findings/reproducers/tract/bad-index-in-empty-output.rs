// SPDX-License-Identifier: Apache-2.0
// tract: an index out of bounds is not refused where the output is empty; "It is an error if any of the index values are out of bounds.".
// Case gather-empty-output-with-bad-index, onnx.Gather-13, runtime/static, on tract 0.23.9.
// accepted what must be rejected: expected the error index_out_of_bounds, got i32 [0, 1] = []
// Rule onnx.gather-13.indices.error (onnx/Gather, Inputs): One index outside the range makes the call an error.
// shows: an output
// src/main.rs of a package with the dependency tract-onnx = "=0.23.9".
// Given a folder, it saves the model and its inputs there, laid out as ONNX's node tests.
use tract_onnx::prelude::*;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|k| u8::from_str_radix(&hex[k..k + 2], 16).unwrap()).collect()
}

fn main() -> TractResult<()> {
    // onnx.Gather-13, attributes {"axis":1}
    let model = bytes("08083a710a2c0a04646174610a07696e646963657312066f757470757422064761746865722a0b0a04617869731801a0010212086f6e655f63616c6c5a160a0464617461120e0a0c080612080a0208000a0208035a150a07696e6469636573120a0a08080712040a02080162080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("0a0200031006420464617461"), bytes("0a010110074207696e64696365734a080500000000000000")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let plan = tract_onnx::onnx().model_for_read(&mut model.as_slice())?.into_optimized()?.into_runnable()?;
    let values: TVec<TValue> = tvec![
        unsafe { Tensor::from_raw_dt(DatumType::I32, &[0, 3], &bytes(""))? }.into_tvalue(),
        unsafe { Tensor::from_raw_dt(DatumType::I64, &[1], &bytes("0500000000000000"))? }.into_tvalue(),
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
