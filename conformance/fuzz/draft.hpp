// SPDX-License-Identifier: Apache-2.0
// Drafts: what a generated call is before its tensors have contents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/fuzz/call.hpp"
#include "conformance/fuzz/choices.hpp"
#include "reference/check_stablehlo.hpp"
#include "reference/operator_version.hpp"

namespace gathercheck {

using Dims = std::vector<std::int64_t>;

/// A call without contents. Where it is legal, all its parts fit together.
struct Draft {
    explicit Draft(OperatorVersion version) : op(info(version)) {}

    const OperatorInfo& op;
    ElementType data_type = ElementType::f32;
    ElementType indices_type = ElementType::i64;
    Dims data;
    Dims indices;
    std::int64_t axis = 0;        ///< in [0, rank - 1]; of those that have one
    std::int64_t batch_dims = 0;  ///< not negative; the same
    GatherAttributes numbers;     ///< of StableHLO's gather

    // How it is written.
    std::optional<std::int64_t> written_axis;        ///< nothing: left out
    std::optional<std::int64_t> written_batch_dims;  ///< the same
    ElementType axis_type = ElementType::i64;        ///< of an axis input
    Dims axis_shape;
    std::vector<Attribute> further;     ///< attributes that no version has
    std::vector<Attribute> other_kind;  ///< attributes with values of another kind
    std::vector<std::string> left_out;  ///< attributes and inputs that are not there
    bool surplus_input = false;
    bool described = false;  ///< data and indices have no contents
    bool open_contents = false;
    std::int64_t bad_indices = 0;  ///< so many indices are outside the version's range

    /// The size of the dimension that an index picks from, of the index at a flat position.
    std::int64_t picked_from(std::int64_t position) const;
};

/// Sizes of dimensions, drawn so that a tensor has at most so many elements.
class Sizes {
public:
    Sizes(Choices& choices, const CallSpace& space);

    /// The next dimension of a tensor that has `elements` so far; 1 is the simplest.
    std::int64_t next(std::int64_t elements);

private:
    std::int64_t any();

    Choices& choices_;
    const CallSpace& space_;
    std::int64_t most_;
    bool large_ = false;  ///< it may have as many elements as the space has, and mostly has many
};

/// Draws ranks, shapes, axis and batch_dims, or dimension numbers, of a legal call.
void draw_shapes(Choices& choices, const CallSpace& space, Draft& draft);

/// Draws other sizes for a legal draft, so that a model of the same ranks, axis and batch_dims has
/// both calls. StableHLO's gather keeps its own.
void redraw_sizes(Choices& choices, const CallSpace& space, Draft& draft);

/// Makes sizes so large that products of them are beyond 31, 32 or 63 bits: for a call without
/// contents.
void draw_huge(Choices& choices, Draft& draft);

/// Changes a draft so that it breaks a check of its version, if it can.
void break_check(Choices& choices, Check check, Draft& draft);

/// Draws contents for the inputs of a draft, and writes it out as a call.
GeneratedCall::Inputs draw_inputs(Choices& choices, const Draft& draft);
std::vector<Attribute> attributes_of(const Draft& draft);

/// One of the types of a set; `otherwise` where it has none.
ElementType draw_type(Choices& choices, TypeSet of, ElementType otherwise);

/// True for integers without a sign.
bool is_unsigned(ElementType type);

/// The number of elements; a dimension of size 0 counts as 1.
std::int64_t elements_of(const Dims& dims);

/// Whether a list of dimension numbers has that one.
bool is_among(std::int64_t dim, const Dims& several);

}  // namespace gathercheck
