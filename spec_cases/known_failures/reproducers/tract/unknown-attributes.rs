// SPDX-License-Identifier: Apache-2.0
// tract: attributes that the operator version does not have are ignored; it has those of its table only.
// Case gather-attribute-unknown, onnx.Gather-13, runtime/static, on tract 0.23.9.
// accepted what must be rejected: expected the error unknown_attribute, got f32 [2, 2] = [1, 2, 3, 4]
// Rule onnx.gather-13.attributes.unknown (onnx/Gather, Attributes): An attribute that this version does not define is not accepted.
// shows: an output
// src/main.rs of a package with the dependency tract-onnx = "=0.23.9".
// Given a folder, it saves the model and its inputs there, laid out as ONNX's node tests.
use tract_onnx::prelude::*;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|k| u8::from_str_radix(&hex[k..k + 2], 16).unwrap()).collect()
}

fn main() -> TractResult<()> {
    // onnx.Gather-13, attributes {"mode":"wrap","axis":0}
    let model = bytes("08083a80010a3b0a04646174610a07696e646963657312066f757470757422064761746865722a0f0a046d6f6465220477726170a001032a090a0461786973a0010212086f6e655f63616c6c5a160a0464617461120e0a0c080112080a0208030a0208025a150a07696e6469636573120a0a08080712040a02080262080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("0a02030210014204646174614a180000803f0000004000004040000080400000a0400000c040"), bytes("0a010210074207696e64696365734a1000000000000000000100000000000000")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let plan = tract_onnx::onnx().model_for_read(&mut model.as_slice())?.into_optimized()?.into_runnable()?;
    let values: TVec<TValue> = tvec![
        unsafe { Tensor::from_raw_dt(DatumType::F32, &[3, 2], &bytes("0000803f0000004000004040000080400000a0400000c040"))? }.into_tvalue(),
        unsafe { Tensor::from_raw_dt(DatumType::I64, &[2], &bytes("00000000000000000100000000000000"))? }.into_tvalue(),
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
