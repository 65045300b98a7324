// SPDX-License-Identifier: Apache-2.0
// Workloads: one line of text each, a gather with its shapes, types and a way to draw indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/call.hpp"
#include "reference/operator_version.hpp"
#include "reference/tensor.hpp"

namespace gathercheck::bench {

/// How index values are drawn.
enum class Draw : std::uint8_t {
    uniform,      ///< each by itself
    zipf,         ///< log-uniform: index k about as often as 1 / (k + 1)
    permutation,  ///< no index twice before each was drawn once
    sorted,       ///< uniform, then rising
    arange,       ///< 0, 1, 2, ..., from the start again after the last
    zeros,        ///< all 0
    rows,         ///< GatherElements: one index for all that lie behind the axis
    raster,       ///< GatherND: tuples in row-major order
};

struct Workload {
    std::string id;
    std::string text;  ///< what follows the id
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    Descriptor data;
    Descriptor indices;
    std::int64_t axis = 0;
    std::int64_t batch_dims = 0;
    Draw draw = Draw::uniform;
    double negative = 0;  ///< share of the indices that count from the end
    double beyond = 0;    ///< share of the indices that lie outside their range, to be clamped
    Family form = Family::gather;  ///< of StableHLO's gather: whose calls it makes
    std::uint64_t seed = 1;        ///< of everything that is drawn
    bool cold = false;             ///< caches are emptied before each sample
    bool more = false;             ///< only timed when asked for by id
    Descriptor output;             ///< follows from the rest

    /// One of Gather, GatherElements and GatherND, of StableHLO's gather too.
    Family family() const {
        const Family own = info(version).family;
        return own == Family::stablehlo_gather ? form : own;
    }
    bool clamps() const { return info(version).out_of_bounds == OutOfBounds::clamp; }
};

/// Reads "onnx.Gather-13 f32[1000,64] i64[8] axis=0 indices=uniform cold"; the text is why it
/// cannot be.
std::variant<Workload, std::string> parse_workload(std::string_view id, std::string_view text);

/// The file of workloads, a line each; the text is the first thing wrong with it.
std::variant<std::vector<Workload>, std::string> read_workloads(const std::filesystem::path& file);

/// Those whose id matches one of the patterns, in order; without patterns those that are not
/// `more`. The text names a pattern that matches none.
std::variant<std::vector<Workload>, std::string> select_workloads(
    const std::vector<Workload>& all, std::span<const std::string> patterns);

/// The workload as a generic call, of StableHLO's gather by its dimension numbers. Borrows the
/// contents and the workload (its axis).
Call call_of(const Workload& workload, const std::byte* data, const std::byte* indices);

/// A gather as nested sizes, which is all that plain loops and bounds need. Positions count
/// elements of the data.
struct Geometry {
    std::int64_t batches = 1;     ///< tables by batch_dims; each has picks of its own
    std::int64_t outer = 1;       ///< tables that share the picks (Gather), rows (GatherElements)
    std::int64_t extent = 1;      ///< size of the axis (Gather, GatherElements)
    std::int64_t picks = 1;       ///< for each batch; for GatherElements size of indices' axis
    std::int64_t inner = 1;       ///< elements behind the axis, moved together (Gather, GatherND)
    std::int64_t components = 1;  ///< of a tuple (GatherND)
    Shape extents;                ///< that the components pick from (GatherND)
    std::int64_t element_bytes = 4;
};
Geometry geometry(const Workload& workload);

/// Writes the data: every element differs from its neighbours and is a finite number.
void fill_data(const Workload& workload, std::span<std::byte> data);

/// Draws the indices; the same ones for the same workload everywhere.
void fill_indices(const Workload& workload, std::span<std::byte> indices);

}  // namespace gathercheck::bench
