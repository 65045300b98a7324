// SPDX-License-Identifier: Apache-2.0
// A call: an operator version, its attributes and its named input tensors, as
// an implementation receives them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/operator_version.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {

/// An attribute's value that is none of the other kinds, as JSON text. No
/// operator version takes one.
struct OtherValue {
    std::string json;
    friend bool operator==(const OtherValue&, const OtherValue&) = default;
};

/// The value of an attribute. Only integers are ever legal; the rest exists so
/// that a call that must be rejected can be said.
using AttributeValue =
    std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>, OtherValue>;

/// The value as JSON text; long lists are cut short.
std::string to_string(const AttributeValue& value);

struct Attribute {
    std::string name;
    AttributeValue value;
};

struct Input {
    std::string name;  ///< "data", "indices", "axis"; anything else is surplus
    TensorView tensor;
};

/// What is absent is absent: defaults are the implementation's business. The
/// contents of the inputs are borrowed and must outlive the call.
struct Call {
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    std::vector<Attribute> attributes;
    std::vector<Input> inputs;

    /// The input of that name; null where there is none.
    const TensorView* input(std::string_view name) const {
        for (const Input& input : inputs) {
            if (input.name == name) return &input.tensor;
        }
        return nullptr;
    }

    /// The value of the attribute of that name; null where there is none, or one of another kind.
    template <typename Value>
    const Value* attribute(std::string_view name) const {
        for (const Attribute& attribute : attributes) {
            if (attribute.name == name) return std::get_if<Value>(&attribute.value);
        }
        return nullptr;
    }
};

}  // namespace gathercheck
