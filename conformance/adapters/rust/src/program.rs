// SPDX-License-Identifier: Apache-2.0
//! Programs that make a call with an engine alone.

use crate::onnx::{Call, Operand};
use crate::No;

/// The parts of such a program that are the engine's.
pub struct Program {
    /// Of the package that it needs, as in Cargo.toml.
    pub dependencies: String,
    /// `use` lines.
    pub imports: &'static str,
    /// Statements that print the output of `model`, the bytes of an ONNX model; `bytes` and `hex` convert.
    pub body: String,
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A line of source for each operand that is given at run time.
pub fn lines(call: &Call, line: impl Fn(&Operand) -> Result<String, No>) -> Result<String, No> {
    call.given().map(|operand| Ok(format!("        {},\n", line(operand)?))).collect()
}

impl Program {
    pub fn source(&self, call: &Call) -> String {
        let Program { dependencies, imports, body } = self;
        let saved: Vec<String> =
            call.given().map(|operand| format!("bytes(\"{}\")", hex(&operand.initializer()))).collect();
        format!(
            r#"// src/main.rs of a package with {dependencies}.
// Given a folder, it saves the model and its inputs there, laid out as ONNX's node tests.
{imports}

fn bytes(hex: &str) -> Vec<u8> {{
    (0..hex.len()).step_by(2).map(|k| u8::from_str_radix(&hex[k..k + 2], 16).unwrap()).collect()
}}

fn hex(bytes: &[u8]) -> String {{
    bytes.iter().map(|byte| format!("{{byte:02x}}")).collect()
}}

fn main() {{
    std::panic::set_hook(Box::new(|panic| eprintln!("panic: {{}}", panic.payload_as_str().unwrap_or(""))));
    if let Err(error) = call() {{
        eprintln!("Error: {{error:#}}");
        std::process::exit(1);
    }}
}}

fn call() -> Result<(), Box<dyn std::error::Error>> {{
    // {operator}, attributes {attributes}
    let model = bytes("{model}");
    let inputs: Vec<Vec<u8>> = vec![{saved}];
    if let Some(folder) = std::env::args().nth(1) {{
        std::fs::create_dir_all(format!("{{folder}}/test_data_set_0"))?;
        std::fs::write(format!("{{folder}}/model.onnx"), &model)?;
        for (k, input) in inputs.iter().enumerate() {{
            std::fs::write(format!("{{folder}}/test_data_set_0/input_{{k}}.pb"), input)?;
        }}
    }}
{body}    Ok(())
}}
"#,
            operator = call.operator.name,
            attributes = call.attributes,
            model = hex(&call.model),
            saved = saved.join(", "),
        )
    }
}
