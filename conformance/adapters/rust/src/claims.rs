// SPDX-License-Identifier: Apache-2.0
//! What an engine takes: a smallest legal call of each pair of element types tells, by each route of operands.

use base64::{engine::general_purpose::STANDARD, Engine as _};
use serde_json::{json, Value};

use crate::onnx::{ElementType, Operator, OPERATORS, TYPES};
use crate::{run, Engine, No};

/// Zeros, or the string "a", of the shape [1, ...].
fn smallest(of: &str, rank: usize) -> Value {
    let shape = vec![1; rank];
    let size = TYPES.iter().find(|known| known.name == of).map_or(0, |known| known.size);
    match of {
        "string" => json!({"type": of, "shape": shape, "values": ["a"]}),
        _ => json!({"type": of, "shape": shape, "base64": STANDARD.encode(vec![0; size])}),
    }
}

/// An output of another element type is none of the operator's: the engine has no such type and converts.
fn attempt<E: Engine>(operator: &Operator, data: &str, indices: &str, operands: &str) -> Result<(), No> {
    let tuple_rank = if operator.op_type == "GatherND" { 2 } else { 1 };
    let output = run::<E>(&json!({
        "operator": operator.name,
        "route": {"operands": operands, "shapes": "static"},
        "inputs": {"data": smallest(data, 1), "indices": smallest(indices, tuple_rank)},
    }))?;
    match output.of == data {
        true => Ok(()),
        false => Err(No::Unsupported(format!("{} makes {} of {data}", E::NAME, output.of))),
    }
}

/// The first line of what the engine said, without what follows 200 bytes.
fn words(no: No) -> String {
    let (No::Rejected(text, _) | No::Unsupported(text) | No::Broken(text)) = no;
    let line = text.lines().next().unwrap_or_default();
    line.char_indices().take_while(|(place, _)| *place < 200).map(|(_, letter)| letter).collect()
}

/// The lists `claims` and `not_implemented` of a hello. With `all` everything is claimed and nothing asked, for a worker that
/// is started again.
///
/// Types that are taken by one route are claimed by the others too, unless the engine says that it has not implemented them
/// there: any other refusal shows in the run.
pub fn claims<E: Engine>(all: bool) -> (Vec<Value>, Vec<Value>) {
    let (mut claims, mut refusals) = (vec![], vec![]);
    for operator in &OPERATORS {
        let is_legal = |data: &&ElementType| data.name != "bf16" || operator.opset >= 13;
        let index_types: &[&str] = if operator.op_type == "GatherND" { &["i64"] } else { &["i32", "i64"] };
        let routes = E::routes(operator);
        for indices in index_types {
            let mut taken: [Vec<&str>; 3] = Default::default();
            for ElementType { name: data, .. } in TYPES.iter().filter(is_legal) {
                let ask = |(operands, _)| if all { Ok(()) } else { attempt::<E>(operator, data, indices, operands) };
                let answers = routes.map(ask);
                let takes_any = answers.iter().any(Result::is_ok);
                let mut refused: Option<(Vec<&str>, String)> = None;
                for (k, outcome) in answers.into_iter().enumerate() {
                    match outcome {
                        Err(no) if !takes_any || matches!(no, No::Unsupported(_)) => {
                            refused.get_or_insert_with(|| (vec![], words(no))).0.push(routes[k].0);
                        }
                        _ => taken[k].push(data),
                    }
                }
                if let Some((operands, why)) = refused {
                    refusals.push(json!({"operators": [operator.name], "data": [data], "indices": [indices],
                                         "operands": operands, "why": why}));
                }
            }
            for ((operands, dynamic), data) in routes.iter().zip(taken) {
                let shapes: &[&str] = if *dynamic { &["static", "dynamic"] } else { &["static"] };
                if !data.is_empty() {
                    claims.push(json!({"operators": [operator.name], "data": data, "indices": [indices],
                                       "operands": [operands], "shapes": shapes}));
                }
            }
        }
    }
    (claims, refusals)
}
