// SPDX-License-Identifier: Apache-2.0
// tract: folded only: two constants with NaNs at the same places are taken for one, whatever the bits of the NaNs; gather must not change bits.
// Case gather-elements-f64-patterns, onnx.GatherElements-13, folded/static, on tract 0.23.9.
// wrong value: element 0 of [3]: expected NaN (bits fff8dead0000beef), got NaN (bits 7ff0000000000001)
// Rule onnx.gather-elements-13.semantics.formula (onnx/GatherElements-13, Description): The output element at a coordinate is data's at the same one, with the axis entry replaced by the index found there.
// shows: an output other than [3] efbe0000addef8ff0000000000000080010000000000f07f
// src/main.rs of a package with the dependency tract-onnx = "=0.23.9".
// Given a folder, it saves the model and its inputs there, laid out as ONNX's node tests.
use tract_onnx::prelude::*;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|k| u8::from_str_radix(&hex[k..k + 2], 16).unwrap()).collect()
}

fn main() -> TractResult<()> {
    // onnx.GatherElements-13, attributes {"axis":0}
    let model = bytes("08083a99010a320a04646174610a07696e646963657312066f7574707574220e476174686572456c656d656e74732a090a0461786973a0010212086f6e655f63616c6c2a250a0103100b4204646174614a18010000000000f07f0000000000000080efbe0000addef8ff2a280a010310074207696e64696365734a1802000000000000000100000000000000000000000000000062080a066f75747075744202100d");
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
    if output.datum_type() == DatumType::String {
        let texts = output.to_plain_array_view::<String>()?;
        println!("output {:?} {:?}", output.shape(), texts.iter().collect::<Vec<_>>());
    } else {
        let hex: String = output.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        println!("output {:?} {hex}", output.shape());
    }
    Ok(())
}
