// SPDX-License-Identifier: Apache-2.0
// The table of operator versions.
#include "reference/operator_version.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace gathercheck {
namespace {

using enum ElementType;
using enum OperatorVersion;

constexpr TypeSet openvino_types{boolean, u1,     u2,     u3,     u4,     u6,  u8,    u16,  u32,
                                 u64,     i4,     i8,     i16,    i32,    i64, f16,   bf16, f32,
                                 f64,     f8e4m3, f8e5m2, f8e8m0, f4e2m1, nf4, string};
constexpr TypeSet whole_byte_integers{i8, i16, i32, i64, u8, u16, u32, u64};
constexpr TypeSet onnx_15_types{boolean, u8,  u16, u32, u64, i8,   i16,   i32,
                                i64,     f16, f32, f64, c64, c128, string};
constexpr TypeSet onnx_16_types = onnx_15_types | TypeSet{bf16};
constexpr TypeSet stablehlo_types{
    boolean, u2,   u4,  u8,  u16,    u32,    u64,        i2,         i4,     i8,     i16, i32, i64,
    f16,     bf16, f32, f64, f8e4m3, f8e5m2, f8e4m3fnuz, f8e5m2fnuz, f8e8m0, f4e2m1, c64, c128};
constexpr TypeSet i32_and_i64{i32, i64};
constexpr TypeSet only_i64{i64};

struct CheckRule {
    Check check;
    std::string_view rule;
};

template <std::size_t Count>
constexpr std::array<std::string_view, check_count> rules(const CheckRule (&rows)[Count]) {
    std::array<std::string_view, check_count> result{};
    for (const CheckRule& row : rows) result[static_cast<std::size_t>(row.check)] = row.rule;
    return result;
}

constexpr auto openvino_gather_1_rules = rules({
    {Check::inputs_count, "inputs.count"},
    {Check::attribute_unknown, "attributes.none"},
    {Check::data_type, "types.data"},
    {Check::indices_type, "types.indices"},
    {Check::axis_type, "types.axis"},
    {Check::data_rank, "data.rank"},
    {Check::axis_shape, "axis.scalar-or-1d"},
    {Check::axis_range, "axis.range"},
    {Check::output_size, "output.too-large"},
    {Check::index_range, "indices.range"},
});

constexpr auto openvino_gather_7_rules = rules({
    {Check::inputs_count, "inputs.count"},
    {Check::attribute_unknown, "attributes.unknown"},
    {Check::attribute_kind, "batch_dims.type"},
    {Check::data_type, "types.T"},
    {Check::indices_type, "types.T_IND"},
    {Check::axis_type, "types.T_AXIS"},
    {Check::data_rank, "data.rank"},
    {Check::axis_shape, "axis.scalar-or-1d"},
    {Check::axis_range, "axis.range"},
    {Check::batch_dims_range, "batch_dims.range"},
    {Check::batch_dims_le_axis, "batch_dims.le-axis"},
    {Check::batch_shape, "batch_dims.equal-shape"},
    {Check::output_size, "output.too-large"},
    {Check::index_range, "indices.range"},
});

constexpr auto openvino_gather_elements_6_rules = rules({
    {Check::inputs_count, "inputs.count"},
    {Check::attribute_unknown, "attributes.unknown"},
    {Check::attribute_kind, "axis.type"},
    {Check::data_type, "types.T"},
    {Check::indices_type, "types.T_IND"},
    {Check::data_rank, "input.data"},
    {Check::indices_rank, "rank.equal"},
    {Check::rank_equal, "rank.equal"},
    {Check::axis_range, "axis.range"},
    {Check::other_dims, "shape.equal-except-axis"},
    {Check::output_size, "output.too-large"},
    {Check::index_range, "indices.error"},
});

constexpr auto openvino_gather_nd_rules = rules({
    {Check::inputs_count, "inputs.count"},
    {Check::attribute_unknown, "attributes.unknown"},
    {Check::attribute_kind, "attributes.kind"},
    {Check::data_type, "types"},
    {Check::indices_type, "types"},
    {Check::data_rank, "data.rank"},
    {Check::indices_rank, "indices.rank"},
    {Check::batch_dims_range, "batch_dims.range"},
    {Check::batch_shape, "batch_dims.broadcast"},
    {Check::tuple_length_min, "indices.tuple-empty"},
    {Check::tuple_length_max, "indices.last-dim"},
    {Check::output_size, "output.too-large"},
    {Check::index_range, "indices.range"},
});

constexpr auto onnx_gather_rules = rules({
    {Check::inputs_count, "inputs.count"},
    {Check::attribute_unknown, "attributes.unknown"},
    {Check::attribute_kind, "axis.type"},
    {Check::data_type, "types.T"},
    {Check::indices_type, "types.Tind"},
    {Check::data_rank, "data.rank"},
    {Check::axis_range, "axis.range"},
    {Check::output_size, "output.too-large"},
    {Check::index_range, "indices.error"},
});

constexpr auto onnx_gather_elements_rules = rules({
    {Check::inputs_count, "inputs.count"},
    {Check::attribute_unknown, "attributes.unknown"},
    {Check::attribute_kind, "attributes.kind"},
    {Check::data_type, "types"},
    {Check::indices_type, "types"},
    {Check::data_rank, "rank.equal"},
    {Check::indices_rank, "rank.equal"},
    {Check::rank_equal, "rank.equal"},
    {Check::axis_range, "axis.range"},
    {Check::other_dims, "shape.other-dims"},
    {Check::output_size, "output.too-large"},
    {Check::index_range, "indices.error"},
});

constexpr auto onnx_gather_nd_11_rules = rules({
    {Check::inputs_count, "inputs.count"},
    {Check::attribute_unknown, "attributes.unknown"},
    {Check::data_type, "types"},
    {Check::indices_type, "types"},
    {Check::data_rank, "rank"},
    {Check::indices_rank, "rank"},
    {Check::tuple_length_min, "indices.last-dim"},
    {Check::tuple_length_max, "indices.last-dim"},
    {Check::output_size, "output.too-large"},
    {Check::index_range, "indices.error"},
});

constexpr auto onnx_gather_nd_12_rules = rules({
    {Check::inputs_count, "inputs.count"},
    {Check::attribute_unknown, "attributes.unknown"},
    {Check::attribute_kind, "attributes.kind"},
    {Check::data_type, "types"},
    {Check::indices_type, "types"},
    {Check::data_rank, "rank"},
    {Check::indices_rank, "rank"},
    {Check::batch_dims_range, "batch_dims.range"},
    {Check::batch_shape, "batch_dims.equal"},
    {Check::tuple_length_min, "indices.last-dim"},
    {Check::tuple_length_max, "indices.last-dim"},
    {Check::output_size, "output.too-large"},
    {Check::index_range, "indices.error"},
});

constexpr auto stablehlo_gather_rules = rules({
    {Check::inputs_count, "inputs.count"},
    {Check::attribute_unknown, "attributes.unknown"},
    {Check::attribute_kind, "attributes.kind"},
    {Check::attributes_given, "attributes.given"},
    {Check::data_type, "types.operand"},
    {Check::indices_type, "types.start_indices"},
    {Check::operand_rank, "c1"},
    {Check::index_vector_dim_range, "c2"},
    {Check::start_index_map_size, "c3"},
    {Check::offset_dims_order, "c4"},
    {Check::offset_dims_range, "c5"},
    {Check::window_dims_unique, "c6"},
    {Check::collapsed_slice_dims_order, "c7"},
    {Check::collapsed_slice_dims_range, "c8"},
    {Check::collapsed_slice_sizes, "c9"},
    {Check::operand_batching_dims_order, "c10"},
    {Check::operand_batching_dims_range, "c11"},
    {Check::operand_batching_sizes, "c12"},
    {Check::start_indices_batching_dims_unique, "c13"},
    {Check::start_indices_batching_dims_range, "c14"},
    {Check::index_vector_dim_not_batching, "c15"},
    {Check::batching_dims_size, "c16"},
    {Check::batching_dims_shape, "c17"},
    {Check::start_index_map_unique, "c18"},
    {Check::start_index_map_range, "c19"},
    {Check::slice_sizes_size, "c20"},
    {Check::slice_sizes_range, "c21"},
    {Check::output_size, "output.too-large"},
});

// Where a text states the legal range of indices and no consequence
// (openvino.Gather-1, Gather-7, GatherND-5, GatherND-8), out_of_bounds is the
// suite's reading: reject.
constexpr auto table = std::to_array<OperatorInfo>({
    {.version = openvino_gather_1,
     .name = "openvino.Gather-1",
     .specification = "openvino",
     .type = "Gather",
     .number = 1,
     .family = Family::gather,
     .axis = AxisSource::input,
     .data_types = openvino_types,
     .indices_types = whole_byte_integers,
     .axis_types = whole_byte_integers,
     .negative_indices = false,
     .indices_rank = IndicesRank::any,
     .rules = "ov.gather-1",
     .check_rules = openvino_gather_1_rules},
    {.version = openvino_gather_7,
     .name = "openvino.Gather-7",
     .specification = "openvino",
     .type = "Gather",
     .number = 7,
     .family = Family::gather,
     .axis = AxisSource::input,
     .batch_dims = BatchDims::negative_too,
     .data_types = openvino_types,
     .indices_types = whole_byte_integers,
     .axis_types = whole_byte_integers,
     .negative_indices = false,
     .indices_rank = IndicesRank::any,
     .rules = "ov.gather-7",
     .check_rules = openvino_gather_7_rules},
    {.version = openvino_gather_8,
     .name = "openvino.Gather-8",
     .specification = "openvino",
     .type = "Gather",
     .number = 8,
     .family = Family::gather,
     .axis = AxisSource::input,
     .batch_dims = BatchDims::negative_too,
     .data_types = openvino_types,
     .indices_types = whole_byte_integers,
     .axis_types = whole_byte_integers,
     .negative_indices = true,
     .out_of_bounds = OutOfBounds::zero,
     .indices_rank = IndicesRank::any,
     .rules = "ov.gather-8",
     .check_rules = openvino_gather_7_rules},
    {.version = openvino_gather_elements_6,
     .name = "openvino.GatherElements-6",
     .specification = "openvino",
     .type = "GatherElements",
     .number = 6,
     .family = Family::gather_elements,
     .axis = AxisSource::attribute,
     .data_types = openvino_types,
     .indices_types = i32_and_i64,
     .negative_indices = false,
     .indices_rank = IndicesRank::at_least_one,
     .rules = "ov.gather-elements-6",
     .check_rules = openvino_gather_elements_6_rules},
    {.version = openvino_gather_nd_5,
     .name = "openvino.GatherND-5",
     .specification = "openvino",
     .type = "GatherND",
     .number = 5,
     .family = Family::gather_nd,
     .batch_dims = BatchDims::from_zero,
     .data_types = openvino_types,
     .indices_types = whole_byte_integers,
     .negative_indices = false,
     .indices_rank = IndicesRank::at_least_one,
     .fuses_batch_dims = true,
     .rules = "ov.gather-nd-5",
     .check_rules = openvino_gather_nd_rules},
    {.version = openvino_gather_nd_8,
     .name = "openvino.GatherND-8",
     .specification = "openvino",
     .type = "GatherND",
     .number = 8,
     .family = Family::gather_nd,
     .batch_dims = BatchDims::from_zero,
     .data_types = openvino_types,
     .indices_types = whole_byte_integers,
     .negative_indices = true,
     .indices_rank = IndicesRank::at_least_one,
     .rules = "ov.gather-nd-8",
     .check_rules = openvino_gather_nd_rules},
    {.version = onnx_gather_1,
     .name = "onnx.Gather-1",
     .specification = "onnx",
     .type = "Gather",
     .number = 1,
     .family = Family::gather,
     .axis = AxisSource::attribute,
     .data_types = onnx_15_types,
     .indices_types = i32_and_i64,
     .negative_indices = true,
     .indices_rank = IndicesRank::any,
     .rules = "onnx.gather-1",
     .check_rules = onnx_gather_rules},
    {.version = onnx_gather_11,
     .name = "onnx.Gather-11",
     .specification = "onnx",
     .type = "Gather",
     .number = 11,
     .family = Family::gather,
     .axis = AxisSource::attribute,
     .data_types = onnx_15_types,
     .indices_types = i32_and_i64,
     .negative_indices = true,
     .indices_rank = IndicesRank::any,
     .rules = "onnx.gather-11",
     .check_rules = onnx_gather_rules},
    {.version = onnx_gather_13,
     .name = "onnx.Gather-13",
     .specification = "onnx",
     .type = "Gather",
     .number = 13,
     .family = Family::gather,
     .axis = AxisSource::attribute,
     .data_types = onnx_16_types,
     .indices_types = i32_and_i64,
     .negative_indices = true,
     .indices_rank = IndicesRank::any,
     .rules = "onnx.gather-13",
     .check_rules = onnx_gather_rules},
    {.version = onnx_gather_elements_11,
     .name = "onnx.GatherElements-11",
     .specification = "onnx",
     .type = "GatherElements",
     .number = 11,
     .family = Family::gather_elements,
     .axis = AxisSource::attribute,
     .data_types = onnx_15_types,
     .indices_types = i32_and_i64,
     .negative_indices = true,
     .other_dims = OtherDims::not_larger,
     .indices_rank = IndicesRank::at_least_one,
     .rules = "onnx.gather-elements-11",
     .check_rules = onnx_gather_elements_rules},
    {.version = onnx_gather_elements_13,
     .name = "onnx.GatherElements-13",
     .specification = "onnx",
     .type = "GatherElements",
     .number = 13,
     .family = Family::gather_elements,
     .axis = AxisSource::attribute,
     .data_types = onnx_16_types,
     .indices_types = i32_and_i64,
     .negative_indices = true,
     .other_dims = OtherDims::not_larger,
     .indices_rank = IndicesRank::at_least_one,
     .rules = "onnx.gather-elements-13",
     .check_rules = onnx_gather_elements_rules},
    {.version = onnx_gather_nd_11,
     .name = "onnx.GatherND-11",
     .specification = "onnx",
     .type = "GatherND",
     .number = 11,
     .family = Family::gather_nd,
     .data_types = onnx_15_types,
     .indices_types = only_i64,
     .negative_indices = true,
     .indices_rank = IndicesRank::at_least_one,
     .rules = "onnx.gather-nd-11",
     .check_rules = onnx_gather_nd_11_rules},
    {.version = onnx_gather_nd_12,
     .name = "onnx.GatherND-12",
     .specification = "onnx",
     .type = "GatherND",
     .number = 12,
     .family = Family::gather_nd,
     .batch_dims = BatchDims::from_zero,
     .data_types = onnx_15_types,
     .indices_types = only_i64,
     .negative_indices = true,
     .indices_rank = IndicesRank::at_least_one,
     .rules = "onnx.gather-nd-12",
     .check_rules = onnx_gather_nd_12_rules},
    {.version = onnx_gather_nd_13,
     .name = "onnx.GatherND-13",
     .specification = "onnx",
     .type = "GatherND",
     .number = 13,
     .family = Family::gather_nd,
     .batch_dims = BatchDims::from_zero,
     .data_types = onnx_16_types,
     .indices_types = only_i64,
     .negative_indices = true,
     .indices_rank = IndicesRank::at_least_one,
     .rules = "onnx.gather-nd-13",
     .check_rules = onnx_gather_nd_12_rules},
    {.version = stablehlo_gather,
     .name = "stablehlo.gather",
     .specification = "stablehlo",
     .type = "gather",
     .family = Family::stablehlo_gather,
     .data_types = stablehlo_types,
     .indices_types = whole_byte_integers,
     .negative_indices = false,
     .out_of_bounds = OutOfBounds::clamp,
     .indices_rank = IndicesRank::any,
     .rules = "stablehlo.gather",
     .check_rules = stablehlo_gather_rules},
});

constexpr bool in_order() {
    for (std::size_t k = 0; k < table.size(); ++k) {
        if (static_cast<std::size_t>(table[k].version) != k) return false;
    }
    return true;
}
static_assert(table.size() == enumerated_version_count,
              "enumerated_version_count is the number of rows");
static_assert(in_order(), "the table is in the order of the enumerators");
static_assert(static_cast<std::size_t>(Check::index_range) + 1 == check_count);

/// The table or, once something was declared, a copy of it with that behind.
constinit std::span<const OperatorInfo> all = table;

/// A text of a declared row, which outlives the program's other objects.
std::string_view kept(std::string_view text) {
    static auto* const texts = new std::deque<std::string>;
    return texts->emplace_back(text);
}

}  // namespace

std::span<const OperatorInfo> operator_versions() { return all; }

const OperatorInfo& info(OperatorVersion version) { return all[static_cast<std::size_t>(version)]; }

std::variant<OperatorVersion, std::string> declare(OperatorInfo row) {
    if (operator_version(row.name)) return std::string(row.name) + " is there already";
    if (all.size() == max_operator_versions) {
        return "there are " + std::to_string(all.size()) + " operator versions, which is the most";
    }
    static auto* const rows = [] {
        auto* const copy = new std::vector<OperatorInfo>();
        copy->reserve(max_operator_versions);  // references to rows stay
        copy->assign(table.begin(), table.end());
        return copy;
    }();
    row.version = static_cast<OperatorVersion>(all.size());
    for (std::string_view* text : {&row.name, &row.specification, &row.type, &row.rules}) {
        *text = kept(*text);
    }
    for (std::string_view& rule : row.check_rules) rule = kept(rule);
    rows->push_back(row);
    all = *rows;
    return row.version;
}

std::string_view name(OperatorVersion version) { return info(version).name; }

std::optional<OperatorVersion> operator_version(std::string_view name) {
    const auto rows = operator_versions();
    const auto found = std::ranges::find(rows, name, &OperatorInfo::name);
    if (found == rows.end()) return std::nullopt;
    return found->version;
}

std::string rule_id(OperatorVersion version, Check check) {
    const OperatorInfo& row = info(version);
    const std::string_view rest = row.check_rules[static_cast<std::size_t>(check)];
    if (rest.empty()) return {};
    return std::string(row.rules) + "." + std::string(rest);
}

Phase phase(Check check) {
    if (check <= Check::axis_type) return Phase::build;
    return check == Check::index_range ? Phase::run : Phase::shape;
}

std::int64_t input_count(OperatorVersion version) {
    return info(version).axis == AxisSource::input ? 3 : 2;
}

}  // namespace gathercheck
