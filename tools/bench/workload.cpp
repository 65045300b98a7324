// SPDX-License-Identifier: Apache-2.0
// Reads workloads and draws their contents.
#include "tools/bench/workload.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "conformance/model/dimension_numbers.hpp"
#include "conformance/select/as_taken_by.hpp"
#include "conformance/select/select.hpp"
#include "reference/reference.hpp"
#include "tools/bench/random.hpp"

namespace gathercheck::bench {
namespace {

constexpr std::array<std::pair<std::string_view, Draw>, 8> draws{
    {{"uniform", Draw::uniform},
     {"zipf", Draw::zipf},
     {"permutation", Draw::permutation},
     {"sorted", Draw::sorted},
     {"arange", Draw::arange},
     {"zeros", Draw::zeros},
     {"rows", Draw::rows},
     {"raster", Draw::raster}}};

/// The words of a line, up to a comment.
std::vector<std::string_view> words(std::string_view line) {
    line = line.substr(0, line.find('#'));
    std::vector<std::string_view> found;
    constexpr std::string_view blanks = " \t\r";
    for (;;) {
        const std::size_t start = line.find_first_not_of(blanks);
        if (start == std::string_view::npos) return found;
        const std::size_t end = std::min(line.find_first_of(blanks, start), line.size());
        found.push_back(line.substr(start, end - start));
        line.remove_prefix(end);
    }
}

template <class Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// "f32[2,3]".
std::optional<Descriptor> descriptor(std::string_view text) {
    const std::size_t open = text.find('[');
    if (open == std::string_view::npos || text.back() != ']') return std::nullopt;
    const auto type = element_type(text.substr(0, open));
    if (!type) return std::nullopt;
    Descriptor read{*type, {}};
    std::string_view dims = text.substr(open + 1, text.size() - open - 2);
    while (!dims.empty()) {
        const std::size_t end = std::min(dims.find(','), dims.size());
        const auto dim = number<std::int64_t>(dims.substr(0, end));
        if (!dim || *dim < 0 || read.shape.rank() == max_rank) return std::nullopt;
        read.shape.push_back(*dim);
        if (end + 1 == dims.size()) return std::nullopt;  // "2,"
        dims.remove_prefix(std::min(end + 1, dims.size()));
    }
    return read;
}

/// Sets what "axis=1" or "cold" says; the text is why it cannot be.
std::string set_option(Workload& workload, std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
        if (word == "cold") {
            workload.cold = true;
        } else if (word == "more") {
            workload.more = true;
        } else {
            return "'" + std::string(word) +
                   "' is none of axis=, batch_dims=, indices=, negative=, beyond=, form=, seed=, "
                   "cold, more";
        }
        return {};
    }
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    const std::string bad = "'" + std::string(word) + "': ";
    if (key == "axis" || key == "batch_dims") {
        const auto read = number<std::int64_t>(value);
        if (!read) return bad + "needs an integer";
        (key == "axis" ? workload.axis : workload.batch_dims) = *read;
    } else if (key == "seed") {
        const auto read = number<std::uint64_t>(value);
        if (!read) return bad + "needs an integer from 0";
        workload.seed = *read;
    } else if (key == "negative" || key == "beyond") {
        const auto read = number<double>(value);
        if (!read || !(*read >= 0 && *read <= 1)) return bad + "needs a share from 0 to 1";
        (key == "negative" ? workload.negative : workload.beyond) = *read;
    } else if (key == "form") {
        for (const Family family : {Family::gather, Family::gather_elements, Family::gather_nd}) {
            if (name(family) != value) continue;
            workload.form = family;
            return {};
        }
        return bad + "a form is gather, gather_elements or gather_nd";
    } else if (key == "indices") {
        std::string names;
        for (const auto& [name, draw] : draws) {
            if (name == value) {
                workload.draw = draw;
                return {};
            }
            names += (names.empty() ? "" : ", ") + std::string(name);
        }
        return bad + "indices are drawn " + names;
    } else {
        return bad +
               "there is no such key; there are axis, batch_dims, indices, negative, beyond, form, "
               "seed";
    }
    return {};
}

/// What the operator's own rules do not say; the text is why a workload cannot be timed.
std::string check_workload(const Workload& workload) {
    const int width = bits(workload.data.type);
    if (width % 8 != 0 || workload.data.type == ElementType::string) {
        return "data of type " + std::string(name(workload.data.type)) +
               " cannot be timed: elements must be whole bytes";
    }
    if (!is_integer(workload.indices.type) || bits(workload.indices.type) < 8) {
        return "indices must be i8 to i64 or u8 to u64";
    }
    const Family family = workload.family();
    if (workload.draw == Draw::rows && family != Family::gather_elements) {
        return "indices=rows is for GatherElements";
    }
    if (workload.draw == Draw::raster && family != Family::gather_nd) {
        return "indices=raster is for GatherND";
    }
    if (workload.axis < 0 || workload.batch_dims < 0) {
        return "axis and batch_dims must count from the front here";
    }
    const OperatorInfo& row = info(workload.version);
    const bool by_form = row.family == Family::stablehlo_gather;
    const std::string called =
        std::string(row.name) + (by_form ? " as " + std::string(name(family)) : "");
    if (workload.axis != 0 &&
        (by_form ? family == Family::gather_nd : row.axis == AxisSource::none)) {
        return called + " has no axis";
    }
    if (workload.batch_dims != 0 &&
        (by_form ? family == Family::gather_elements : row.batch_dims == BatchDims::none)) {
        return called + " has no batch_dims";
    }
    if (!by_form && workload.form != Family::gather) {
        return "form= is for stablehlo.gather: " + called + " has its own";
    }
    if (workload.beyond > 0 && !workload.clamps()) {
        return called + " clamps no index: beyond= is for stablehlo.gather";
    }
    if (workload.negative > 0) {
        if (!row.negative_indices) return std::string(row.name) + " has no negative indices";
        if (info(workload.indices.type).kind != ElementKind::signed_integer) {
            return "negative indices need a signed type";
        }
    }
    if (family == Family::gather_elements) {
        for (std::int64_t k = 0; k < workload.data.shape.rank(); ++k) {
            if (k != workload.axis && workload.data.shape[k] != workload.indices.shape[k]) {
                return "the dimensions of data and indices other than axis must be equal here";
            }
        }
    }
    const Geometry sizes = geometry(workload);
    if (element_count(workload.output.shape).value_or(0) == 0) {
        return "the output has no elements: there is nothing to time";
    }
    if (sizes.extent == 0 || std::ranges::count(sizes.extents, 0) > 0) {
        return "data has no elements";
    }
    const int value_bits =
        bits(workload.indices.type) -
        (info(workload.indices.type).kind == ElementKind::signed_integer ? 1 : 0);
    std::int64_t largest = std::max(
        sizes.extent, sizes.extents.rank() == 0 ? 1 : *std::ranges::max_element(sizes.extents));
    if (workload.beyond > 0) largest *= 2;
    if (value_bits < 63 && largest - 1 >= std::int64_t{1} << value_bits) {
        return "indices of type " + std::string(name(workload.indices.type)) + " cannot say " +
               std::to_string(largest - 1);
    }
    return {};
}

/// `count` indices of a dimension of size `extent`.
std::vector<std::int64_t> draw_indices(Draw draw, std::int64_t count, std::int64_t extent,
                                       Random& random) {
    std::vector<std::int64_t> drawn(static_cast<std::size_t>(count));
    switch (draw) {
        case Draw::zeros:
            break;
        case Draw::arange:
        case Draw::raster:
            for (std::int64_t k = 0; k < count; ++k) {
                drawn[static_cast<std::size_t>(k)] = k % extent;
            }
            break;
        case Draw::uniform:
        case Draw::rows:
        case Draw::sorted:
            for (std::int64_t& index : drawn) index = random.below(extent);
            if (draw == Draw::sorted) std::ranges::sort(drawn);
            break;
        case Draw::zipf:
            for (std::int64_t& index : drawn) {
                const double rank = std::exp(random.share() * std::log(double(extent) + 1));
                index =
                    std::clamp(static_cast<std::int64_t>(rank) - 1, std::int64_t{0}, extent - 1);
            }
            break;
        case Draw::permutation: {
            std::vector<std::int64_t> order(static_cast<std::size_t>(extent));
            std::iota(order.begin(), order.end(), std::int64_t{0});
            for (std::int64_t k = 0; k < count; ++k) {
                const std::int64_t at = k % extent;
                std::swap(order[static_cast<std::size_t>(at)],
                          order[static_cast<std::size_t>(at + random.below(extent - at))]);
                drawn[static_cast<std::size_t>(k)] = order[static_cast<std::size_t>(at)];
            }
            break;
        }
    }
    return drawn;
}

std::int64_t product(const Shape& shape, std::int64_t first, std::int64_t last) {
    return *element_count(shape.slice(first, last));
}

/// Those with which StableHLO's gather makes the call; nothing where none say it.
std::optional<std::vector<Attribute>> dimension_numbers_of(const Workload& workload) {
    Case as_case;
    as_case.family = workload.form;
    if (workload.form != Family::gather_nd) as_case.axis = workload.axis;
    if (workload.batch_dims != 0) {
        as_case.attributes.push_back({"batch_dims", workload.batch_dims});
    }
    as_case.inputs.push_back({"data", {workload.data, {}}});
    as_case.inputs.push_back({"indices", {workload.indices, {}}});
    return dimension_numbers(as_case);
}

}  // namespace

Geometry geometry(const Workload& workload) {
    const Shape& data = workload.data.shape;
    const Shape& indices = workload.indices.shape;
    const std::int64_t axis = workload.axis;
    const std::int64_t batch_dims = workload.batch_dims;
    Geometry sizes;
    sizes.element_bytes = bits(workload.data.type) / 8;
    switch (workload.family()) {
        case Family::gather:
            sizes.batches = product(data, 0, batch_dims);
            sizes.outer = product(data, batch_dims, axis);
            sizes.extent = data[axis];
            sizes.picks = product(indices, batch_dims, indices.rank());
            sizes.inner = product(data, axis + 1, data.rank());
            break;
        case Family::gather_elements:
            sizes.outer = product(data, 0, axis);
            sizes.extent = data[axis];
            sizes.picks = indices[axis];
            sizes.inner = product(data, axis + 1, data.rank());
            break;
        case Family::gather_nd:
            sizes.components = indices[indices.rank() - 1];
            sizes.batches = product(data, 0, batch_dims);
            sizes.picks = product(indices, batch_dims, indices.rank() - 1);
            sizes.extents = data.slice(batch_dims, batch_dims + sizes.components);
            sizes.inner = product(data, batch_dims + sizes.components, data.rank());
            break;
        case Family::stablehlo_gather:  // family() is none
            break;
    }
    return sizes;
}

Call call_of(const Workload& workload, const std::byte* data, const std::byte* indices) {
    Call call;
    call.version = workload.version;
    const OperatorInfo& row = info(workload.version);
    call.inputs.push_back({"data", {workload.data.type, workload.data.shape, data}});
    call.inputs.push_back({"indices", {workload.indices.type, workload.indices.shape, indices}});
    if (row.family == Family::stablehlo_gather) {
        if (auto numbers = dimension_numbers_of(workload)) call.attributes = *std::move(numbers);
        return call;
    }
    if (row.axis == AxisSource::input) {
        call.inputs.push_back(
            {"axis", {ElementType::i64, {}, reinterpret_cast<const std::byte*>(&workload.axis)}});
    } else if (row.axis == AxisSource::attribute) {
        call.attributes.push_back({"axis", workload.axis});
    }
    if (row.batch_dims != BatchDims::none) {
        call.attributes.push_back({"batch_dims", workload.batch_dims});
    }
    return call;
}

std::variant<Workload, std::string> parse_workload(std::string_view id, std::string_view text) {
    Workload workload;
    workload.id = id;
    workload.text = text;
    const std::vector<std::string_view> parts = words(text);
    std::vector<std::string_view> plain;
    std::set<std::string_view> keys;
    for (const std::string_view part : parts) {
        const bool is_option =
            part == "cold" || part == "more" ||
            (part.find('=') != std::string_view::npos && part.find('[') == std::string_view::npos);
        if (!is_option) {
            plain.push_back(part);
            continue;
        }
        if (!keys.insert(part.substr(0, part.find('='))).second) {
            return "'" + std::string(part) + "' stands twice";
        }
        if (std::string why = set_option(workload, part); !why.empty()) return why;
    }
    if (plain.size() != 3) {
        return "a workload is an operator version, the type and shape of data, and those of "
               "indices: onnx.Gather-13 f32[1000,64] i64[8] axis=0";
    }
    const auto version = operator_version(plain[0]);
    if (!version) return "there is no operator version '" + std::string(plain[0]) + "'";
    workload.version = *version;
    for (const int k : {1, 2}) {
        const auto read = descriptor(plain[static_cast<std::size_t>(k)]);
        if (!read) {
            return "'" + std::string(plain[static_cast<std::size_t>(k)]) +
                   "' is not a type and a shape, like f32[1000,64]";
        }
        (k == 1 ? workload.data : workload.indices) = *read;
    }
    if (info(*version).family == Family::stablehlo_gather && !dimension_numbers_of(workload)) {
        return "no dimension numbers say this of " + std::string(name(workload.form));
    }
    const Call call = call_of(workload, nullptr, nullptr);
    const Result<Descriptor> output = reference::output_descriptor(call);
    if (!output) return to_string(output.error());
    workload.output = *output;
    if (!byte_size(workload.data) || !byte_size(workload.indices) || !byte_size(workload.output)) {
        return "it does not fit any memory";
    }
    if (std::string why = check_workload(workload); !why.empty()) return why;
    return workload;
}

std::variant<std::vector<Workload>, std::string> read_workloads(const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream) return file.generic_string() + " cannot be read";
    std::vector<Workload> all;
    std::set<std::string> ids;
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
        const std::vector<std::string_view> parts = words(line);
        if (parts.empty()) continue;
        const std::string where = file.generic_string() + ":" + std::to_string(number) + ": ";
        std::string text;
        for (std::size_t k = 1; k < parts.size(); ++k) {
            text += (k > 1 ? " " : "") + std::string(parts[k]);
        }
        auto read = parse_workload(parts[0], text);
        if (const auto* why = std::get_if<std::string>(&read)) return where + *why;
        if (!ids.insert(std::string(parts[0])).second) {
            return where + "the id '" + std::string(parts[0]) + "' stands twice";
        }
        all.push_back(std::get<Workload>(std::move(read)));
    }
    return all;
}

std::variant<std::vector<Workload>, std::string> select_workloads(
    const std::vector<Workload>& all, std::span<const std::string> patterns) {
    std::vector<bool> wanted(all.size());
    for (const std::string& pattern : patterns) {
        bool any = false;
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (!matches_pattern(pattern, all[k].id)) continue;
            wanted[k] = true;
            any = true;
        }
        if (!any) return "no workload has an id like '" + pattern + "'; --list shows them";
    }
    std::vector<Workload> chosen;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (patterns.empty() ? !all[k].more : wanted[k]) chosen.push_back(all[k]);
    }
    return chosen;
}

void fill_data(const Workload& workload, std::span<std::byte> data) {
    const ElementType type = workload.data.type;
    const std::size_t width = static_cast<std::size_t>(bits(type)) / 8;
    const std::int64_t count = static_cast<std::int64_t>(data.size() / width);
    const auto each = [&](auto value_of) {
        for (std::int64_t k = 0; k < count; ++k) {
            const auto value = value_of(static_cast<std::uint64_t>(k));
            std::memcpy(data.data() + static_cast<std::size_t>(k) * width, &value, width);
        }
    };
    // Steps of an odd constant, so that neighbours differ in every byte of small types too.
    const auto mixed = [](std::uint64_t k) { return k * 0x9e3779b97f4a7c15U >> 20; };
    switch (type) {
        case ElementType::boolean:
            return each([&](std::uint64_t k) { return static_cast<std::uint8_t>(mixed(k) & 1); });
        case ElementType::f32:
            return each([](std::uint64_t k) { return static_cast<float>(k % 16777216); });
        case ElementType::f64:
            return each([](std::uint64_t k) { return static_cast<double>(k); });
        case ElementType::c64:
            return each([](std::uint64_t k) {
                return std::array{static_cast<float>(k % 16777216), -static_cast<float>(k % 4096)};
            });
        case ElementType::c128:
            return each([](std::uint64_t k) {
                return std::array{static_cast<double>(k), -static_cast<double>(k)};
            });
        // Patterns between 1 and 2 and below: no infinity, no NaN.
        case ElementType::f16:
        case ElementType::bf16:
            return each(
                [&](std::uint64_t k) { return static_cast<std::uint16_t>(mixed(k) & 0x3fffU); });
        case ElementType::f8e4m3:
        case ElementType::f8e5m2:
        case ElementType::f8e4m3fnuz:
        case ElementType::f8e5m2fnuz:
        case ElementType::f8e8m0:
            return each(
                [&](std::uint64_t k) { return static_cast<std::uint8_t>(mixed(k) & 0x3fU); });
        case ElementType::u8:
        case ElementType::i8:
            return each([&](std::uint64_t k) { return static_cast<std::uint8_t>(mixed(k)); });
        case ElementType::u16:
        case ElementType::i16:
            return each([&](std::uint64_t k) { return static_cast<std::uint16_t>(mixed(k)); });
        case ElementType::u32:
        case ElementType::i32:
            return each([](std::uint64_t k) { return static_cast<std::uint32_t>(k); });
        case ElementType::u64:
        case ElementType::i64:
            return each([](std::uint64_t k) { return k * 0x9e3779b97f4a7c15U; });
        case ElementType::u1:
        case ElementType::u2:
        case ElementType::u3:
        case ElementType::u4:
        case ElementType::u6:
        case ElementType::i2:
        case ElementType::i4:
        case ElementType::f4e2m1:
        case ElementType::nf4:
        case ElementType::string:
            return;  // parse_workload refuses them
    }
}

void fill_indices(const Workload& workload, std::span<std::byte> indices) {
    const Geometry sizes = geometry(workload);
    const std::size_t width = static_cast<std::size_t>(bits(workload.indices.type)) / 8;
    const std::int64_t count = static_cast<std::int64_t>(indices.size() / width);
    Random random(workload.seed);
    const bool is_signed = info(workload.indices.type).kind == ElementKind::signed_integer;
    const auto put = [&](std::int64_t k, std::int64_t value, std::int64_t extent) {
        if (workload.negative > 0 && random.share() < workload.negative) value -= extent;
        if (workload.beyond > 0 && random.share() < workload.beyond) {
            value += is_signed && random.share() < 0.5 ? -extent : extent;
        }
        std::memcpy(indices.data() + static_cast<std::size_t>(k) * width, &value, width);
    };
    switch (workload.family()) {
        case Family::gather: {
            const auto drawn = draw_indices(workload.draw, count, sizes.extent, random);
            for (std::int64_t k = 0; k < count; ++k) {
                put(k, drawn[static_cast<std::size_t>(k)], sizes.extent);
            }
            break;
        }
        case Family::gather_elements: {
            // Indices of one row of `inner` are equal for `rows`.
            const std::int64_t each = workload.draw == Draw::rows ? sizes.inner : 1;
            const auto drawn = draw_indices(workload.draw, count / each, sizes.extent, random);
            for (std::int64_t k = 0; k < count; ++k) {
                put(k, drawn[static_cast<std::size_t>(k / each)], sizes.extent);
            }
            break;
        }
        case Family::gather_nd: {
            const std::int64_t tuples = count / sizes.components;
            if (workload.draw == Draw::raster) {
                const std::int64_t cells = *element_count(sizes.extents);
                for (std::int64_t tuple = 0; tuple < tuples; ++tuple) {
                    std::int64_t rest = tuple % cells;
                    for (std::int64_t c = sizes.components - 1; c >= 0; --c) {
                        put(tuple * sizes.components + c, rest % sizes.extents[c],
                            sizes.extents[c]);
                        rest /= sizes.extents[c];
                    }
                }
                break;
            }
            for (std::int64_t c = 0; c < sizes.components; ++c) {
                const auto drawn = draw_indices(workload.draw, tuples, sizes.extents[c], random);
                for (std::int64_t tuple = 0; tuple < tuples; ++tuple) {
                    put(tuple * sizes.components + c, drawn[static_cast<std::size_t>(tuple)],
                        sizes.extents[c]);
                }
            }
            break;
        }
        case Family::stablehlo_gather:
            break;
    }
}

}  // namespace gathercheck::bench
