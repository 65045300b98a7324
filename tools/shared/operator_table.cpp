// SPDX-License-Identifier: Apache-2.0
// Words for the rows of the table of operator versions.
#include "tools/shared/operator_table.hpp"

#include <string_view>

#include "reference/element_type.hpp"

namespace gathercheck {
namespace {

std::string axis_words(const OperatorInfo& row) {
    std::string words;
    switch (row.axis) {
        case AxisSource::none:
            return "none";
        case AxisSource::input:
            words = "third input";
            break;
        case AxisSource::attribute:
            words = !row.axis_default
                        ? "attribute, must be given"
                        : "attribute, " + std::to_string(*row.axis_default) + " if absent" +
                              (row.axis_default_is_of_1d ? " and data is 1-D" : "");
            break;
    }
    return words + (row.negative_axis ? "" : ", from 0");
}

std::string_view batch_dims_words(BatchDims batch_dims) {
    switch (batch_dims) {
        case BatchDims::none:
            return "none";
        case BatchDims::negative_too:
            return "negative too";
        case BatchDims::from_zero:
            return "from 0";
    }
    return {};
}

}  // namespace

OperatorWords operator_words(const OperatorInfo& row, const Equations& equations) {
    OperatorWords words{.name = std::string(row.name),
                        .inputs = std::to_string(input_count(row.version)),
                        .axis = axis_words(row),
                        .batch_dims = std::string(batch_dims_words(row.batch_dims)),
                        .index_types = {},
                        .negative_indices = row.negative_indices ? "count from the end" : "outside",
                        .outside = {}};
    constexpr int all_integers = 8;  // of 8 to 64 bits, with and without sign
    int listed = 0;
    for (const ElementTypeInfo& type : element_types()) {
        if (!row.indices_types.contains(type.type)) continue;
        words.index_types += (words.index_types.empty() ? "" : " ") + std::string(type.name);
        ++listed;
    }
    if (listed == all_integers) words.index_types = "any integer";
    for (const Outside each : equations.outside(row.version)) {
        words.outside += (words.outside.empty() ? "" : ", or ") + std::string(name(each));
    }
    return words;
}

std::string specifications_table(const Equations& equations) {
    std::string text =
        "| operator version | negative indices | index outside its range | axis | batch_dims | "
        "types of indices |\n| --- | --- | --- | --- | --- | --- |\n";
    for (const OperatorInfo& row : operator_versions()) {
        const OperatorWords words = operator_words(row, equations);
        for (const std::string& cell : {words.name, words.negative_indices, words.outside,
                                        words.axis, words.batch_dims, words.index_types}) {
            text += "| " + cell + " ";
        }
        text += "|\n";
    }
    return text;
}

}  // namespace gathercheck
