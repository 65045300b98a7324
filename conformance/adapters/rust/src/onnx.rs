// SPDX-License-Identifier: Apache-2.0
//! ONNX models of one node, as protobuf writes them, and the calls that they are made of.

use base64::{engine::general_purpose::STANDARD, Engine};
use serde_json::{Map, Value};

use crate::No;

/// An element type: its name here, its number in ONNX and the bytes of an element, 0 of strings.
pub struct ElementType {
    pub name: &'static str,
    pub onnx: i32,
    pub size: usize,
}

const fn element_type(name: &'static str, onnx: i32, size: usize) -> ElementType {
    ElementType { name, onnx, size }
}

/// What data may be of; bf16 since version 13 only.
pub const TYPES: [ElementType; 16] = [
    element_type("boolean", 9, 1),
    element_type("u8", 2, 1),
    element_type("u16", 4, 2),
    element_type("u32", 12, 4),
    element_type("u64", 13, 8),
    element_type("i8", 3, 1),
    element_type("i16", 5, 2),
    element_type("i32", 6, 4),
    element_type("i64", 7, 8),
    element_type("f16", 10, 2),
    element_type("bf16", 16, 2),
    element_type("f32", 1, 4),
    element_type("f64", 11, 8),
    element_type("c64", 14, 8),
    element_type("c128", 15, 16),
    element_type("string", 8, 0),
];

/// An operator version: its name here, the operator in ONNX and its opset.
pub struct Operator {
    pub name: &'static str,
    pub op_type: &'static str,
    pub opset: i64,
}

const fn operator(name: &'static str, op_type: &'static str, opset: i64) -> Operator {
    Operator { name, op_type, opset }
}

pub const OPERATORS: [Operator; 8] = [
    operator("onnx.Gather-1", "Gather", 1),
    operator("onnx.Gather-11", "Gather", 11),
    operator("onnx.Gather-13", "Gather", 13),
    operator("onnx.GatherElements-11", "GatherElements", 11),
    operator("onnx.GatherElements-13", "GatherElements", 13),
    operator("onnx.GatherND-11", "GatherND", 11),
    operator("onnx.GatherND-12", "GatherND", 12),
    operator("onnx.GatherND-13", "GatherND", 13),
];

/// An operand: `raw` holds the bytes of numbers, `strings` what is of strings.
pub struct Operand {
    pub name: String,
    pub of: &'static ElementType,
    pub shape: Vec<usize>,
    pub raw: Vec<u8>,
    pub strings: Vec<String>,
    /// Whether it is an initializer of the model, not a graph input.
    pub fixed: bool,
}

/// A call as the protocol has it, and its model: one node in the operator's own opset, whose output is named "output".
pub struct Call {
    pub operator: &'static Operator,
    pub attributes: Value,
    pub operands: Vec<Operand>,
    pub model: Vec<u8>,
}

impl Call {
    /// Errors: `Unsupported` for what no ONNX model can say, `Broken` for a message against the protocol.
    pub fn of(asked: &Value) -> Result<Call, No> {
        let wanted = asked["operator"].as_str().unwrap_or("");
        let Some(operator) = OPERATORS.iter().find(|known| known.name == wanted) else {
            return Err(No::Unsupported(format!("ONNX has no operator {wanted}")));
        };
        let nothing = Map::new();
        let inputs = asked["inputs"].as_object().unwrap_or(&nothing);
        let mut names: Vec<&str> = vec!["data", "indices"];
        names.extend(inputs.keys().map(String::as_str).filter(|name| *name != "data" && *name != "indices"));
        while names.last().is_some_and(|name| !inputs.contains_key(*name)) {
            names.pop();
        }
        let (route, dynamic) = (&asked["route"]["operands"], asked["route"]["shapes"] == "dynamic");
        let mut operands = vec![];
        for name in &names {
            if let Some(value) = inputs.get(*name) {
                operands.push(operand(name, value, route == "folded" || route == "constant" && *name == "indices")?);
            }
        }
        let mut node: Vec<u8> = names
            .iter()
            .flat_map(|name| text(1, if inputs.contains_key(*name) { name } else { "" }))
            .chain(text(2, "output"))
            .chain(text(4, operator.op_type))
            .collect();
        for (name, value) in asked["attributes"].as_object().unwrap_or(&nothing) {
            node.extend(attribute(name, value)?);
        }
        let mut graph = [bytes(1, &node), text(2, "one_call")].concat();
        for operand in &operands {
            graph.extend(if operand.fixed { bytes(5, &operand.initializer()) } else { operand.input(dynamic) });
        }
        graph.extend(bytes(12, &text(1, "output")));
        let model = [number(1, 8), bytes(7, &graph), bytes(8, &number(2, operator.opset))].concat();
        Ok(Call { operator, attributes: asked["attributes"].clone(), operands, model })
    }

    /// The graph's inputs.
    pub fn given(&self) -> impl Iterator<Item = &Operand> {
        self.operands.iter().filter(|operand| !operand.fixed)
    }
}

fn operand(name: &str, value: &Value, fixed: bool) -> Result<Operand, No> {
    let wanted = value["type"].as_str().ok_or_else(|| No::broken("an operand without a type"))?;
    let Some(of) = TYPES.iter().find(|known| known.name == wanted) else {
        return Err(No::Unsupported(format!("no ONNX gather operator has the element type {wanted}")));
    };
    let extents = value["shape"].as_array().ok_or_else(|| No::broken("an operand without a shape"))?;
    let shape = extents.iter().map(|extent| extent.as_u64().unwrap_or(0) as usize).collect();
    let raw = STANDARD.decode(value["base64"].as_str().unwrap_or("")).map_err(No::broken)?;
    let texts = value["values"].as_array().cloned().unwrap_or_default();
    let strings = texts.iter().map(|text| text.as_str().unwrap_or("").to_string()).collect();
    Ok(Operand { name: name.to_string(), of, shape, raw, strings, fixed })
}

impl Operand {
    /// As a TensorProto.
    pub fn initializer(&self) -> Vec<u8> {
        let mut tensor: Vec<u8> = self.shape.iter().flat_map(|&extent| number(1, extent as i64)).collect();
        tensor.extend(number(2, i64::from(self.of.onnx)));
        tensor.extend(self.strings.iter().flat_map(|item| text(6, item)));
        tensor.extend(text(8, &self.name));
        if self.of.size > 0 {
            tensor.extend(bytes(9, &self.raw));
        }
        tensor
    }

    fn input(&self, dynamic: bool) -> Vec<u8> {
        let dimension = |(k, &extent): (usize, &usize)| match dynamic {
            true => bytes(1, &text(2, &format!("{}_{k}", self.name))),
            false => bytes(1, &number(1, extent as i64)),
        };
        let shape: Vec<u8> = self.shape.iter().enumerate().flat_map(dimension).collect();
        let tensor = [number(1, i64::from(self.of.onnx)), bytes(2, &shape)].concat();
        bytes(11, &[text(1, &self.name), bytes(2, &bytes(1, &tensor))].concat())
    }
}

/// An attribute of the kind that the JSON value has.
fn attribute(name: &str, value: &Value) -> Result<Vec<u8>, No> {
    let single = [value.clone()];
    let (items, is_list): (&[Value], _) = value.as_array().map_or((&single, false), |list| (list, true));
    let (fields, kind): (Vec<u8>, i64) = if items.iter().all(Value::is_i64) {
        let field = if is_list { 8 } else { 3 };
        (items.iter().filter_map(Value::as_i64).flat_map(|item| number(field, item)).collect(), 2)
    } else if items.iter().all(|item| item.is_number() && !item.is_u64() || item.is_i64()) {
        let field = if is_list { 7 } else { 2 };
        (items.iter().filter_map(Value::as_f64).flat_map(|item| float(field, item as f32)).collect(), 1)
    } else if items.iter().all(Value::is_string) {
        let field = if is_list { 9 } else { 4 };
        (items.iter().filter_map(Value::as_str).flat_map(|item| text(field, item)).collect(), 3)
    } else {
        return Err(No::Unsupported(format!("attribute {name}: ONNX has no attribute like {value}")));
    };
    let kind = if is_list { kind + 5 } else { kind }; // INT -> INTS, FLOAT -> FLOATS, STRING -> STRINGS
    Ok(bytes(5, &[text(1, name), fields, number(20, kind)].concat()))
}

// --- protobuf --------------------------------------------------------------------------------------------------------

fn varint(value: u64) -> Vec<u8> {
    let (mut rest, mut written) = (value, vec![]);
    while rest > 127 {
        written.push(rest as u8 | 128);
        rest >>= 7;
    }
    written.push(rest as u8);
    written
}

fn number(field: u64, value: i64) -> Vec<u8> {
    [varint(field << 3), varint(value as u64)].concat()
}

fn float(field: u64, value: f32) -> Vec<u8> {
    [varint(field << 3 | 5), value.to_le_bytes().to_vec()].concat()
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [&varint(field << 3 | 2), &varint(value.len() as u64), value].concat()
}

fn text(field: u64, value: &str) -> Vec<u8> {
    bytes(field, value.as_bytes())
}
