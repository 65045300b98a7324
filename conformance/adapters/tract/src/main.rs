// SPDX-License-Identifier: Apache-2.0
//! Worker that runs the ONNX gather operators on tract.
//!
//! Each call becomes an ONNX model of one node in the operator's own opset, which tract loads, optimizes and runs. An
//! operand given at run time is a graph input, a fixed one an initializer; dynamic shapes are symbolic dimensions. A panic
//! of tract is a rejection that says so: Rust refuses an index outside a slice in this way.

use std::io::{BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};

use base64::{engine::general_purpose::STANDARD, Engine};
use prost::Message;
use serde_json::{json, Map, Value};
use tract_onnx::pb::{
    tensor_shape_proto::{dimension, Dimension},
    type_proto, AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, TensorShapeProto,
    TypeProto, ValueInfoProto,
};
use tract_onnx::prelude::*;

const VERSION: &str = "0.23.9"; // of tract-onnx, as in Cargo.toml

/// Why there is no output.
enum No {
    Rejected(String, Option<&'static str>),
    Unsupported(String),
    Broken(String),
}

/// Element type -> number in ONNX, type in tract.
const TYPES: [(&str, i32, DatumType); 13] = [
    ("boolean", 9, DatumType::Bool),
    ("u8", 2, DatumType::U8),
    ("u16", 4, DatumType::U16),
    ("u32", 12, DatumType::U32),
    ("u64", 13, DatumType::U64),
    ("i8", 3, DatumType::I8),
    ("i16", 5, DatumType::I16),
    ("i32", 6, DatumType::I32),
    ("i64", 7, DatumType::I64),
    ("f16", 10, DatumType::F16),
    ("f32", 1, DatumType::F32),
    ("f64", 11, DatumType::F64),
    ("string", 8, DatumType::String),
];
const OPERATORS: [(&str, &str, i64); 8] = [
    ("onnx.Gather-1", "Gather", 1),
    ("onnx.Gather-11", "Gather", 11),
    ("onnx.Gather-13", "Gather", 13),
    ("onnx.GatherElements-11", "GatherElements", 11),
    ("onnx.GatherElements-13", "GatherElements", 13),
    ("onnx.GatherND-11", "GatherND", 11),
    ("onnx.GatherND-12", "GatherND", 12),
    ("onnx.GatherND-13", "GatherND", 13),
];

struct Operand {
    name: String,
    number: i32,
    datum: DatumType,
    shape: Vec<usize>,
    raw: Vec<u8>,
    strings: Vec<String>,
}

fn broken(what: impl ToString) -> No {
    No::Broken(what.to_string())
}

fn operand(name: &str, value: &Value) -> Result<Operand, No> {
    let wanted = value["type"].as_str().ok_or_else(|| broken("an operand without a type"))?;
    let Some((_, number, datum)) = TYPES.iter().find(|(known, ..)| *known == wanted) else {
        return Err(No::Unsupported(format!("tract has no element type {wanted}")));
    };
    let extents = value["shape"].as_array().ok_or_else(|| broken("an operand without a shape"))?;
    let shape = extents.iter().map(|extent| extent.as_u64().unwrap_or(0) as usize).collect();
    let raw = STANDARD.decode(value["base64"].as_str().unwrap_or("")).map_err(broken)?;
    let texts = value["values"].as_array().cloned().unwrap_or_default();
    let strings = texts.iter().map(|text| text.as_str().unwrap_or("").to_string()).collect();
    Ok(Operand { name: name.to_string(), number: *number, datum: *datum, shape, raw, strings })
}

impl Operand {
    fn initializer(&self) -> TensorProto {
        TensorProto {
            name: self.name.clone(),
            data_type: self.number,
            dims: self.shape.iter().map(|&extent| extent as i64).collect(),
            raw_data: self.raw.clone(),
            string_data: self.strings.iter().map(|text| text.clone().into_bytes()).collect(),
            ..Default::default()
        }
    }

    fn input(&self, dynamic: bool) -> ValueInfoProto {
        let dimension = |(k, extent): (usize, &usize)| Dimension {
            value: Some(if dynamic {
                dimension::Value::DimParam(format!("{}_{k}", self.name))
            } else {
                dimension::Value::DimValue(*extent as i64)
            }),
            ..Default::default()
        };
        let dim = self.shape.iter().enumerate().map(dimension).collect();
        let tensor = type_proto::Tensor { elem_type: self.number, shape: Some(TensorShapeProto { dim }) };
        let value = Some(type_proto::Value::TensorType(tensor));
        ValueInfoProto {
            name: self.name.clone(),
            r#type: Some(TypeProto { value, ..Default::default() }),
            ..Default::default()
        }
    }

    fn tensor(&self) -> Result<Tensor, No> {
        if self.datum == DatumType::String {
            let array = tract_ndarray::ArrayD::from_shape_vec(self.shape.as_slice(), self.strings.clone());
            return array.map(|array| array.into_tensor()).map_err(broken);
        }
        // The runner sends as many bytes as the shape has, and every pattern of a number's bytes is a number.
        unsafe { Tensor::from_raw_dt(self.datum, &self.shape, &self.raw) }.map_err(broken)
    }
}

/// An attribute of the kind that the JSON value has.
fn attribute(name: &str, value: &Value) -> Result<AttributeProto, No> {
    let single = [value.clone()];
    let items: &[Value] = value.as_array().map_or(&single, |list| list);
    let mut made = AttributeProto { name: name.to_string(), ..Default::default() };
    if items.iter().all(Value::is_i64) {
        made.ints = items.iter().filter_map(Value::as_i64).collect();
        made.r#type = 7;
    } else if items.iter().all(|item| item.is_number() && !item.is_u64() || item.is_i64()) {
        made.floats = items.iter().filter_map(Value::as_f64).map(|item| item as f32).collect();
        made.r#type = 6;
    } else if items.iter().all(Value::is_string) {
        made.strings = items.iter().filter_map(Value::as_str).map(|item| item.as_bytes().to_vec()).collect();
        made.r#type = 8;
    } else {
        return Err(No::Unsupported(format!("attribute {name}: ONNX has no attribute like {value}")));
    }
    if !value.is_array() {
        made.r#type -= 5; // INTS -> INT, FLOATS -> FLOAT, STRINGS -> STRING
        made.i = made.ints.pop().unwrap_or_default();
        made.f = made.floats.pop().unwrap_or_default();
        made.s = made.strings.pop().unwrap_or_default();
    }
    Ok(made)
}

fn model_of(asked: &Value) -> Result<(ModelProto, Vec<Operand>), No> {
    let wanted = asked["operator"].as_str().unwrap_or("");
    let Some((_, op_type, opset)) = OPERATORS.iter().find(|(known, ..)| *known == wanted) else {
        return Err(No::Unsupported(format!("ONNX has no operator {wanted}")));
    };
    let nothing = Map::new();
    let inputs = asked["inputs"].as_object().unwrap_or(&nothing);
    let mut names: Vec<&str> = vec!["data", "indices"];
    names.extend(inputs.keys().map(String::as_str).filter(|name| *name != "data" && *name != "indices"));
    while names.last().is_some_and(|name| !inputs.contains_key(*name)) {
        names.pop();
    }
    let (operands, dynamic) = (&asked["route"]["operands"], asked["route"]["shapes"] == "dynamic");
    let mut node = NodeProto { op_type: op_type.to_string(), output: vec!["output".into()], ..Default::default() };
    let mut graph = GraphProto { name: "one_call".into(), ..Default::default() };
    let mut given = vec![];
    for name in names {
        let Some(value) = inputs.get(name) else {
            node.input.push(String::new());
            continue;
        };
        let operand = operand(name, value)?;
        node.input.push(name.to_string());
        if operands == "folded" || operands == "constant" && name == "indices" {
            graph.initializer.push(operand.initializer());
        } else {
            graph.input.push(operand.input(dynamic));
            given.push(operand);
        }
    }
    for (name, value) in asked["attributes"].as_object().unwrap_or(&nothing) {
        node.attribute.push(attribute(name, value)?);
    }
    graph.node.push(node);
    graph.output.push(ValueInfoProto { name: "output".into(), ..Default::default() });
    let opset_import = vec![OperatorSetIdProto { domain: String::new(), version: *opset }];
    Ok((ModelProto { ir_version: 8, graph: Some(graph), opset_import, ..Default::default() }, given))
}

/// What tract says in one phase, a panic too.
fn engine<T>(phase: Option<&'static str>, work: impl FnOnce() -> TractResult<T>) -> Result<T, No> {
    let text = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => format!("{error:#}"),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
            format!("panic: {}", text.unwrap_or_default())
        }
    };
    Err(No::Rejected(text, phase))
}

fn run(asked: &Value) -> Result<Value, No> {
    let (proto, given) = model_of(asked)?;
    let model = engine(Some("build"), || tract_onnx::onnx().model_for_proto_model(&proto))?;
    // Shapes are inferred and constants folded here: the phase is not to be told.
    let plan = engine(None, || model.into_optimized()?.into_runnable())?;
    let mut values = tvec![];
    for operand in &given {
        values.push(operand.tensor()?.into_tvalue());
    }
    let outputs = engine(Some("run"), || plan.run(values))?;
    let output = outputs.first().ok_or_else(|| broken("no output"))?;
    let shape = output.shape();
    let Some((name, ..)) = TYPES.iter().find(|(_, _, datum)| *datum == output.datum_type()) else {
        return Err(broken(format!("an output of {:?}", output.datum_type())));
    };
    if output.datum_type() == DatumType::String {
        let view = output.to_plain_array_view::<String>().map_err(broken)?;
        return Ok(json!({"type": name, "shape": shape, "values": view.iter().collect::<Vec<_>>()}));
    }
    Ok(json!({"type": name, "shape": shape, "base64": STANDARD.encode(output.as_bytes())}))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A program that makes the call with tract alone.
fn reproducer(asked: &Value) -> Result<String, No> {
    let (proto, given) = model_of(asked)?;
    let (mut values, mut saved) = (String::new(), String::new());
    for operand in &given {
        let (shape, datum) = (&operand.shape, operand.datum);
        values += &if datum == DatumType::String {
            let texts: String = operand.strings.iter().map(|text| format!("String::from({text:?}), ")).collect();
            format!("        tract_ndarray::ArrayD::from_shape_vec(&{shape:?}[..], vec![{texts}])?.into_tensor()")
        } else {
            let raw = hex(&operand.raw);
            format!("        unsafe {{ Tensor::from_raw_dt(DatumType::{datum:?}, &{shape:?}, &bytes(\"{raw}\"))? }}")
        };
        values += ".into_tvalue(),\n";
        saved += &format!("bytes(\"{}\"), ", hex(&operand.initializer().encode_to_vec()));
    }
    Ok(format!(
        r#"// src/main.rs of a package with the dependency tract-onnx = "={VERSION}".
// Given a folder, it saves the model and its inputs there, laid out as ONNX's node tests.
use tract_onnx::prelude::*;

fn bytes(hex: &str) -> Vec<u8> {{
    (0..hex.len()).step_by(2).map(|k| u8::from_str_radix(&hex[k..k + 2], 16).unwrap()).collect()
}}

fn main() {{
    std::panic::set_hook(Box::new(|panic| eprintln!("panic: {{}}", panic.payload_as_str().unwrap_or(""))));
    if let Err(error) = call() {{
        eprintln!("Error: {{error:#}}");
        std::process::exit(1);
    }}
}}

fn call() -> TractResult<()> {{
    // {}, attributes {}
    let model = bytes("{}");
    let inputs: Vec<Vec<u8>> = vec![{}];
    if let Some(folder) = std::env::args().nth(1) {{
        std::fs::create_dir_all(format!("{{folder}}/test_data_set_0"))?;
        std::fs::write(format!("{{folder}}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {{
            std::fs::write(format!("{{folder}}/test_data_set_0/input_{{k}}.pb"), input)?;
        }}
    }}
    let plan = tract_onnx::onnx().model_for_read(&mut model.as_slice())?.into_optimized()?.into_runnable()?;
    let values: TVec<TValue> = tvec![
{}    ];
    let outputs = plan.run(values)?;
    let output = &outputs[0];
    if output.datum_type() == DatumType::String {{
        let texts = output.to_plain_array_view::<String>()?;
        println!("output {{:?}} {{:?}}", output.shape(), texts.iter().collect::<Vec<_>>());
    }} else {{
        let hex: String = output.as_bytes().iter().map(|byte| format!("{{byte:02x}}")).collect();
        println!("output {{:?}} {{hex}}", output.shape());
    }}
    Ok(())
}}
"#,
        asked["operator"].as_str().unwrap_or(""),
        asked["attributes"],
        hex(&proto.encode_to_vec()),
        saved.trim_end_matches(", "),
        values,
    ))
}

fn hello() -> Value {
    let data: Vec<&str> = TYPES.iter().map(|(name, ..)| *name).collect();
    let mut claims = vec![];
    for (operator, op_type, _) in OPERATORS {
        let indices = if op_type == "GatherND" { json!(["i64"]) } else { json!(["i32", "i64"]) };
        // It must know the length of GatherND's tuples: "Undetermined symbol in expression: indices_1" it says without.
        let at_run_time = if op_type == "GatherND" { json!(["static"]) } else { json!(["static", "dynamic"]) };
        for (operands, shapes) in
            [("runtime", at_run_time), ("constant", json!(["static", "dynamic"])), ("folded", json!(["static"]))]
        {
            claims.push(json!({"operators": [operator], "data": data, "indices": indices, "operands": [operands],
                               "shapes": shapes}));
        }
    }
    json!({"message": "hello", "protocol": 1, "claims": claims, "answers": ["run"], "features": ["reproduce"],
           "implementation": {"name": "tract", "version": VERSION, "language": "rust", "device": "cpu"}})
}

fn answer(asked: &Value) -> Value {
    let outcome = match asked["message"].as_str() {
        Some("hello") => return hello(),
        Some("run") => run(asked).map(|output| ("output", output)),
        Some("reproduce") if asked["language"] == "rust" => reproducer(asked).map(|source| ("source", source.into())),
        other => Err(No::Unsupported(format!("no answer to {other:?}"))),
    };
    let seq = &asked["seq"];
    match outcome {
        Ok((what, value)) => json!({"seq": seq, what: value}),
        Err(No::Rejected(message, Some(phase))) => json!({"seq": seq, "rejected": {"message": message, "phase": phase}}),
        Err(No::Rejected(message, None)) => json!({"seq": seq, "rejected": {"message": message}}),
        Err(No::Unsupported(why)) => json!({"seq": seq, "unsupported": why}),
        Err(No::Broken(why)) => json!({"seq": seq, "broken": why}),
    }
}

fn main() {
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let reply = match serde_json::from_str::<Value>(&line) {
            Ok(asked) if asked["message"] == "goodbye" => break,
            Ok(asked) => answer(&asked),
            Err(error) => json!({"broken": format!("malformed message: {error}")}),
        };
        if writeln!(out, "{reply}").and_then(|()| out.flush()).is_err() {
            break;
        }
    }
}
