// SPDX-License-Identifier: Apache-2.0
//! What the workers of all engines share: the protocol, the ONNX model of a call, what an engine takes, and programs that
//! repeat a call.
//!
//! A worker implements [`Engine`] and hands itself to [`serve`]. Each call becomes an ONNX model of one node ([`onnx::Call`]).
//! An operand given at run time is a graph input, a fixed one an initializer; dynamic shapes are symbolic dimensions. A panic
//! of an engine is a rejection that says so: Rust refuses an index outside a slice in this way.

mod claims;
pub mod onnx;
pub mod program;

use std::fmt::Display;
use std::io::{BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};

use base64::{engine::general_purpose::STANDARD, Engine as _};
use serde_json::{json, Value};

use onnx::{Call, Operator};
use program::Program;

/// Why there is no output.
pub enum No {
    /// The engine refused, in these words; build, shape or run, where it tells.
    Rejected(String, Option<&'static str>),
    /// The engine's interface cannot express the call, or the engine says that it has not implemented it.
    Unsupported(String),
    /// A fault of the worker.
    Broken(String),
}

impl No {
    pub fn broken(what: impl ToString) -> No {
        No::Broken(what.to_string())
    }
}

/// A tensor that an engine gave.
pub struct Output {
    /// Name of an element type, as the protocol has it.
    pub of: &'static str,
    pub shape: Vec<usize>,
    pub contents: Contents,
}

pub enum Contents {
    /// Of numbers, little endian.
    Raw(Vec<u8>),
    Strings(Vec<String>),
}

impl Output {
    fn to_json(&self) -> Value {
        match &self.contents {
            Contents::Raw(raw) => json!({"type": self.of, "shape": self.shape, "base64": STANDARD.encode(raw)}),
            Contents::Strings(strings) => json!({"type": self.of, "shape": self.shape, "values": strings}),
        }
    }
}

/// By which routes of operands an operator is asked, and whether shapes may be dynamic there.
pub type Routes = [(&'static str, bool); 3];

pub trait Engine {
    const NAME: &'static str;
    /// As Cargo.toml pins it.
    const VERSION: &'static str;
    /// In what the engine says, these words mean that it has not implemented the call.
    const NOT_IMPLEMENTED: &'static [&'static str] = &[];

    fn routes(_operator: &Operator) -> Routes {
        [("runtime", true), ("constant", true), ("folded", false)]
    }

    fn run(call: &Call) -> Result<Output, No>;

    /// What makes the call with the engine alone.
    fn program(call: &Call) -> Result<Program, No>;
}

/// What the engine says in one phase, a panic too.
pub fn at_work<T, E: Display>(phase: Option<&'static str>, work: impl FnOnce() -> Result<T, E>) -> Result<T, No> {
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

fn run<E: Engine>(asked: &Value) -> Result<Output, No> {
    E::run(&Call::of(asked)?).map_err(|no| match no {
        No::Rejected(text, _) if E::NOT_IMPLEMENTED.iter().any(|words| text.contains(words)) => No::Unsupported(text),
        no => no,
    })
}

fn hello<E: Engine>(asked: &Value) -> Value {
    let (claims, not_implemented) = claims::claims::<E>(asked["restart"] == true);
    json!({"message": "hello", "protocol": 1, "claims": claims, "not_implemented": not_implemented, "answers": ["run"],
           "features": ["reproduce"],
           "implementation": {"name": E::NAME, "version": E::VERSION, "language": "rust", "device": "cpu"}})
}

fn answer<E: Engine>(asked: &Value) -> Value {
    let outcome = match asked["message"].as_str() {
        Some("hello") => return hello::<E>(asked),
        Some("run") => run::<E>(asked).map(|output| ("output", output.to_json())),
        Some("reproduce") if asked["language"] == "rust" => {
            Call::of(asked).and_then(|call| Ok(("source", E::program(&call)?.source(&call).into())))
        }
        other => Err(No::Unsupported(format!("no answer to {other:?}"))),
    };
    let seq = &asked["seq"];
    match outcome {
        Ok((what, value)) => json!({"seq": seq, what: value}),
        Err(No::Rejected(message, Some(phase))) => {
            json!({"seq": seq, "rejected": {"message": message, "phase": phase}})
        }
        Err(No::Rejected(message, None)) => json!({"seq": seq, "rejected": {"message": message}}),
        Err(No::Unsupported(why)) => json!({"seq": seq, "unsupported": why}),
        Err(No::Broken(why)) => json!({"seq": seq, "broken": why}),
    }
}

/// Answers the messages on standard input until goodbye or its end.
pub fn serve<E: Engine>() {
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let reply = match serde_json::from_str::<Value>(&line) {
            Ok(asked) if asked["message"] == "goodbye" => break,
            Ok(asked) => answer::<E>(&asked),
            Err(error) => json!({"broken": format!("malformed message: {error}")}),
        };
        if writeln!(out, "{reply}").and_then(|()| out.flush()).is_err() {
            break;
        }
    }
}
