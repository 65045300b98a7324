// SPDX-License-Identifier: Apache-2.0
// Reading dialects: the only part that knows their JSON.
#include "conformance/dialect/dialect.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "conformance/util/json.hpp"
#include "conformance/util/sha256.hpp"
#include "reference/element_type.hpp"
#include "reference/error.hpp"

namespace gathercheck {
namespace {

/// A check that declared versions can have: the rest of its rule's id, the errors that breaking it
/// leads to, and what it demands.
struct DeclaredCheck {
    Check check;
    std::string_view rule;
    std::array<std::optional<Category>, 2> errors;
    std::string_view statement;
};

constexpr auto declared_checks = std::to_array<DeclaredCheck>({
    {Check::inputs_count,
     "inputs.count",
     {Category::wrong_input_count},
     "it has its inputs and no other"},
    {Check::attribute_unknown,
     "attributes.unknown",
     {Category::unknown_attribute},
     "it has no other attributes"},
    {Check::attribute_kind,
     "attributes.kind",
     {Category::invalid_attribute},
     "its attributes are integers"},
    {Check::data_type,
     "types.data",
     {Category::unsupported_type},
     "data has one of the element types listed"},
    {Check::indices_type,
     "types.indices",
     {Category::unsupported_type},
     "indices has one of the element types listed"},
    {Check::axis_type,
     "types.axis",
     {Category::unsupported_type},
     "axis has one of the element types listed"},
    {Check::data_rank, "data.rank", {Category::rank_too_small}, "data has a dimension"},
    {Check::indices_rank,
     "indices.rank",
     {Category::rank_too_small, Category::rank_mismatch},
     "indices has the rank demanded"},
    {Check::rank_equal,
     "rank.equal",
     {Category::rank_mismatch},
     "data and indices have the same rank"},
    {Check::axis_given,
     "axis.given",
     {Category::missing_attribute},
     "axis is given where it has no default"},
    {Check::axis_shape,
     "axis.scalar-or-1d",
     {Category::axis_not_scalar},
     "axis is a scalar, or a list of one"},
    {Check::axis_range, "axis.range", {Category::axis_out_of_range}, "axis is a dimension of data"},
    {Check::batch_dims_range,
     "batch_dims.range",
     {Category::batch_dims_out_of_range},
     "batch_dims is in its range"},
    {Check::batch_dims_le_axis,
     "batch_dims.le-axis",
     {Category::batch_dims_gt_axis},
     "batch_dims does not exceed axis"},
    {Check::batch_shape,
     "batch_dims.equal-shape",
     {Category::batch_shape_mismatch},
     "the batch dimensions of data and indices are the same"},
    {Check::other_dims,
     "shape.other-dims",
     {Category::shape_mismatch},
     "the dimensions of indices other than axis fit data's"},
    {Check::tuple_length_min,
     "indices.tuple-empty",
     {Category::index_tuple_empty},
     "a tuple has a component"},
    {Check::tuple_length_max,
     "indices.last-dim",
     {Category::index_tuple_too_long},
     "a tuple is not longer than data has dimensions for it"},
    {Check::output_size, "output.too-large", {Category::too_large}, "sizes can be represented"},
    {Check::index_range,
     "indices.range",
     {Category::index_out_of_bounds},
     "every index is in its range"},
});

bool has_check(const OperatorInfo& row, Check check) {
    switch (check) {
        case Check::attribute_kind:
            return row.axis == AxisSource::attribute || row.batch_dims != BatchDims::none;
        case Check::axis_type:
        case Check::axis_shape:
            return row.axis == AxisSource::input;
        case Check::axis_given:
            return row.axis == AxisSource::attribute &&
                   (!row.axis_default || row.axis_default_is_of_1d);
        case Check::axis_range:
            return row.axis != AxisSource::none;
        case Check::batch_dims_range:
        case Check::batch_shape:
            return row.batch_dims != BatchDims::none;
        case Check::batch_dims_le_axis:
            return row.batch_dims != BatchDims::none && row.family == Family::gather;
        case Check::indices_rank:
            return row.indices_rank != IndicesRank::any;
        case Check::rank_equal:
        case Check::other_dims:
            return row.family == Family::gather_elements;
        case Check::tuple_length_min:
        case Check::tuple_length_max:
            return row.family == Family::gather_nd;
        case Check::inputs_count:
        case Check::attribute_unknown:
        case Check::data_type:
        case Check::indices_type:
        case Check::data_rank:
        case Check::output_size:
        case Check::index_range:
            return true;
        case Check::attributes_given:
        case Check::operand_rank:
        case Check::index_vector_dim_range:
        case Check::start_index_map_size:
        case Check::offset_dims_order:
        case Check::offset_dims_range:
        case Check::window_dims_unique:
        case Check::collapsed_slice_dims_order:
        case Check::collapsed_slice_dims_range:
        case Check::collapsed_slice_sizes:
        case Check::operand_batching_dims_order:
        case Check::operand_batching_dims_range:
        case Check::operand_batching_sizes:
        case Check::start_indices_batching_dims_unique:
        case Check::start_indices_batching_dims_range:
        case Check::index_vector_dim_not_batching:
        case Check::batching_dims_size:
        case Check::batching_dims_shape:
        case Check::start_index_map_unique:
        case Check::start_index_map_range:
        case Check::slice_sizes_size:
        case Check::slice_sizes_range:
            return false;  // a dialect has no such operator
    }
    return true;
}

/// A word of a list, by its place; nothing, and a problem, for another.
template <class Value, std::size_t Count>
std::optional<Value> word_at(const Json& object, const Place& at, std::string_view key,
                             const std::array<std::string_view, Count>& words, Problems& problems) {
    const std::string* text = string_at(object, at, key, problems);
    if (text == nullptr) return std::nullopt;
    const auto found = std::ranges::find(words, *text);
    if (found != words.end()) return static_cast<Value>(found - words.begin());
    std::string allowed;
    for (const std::string_view word : words) {
        if (word.empty()) continue;
        allowed += (allowed.empty() ? "" : ", ") + in_quotes(word);
    }
    problems.add(at.child(key), in_quotes(*text) + " is none of " + allowed);
    return std::nullopt;
}

constexpr std::array<std::string_view, 3> families{"gather", "gather_elements", "gather_nd"};
constexpr std::array<std::string_view, 3> axis_sources{"", "attribute", "input"};
constexpr std::array<std::string_view, 3> batch_dims_words{"", "negative_too", "from_zero"};
constexpr std::array<std::string_view, 3> ranks{"any", "at_least_one", "exactly_one"};
constexpr std::array<std::string_view, 3> other_dims_words{"equal", "not_larger", "broadcast"};

TypeSet types_at(const Json& object, const Place& at, std::string_view key, bool integers_only,
                 Problems& problems) {
    TypeSet types;
    const Json* list = array_at(object, at, key, problems);
    if (list == nullptr) return types;
    const Place here = at.child(key);
    for (const std::string& text : strings_of(*list, here, problems)) {
        const auto type = element_type(text);
        if (!type) {
            problems.add(here, in_quotes(text) +
                                   " is no element type; `gathercheck list types` "
                                   "has them");
        } else if (integers_only && (!is_integer(*type) || is_packed(*type))) {
            problems.add(here, in_quotes(text) + " is no integer of 8 to 64 bits");
        } else {
            types = types | TypeSet{*type};
        }
    }
    return types;
}

/// One entry of "operators".
class OperatorReader {
public:
    OperatorReader(const Json& entry, const Place& at, Problems& problems)
        : entry_(entry), at_(at), problems_(problems) {}

    std::optional<DeclaredOperator> read(std::string_view specification) {
        const std::size_t before = problems_.added();
        if (!check_keys(entry_, at_, {"operator", "family", "types", "indices"},
                        {"axis", "batch_dims", "other_dims", "empty", "rules", "open", "equation"},
                        problems_)) {
            return std::nullopt;
        }
        const std::string name = text_at(entry_, at_, "operator", problems_);
        const std::string prefix = std::string(specification) + ".";
        if (!name.empty() && (!name.starts_with(prefix) || name == prefix)) {
            problems_.add(at_.child("operator"), in_quotes(name) + " does not begin with " +
                                                     in_quotes(prefix) + "; begin it so");
        }
        row_.name = name;
        row_.specification = specification;
        const std::string type = name.size() > prefix.size() ? name.substr(prefix.size()) : name;
        row_.type = type;
        row_.family =
            word_at<Family>(entry_, at_, "family", families, problems_).value_or(Family::gather);
        read_axis();
        read_types();
        const Json* outside = read_indices();
        if (find_member(entry_, "batch_dims") != nullptr) {
            row_.batch_dims =
                word_at<BatchDims>(entry_, at_, "batch_dims", batch_dims_words, problems_)
                    .value_or(BatchDims::none);
        }
        if (find_member(entry_, "other_dims") != nullptr) {
            row_.other_dims =
                word_at<OtherDims>(entry_, at_, "other_dims", other_dims_words, problems_)
                    .value_or(OtherDims::equal);
        }
        if (row_.family == Family::gather_nd && row_.axis != AxisSource::none) {
            problems_.add(at_, "gather_nd has no axis; remove it");
        }
        if (row_.family != Family::gather_nd && row_.axis == AxisSource::none) {
            problems_.add(at_, "\"axis\" is missing; say where it comes from");
        }
        const std::string rules = find_member(entry_, "rules") != nullptr
                                      ? text_at(entry_, at_, "rules", problems_)
                                      : name;
        row_.rules = rules;
        for (const DeclaredCheck& declared : declared_checks) {
            if (!has_check(row_, declared.check)) continue;
            row_.check_rules[static_cast<std::size_t>(declared.check)] = declared.rule;
        }
        const Json* equation = object_at(entry_, at_, "equation", problems_);
        std::map<std::string, std::string> open = read_open();
        const Json* empty = object_at(entry_, at_, "empty", problems_);
        if (empty != nullptr) {
            check_keys(*empty, at_.child("empty"), {}, {"data", "indices"}, problems_);
        }
        const Place of_empty = at_.child("empty");
        const Special empty_data = read_special(empty, of_empty, "data");
        const Special empty_indices = read_special(empty, of_empty, "indices");
        const Special axis_of_one_element =
            read_special(find_member(entry_, "axis"), at_.child("axis"), "of_one_element");
        if (problems_.added() != before) return std::nullopt;
        const auto version = declare(row_);
        if (const auto* why = std::get_if<std::string>(&version)) {
            problems_.add(at_.child("operator"), *why + "; give it another name");
            return std::nullopt;
        }
        return DeclaredOperator{
            std::get<OperatorVersion>(version),
            canonical_json(equation != nullptr ? *equation : usual_equation(*outside)),
            at_.pointer() + (equation != nullptr ? "/equation" : ""),
            std::move(open),
            empty_data,
            empty_indices,
            axis_of_one_element};
    }

private:
    void read_axis() {
        const Json* axis = object_at(entry_, at_, "axis", problems_);
        if (axis == nullptr) return;
        const Place here = at_.child("axis");
        if (!check_keys(*axis, here, {"from"},
                        {"default", "default_of_1d", "negative", "of_one_element"}, problems_)) {
            return;
        }
        row_.axis = word_at<AxisSource>(*axis, here, "from", axis_sources, problems_)
                        .value_or(AxisSource::attribute);
        row_.axis_default = integer_at(*axis, here, "default", problems_);
        if (const auto of_1d = integer_at(*axis, here, "default_of_1d", problems_)) {
            if (row_.axis_default) {
                problems_.add(here.child("default_of_1d"),
                              "stands beside \"default\"; keep one of the two");
            }
            row_.axis_default = of_1d;
            row_.axis_default_is_of_1d = true;
        }
        if (row_.axis == AxisSource::input && row_.axis_default) {
            problems_.add(here, "an input has no default; remove it");
        }
        row_.negative_axis = boolean_at(*axis, here, "negative", problems_).value_or(true);
        if (row_.axis != AxisSource::input && find_member(*axis, "of_one_element") != nullptr) {
            problems_.add(here.child("of_one_element"), "is said of an input; remove it");
        }
    }

    void read_types() {
        const Json* types = object_at(entry_, at_, "types", problems_);
        if (types == nullptr) return;
        const Place here = at_.child("types");
        if (!check_keys(*types, here, {"data", "indices"}, {"axis"}, problems_)) return;
        row_.data_types = types_at(*types, here, "data", false, problems_);
        row_.indices_types = types_at(*types, here, "indices", true, problems_);
        row_.axis_types = types_at(*types, here, "axis", true, problems_);
        if ((row_.axis == AxisSource::input) != (find_member(*types, "axis") != nullptr)) {
            problems_.add(here, row_.axis == AxisSource::input
                                    ? "the types of the axis input are missing; add \"axis\""
                                    : "there is no axis input; remove \"axis\"");
        }
    }

    /// Gives what an index outside does, which the equation says too.
    const Json* read_indices() {
        row_.indices_rank = IndicesRank::any;
        row_.negative_indices = true;
        const Json* indices = object_at(entry_, at_, "indices", problems_);
        if (indices == nullptr) return nullptr;
        const Place here = at_.child("indices");
        if (!check_keys(*indices, here, {"negative", "outside"}, {"rank"}, problems_)) {
            return nullptr;
        }
        row_.negative_indices = boolean_at(*indices, here, "negative", problems_).value_or(true);
        const bool may_be_scalar = row_.family == Family::gather;
        row_.indices_rank = may_be_scalar ? IndicesRank::any : IndicesRank::at_least_one;
        if (find_member(*indices, "rank") != nullptr) {
            row_.indices_rank = word_at<IndicesRank>(*indices, here, "rank", ranks, problems_)
                                    .value_or(row_.indices_rank);
        }
        const Json* outside = find_member(*indices, "outside");
        const Json& first = outside->is_array() && !outside->empty() ? outside->front() : *outside;
        if (first == "zero") row_.out_of_bounds = OutOfBounds::zero;
        if (first == "clamp") row_.out_of_bounds = OutOfBounds::clamp;
        return outside;
    }

    /// By the rest of a rule's id, or "*" for all that are not named.
    std::map<std::string, std::string> read_open() {
        std::map<std::string, std::string> open;
        const Json* reasons = object_at(entry_, at_, "open", problems_);
        if (reasons == nullptr) return open;
        const Place here = at_.child("open");
        for (const auto& [key, value] : reasons->items()) {
            const std::string why = text_at(*reasons, here, key, problems_);
            bool known = key == "*";
            for (const std::string_view rule : row_.check_rules) {
                if (rule.empty() || (key != "*" && key != rule)) continue;
                known = true;
                std::string& reason = open[std::string(row_.rules) + "." + std::string(rule)];
                if (reason.empty() || key != "*") reason = why;
            }
            if (!known) {
                problems_.add(here.child(key), in_quotes(key) + " is no check of this operator");
            }
        }
        return open;
    }

    Special read_special(const Json* object, const Place& at, std::string_view key) {
        const Json* word =
            object != nullptr && object->is_object() ? find_member(*object, key) : nullptr;
        if (word == nullptr || *word == "output") return Special::output;
        if (*word == "unspecified") return Special::unspecified;
        if (*word == Json::array({"output", "error"})) return Special::output_or_error;
        problems_.add(at.child(key),
                      R"(is none of "output", "unspecified" and ["output", "error"])");
        return Special::output;
    }

    /// The equation of the family, with the row's axis, batch_dims and index rules.
    Json usual_equation(const Json& outside) const {
        Json equation = Json::object();
        Json parameters = Json::object();
        if (row_.axis != AxisSource::none) {
            parameters["axis"]["from"] = axis_sources[static_cast<std::size_t>(row_.axis)];
            if (row_.axis == AxisSource::attribute && row_.axis_default) {
                parameters["axis"]["default"] = *row_.axis_default;
            }
        }
        const bool batches = row_.batch_dims != BatchDims::none;
        if (batches) {
            parameters["batch_dims"]["from"] = "attribute";
            parameters["batch_dims"]["default"] = 0;
        }
        equation["parameters"] = parameters;
        Json let = Json::array({"N = rank(data)", "M = rank(indices)"});
        if (row_.axis != AxisSource::none) {
            let.push_back(row_.negative_axis ? "a = axis < 0 ? axis + N : axis" : "a = axis");
        }
        const bool negative_batch_dims = row_.batch_dims == BatchDims::negative_too;
        let.push_back(negative_batch_dims ? "b = batch_dims < 0 ? batch_dims + M : batch_dims"
                      : batches           ? "b = batch_dims"
                                          : "b = 0");
        Json form = Json::object();
        Json size = "[data.shape[a]]";
        switch (row_.family) {
            case Family::gather:
                form["shape"] = "data.shape[:a] + indices.shape[b:] + data.shape[a + 1:]";
                form["output"] =
                    "output[p[:a] + i[b:M] + p[a + 1:N]] = "
                    "data[p[:a] + indices[p[:b] + i[b:M]] + p[a + 1:N]]";
                break;
            case Family::gather_elements:
                if (row_.other_dims == OtherDims::broadcast) {
                    form["shape"] =
                        "broadcast(data.shape[:a], indices.shape[:a]) + [indices.shape[a]] + "
                        "broadcast(data.shape[a + 1:], indices.shape[a + 1:])";
                    form["with"] =
                        Json::array({"k = indices[within(i[:a], indices.shape[:a]) + i[a:a + 1] + "
                                     "within(i[a + 1:N], indices.shape[a + 1:])]"});
                    form["output"] =
                        "output[i[:N]] = data[within(i[:a], data.shape[:a]) + k + "
                        "within(i[a + 1:N], data.shape[a + 1:])]";
                } else {
                    form["shape"] = "indices.shape";
                    form["output"] = "output[i[:N]] = data[i[:a] + indices[i[:N]] + i[a + 1:N]]";
                }
                break;
            case Family::gather_nd:
                let.push_back("n = indices.shape[M - 1]");
                form["shape"] = "indices.shape[:M - 1] + data.shape[b + n:]";
                form["output"] =
                    "output[i[:M - 1] + p[b + n:N]] = "
                    "data[i[:b] + indices[i[:M - 1]] + p[b + n:N]]";
                size = "data.shape[b:b + n]";
                break;
            case Family::stablehlo_gather:  // no dialect declares it
                break;
        }
        equation["let"] = let;
        equation["forms"] = Json::array({form});
        const bool negative = row_.negative_indices;
        equation["index"] = {{"size", size},
                             {"lowest", negative ? "-s" : "0"},
                             {"highest", "s - 1"},
                             {"value", negative ? "v < 0 ? v + s : v" : "v"},
                             {"outside", outside}};
        return equation;
    }

    const Json& entry_;
    const Place& at_;
    Problems& problems_;
    OperatorInfo row_{};
};

}  // namespace

std::variant<Dialect, std::vector<Problem>> load_dialect(const std::filesystem::path& file) {
    constexpr std::size_t largest = std::size_t{1} << 20;
    const auto text = read_file(file, largest);
    if (const auto* problem = std::get_if<Problem>(&text)) return std::vector<Problem>{*problem};
    Dialect dialect{file.generic_string(), sha256_hex(std::get<std::string>(text)), {}};
    JsonResult document = parse_json(std::get<std::string>(text), dialect.file);
    if (auto* refused = std::get_if<std::vector<Problem>>(&document)) return std::move(*refused);
    const Json& root = std::get<Json>(document);
    Problems problems(dialect.file);
    const Place top;
    if (check_keys(root, top, {"dialect", "operators"}, {}, problems)) {
        const std::string specification = text_at(root, top, "dialect", problems);
        const Json* list = array_at(root, top, "operators", problems);
        const Place here = top.child("operators");
        if (list != nullptr && list->empty()) {
            problems.add(here, "is an empty list; declare an operator");
        }
        for (std::size_t k = 0; list != nullptr && k < list->size(); ++k) {
            const Place at = here.child(k);
            if (auto declared = OperatorReader((*list)[k], at, problems).read(specification)) {
                dialect.operators.push_back(std::move(*declared));
            }
        }
    }
    if (!problems.empty()) return std::move(problems).take();
    return dialect;
}

std::variant<std::vector<Dialect>, std::vector<Problem>> load_dialects(
    const std::filesystem::path& folder) {
    std::error_code error;
    const std::vector<std::filesystem::path> files = json_files(folder, error);
    std::vector<Dialect> dialects;
    std::vector<Problem> problems;
    for (const std::filesystem::path& file : files) {
        auto dialect = load_dialect(file);
        if (auto* found = std::get_if<std::vector<Problem>>(&dialect)) {
            std::ranges::move(*found, std::back_inserter(problems));
        } else {
            dialects.push_back(std::get<Dialect>(std::move(dialect)));
        }
    }
    if (!problems.empty()) return problems;
    return dialects;
}

std::vector<Problem> add_equations(const Dialect& dialect, Equations& equations) {
    std::vector<Problem> all;
    for (const DeclaredOperator& declared : dialect.operators) {
        auto found =
            equations.add(declared.version, declared.equation, dialect.file, declared.pointer);
        std::ranges::move(found, std::back_inserter(all));
    }
    return all;
}

std::string DeclaredOperator::why_open(std::string_view rule) const {
    const auto found = open.find(std::string(rule));
    if (found != open.end()) return found->second;
    for (const Check check : {Check::data_type, Check::indices_type, Check::axis_type}) {
        if (rule_id(version, check) == rule) {
            return "the dialect does not say what comes of this element type";
        }
    }
    return {};
}

std::string output_rule(OperatorVersion version) {
    return std::string(info(version).rules) + ".output";
}

std::string empty_rule(OperatorVersion version, std::string_view input) {
    return std::string(info(version).rules) + ".empty." + std::string(input);
}

void add_rules(const Dialect& dialect, RuleCatalogue& rules) {
    for (const DeclaredOperator& declared : dialect.operators) {
        const auto add = [&](std::string id, std::string_view statement) -> Rule {
            Rule rule{};
            rule.id = std::move(id);
            rule.version = declared.version;
            rule.statement = std::string(statement);
            rule.level = "reading";
            rule.document = dialect.file;
            rule.section = declared.pointer;
            rule.no_sentence = "declared by a dialect";
            rule.positive = "a call that keeps it";
            rule.untestable = "declared by a dialect, whose calls are derived";
            return rule;
        };
        if (rules.find(output_rule(declared.version)) == nullptr) {
            rules.add(add(output_rule(declared.version), "the output is what the equation says"));
        }
        for (const auto& [input, empty] : {std::pair{"data", declared.empty_data},
                                           std::pair{"indices", declared.empty_indices}}) {
            std::string id = empty_rule(declared.version, input);
            if (empty == Special::output || rules.find(id) != nullptr) continue;
            Rule rule = add(std::move(id), std::string(input) + " has no dimension of size 0");
            rule.errors = {Category::index_out_of_bounds};
            rule.phase = Phase::run;
            rules.add(std::move(rule));
        }
        for (const DeclaredCheck& each : declared_checks) {
            std::string id = rule_id(declared.version, each.check);
            if (id.empty() || rules.find(id) != nullptr) continue;
            Rule rule = add(std::move(id), each.statement);
            for (const auto& error : each.errors) {
                if (error) rule.errors.push_back(*error);
            }
            rule.phase = phase(each.check);
            rules.add(std::move(rule));
        }
    }
}

}  // namespace gathercheck
