// SPDX-License-Identifier: Apache-2.0
// The inside of the protocol's codec, shared by both of its sides' .cpp files only: tensors as
// JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/implementations/worker/protocol.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck {

/// A claim of a hello; names that are not known here are left out.
std::variant<Claim, Malformed> read_claim(const Json& value);

/// {"type", "shape"} and "base64" or "values" where the tensor has contents. Without elements there
/// is nothing to point at: such a tensor has contents unless the call is described.
void append_tensor(std::string& text, const TensorView& tensor, bool describe);

/// A line as the object that every message is.
std::variant<Json, Malformed> read_object(std::string_view line);

/// The answer that an object is; see read_answer() of a line.
std::variant<Answer, Malformed> read_answer(const Json& answer, std::int64_t seq, bool describe,
                                            bool may_be_unsafe);

/// {"type", "shape"}, whatever else is there.
std::variant<Descriptor, Malformed> read_type_and_shape(const Json& value);

/// The same and contents.
std::variant<Tensor, Malformed> read_tensor(const Json& value);

}  // namespace gathercheck
