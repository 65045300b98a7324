// SPDX-License-Identifier: Apache-2.0
// A small rule catalogue and a valid document for the loader's tests.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/load/load.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/tests/places.hpp"
#include "conformance/tests/shipped_rules.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck::fixture {

/// Each version has the rules <prefix>.formula, <prefix>.axis.range and <prefix>.indices.range.
inline const RuleCatalogue& rules() {
    static const RuleCatalogue catalogue = [] {
        RuleCatalogue result;
        for (const OperatorInfo& row : operator_versions()) {
            const auto add = [&](std::string_view rest, std::vector<Category> errors,
                                 std::optional<Phase> phase) {
                Rule rule{};
                rule.id = std::string(row.rules) + "." + std::string(rest);
                rule.version = row.version;
                rule.errors = std::move(errors);
                rule.phase = phase;
                result.add(std::move(rule));
            };
            add("formula", {}, std::nullopt);
            add("axis.range", {Category::axis_out_of_range}, Phase::shape);
            add("indices.range", {Category::index_out_of_bounds}, Phase::run);
            add("output.too-large", {Category::too_large}, Phase::shape);
        }
        return result;
    }();
    return catalogue;
}

/// Three cases: one with an output and an error, its control, and a described one.
inline constexpr std::string_view document = R"({
  "cases": [
    {
      "id": "one-past-the-end",
      "title": "an index equal to the axis size is out of bounds",
      "why": "the classic off by one",
      "axis": 0,
      "inputs": {
        "data": { "type": "f32", "shape": [3, 2], "fill": { "address": 1 } },
        "indices": { "type": "i64", "shape": [2], "values": [3, 0] }
      },
      "expect": [
        { "for": ["onnx.Gather-11", "onnx.Gather-13"],
          "rules": ["onnx.gather-11.indices.range", "onnx.gather-13.indices.range"],
          "error": "index_out_of_bounds", "phase": "run" },
        { "for": ["openvino.Gather-8"], "rules": ["ov.gather-8.formula"],
          "output": { "type": "f32", "shape": [2, 2], "values": [0, 0, 1, 2] } },
        { "for": ["openvino.Gather-7"], "rules": ["ov.gather-7.indices.range"],
          "unspecified": "no sentence says what happens" },
        { "for": ["onnx.Gather-1"], "rules": ["onnx.gather-1.indices.range"],
          "either": [ { "error": "index_out_of_bounds" },
                      { "output": { "type": "f32", "shape": [2, 2], "values": [0, 0, 1, 2] } } ] }
      ],
      "control": "last-row"
    },
    {
      "id": "last-row",
      "title": "the last index is legal",
      "attributes": { "axis": 0 },
      "inputs": {
        "data": { "type": "f32", "shape": [3, 2], "values": [1, 2, 3, 4, 5, 6.5] },
        "indices": { "type": "i64", "shape": [2], "values": [2, 0] }
      },
      "expect": [
        { "for": ["onnx.Gather-1", "onnx.Gather-11", "onnx.Gather-13"],
          "rules": ["onnx.gather-1.formula", "onnx.gather-11.formula", "onnx.gather-13.formula"],
          "output": { "type": "f32", "shape": [2, 2], "values": [5, 6.5, 1, 2] } }
      ]
    },
    {
      "id": "huge",
      "title": "only the shape is asked for",
      "inputs": {
        "data": { "type": "u8", "shape": [4294967296, 1024] },
        "indices": { "type": "i32", "shape": [4294967296] },
        "axis": { "type": "i64", "shape": [1], "values": [1] }
      },
      "expect": [
        { "for": ["openvino.Gather-8"], "rules": ["ov.gather-8.output.too-large"], "error": "too_large" }
      ]
    }
  ]
})";

/// A sweep of 2 x 3 combinations.
inline constexpr std::string_view sweep = R"({
  "cases": [
    {
      "id": "small-sweep",
      "title": "types and axes",
      "axis": "$axis",
      "inputs": {
        "data": { "type": "$type", "shape": [2, 2], "fill": { "mark": 1 } },
        "indices": { "type": "i64", "shape": "$indices.shape", "values": "$indices.values" }
      },
      "expect": [
        { "for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.formula"], "output": "equation" }
      ],
      "sweep": {
        "type": ["f16", "string"],
        "axis": [0, -1],
        "indices": [
          { "name": "one", "shape": [1], "values": [1] },
          { "name": "none", "shape": [0], "values": [] },
          { "name": "scalar", "shape": [], "values": [0] }
        ]
      }
    }
  ]
})";

}  // namespace gathercheck::fixture
