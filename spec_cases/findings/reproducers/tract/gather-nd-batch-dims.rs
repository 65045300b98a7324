// SPDX-License-Identifier: Apache-2.0
// tract: GatherND with batch_dims over one batch, constant indices and dynamic shapes: an optimisation gives the output another shape ("Trying to substitute a 1,F32 by 1,data_1,F32"), and the legal call is refused.
// Case gather-nd-sweep-batch-counts/type=f32/count=1, onnx.GatherND-13, constant/dynamic, on tract 0.23.9.
// rejected what must be accepted: expected an output, got rejected: running pass declutter: declutter node #2 "output" GatherNd: Trying to substitute a 1,F32 by 1,data_1,F32 as output #0 of #2 "output" GatherNd.
// Rule onnx.gather-nd-13.batch_dims.leading (onnx/GatherND-13, Description): batch_dims counts the leading dimensions that data and indices share as batches; each batch has tuples of its own.
// shows: refused: Trying to substitute a 1,F32 by 1,data_1,F32 as output #0
// src/main.rs of a package with the dependency tract-onnx = "=0.23.9".
// Given a folder, it saves the model and its inputs there, laid out as ONNX's node tests.
use tract_onnx::prelude::*;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|k| u8::from_str_radix(&hex[k..k + 2], 16).unwrap()).collect()
}

fn main() -> TractResult<()> {
    // onnx.GatherND-13, attributes {"batch_dims":1}
    let model = bytes("08083a89010a340a04646174610a07696e646963657312066f757470757422084761746865724e442a110a0a62617463685f64696d731801a0010212086f6e655f63616c6c2a190a02010110074207696e64696365734a0800000000000000005a220a0464617461121a0a18080112140a081206646174615f300a081206646174615f3162080a066f75747075744202100d");
    let inputs: Vec<Vec<u8>> = vec![bytes("0a02010510014204646174614a14000000000000803f000000400000404000008040")];
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(format!("{folder}/test_data_set_0"))?;
        std::fs::write(format!("{folder}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {
            std::fs::write(format!("{folder}/test_data_set_0/input_{k}.pb"), input)?;
        }
    }
    let plan = tract_onnx::onnx().model_for_read(&mut model.as_slice())?.into_optimized()?.into_runnable()?;
    let values: TVec<TValue> = tvec![
        unsafe { Tensor::from_raw_dt(DatumType::F32, &[1, 5], &bytes("000000000000803f000000400000404000008040"))? }.into_tvalue(),
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
