// SPDX-License-Identifier: Apache-2.0
// Evaluating parsed equations for a call, coordinate by coordinate: checked arithmetic, fixed
// arrays, no allocation but the answer and one entry for each index value.
#include <algorithm>
#include <span>
#include <utility>

#include "conformance/oracle/equation_program.hpp"
#include "reference/element_type.hpp"
#include "reference/shape.hpp"

namespace gathercheck::equation {
namespace {

using List = std::span<const std::int64_t>;

std::string list_text(List list) {
    std::string text = "[";
    for (std::size_t k = 0; k < list.size(); ++k) {
        text += (k == 0 ? "" : ", ") + std::to_string(list[k]);
    }
    return text + "]";
}

/// An index value, after its range has been looked at.
struct IndexValue {
    std::int64_t coordinate = 0;  ///< what it stands for
    bool outside = false;         ///< of the version's range
    bool picks_nothing = false;   ///< no element of data takes its place
};

/// One call. After the first fault every step returns at once, with 0 or an empty list.
class Evaluation {
public:
    Evaluation(const Program& program, const Call& call, OutOfRange policy)
        : program_(program), call_(call), policy_(policy) {}

    std::variant<EquationAnswer, std::string> run() {
        if (!run_steps()) return std::move(fault_);
        return std::move(answer_);
    }

    std::vector<std::int64_t> run_for_picks() {
        keeps_picks_ = true;
        if (!run_steps()) picks_.clear();
        return std::move(picks_);
    }

private:
    // --- faults ---------------------------------------------------------------------------------

    bool fail(std::string reason) {
        if (!failed_) fault_ = std::move(reason);
        failed_ = true;
        return false;
    }

    void fail_at(const Expression& in, const Node& node, const std::string& reason) {
        fail(reason + " (column " + std::to_string(node.begin + 1) + " of \"" + in.text + "\")");
    }

    // --- expressions ----------------------------------------------------------------------------

    static const Node& node_of(const Expression& in, std::int32_t node) {
        return in.nodes[static_cast<std::size_t>(node)];
    }
    std::int64_t integer(const Expression& in) { return integer(in, in.nodes.back()); }
    List list(const Expression& in) { return list(in, in.nodes.back()); }
    std::int64_t integer(const Expression& in, std::int32_t node) {
        return integer(in, node_of(in, node));
    }
    List list(const Expression& in, std::int32_t node) { return list(in, node_of(in, node)); }

    bool truth(const Expression& in, const Node& node) {
        const Comparison comparison = *std::get_if<Comparison>(&node.operation);
        const std::int64_t a = integer(in, node.first);
        if (comparison == Comparison::in || comparison == Comparison::not_in) {
            const std::size_t top = top_;
            const List entries = list(in, node.second);
            const bool found = std::ranges::find(entries, a) != entries.end();
            top_ = top;  // the list has been used
            return found == (comparison == Comparison::in);
        }
        const std::int64_t b = integer(in, node.second);
        switch (comparison) {
            case Comparison::less:
                return a < b;
            case Comparison::less_or_equal:
                return a <= b;
            case Comparison::greater:
                return a > b;
            case Comparison::greater_or_equal:
                return a >= b;
            case Comparison::equal:
                return a == b;
            case Comparison::not_equal:
                return a != b;
            case Comparison::in:
            case Comparison::not_in:
                break;
        }
        return false;
    }

    std::int64_t integer(const Expression& in, const Node& node) {
        if (failed_) return 0;
        switch (*std::get_if<IntegerOperation>(&node.operation)) {
            case IntegerOperation::literal:
                return node.value;
            case IntegerOperation::name:
                return integers_[static_cast<std::size_t>(node.value)];
            case IntegerOperation::data_rank:
                return data_->shape.rank();
            case IntegerOperation::indices_rank:
                return indices_->shape.rank();
            case IntegerOperation::choose:
                return integer(in, truth(in, node_of(in, node.first)) ? node.second : node.third);
            case IntegerOperation::item: {
                const List entries = list(in, node.first);
                const std::int64_t k = integer(in, node.second);
                if (failed_) return 0;
                if (k >= 0 && k < std::ssize(entries)) return entries[static_cast<std::size_t>(k)];
                fail_at(in, node,
                        "there is no entry " + std::to_string(k) + " in " + list_text(entries));
                return 0;
            }
            case IntegerOperation::length:
                return std::ssize(list(in, node.first));
            case IntegerOperation::find: {
                const std::int64_t entry = integer(in, node.first);
                const List entries = list(in, node.second);
                const auto found = std::ranges::find(entries, entry);
                if (found != entries.end()) return found - entries.begin();
                fail_at(in, node, std::to_string(entry) + " is no entry of " + list_text(entries));
                return 0;
            }
            case IntegerOperation::each:
                return eaches_[static_cast<std::size_t>(node.value)];
            case IntegerOperation::bound_item: {
                const std::int64_t k = integer(in, node.first);
                return bound_entry(in, node, k);
            }
            case IntegerOperation::product: {
                std::int64_t result = 1;
                for (const std::int64_t factor : list(in, node.first)) {
                    if (__builtin_mul_overflow(result, factor, &result)) return too_large(in, node);
                }
                return result;
            }
            case IntegerOperation::negate: {
                const std::int64_t value = integer(in, node.first);
                std::int64_t result = 0;
                const bool overflow = __builtin_sub_overflow(std::int64_t{0}, value, &result);
                return overflow ? too_large(in, node) : result;
            }
            case IntegerOperation::add: {
                const std::int64_t left = integer(in, node.first);
                std::int64_t result = 0;
                const bool overflow =
                    __builtin_add_overflow(left, integer(in, node.second), &result);
                return overflow ? too_large(in, node) : result;
            }
            case IntegerOperation::subtract: {
                const std::int64_t left = integer(in, node.first);
                std::int64_t result = 0;
                const bool overflow =
                    __builtin_sub_overflow(left, integer(in, node.second), &result);
                return overflow ? too_large(in, node) : result;
            }
        }
        return 0;
    }

    std::int64_t too_large(const Expression& in, const Node& node) {
        if (!failed_) fail_at(in, node, "the result does not fit 64 bits");
        return 0;
    }

    List list(const Expression& in, const Node& node) {
        if (failed_) return {};
        switch (*std::get_if<ListOperation>(&node.operation)) {
            case ListOperation::name:
                return lists_[static_cast<std::size_t>(node.value)];
            case ListOperation::data_shape:
                return data_->shape.dims();
            case ListOperation::indices_shape:
                return indices_->shape.dims();
            case ListOperation::empty:
                return {};
            case ListOperation::choose:
                return list(in, truth(in, node_of(in, node.first)) ? node.second : node.third);
            case ListOperation::join: {
                const std::size_t begin = top_;
                push(in, node, node.first);
                push(in, node, node.second);
                return since(begin);
            }
            case ListOperation::append: {
                const std::size_t begin = top_;
                push(in, node, node.first);
                const std::size_t end = top_;
                const std::int64_t entry = integer(in, node.second);
                top_ = end;  // lists that the entry was made of have been used
                for (std::int64_t& place : allocate(in, node, 1)) place = entry;
                return since(begin);
            }
            case ListOperation::slice:
                return slice(in, node);
            case ListOperation::bound_slice:
                return bound_slice(in, node);
            case ListOperation::unravel:
                return unravel(in, node);
            case ListOperation::broadcast:
                return entry_by_entry(in, node, [](std::int64_t a, std::int64_t b) {
                    const bool fits = a == b || a == 1 || b == 1;
                    return fits ? std::optional(a == 1 ? b : a) : std::nullopt;
                });
            case ListOperation::within:
                return entry_by_entry(in, node, [](std::int64_t coordinate, std::int64_t dim) {
                    return std::optional(dim == 1 ? 0 : coordinate);
                });
            case ListOperation::axes: {
                const auto places = allocate(in, node, list(in, node.first).size());
                for (std::size_t k = 0; k < places.size(); ++k) {
                    places[k] = static_cast<std::int64_t>(k);
                }
                return places;
            }
            case ListOperation::comprehension:
                return comprehension(in, node);
            case ListOperation::index_values:
                return index_values(in, node);
        }
        return {};
    }

    List comprehension(const Expression& in, const Node& node) {
        const List over = list(in, node.second);
        const std::size_t begin = top_;
        for (const std::int64_t each : over) {
            eaches_[static_cast<std::size_t>(node.value)] = each;
            if (node.third != no_node && !truth(in, node_of(in, node.third))) continue;
            const std::size_t end = top_;
            const std::int64_t entry = integer(in, node.first);
            top_ = end;  // lists that the entry was made of have been used
            for (std::int64_t& place : allocate(in, node, 1)) place = entry;
        }
        return since(begin);
    }

    List slice(const Expression& in, const Node& node) {
        const List entries = list(in, node.first);
        const std::int64_t low = node.second == no_node ? 0 : integer(in, node.second);
        const std::int64_t high =
            node.third == no_node ? std::ssize(entries) : integer(in, node.third);
        if (failed_) return {};
        if (low < 0 || low > high || high > std::ssize(entries)) {
            fail_at(in, node,
                    "there are no entries " + std::to_string(low) + ":" + std::to_string(high) +
                        " in " + list_text(entries));
            return {};
        }
        return entries.subspan(static_cast<std::size_t>(low), static_cast<std::size_t>(high - low));
    }

    List unravel(const Expression& in, const Node& node) {
        std::int64_t position = integer(in, node.first);
        const List shape = list(in, node.second);
        const std::span<std::int64_t> coordinate = allocate(in, node, shape.size());
        for (std::size_t k = coordinate.size(); k-- > 0;) {
            if (shape[k] <= 0) break;
            coordinate[k] = position % shape[k];
            position /= shape[k];
        }
        if (!failed_ && position != 0) {
            fail_at(in, node, "a tensor of shape " + list_text(shape) + " has no such position");
        }
        return coordinate;
    }

    /// Both lists entry by entry; `combine` gives nothing where two do not go together.
    template <class Combine>
    List entry_by_entry(const Expression& in, const Node& node, Combine combine) {
        const List first = list(in, node.first);
        const List second = list(in, node.second);
        if (failed_) return {};
        bool fits = first.size() == second.size();
        const std::span<std::int64_t> result = allocate(in, node, first.size());
        for (std::size_t k = 0; fits && k < result.size(); ++k) {
            const std::optional<std::int64_t> entry = combine(first[k], second[k]);
            fits = entry.has_value();
            result[k] = entry.value_or(0);
        }
        if (!fits && !failed_) {
            fail_at(in, node,
                    list_text(first) + " and " + list_text(second) + " do not go together");
        }
        return result;
    }

    /// The names bound on the left side are never stored: entry k of a name is an entry of the
    /// output coordinate at hand, found through bound_places_.
    std::int64_t bound_entry(const Expression& in, const Node& node, std::int64_t k) {
        if (failed_) return 0;
        const auto& places = bound_places_[static_cast<std::size_t>(node.value)];
        const std::int8_t place =
            k >= 0 && k < max_list ? places[static_cast<std::size_t>(k)] : unbound;
        if (place == unbound) {
            fail_at(in, node, "the left side does not bind entry " + std::to_string(k));
            return 0;
        }
        return coordinate_[place];
    }

    List bound_slice(const Expression& in, const Node& node) {
        const std::int64_t low = node.first == no_node ? 0 : integer(in, node.first);
        const std::int64_t high = integer(in, node.second);
        if (failed_) return {};
        if (low < 0 || low > high || high > max_list) {
            fail_at(in, node,
                    "there are no entries " + std::to_string(low) + ":" + std::to_string(high));
            return {};
        }
        const auto entries = allocate(in, node, static_cast<std::size_t>(high - low));
        for (std::size_t k = 0; k < entries.size(); ++k) {
            entries[k] = bound_entry(in, node, low + static_cast<std::int64_t>(k));
        }
        return entries;
    }

    List index_values(const Expression& in, const Node& node) {
        const std::size_t begin = top_;
        const List coordinate = list(in, node.first);
        if (failed_) return {};
        const Shape& shape = indices_->shape;
        const std::int64_t given = std::ssize(coordinate);
        const bool tuple = given + 1 == shape.rank() && along_ < shape.rank();
        const std::int64_t count = tuple ? shape[along_] : 1;
        bool inside = tuple || given == shape.rank();
        std::int64_t first = 0;
        for (std::int64_t d = 0, k = 0; inside && d < shape.rank(); ++d) {
            const bool is_along = tuple && d == along_;
            const std::int64_t entry = is_along ? 0 : coordinate[static_cast<std::size_t>(k++)];
            inside = is_along || (entry >= 0 && entry < shape[d]);
            first = first * shape[d] + entry;
        }
        if (!inside) {
            fail_at(in, node,
                    "indices of shape " + to_string(shape) + " has no element or tuple " +
                        list_text(coordinate));
            return {};
        }
        if (count != std::ssize(sizes_)) {
            fail_at(in, node,
                    std::to_string(count) + " index values are read together, but the sizes are " +
                        list_text(sizes_));
            return {};
        }
        if (pick_ < 0) pick_ = first;
        top_ = begin;  // the coordinate has been used
        const auto values = allocate(in, node, static_cast<std::size_t>(count));
        for (std::size_t k = 0; k < values.size(); ++k) {
            const std::int64_t flat = first + static_cast<std::int64_t>(k) * along_step_;
            const IndexValue& value = index_values_[static_cast<std::size_t>(flat)];
            values[k] = value.coordinate;
            outside_ = outside_ || value.outside;
            picks_nothing_ = picks_nothing_ || value.picks_nothing;
        }
        return values;
    }

    // --- the stack of list entries, emptied after each element of the output
    // ----------------------

    std::span<std::int64_t> allocate(const Expression& in, const Node& node, std::size_t count) {
        if (failed_) return {};
        if (count > stack_.size() - top_) {
            fail_at(in, node, "the lists have too many entries");
            return {};
        }
        const std::span<std::int64_t> entries(stack_.data() + top_, count);
        top_ += count;
        return entries;
    }

    List since(std::size_t begin) const { return {stack_.data() + begin, top_ - begin}; }

    /// Evaluates a list so that it, and nothing else, comes on top of the stack.
    void push(const Expression& in, const Node& node, std::int32_t of) {
        const std::size_t begin = top_;
        const List entries = list(in, of);
        if (failed_) return;
        if (entries.data() == stack_.data() + begin && top_ == begin + entries.size()) return;
        top_ = begin;
        const auto place = allocate(in, node, entries.size());
        // Entries that lie on the stack already lie further up: copying from the first is safe.
        if (!failed_) std::copy(entries.begin(), entries.end(), place.begin());
    }

    // --- steps
    // ------------------------------------------------------------------------------------

    bool run_steps() {
        if (!take_inputs() || !take_attributes() || !take_parameters()) return false;
        for (const Definition& definition : program_.let) define(definition);
        if (failed_ || !choose_form() || !take_output_shape() || !bind_left_side()) return false;
        sizes_ = list(program_.index.size);
        if (failed_ || !take_along()) return false;

        const auto count = element_count(indices_->shape);
        if (indices_->contents == nullptr && count != 0) return true;
        if (!count || *count > max_sources) {
            return fail("indices of shape " + to_string(indices_->shape) +
                        " has too many elements");
        }
        if (!read_index_values(*count)) return false;

        const auto elements = element_count(answer_.output.shape);
        const bool addressable = element_count(data_->shape).has_value();
        if (!addressable || !elements || *elements > max_sources) {
            if (data_->contents == nullptr) return true;
            return fail("data of shape " + to_string(data_->shape) + " or the output of shape " +
                        to_string(answer_.output.shape) + " has too many elements");
        }
        return *elements == 0 || find_sources(*elements);
    }

    bool take_inputs() {
        data_ = call_.input("data");
        indices_ = call_.input("indices");
        if (data_ == nullptr) return fail("the call has no input data");
        if (indices_ == nullptr) return fail("the call has no input indices");
        for (const Input& input : call_.inputs) {
            if (input.name != "data" && input.name != "indices" &&
                !is_parameter(input.name, true)) {
                return fail("the equations know no input " + input.name);
            }
            if (&input.tensor != call_.input(input.name)) {
                return fail("the call has two inputs " + input.name);
            }
            for (const std::int64_t dim : input.tensor.shape) {
                if (dim < 0) return fail("a dimension of input " + input.name + " is negative");
            }
        }
        return true;
    }

    bool take_attributes() {
        for (const Attribute& attribute : call_.attributes) {
            if (!is_parameter(attribute.name, false)) {
                return fail("the equations know no attribute " + attribute.name);
            }
            if (&attribute != find_attribute(attribute.name)) {
                return fail("the call has two attributes " + attribute.name);
            }
        }
        return true;
    }

    bool is_parameter(std::string_view name, bool input) const {
        return std::ranges::any_of(program_.parameters, [&](const Parameter& parameter) {
            return parameter.name == name && parameter.from_input == input;
        });
    }

    const Attribute* find_attribute(std::string_view name) const {
        const auto found = std::ranges::find(call_.attributes, name, &Attribute::name);
        return found == call_.attributes.end() ? nullptr : &*found;
    }

    bool take_parameters() {
        for (const Parameter& parameter : program_.parameters) {
            std::optional<std::int64_t> value = parameter.default_value;
            if (parameter.from_input) {
                const TensorView* input = call_.input(parameter.name);
                if (input == nullptr) return fail("the call has no input " + parameter.name);
                if (element_count(input->shape) != 1 || input->contents == nullptr ||
                    !is_integer(input->type)) {
                    return fail("input " + parameter.name + " does not hold one integer");
                }
                value = integer_element(input->type, input->contents, 0);
                if (!value) return fail("input " + parameter.name + " does not fit 64 bits");
            } else if (const Attribute* attribute = find_attribute(parameter.name)) {
                if (!take_attribute(parameter, *attribute)) return false;
                continue;
            }
            if (!value) return fail("the call has no attribute " + parameter.name);
            integers_[parameter.slot] = *value;
        }
        return true;
    }

    bool take_attribute(const Parameter& parameter, const Attribute& attribute) {
        switch (parameter.kind) {
            case ParameterKind::integer: {
                const auto* value = std::get_if<std::int64_t>(&attribute.value);
                if (value == nullptr) return fail("attribute " + attribute.name + " is no integer");
                integers_[parameter.slot] = *value;
                return true;
            }
            case ParameterKind::list: {
                const auto* value = std::get_if<std::vector<std::int64_t>>(&attribute.value);
                if (value == nullptr || std::ssize(*value) > max_list) {
                    return fail("attribute " + attribute.name + " is no list of at most " +
                                std::to_string(max_list) + " integers");
                }
                lists_[parameter.slot] = *value;
                return true;
            }
            case ParameterKind::truth: {
                const auto* value = std::get_if<bool>(&attribute.value);
                if (value == nullptr) {
                    return fail("attribute " + attribute.name + " is neither true nor false");
                }
                integers_[parameter.slot] = *value ? 1 : 0;
                return true;
            }
        }
        return true;
    }

    void define(const Definition& definition) {
        if (definition.expression.type() == Type::list) {
            lists_[definition.slot] = list(definition.expression);
        } else {
            integers_[definition.slot] = integer(definition.expression);
        }
    }

    bool choose_form() {
        for (const Form& form : program_.forms) {
            if (form.when && !truth(*form.when, form.when->nodes.back())) continue;
            if (form_ != nullptr) return fail("two forms of the equations cover the call");
            form_ = &form;
        }
        return !failed_ && (form_ != nullptr || fail("no form of the equations covers the call"));
    }

    bool take_output_shape() {
        const List dims = list(form_->shape);
        if (failed_) return false;
        if (std::ssize(dims) > max_rank) {
            return fail("the output has " + std::to_string(dims.size()) +
                        " dimensions, more than " + std::to_string(max_rank));
        }
        if (std::ranges::any_of(dims, [](std::int64_t dim) { return dim < 0; })) {
            return fail("the output has a negative dimension: " + list_text(dims));
        }
        answer_.output = {data_->type, Shape(dims)};
        return true;
    }

    bool bind_left_side() {
        for (const Segment& segment : form_->segments)
            bound_places_[segment.bound_name].fill(unbound);
        const std::int64_t rank = answer_.output.shape.rank();
        std::int64_t place = 0;
        for (const Segment& segment : form_->segments) {
            const std::int64_t low = segment.low ? integer(*segment.low) : 0;
            const std::int64_t high = integer(segment.high);
            if (failed_) return false;
            if (low < 0 || low > high || high > max_list || high - low > rank - place) {
                return fail("the left side does not fit an output of rank " + std::to_string(rank) +
                            ": it binds entries " + std::to_string(low) + ":" +
                            std::to_string(high) + " at place " + std::to_string(place) + " (\"" +
                            form_->equation + "\")");
            }
            for (std::int64_t k = low; k < high; ++k) {
                std::int8_t& entry = bound_places_[segment.bound_name][static_cast<std::size_t>(k)];
                if (entry != unbound) {
                    return fail("the left side binds entry " + std::to_string(k) + " twice (\"" +
                                form_->equation + "\")");
                }
                entry = static_cast<std::int8_t>(place++);
            }
        }
        return place == rank || fail("the left side binds " + std::to_string(place) +
                                     " entries of an output of rank " + std::to_string(rank) +
                                     " (\"" + form_->equation + "\")");
    }

    /// Where neighbours among the sizes lie in indices.
    bool take_along() {
        const std::int64_t rank = indices_->shape.rank();
        along_ = program_.index.along ? integer(*program_.index.along) : rank - 1;
        if (failed_) return false;
        if (program_.index.along && (along_ < 0 || along_ > rank)) {
            return fail("indices of shape " + to_string(indices_->shape) + " has no dimension " +
                        std::to_string(along_) + " for the sizes to lie along");
        }
        for (std::int64_t d = along_ + 1; d < rank; ++d) {
            if (__builtin_mul_overflow(along_step_, indices_->shape[d], &along_step_)) {
                return fail("indices of shape " + to_string(indices_->shape) +
                            " has too many elements");
            }
        }
        return true;
    }

    /// Looks at every value of indices, used or not.
    bool read_index_values(std::int64_t count) {
        if (!is_integer(indices_->type)) {
            return fail("indices of element type " + std::string(name(indices_->type)) +
                        " are no integers");
        }
        if (count != 0 && sizes_.empty()) return fail("indices has values, but there are no sizes");
        if (std::ssize(sizes_) > max_list) return fail("there are too many sizes");

        std::array<std::int64_t, static_cast<std::size_t>(max_list)> lowest;
        std::array<std::int64_t, static_cast<std::size_t>(max_list)> highest;
        for (std::size_t k = 0; k < sizes_.size(); ++k) {
            integers_[program_.index.size_slot] = sizes_[k];
            lowest[k] = integer(program_.index.lowest);
            highest[k] = integer(program_.index.highest);
        }
        index_values_.resize(static_cast<std::size_t>(count));
        std::size_t k = 0;
        for (std::int64_t flat = 0; flat < count && !failed_; ++flat) {
            IndexValue& known = index_values_[static_cast<std::size_t>(flat)];
            // A value that needs more than 63 bits is above every range.
            const auto value = integer_element(indices_->type, indices_->contents, flat);
            if (value && *value >= lowest[k] && *value <= highest[k]) {
                integers_[program_.index.size_slot] = sizes_[k];
                integers_[program_.index.value_slot] = *value;
                known.coordinate = integer(program_.index.value);
            } else {
                known = replacement(flat, value, sizes_[k]);
            }
            if ((flat + 1) % along_step_ == 0 && ++k == sizes_.size()) k = 0;
        }
        return !failed_;
    }

    /// What takes the place of the value at a flat position in indices, which is outside its range.
    IndexValue replacement(std::int64_t flat, std::optional<std::int64_t> value,
                           std::int64_t size) {
        const Outside stated = program_.index.outside.front();
        if (stated == Outside::error || stated == Outside::unspecified) {
            if (!answer_.bad_index) answer_.bad_index = flat;
        }
        constexpr IndexValue nothing{0, true, true};
        if (size <= 0) return nothing;
        const IndexValue nearest{value && *value < 0 ? 0 : std::min(value.value_or(size), size - 1),
                                 true, false};
        switch (policy_) {
            case OutOfRange::as_stated:
                return stated == Outside::clamp ? nearest : nothing;
            case OutOfRange::zero:
                return nothing;
            case OutOfRange::clamp:
                return nearest;
            case OutOfRange::wrap: {
                if (!value) {
                    const std::uint64_t pattern =
                        element_bits(indices_->type, indices_->contents, flat);
                    const std::uint64_t rest = pattern % static_cast<std::uint64_t>(size);
                    return {static_cast<std::int64_t>(rest), true, false};
                }
                const std::int64_t rest = *value % size;
                return {rest < 0 ? rest + size : rest, true, false};
            }
            case OutOfRange::first_element:
                return {0, true, false};
        }
        return nothing;
    }

    bool find_sources(std::int64_t elements) {
        answer_.sources.reserve(static_cast<std::size_t>(elements));
        coordinate_ = first_coordinate(answer_.output.shape);
        const std::size_t begin = top_;
        do {
            top_ = begin;
            outside_ = false;
            picks_nothing_ = false;
            pick_ = -1;
            for (const Definition& definition : form_->with) define(definition);
            const List place = list(form_->source);
            if (failed_) {
                fault_ += " at output coordinate " + to_string(coordinate_);
                return false;
            }
            const auto position = picks_nothing_ ? std::int64_t{-1} : flat_position(place);
            if (failed_) return false;
            answer_.sources.push_back({position, outside_});
            if (keeps_picks_) picks_.push_back(pick_);
        } while (next_coordinate(answer_.output.shape, coordinate_));
        return true;
    }

    std::int64_t flat_position(List place) {
        const Shape& shape = data_->shape;
        bool inside = std::ssize(place) == shape.rank();
        std::int64_t position = 0;
        for (std::int64_t k = 0; inside && k < shape.rank(); ++k) {
            const std::int64_t entry = place[static_cast<std::size_t>(k)];
            inside = entry >= 0 && entry < shape[k];
            position = position * shape[k] + entry;
        }
        if (!inside) {
            fail("data of shape " + to_string(shape) + " has no element " + list_text(place) +
                 ", which the equation asks for at output coordinate " + to_string(coordinate_));
        }
        return position;
    }

    static constexpr std::int8_t unbound = -1;

    const Program& program_;
    const Call& call_;
    const OutOfRange policy_;
    EquationAnswer answer_;
    std::string fault_;
    bool failed_ = false;

    const TensorView* data_ = nullptr;
    const TensorView* indices_ = nullptr;
    const Form* form_ = nullptr;
    List sizes_;
    std::int64_t along_ = 0;       // the dimension of indices along which the sizes lie
    std::int64_t along_step_ = 1;  // from one value to the next in that dimension
    std::vector<IndexValue> index_values_;
    Shape coordinate_;      // of the element of the output at hand
    bool outside_ = false;  // it has read an index value outside the range
    bool picks_nothing_ = false;
    std::int64_t pick_ = -1;  // where in indices it has read first
    bool keeps_picks_ = false;
    std::vector<std::int64_t> picks_;  // of each element of the output

    std::array<std::int64_t, max_names> integers_;
    std::array<List, max_names> lists_;
    std::array<std::int64_t, static_cast<std::size_t>(max_nesting)> eaches_;
    // For each name bound on the left side, the place of each entry in the output coordinate.
    std::array<std::array<std::int8_t, static_cast<std::size_t>(max_list)>, max_bound_names>
        bound_places_;
    std::array<std::int64_t, 16 * static_cast<std::size_t>(max_list)> stack_;
    std::size_t top_ = 0;
};

}  // namespace

std::variant<EquationAnswer, std::string> evaluate(const Program& program, const Call& call,
                                                   OutOfRange policy) {
    return Evaluation(program, call, policy).run();
}

std::vector<std::int64_t> picks(const Program& program, const Call& call) {
    return Evaluation(program, call, OutOfRange::as_stated).run_for_picks();
}

}  // namespace gathercheck::equation
