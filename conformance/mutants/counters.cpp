// SPDX-License-Identifier: Apache-2.0
// Mutants whose counters are too narrow, or that lose some of many indices.
#include <algorithm>
#include <iterator>

#include "conformance/mutants/bug.hpp"

namespace gathercheck::mutant {
namespace {

using enum ElementType;

/// An output position as the counters of nested loops: batches, rows before the axis, picks (index
/// positions, or tuples) and elements of a slice.
struct Counters {
    std::int64_t batch = 0;
    std::int64_t row = 0;
    std::int64_t pick = 0;
    std::int64_t within = 0;
    std::int64_t all_picks = 0;  ///< picks of all batches up to here
};

/// The nested loops over an output: how often each runs.
class Loops {
public:
    /// Of a call with output elements: no dimension is 0.
    explicit Loops(const CheckedCall& call) {
        const Shape& indices = call.indices.shape;
        if (is_gather_elements(info(call.version))) {
            picks_ = elements(indices);
            return;
        }
        const bool tuples = is_gather_nd(info(call.version));
        slice_ = slice_elements(call);
        if (!tuples) rows_ = elements(call.data.shape.slice(call.batch_dims, call.axis));
        picks_ = elements(indices.slice(call.batch_dims, indices.rank() - (tuples ? 1 : 0)));
    }

    std::int64_t slice() const { return slice_; }

    Counters at(std::int64_t k) const {
        Counters at;
        at.within = k % slice_;
        at.pick = k / slice_ % picks_;
        at.row = k / slice_ / picks_ % rows_;
        at.batch = k / slice_ / picks_ / rows_;
        at.all_picks = at.batch * picks_ + at.pick;
        return at;
    }

private:
    std::int64_t slice_ = 1;
    std::int64_t rows_ = 1;
    std::int64_t picks_ = 1;
};

/// Where an output element comes from, and its counters.
struct Place {
    const CheckedCall& call;
    std::span<const std::int64_t> sources;
    std::int64_t k;
    Counters at;
    std::int64_t slice;  ///< elements of a slice
    std::int64_t all;    ///< picks of all batches

    std::int64_t source() const { return sources[static_cast<std::size_t>(k)]; }
};

/// A bug that gives each output element another source by its counters.
template <class Change>
Bug by_counters(Change change) {
    return {.sources = [change](std::span<std::int64_t> sources, const CheckedCall& call) {
        if (sources.empty()) return;
        const Loops loops(call);
        const auto size = static_cast<std::int64_t>(sources.size());
        const std::int64_t all = loops.at(size - 1).all_picks + 1;
        const std::vector<std::int64_t> right(sources.begin(), sources.end());
        for (std::int64_t k = 0; k < size; ++k) {
            const Place place{call, right, k, loops.at(k), loops.slice(), all};
            sources[static_cast<std::size_t>(k)] = change(place);
        }
    }};
}

/// How many values from 0 on an integer type has.
std::int64_t counted_by(ElementType type) {
    const bool is_signed = type == i8 || type == i16 || type == i32 || type == i64;
    return std::int64_t{1} << (bits(type) - (is_signed ? 1 : 0));
}

/// The mutant is asked calls of one type of indices only, for there are large ones.
void only(ElementType type, Mutant& mutant) {
    for (Claim& claim : mutant.built_in.claims) claim.indices = {type};
}

/// A counter of the type of indices; what it cannot count is not written.
void add_counter(Theme& theme, const std::string& what, const Versions& versions,
                 std::int64_t Counters::* counter) {
    for (const ElementType type : {i8, u8, i16, u16}) {
        const std::string text(name(type));
        Mutant& mutant =
            theme.add_in_each(what + "-counted-in-" + text,
                              "where indices are " + text + ", " + what + " are counted in " + text,
                              with_index_type(versions, type), by_counters([=](const Place& place) {
                                  const bool counted = place.call.indices.type != type ||
                                                       place.at.*counter < counted_by(type);
                                  return counted ? place.source() : nowhere;
                              }));
        only(type, mutant);
    }
}

void add_counters(Theme& theme) {
    Versions any = versions_where(is_gather);
    std::ranges::copy(versions_where(is_gather_nd), std::back_inserter(any));
    Versions gather = versions_where(is_gather);
    add_counter(theme, "batches", versions_where(has_batch_dims), &Counters::batch);
    add_counter(theme, "rows", gather, &Counters::row);
    add_counter(theme, "picks", any, &Counters::pick);
    add_counter(theme, "elements-of-slices", any, &Counters::within);
    for (const ElementType type : {i8, u8, i16, u16}) {
        const std::string text(name(type));
        Mutant& size_cut = theme.add_in_each(
            "size-counted-in-" + text,
            "where indices are " + text + ", the size that they index is cut to " + text,
            with_index_type(any, type), {.index = [=](std::int64_t index, const IndexPlace& place) {
                if (place.type() != type) return index;
                // 300 is 44 as an i8 or u8; 200 is -56 as an i8, 256 is 0.
                const int unused = 64 - bits(type);
                auto cut = static_cast<std::uint64_t>(place.s) << unused;
                std::int64_t size = static_cast<std::int64_t>(cut >> unused);
                if (type == i8 || type == i16) {
                    size = static_cast<std::int64_t>(cut) >> unused;
                }
                return index >= size ? beyond : index;
            }});
        only(type, size_cut);
        Mutant& offset_cut = theme.add_in_each(
            "offset-counted-in-" + text,
            "where indices are " + text + ", an index times the size of a slice is computed in " +
                text,
            with_index_type(any, type), by_counters([=](const Place& place) {
                const CheckedCall& call = place.call;
                const std::int64_t source = place.source();
                if (call.indices.type != type || source == nowhere) return source;
                const Shape& data = call.data.shape;
                const std::int64_t from =
                    is_gather_nd(info(call.version)) ? call.batch_dims : call.axis;
                const std::int64_t span = elements(data.slice(from, data.rank()));
                const std::int64_t offset = source % span - source % place.slice;
                return offset < counted_by(type) ? source : nowhere;
            }));
        only(type, offset_cut);
    }
}

void add_many(Theme& theme) {
    for (const std::int64_t limit : {65536, 262144}) {
        const std::string text = std::to_string(limit);
        theme.add_in_each("indices-lost-behind-" + text,
                          "of more than " + text + " indices or tuples the rest is not written",
                          all_versions(), by_counters([=](const Place& place) {
                              return place.at.all_picks < limit ? place.source() : nowhere;
                          }));
        theme.add_in_each(
            "indices-begin-anew-behind-" + text,
            "of more than " + text + " indices or tuples the rest is answered as the first are",
            all_versions(), by_counters([=](const Place& place) {
                const std::int64_t back = place.at.pick / limit * limit * place.slice;
                return place.sources[static_cast<std::size_t>(place.k - back)];
            }));
        theme.add_in_each(
            "last-part-lost-of-" + text,
            "with parts of " + text + " indices or tuples, the last one that is not whole is lost",
            all_versions(), by_counters([=](const Place& place) {
                const std::int64_t whole = place.all / limit * limit;
                const bool kept = place.all <= limit || place.at.all_picks < whole;
                return kept ? place.source() : nowhere;
            }));
    }
    // Only where a bad index has a consequence that the text states.
    Versions stated{OperatorVersion::openvino_gather_8,
                    OperatorVersion::openvino_gather_elements_6};
    for (const OperatorVersion version : all_versions()) {
        if (info(version).specification == "onnx") stated.push_back(version);
    }
    theme.add_in_each("indices-unchecked-behind-65536",
                      "of more than 65536 indices the rest is not checked", stated,
                      {.index = [](std::int64_t index, const IndexPlace& place) {
                          if (place.k < 65536 || place.s == 0) return index;
                          return std::clamp(index, place.first(), place.s - 1);
                      }});
    theme.add_in_each("negative-not-wrapped-behind-65536",
                      "of more than 65536 indices only the first may be negative",
                      versions_where(takes_negative),
                      {.index = [](std::int64_t index, const IndexPlace& place) {
                          return place.k >= 65536 && index < 0 ? beyond : index;
                      }});
    theme.add_in_each("batches-lost-behind-65536",
                      "of more than 65536 batches the rest is not written",
                      versions_where(has_batch_dims), by_counters([](const Place& place) {
                          return place.at.batch < 65536 ? place.source() : nowhere;
                      }));
    theme.add_in_each("rows-lost-behind-65536",
                      "of more than 65536 rows before the axis the rest is not written",
                      versions_where(is_gather), by_counters([](const Place& place) {
                          return place.at.row < 65536 ? place.source() : nowhere;
                      }));
}

}  // namespace

std::vector<Mutant> counter_mutants() {
    Theme theme("counters");
    add_counters(theme);
    add_many(theme);
    std::vector<Mutant> all = theme.take();
    for (Mutant& mutant : all) mutant.in_large_calls = true;
    return all;
}

}  // namespace gathercheck::mutant
