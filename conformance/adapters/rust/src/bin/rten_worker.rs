// SPDX-License-Identifier: Apache-2.0
//! Worker that runs the ONNX gather operators on RTen.
//!
//! RTen has tensors of f32, i32, i8 and u8. Its documents ask callers to convert to i32 what a model takes as i64, so indices
//! of i64 are passed so; one that i32 cannot hold is `unsupported`, never cut.

use gathercheck_workers::onnx::{Call, Operand};
use gathercheck_workers::program::{hex, lines, Program};
use gathercheck_workers::{at_work, serve, Contents, Engine, No, Output};
use rten::{Model, RunError, Value};
use rten_tensor::prelude::*;

fn numbers<T, const N: usize>(raw: &[u8], number: fn([u8; N]) -> T) -> Vec<T> {
    raw.chunks_exact(N).map(|bytes| number(bytes.try_into().expect("N bytes"))).collect()
}

/// The i64 contents of an operand.
fn narrowed(operand: &Operand) -> Result<Vec<i32>, No> {
    let fitted = numbers(&operand.raw, i64::from_le_bytes).into_iter().map(i32::try_from).collect::<Result<_, _>>();
    fitted.map_err(|_| No::Unsupported(format!("rten takes {} as i32, which cannot hold a value", operand.name)))
}

fn value(operand: &Operand) -> Result<Value, No> {
    let (shape, raw) = (&operand.shape, &operand.raw);
    match operand.of.name {
        "f32" => Value::from_shape(shape, numbers(raw, f32::from_le_bytes)).map_err(No::broken),
        "i32" => Value::from_shape(shape, numbers(raw, i32::from_le_bytes)).map_err(No::broken),
        "i64" => Value::from_shape(shape, narrowed(operand)?).map_err(No::broken),
        "i8" => Value::from_shape(shape, numbers(raw, i8::from_le_bytes)).map_err(No::broken),
        "u8" => Value::from_shape(shape, raw.clone()).map_err(No::broken),
        other => Err(No::Unsupported(format!("rten has no tensors of {other}"))),
    }
}

/// The same in a program, which ends in an error where i32 cannot hold an index of i64.
fn value_in_source(operand: &Operand) -> Result<String, No> {
    if operand.of.name != "i64" {
        value(operand)?;
    }
    let (name, shape, raw) = (operand.of.name, &operand.shape, hex(&operand.raw));
    let contents = match name {
        "u8" => format!("bytes(\"{raw}\")"),
        "i64" => format!("numbers(\"{raw}\", |bytes| i64::from_le_bytes(bytes).try_into().unwrap()) as Vec<i32>"),
        _ => format!("numbers(\"{raw}\", {name}::from_le_bytes)"),
    };
    Ok(format!("(model.node_id({:?})?, Value::from_shape({shape:?}, {contents})?.into())", operand.name))
}

struct Rten;

impl Engine for Rten {
    const NAME: &'static str = "rten";
    const VERSION: &'static str = "0.27.0";

    fn run(call: &Call) -> Result<Output, No> {
        let values =
            call.given().map(|operand| Ok((&operand.name, value(operand)?))).collect::<Result<Vec<_>, No>>()?;
        // Constants are folded here: the phase is not to be told.
        let model = at_work(None, || Model::load(call.model.clone()))?;
        let outputs = at_work(Some("run"), || {
            let named = |(name, value): (&String, Value)| Ok((model.node_id(name)?, value.into()));
            model.run(values.into_iter().map(named).collect::<Result<_, RunError>>()?, model.output_ids(), None)
        })?;
        let output = outputs.first().ok_or_else(|| No::broken("no output"))?;
        let (of, raw) = match output {
            Value::FloatTensor(tensor) => ("f32", tensor.iter().flat_map(|item| item.to_le_bytes()).collect()),
            Value::Int32Tensor(tensor) => ("i32", tensor.iter().flat_map(|item| item.to_le_bytes()).collect()),
            Value::Int8Tensor(tensor) => ("i8", tensor.iter().flat_map(|item| item.to_le_bytes()).collect()),
            Value::UInt8Tensor(tensor) => ("u8", tensor.to_vec()),
            _ => return Err(No::broken(format!("an output of {:?}", output.dtype()))),
        };
        Ok(Output { of, shape: output.shape().to_vec(), contents: Contents::Raw(raw) })
    }

    fn program(call: &Call) -> Result<Program, No> {
        let values = lines(call, value_in_source)?;
        let body = format!(
            r#"    let model = Model::load(model)?;
    let values: Vec<(NodeId, ValueOrView)> = vec![
{values}    ];
    let outputs = model.run(values, model.output_ids(), None)?;
    let output = &outputs[0];
    let raw: Vec<u8> = match output {{
        Value::FloatTensor(tensor) => tensor.iter().flat_map(|item| item.to_le_bytes()).collect(),
        Value::Int32Tensor(tensor) => tensor.iter().flat_map(|item| item.to_le_bytes()).collect(),
        Value::Int8Tensor(tensor) => tensor.iter().flat_map(|item| item.to_le_bytes()).collect(),
        Value::UInt8Tensor(tensor) => tensor.to_vec(),
        _ => return Err("no tensor".into()),
    }};
    println!("{{:?}}", output.dtype());
    println!("output {{:?}} {{}}", output.shape().to_vec(), hex(&raw));
"#
        );
        Ok(Program {
            dependencies: format!("the dependencies rten = \"={0}\" and rten-tensor = \"={0}\"", Self::VERSION),
            imports: IMPORTS,
            body,
        })
    }
}

const IMPORTS: &str = r"use rten::{Model, NodeId, Value, ValueOrView};
use rten_tensor::prelude::*;

#[allow(dead_code)] // not of u8
fn numbers<T, const N: usize>(hex: &str, number: fn([u8; N]) -> T) -> Vec<T> {
    bytes(hex).chunks_exact(N).map(|bytes| number(bytes.try_into().unwrap())).collect()
}";

fn main() {
    std::env::set_var("RTEN_NUM_THREADS", "1");
    serve::<Rten>();
}
