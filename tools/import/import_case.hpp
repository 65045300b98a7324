// SPDX-License-Identifier: Apache-2.0
// Import: a call from elsewhere, with the output stored beside it, as the text of a case.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/judge/judge.hpp"
#include "reference/call.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {

/// A call with data and indices, and what it must give.
struct ImportedCall {
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    std::vector<Attribute> attributes;
    Tensor data;
    Tensor indices;
    Tensor output;
};

/// The case as JSON, indented as in a case file. It names the call's own version and, where
/// `all_versions` is asked for, every other of the operator for which the call is legal and gives
/// an output of that shape; then the attribute axis becomes the case's axis where a version takes
/// it as an input. Attributes may be integers, decimals, strings and lists of integers.
std::string case_text(const std::string& id, const std::string& title, const ImportedCall& call,
                      bool all_versions);

/// A call with what one operator version must do with it.
struct WrittenCase {
    std::string id;
    std::string title;
    std::string why;  ///< may be empty
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    std::vector<Attribute> attributes;
    std::vector<std::pair<std::string, Tensor>> inputs;
    bool described = false;          ///< inputs but axis, and outputs, are written without contents
    std::vector<std::string> rules;  ///< ids; at least one of the version
    std::vector<ResolvedAlternative> alternatives;  ///< outputs with contents, and errors; empty:
                                                    ///< no sentence decides
    std::string unspecified;                        ///< why none does
    std::vector<std::string> after = {};            ///< ids of the calls of a sequence before it
};

/// The same as JSON.
std::string case_text(const WrittenCase& written);

/// A whole case file.
std::string case_file_text(const std::vector<std::string>& cases);

/// A JSON string; bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace gathercheck
