// SPDX-License-Identifier: Apache-2.0
// Runs a call through the steps of the reference, with those that a bug changes.
#include "conformance/mutants/bug.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "reference/check_stablehlo.hpp"
#include "reference/reference.hpp"

namespace gathercheck::mutant {
namespace {

void move_elements(const CheckedCall& call, std::byte* output) {
    switch (info(call.version).family) {
        case Family::gather:
            reference::gather(call, output);
            break;
        case Family::gather_elements:
            reference::gather_elements(call, output);
            break;
        case Family::gather_nd:
            reference::gather_nd(call, output);
            break;
        case Family::stablehlo_gather:
            reference::stablehlo_gather(call, output);
            break;
    }
}

TensorView view(ElementType type, const Shape& shape, const std::vector<std::int64_t>& values) {
    static constexpr std::byte none{};
    const auto* contents = reinterpret_cast<const std::byte*>(values.data());
    return {type, shape, values.empty() ? &none : contents};
}

/// Every index through the bug's eyes.
std::vector<std::int64_t> read_indices(const Bug& bug, const CheckedCall& call) {
    const TensorView& indices = call.indices;
    const std::int64_t count = elements(indices.shape);
    std::vector<std::int64_t> values;
    values.reserve(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t s = call.data.shape[picked_dimension(call, k)];
        const auto index = integer_element(indices.type, indices.contents, k);
        values.push_back(bug.index(index.value_or(beyond), {call, k, count, s}));
    }
    return values;
}

/// For each output element the flat position in data that it comes from.
std::vector<std::int64_t> find_sources(const CheckedCall& call) {
    std::vector<std::int64_t> addresses(static_cast<std::size_t>(elements(call.data.shape)));
    for (std::size_t k = 0; k < addresses.size(); ++k) {
        addresses[k] = static_cast<std::int64_t>(k) + 1;  // 0 is a zero that nobody copied
    }
    CheckedCall addressed = call;
    addressed.data = view(ElementType::i64, call.data.shape, addresses);
    addressed.output.type = ElementType::i64;
    std::vector<std::int64_t> sources(static_cast<std::size_t>(elements(call.output.shape)));
    move_elements(addressed, reinterpret_cast<std::byte*>(sources.data()));
    for (std::int64_t& source : sources) --source;
    return sources;
}

void copy_from_sources(const Bug& bug, const CheckedCall& call, std::byte* output) {
    std::vector<std::int64_t> sources = find_sources(call);
    if (bug.sources) bug.sources(sources, call);
    const std::int64_t count = elements(call.data.shape);
    for (std::size_t k = 0; k < sources.size(); ++k) {
        const auto to = static_cast<std::int64_t>(k);
        const std::int64_t from =
            bug.source ? bug.source(sources[k], {call, to, sources}) : sources[k];
        if (0 <= from && from < count) {
            copy_element(call.data.type, call.data.contents, from, output, to);
        } else {
            zero_element(call.data.type, output, to);
        }
    }
}

Error given(const Bug& bug, const Call& call, Error error) {
    return bug.error ? bug.error(call, std::move(error)) : error;
}

Result<CheckedCall> check_with(const Bug& bug, EditedCall& edited) {
    if (bug.call) {
        if (auto error = bug.call(edited)) return std::move(*error);
    }
    Result<CheckedCall> checked = check(edited.call);
    if (!checked) return checked;
    if (bug.checked) {
        if (auto error = bug.checked(*checked)) return std::move(*error);
    }
    return checked;
}

Result<Descriptor> describe(const Bug& bug, const Call& call) {
    EditedCall edited(call);
    const Result<CheckedCall> checked = check_with(bug, edited);
    if (!checked) {
        if (bug.accepts && bug.accepts(call, checked.error())) {
            const TensorView* data = call.input("data");
            return Descriptor{data != nullptr ? data->type : ElementType::f32, Shape{1}};
        }
        return given(bug, call, checked.error());
    }
    Descriptor output = checked->output;
    if (bug.descriptor) bug.descriptor(output, *checked);
    return output;
}

Result<void> run(const Bug& bug, const Call& call, std::span<std::byte> output) {
    EditedCall edited(call);
    const Result<CheckedCall> passed = check_with(bug, edited);
    const auto refuse = [&](const Error& error) -> Result<void> {
        if (!bug.accepts || !bug.accepts(call, error)) return given(bug, call, error);
        std::ranges::fill(output, std::byte{});
        return {};
    };
    if (!passed) return refuse(passed.error());
    CheckedCall checked = *passed;
    std::vector<std::int64_t> indices;
    if (bug.index) {
        indices = read_indices(bug, checked);
        checked.indices = view(ElementType::i64, checked.indices.shape, indices);
    }
    if (!bug.unchecked || !bug.unchecked(checked)) {
        const Result<void> in_bounds = check_index_values(checked);
        if (!in_bounds) return refuse(in_bounds.error());
    }
    std::vector<std::byte> contents(static_cast<std::size_t>(*byte_size(checked.output)));
    if (bug.source || bug.sources) {
        copy_from_sources(bug, checked, contents.data());
    } else {
        move_elements(checked, contents.data());
    }
    if (bug.bits && bug.types.contains(checked.output.type)) {
        const std::int64_t count = elements(checked.output.shape);
        for (std::int64_t k = 0; k < count; ++k) {
            const ElementType type = checked.output.type;
            set_element_bits(type, contents.data(), k,
                             bug.bits(element_bits(type, contents.data(), k)));
        }
    }
    const Finished finished{checked, contents};
    if (bug.contents) bug.contents(finished);
    if (bug.write) {
        bug.write(finished, output);
        return {};
    }
    // A wrong descriptor makes room for more or fewer bytes.
    std::ranges::fill(output, std::byte{});
    std::ranges::copy_n(contents.begin(),
                        static_cast<std::ptrdiff_t>(std::min(contents.size(), output.size())),
                        output.begin());
    return {};
}

}  // namespace

TensorView* EditedCall::input(std::string_view name) {
    const auto found = std::ranges::find(call.inputs, name, &Input::name);
    return found == call.inputs.end() ? nullptr : &found->tensor;
}

void EditedCall::remove_input(std::string_view name) {
    std::erase_if(call.inputs, [&](const Input& input) { return input.name == name; });
}

std::int64_t EditedCall::rank(std::string_view name) const {
    const TensorView* tensor = call.input(name);
    return tensor == nullptr ? 0 : tensor->shape.rank();
}

std::optional<std::int64_t> EditedCall::attribute(std::string_view name) const {
    const auto* value = call.attribute<std::int64_t>(name);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

void EditedCall::set_attribute(std::string_view name, std::int64_t value) {
    remove_attribute(name);
    call.attributes.push_back({std::string(name), value});
}

void EditedCall::remove_attribute(std::string_view name) {
    std::erase_if(call.attributes,
                  [&](const Attribute& attribute) { return attribute.name == name; });
}

std::optional<std::int64_t> EditedCall::axis() const {
    if (op().axis == AxisSource::attribute) {
        const bool given =
            std::ranges::find(call.attributes, "axis", &Attribute::name) != call.attributes.end();
        return given ? attribute("axis") : 0;
    }
    const TensorView* axis = call.input("axis");
    if (op().axis == AxisSource::none || axis == nullptr || axis->contents == nullptr ||
        !op().axis_types.contains(axis->type) || elements(axis->shape) < 1) {
        return std::nullopt;
    }
    return integer_element(axis->type, axis->contents, 0);
}

void EditedCall::set_axis(std::int64_t value) {
    if (op().axis == AxisSource::attribute) return set_attribute("axis", value);
    TensorView* axis = input("axis");
    if (axis == nullptr) return;
    const Shape shape = axis->shape;
    const std::vector<std::int64_t> values(static_cast<std::size_t>(elements(shape)), value);
    *axis = integers(shape, values);
}

TensorView EditedCall::integers(const Shape& shape, std::span<const std::int64_t> values) {
    const auto bytes = std::as_bytes(values);
    owned_.emplace_back(bytes.begin(), bytes.end());
    return {ElementType::i64, shape, owned_.back().data()};
}

Versions versions_where(bool (*holds)(const OperatorInfo&)) {
    Versions versions;
    for (const OperatorInfo& op : operator_versions()) {
        if (holds(op)) versions.push_back(op.version);
    }
    return versions;
}

Versions with_data_type(Versions versions, ElementType type) {
    std::erase_if(versions, [type](OperatorVersion version) {
        return !info(version).data_types.contains(type);
    });
    return versions;
}

Versions with_index_type(Versions versions, ElementType type) {
    std::erase_if(versions, [type](OperatorVersion version) {
        return !info(version).indices_types.contains(type);
    });
    return versions;
}

Versions all_versions() {
    return versions_where([](const OperatorInfo&) { return true; });
}
Versions newest_versions() {
    return versions_where([](const OperatorInfo& op) {
        return std::ranges::none_of(operator_versions(), [&op](const OperatorInfo& other) {
            return other.specification == op.specification && other.type == op.type &&
                   other.number > op.number;
        });
    });
}
bool is_gather(const OperatorInfo& op) { return op.family == Family::gather; }
bool is_gather_elements(const OperatorInfo& op) { return op.family == Family::gather_elements; }
bool is_gather_nd(const OperatorInfo& op) { return op.family == Family::gather_nd; }
bool has_axis(const OperatorInfo& op) { return op.axis != AxisSource::none; }
bool has_axis_input(const OperatorInfo& op) { return op.axis == AxisSource::input; }
bool has_batch_dims(const OperatorInfo& op) { return op.batch_dims != BatchDims::none; }
bool counts_batch_dims_back(const OperatorInfo& op) {
    return op.batch_dims == BatchDims::negative_too;
}
bool takes_negative(const OperatorInfo& op) { return op.negative_indices; }
bool rejects_bad_indices(const OperatorInfo& op) { return op.out_of_bounds == OutOfBounds::reject; }

void Theme::add(std::string name, std::string idea, Versions versions, Bug bug) {
    BuiltIn built_in;
    built_in.name = name;
    built_in.version = "1";
    built_in.output_descriptor = [bug](const Call& call) { return describe(bug, call); };
    built_in.run = [bug](const Call& call, std::span<std::byte> output) {
        return run(bug, call, output);
    };
    for (const OperatorVersion version : versions) {
        Claim claim;
        claim.versions = {version};
        claim.data = info(version).data_types;
        claim.indices = info(version).indices_types;
        built_in.claims.push_back(std::move(claim));
    }
    built_in.follows_suite = true;
    if (bug.new_model) built_in.new_model = [bug](std::size_t) { bug.new_model(); };
    mutants_.push_back({std::move(name), name_, std::move(idea), std::move(built_in)});
}

Mutant& Theme::add_in_each(std::string name, std::string idea, Versions versions, Bug bug) {
    add(std::move(name), std::move(idea), std::move(versions), std::move(bug));
    mutants_.back().in_each_version = true;
    return mutants_.back();
}

Error broken(OperatorVersion version, Check check, Category category) {
    return {category, phase(check), rule_id(version, check), "a planted bug"};
}

bool is_of(const Call& call, const Error& error, Check check) {
    return !error.rule.empty() && error.rule == rule_id(call.version, check);
}

std::int64_t slice_elements(const CheckedCall& call) {
    const Shape& data = call.data.shape;
    switch (info(call.version).family) {
        case Family::gather:
            return elements(data.slice(call.axis + 1, data.rank()));
        case Family::gather_elements:
            return 1;
        case Family::gather_nd:
            break;
        case Family::stablehlo_gather: {  // what follows the last dimension of index vectors
            const std::int64_t rank = call.output.shape.rank();
            const auto vectors = other_dims(rank, call.attributes->offset_dims);
            return elements(
                call.output.shape.slice(vectors.empty() ? 0 : vectors.back() + 1, rank));
        }
    }
    const std::int64_t n = call.indices.shape[call.indices.shape.rank() - 1];
    return elements(data.slice(call.batch_dims + n, data.rank()));
}

std::int64_t elements(const Shape& shape) { return element_count(shape).value_or(0); }

}  // namespace gathercheck::mutant
