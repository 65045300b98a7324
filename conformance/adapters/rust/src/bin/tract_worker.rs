// SPDX-License-Identifier: Apache-2.0
//! Worker that runs the ONNX gather operators on tract, which loads, optimizes and runs the model of a call.

use gathercheck_workers::onnx::{Call, Operand, Operator};
use gathercheck_workers::program::{hex, lines, Program};
use gathercheck_workers::{at_work, serve, Contents, Engine, No, Output, Routes};
use tract_onnx::prelude::*;

/// Element type -> type in tract.
const TYPES: [(&str, DatumType); 13] = [
    ("boolean", DatumType::Bool),
    ("u8", DatumType::U8),
    ("u16", DatumType::U16),
    ("u32", DatumType::U32),
    ("u64", DatumType::U64),
    ("i8", DatumType::I8),
    ("i16", DatumType::I16),
    ("i32", DatumType::I32),
    ("i64", DatumType::I64),
    ("f16", DatumType::F16),
    ("f32", DatumType::F32),
    ("f64", DatumType::F64),
    ("string", DatumType::String),
];

fn datum_type(operand: &Operand) -> Result<DatumType, No> {
    let name = operand.of.name;
    let known = TYPES.iter().find(|(known, _)| *known == name);
    known.map(|(_, datum)| *datum).ok_or_else(|| No::Unsupported(format!("tract has no element type {name}")))
}

fn tensor(operand: &Operand) -> Result<Tensor, No> {
    let datum = datum_type(operand)?;
    if datum == DatumType::String {
        let array = tract_ndarray::ArrayD::from_shape_vec(operand.shape.as_slice(), operand.strings.clone());
        return array.map(|array| array.into_tensor()).map_err(No::broken);
    }
    // The runner sends as many bytes as the shape has, and every pattern of a number's bytes is a number: what is refused is
    // a shape beyond tract's counters, of which a dimension of 0 makes no elements.
    unsafe { Tensor::from_raw_dt(datum, &operand.shape, &operand.raw) }.map_err(|error| No::Unsupported(error.to_string()))
}

struct Tract;

impl Engine for Tract {
    const NAME: &'static str = "tract";
    const VERSION: &'static str = "0.23.9";
    /// "tensor shape [257, 9007199254740993, 0, 1] of U64 is too large": it counts bytes in 64 bits.
    const NOT_IMPLEMENTED: &'static [&'static str] = &["is too large"];

    /// It must know the length of GatherND's tuples: "Undetermined symbol in expression: indices_1" it says without.
    fn routes(operator: &Operator) -> Routes {
        [("runtime", operator.op_type != "GatherND"), ("constant", true), ("folded", false)]
    }

    fn run(call: &Call) -> Result<Output, No> {
        call.operands.iter().try_for_each(|operand| datum_type(operand).map(drop))?;
        let model = at_work(Some("build"), || tract_onnx::onnx().model_for_read(&mut call.model.as_slice()))?;
        // Shapes are inferred and constants folded here: the phase is not to be told.
        let plan = at_work(None, || model.into_optimized()?.into_runnable())?;
        let values = call.given().map(|operand| tensor(operand).map(Tensor::into_tvalue)).collect::<Result<_, _>>()?;
        let outputs = at_work(Some("run"), || plan.run(values))?;
        let output = outputs.first().ok_or_else(|| No::broken("no output"))?;
        let Some((of, datum)) = TYPES.iter().find(|(_, datum)| *datum == output.datum_type()) else {
            return Err(No::broken(format!("an output of {:?}", output.datum_type())));
        };
        let contents = if *datum == DatumType::String {
            let view = output.to_plain_array_view::<String>().map_err(No::broken)?;
            Contents::Strings(view.iter().cloned().collect())
        } else {
            Contents::Raw(output.as_bytes().to_vec())
        };
        Ok(Output { of, shape: output.shape().to_vec(), contents })
    }

    fn program(call: &Call) -> Result<Program, No> {
        call.operands.iter().try_for_each(|operand| datum_type(operand).map(drop))?;
        let values = lines(call, |operand| {
            let (datum, shape) = (datum_type(operand)?, &operand.shape);
            let value = if datum == DatumType::String {
                let texts: String = operand.strings.iter().map(|text| format!("String::from({text:?}), ")).collect();
                format!("tract_ndarray::ArrayD::from_shape_vec(&{shape:?}[..], vec![{texts}])?.into_tensor()")
            } else {
                let raw = hex(&operand.raw);
                format!("unsafe {{ Tensor::from_raw_dt(DatumType::{datum:?}, &{shape:?}, &bytes(\"{raw}\"))? }}")
            };
            Ok(value + ".into_tvalue()")
        })?;
        let body = format!(
            r#"    let plan = tract_onnx::onnx().model_for_read(&mut model.as_slice())?.into_optimized()?.into_runnable()?;
    let values: TVec<TValue> = tvec![
{values}    ];
    let outputs = plan.run(values)?;
    let output = &outputs[0];
    if output.datum_type() == DatumType::String {{
        let texts = output.to_plain_array_view::<String>()?;
        println!("output {{:?}} {{:?}}", output.shape(), texts.iter().collect::<Vec<_>>());
    }} else {{
        println!("output {{:?}} {{}}", output.shape(), hex(output.as_bytes()));
    }}
"#
        );
        let dependencies = format!("the dependency tract-onnx = \"={}\"", Self::VERSION);
        Ok(Program { dependencies, imports: "use tract_onnx::prelude::*;", body })
    }
}

fn main() {
    serve::<Tract>();
}
