// SPDX-License-Identifier: Apache-2.0
//! Worker that runs the ONNX gather operators on Candle, which evaluates the model of a call node by node.
//!
//! Candle's tensors tell fewer types than ONNX: booleans are U8 there, as candle_onnx::dtype says.

use std::collections::HashMap;

use candle_core::{DType, Device, Tensor};
use candle_onnx::onnx::{tensor_proto::DataType, ModelProto};
use gathercheck_workers::onnx::{Call, Operand};
use gathercheck_workers::program::{hex, lines, Program};
use gathercheck_workers::{at_work, serve, Contents, Engine, No, Output};
use prost::Message;

/// Element type -> type in Candle.
const TYPES: [(&str, DType); 10] = [
    ("u8", DType::U8),
    ("u32", DType::U32),
    ("i16", DType::I16),
    ("i32", DType::I32),
    ("i64", DType::I64),
    ("bf16", DType::BF16),
    ("f16", DType::F16),
    ("f32", DType::F32),
    ("f64", DType::F64),
    ("boolean", DType::U8),
];

fn dtype(operand: &Operand) -> Result<DType, No> {
    let name = operand.of.name;
    let known = TYPES.iter().find(|(known, _)| *known == name);
    known.map(|(_, dtype)| *dtype).ok_or_else(|| No::Unsupported(format!("candle has no tensors of {name}")))
}

/// The element type of an output: that of data, if Candle says that this is how it has it.
fn output_type(output: &Tensor, call: &Call) -> Result<&'static str, No> {
    let data = call.operands.iter().find(|operand| operand.name == "data");
    let of_onnx = |operand: &&Operand| candle_onnx::dtype(DataType::try_from(operand.of.onnx).ok()?);
    if let Some(data) = data.filter(|data| of_onnx(data) == Some(output.dtype())) {
        return Ok(data.of.name);
    }
    let known = TYPES.iter().find(|(_, dtype)| *dtype == output.dtype());
    known.map(|(name, _)| *name).ok_or_else(|| No::broken(format!("an output of {:?}", output.dtype())))
}

struct Candle;

impl Engine for Candle {
    const NAME: &'static str = "candle";
    const VERSION: &'static str = "0.11.1";
    const NOT_IMPLEMENTED: &'static [&'static str] =
        &["unsupported op_type", "unsupported 'value' data-type", "not yet implemented"];

    fn run(call: &Call) -> Result<Output, No> {
        let mut values = HashMap::new();
        for operand in call.given() {
            let (dtype, Operand { name, shape, raw, .. }) = (dtype(operand)?, operand);
            values.insert(name.clone(), Tensor::from_raw_buffer(raw, dtype, shape, &Device::Cpu).map_err(No::broken)?);
        }
        let model = ModelProto::decode(call.model.as_slice()).map_err(No::broken)?;
        let outputs = at_work(None, || candle_onnx::simple_eval(&model, values))?;
        let output = outputs.get("output").ok_or_else(|| No::broken("no output"))?;
        let mut raw = vec![];
        at_work(Some("run"), || output.write_bytes(&mut raw))?; // of a view that the evaluator made unchecked it panics
        Ok(Output { of: output_type(output, call)?, shape: output.dims().to_vec(), contents: Contents::Raw(raw) })
    }

    fn program(call: &Call) -> Result<Program, No> {
        let values = lines(call, |operand| {
            let (dtype, shape, raw) = (dtype(operand)?, &operand.shape, hex(&operand.raw));
            let tensor =
                format!("Tensor::from_raw_buffer(&bytes(\"{raw}\"), DType::{dtype:?}, &{shape:?}, &Device::Cpu)?");
            Ok(format!("({:?}.to_string(), {tensor})", operand.name))
        })?;
        let body = format!(
            r#"    let model = candle_onnx::onnx::ModelProto::decode(model.as_slice())?;
    let values: HashMap<String, Tensor> = HashMap::from([
{values}    ]);
    let outputs = candle_onnx::simple_eval(&model, values)?;
    let output = &outputs["output"];
    let mut raw = vec![];
    output.write_bytes(&mut raw)?;
    println!("{{:?}}", output.dtype());
    println!("output {{:?}} {{}}", output.dims(), hex(&raw));
"#
        );
        let version = Self::VERSION;
        Ok(Program {
            dependencies: format!("the dependencies candle-core and candle-onnx = \"={version}\" and prost = \"0.14\""),
            imports: IMPORTS,
            body,
        })
    }
}

const IMPORTS: &str = "use candle_core::{DType, Device, Tensor};
use prost::Message;
use std::collections::HashMap;";

fn main() {
    std::env::set_var("RAYON_NUM_THREADS", "1");
    std::env::set_var("RUST_LIB_BACKTRACE", "0"); // its errors say what happened, not where
    serve::<Candle>();
}
