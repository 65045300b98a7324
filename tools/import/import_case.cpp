// SPDX-License-Identifier: Apache-2.0
// Chooses the versions and rules of an imported call, and writes it out.
#include "tools/import/import_case.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <variant>

#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "reference/check.hpp"

namespace gathercheck {
namespace {

/// The value of an integer attribute; nothing where it is absent or something else.
std::optional<std::int64_t> integer_attribute(const std::vector<Attribute>& attributes,
                                              std::string_view name) {
    const auto found = std::ranges::find(attributes, name, &Attribute::name);
    if (found == attributes.end()) return std::nullopt;
    const auto* value = std::get_if<std::int64_t>(&found->value);
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

bool has_attribute(const std::vector<Attribute>& attributes, std::string_view name) {
    return std::ranges::find(attributes, name, &Attribute::name) != attributes.end();
}

/// True where the version allows the call and gives an output of the stored shape. Where it takes
/// the axis as an input, the model's attribute is handed over so.
bool is_legal(const ImportedCall& imported, OperatorVersion version) {
    const auto axis = integer_attribute(imported.attributes, "axis");
    const bool as_input = info(version).axis == AxisSource::input;
    Call call;
    call.version = version;
    call.inputs = {{"data", imported.data.view()}, {"indices", imported.indices.view()}};
    for (const Attribute& attribute : imported.attributes) {
        if (attribute.name != "axis" || !as_input) call.attributes.push_back(attribute);
    }
    std::array<std::byte, sizeof(std::int64_t)> axis_contents{};
    if (as_input && axis) {
        std::memcpy(axis_contents.data(), &*axis, sizeof *axis);
        call.inputs.push_back({"axis", {ElementType::i64, Shape{}, axis_contents.data()}});
    }
    const Result<CheckedCall> checked = check(call);
    return checked && checked->output == Descriptor{imported.output.type, imported.output.shape} &&
           check_index_values(*checked);
}

std::vector<OperatorVersion> versions_of(const ImportedCall& call, bool all) {
    // A test that breaks its own version's rules is handed over as it stands, for that version.
    if (!all || !is_legal(call, call.version)) return {call.version};
    std::vector<OperatorVersion> versions;
    for (const OperatorInfo& row : operator_versions().first(enumerated_version_count)) {
        if (row.family == info(call.version).family && is_legal(call, row.version)) {
            versions.push_back(row.version);
        }
    }
    return versions;
}

/// Ids of the rules of a version that the call shows: the formula, and what is special in it.
std::vector<std::string> rules_of(const ImportedCall& call, OperatorVersion version) {
    const OperatorInfo& row = info(version);
    const bool is_onnx = row.specification == "onnx";
    const auto axis = integer_attribute(call.attributes, "axis");
    const auto batch_dims = integer_attribute(call.attributes, "batch_dims");
    std::vector<std::string> rules;
    const auto add = [&](std::string_view rule) {
        rules.push_back(std::string(row.rules) + "." + std::string(rule));
    };
    if (row.family == Family::gather && is_onnx) {
        add("semantics.single-axis");
        add("semantics.placement");
        const std::int64_t written = axis.value_or(0);
        const std::int64_t normalised = written < 0 ? written + call.data.shape.rank() : written;
        if (normalised == 0) add("formula.axis0");
        if (normalised == 1) add("formula.axis1");
    } else {
        add("semantics.formula");
    }
    if (row.axis == AxisSource::attribute && !has_attribute(call.attributes, "axis")) {
        add("axis.default");
    }
    if (row.axis != AxisSource::none && axis && *axis < 0) add("axis.negative");
    if (row.family == Family::gather_nd && row.batch_dims != BatchDims::none) {
        if (!has_attribute(call.attributes, "batch_dims")) add("batch_dims.default");
        if (batch_dims && *batch_dims != 0) add("batch_dims.leading");
    }
    if (row.negative_indices && has_negative_element(call.indices.view())) {
        add(row.family == Family::gather ? "indices.negative" : "indices.range");
    }
    return rules;
}

constexpr std::size_t line_width = 160;

std::string spaces(std::size_t count) { return std::string(count, ' '); }

/// A list at `column` of a line that is indented by `indent`.
std::string list_text(const std::vector<std::string>& items, std::size_t indent,
                      std::size_t column) {
    std::string line = "[";
    for (const std::string& item : items) line += (line.size() > 1 ? ", " : "") + item;
    line += "]";
    constexpr std::size_t room_behind = 4;  // for " }", a comma
    if (column + line.size() + room_behind <= line_width) return line;
    std::string text = "[\n";
    line = spaces(indent + 2);
    for (std::size_t k = 0; k < items.size(); ++k) {
        const std::string item = items[k] + (k + 1 < items.size() ? "," : "");
        if (line.size() > indent + 2 && line.size() + 1 + item.size() > line_width) {
            text += line + "\n";
            line = spaces(indent + 2);
        }
        if (line.size() > indent + 2) line += " ";
        line += item;
    }
    return text + line + "\n" + spaces(indent) + "]";
}

std::string hex_word(std::uint64_t pattern, int width) {
    std::array<char, 20> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%0*llx", (width + 3) / 4,
                  static_cast<unsigned long long>(pattern));
    return buffer.data();
}

/// The contents of a tensor as JSON: under "values", or under "bits" where a value has no literal.
struct Literals {
    std::string key;
    std::vector<std::string> items;
};

/// A tensor of a floating type; for a complex tensor, of its parts.
Literals float_literals(const Tensor& tensor, std::int64_t count) {
    std::vector<std::uint64_t> patterns;
    bool has_literals = tensor.type != ElementType::nf4;
    for (std::int64_t k = 0; k < count; ++k) {
        const std::uint64_t pattern = element_bits(tensor.type, tensor.contents.data(), k);
        const double value = float_value(tensor.type, pattern);
        const bool negative_zero = value == 0 && std::signbit(value);
        has_literals = has_literals && std::isfinite(value) && !negative_zero;
        patterns.push_back(pattern);
    }
    Literals literals{has_literals ? "values" : "bits", {}};
    for (const std::uint64_t pattern : patterns) {
        literals.items.push_back(has_literals ? shortest_decimal(tensor.type, pattern)
                                              : hex_word(pattern, bits(tensor.type)));
    }
    return literals;
}

Literals complex_literals(const Tensor& tensor, std::int64_t count) {
    Tensor parts;
    parts.type = tensor.type == ElementType::c64 ? ElementType::f32 : ElementType::f64;
    parts.contents = tensor.contents;
    const Literals of_parts = float_literals(parts, 2 * count);
    Literals literals{of_parts.key, {}};
    for (std::size_t k = 0; k < of_parts.items.size(); k += 2) {
        const std::string& real = of_parts.items[k];
        const std::string& imaginary = of_parts.items[k + 1];
        literals.items.push_back(literals.key == "values" ? "[" + real + ", " + imaginary + "]"
                                                          : json_string(imaginary + real));
    }
    return literals;
}

std::string integer_literal(const Tensor& tensor, std::int64_t k) {
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    const std::string text = integer_text(tensor.type, tensor.contents.data(), k);
    const auto value = integer_element(tensor.type, tensor.contents.data(), k);
    return value && *value >= -exact && *value <= exact ? text : json_string(text);
}

Literals literals_of(const Tensor& tensor) {
    const std::int64_t count = *element_count(tensor.shape);
    const ElementKind kind = info(tensor.type).kind;
    if (kind == ElementKind::complex) return complex_literals(tensor, count);
    if (kind == ElementKind::floating) {
        Literals literals = float_literals(tensor, count);
        if (literals.key == "bits") {
            for (std::string& item : literals.items) item = json_string(item);
        }
        return literals;
    }
    Literals literals{"values", {}};
    if (kind == ElementKind::string) {
        // Without elements it may have no strings either.
        for (std::int64_t k = 0; k < count; ++k) {
            literals.items.push_back(json_string((*tensor.strings)[static_cast<std::size_t>(k)]));
        }
        return literals;
    }
    if (kind != ElementKind::boolean) {
        for (std::int64_t k = 0; k < count; ++k) {
            literals.items.push_back(integer_literal(tensor, k));
        }
        return literals;
    }
    const bool has_literals =
        std::ranges::all_of(tensor.contents, [](std::byte value) { return value <= std::byte{1}; });
    if (!has_literals) literals.key = "bits";
    for (const std::byte value : tensor.contents) {
        const auto pattern = std::to_integer<unsigned>(value);
        literals.items.push_back(!has_literals  ? json_string(hex_word(pattern, 8))
                                 : pattern == 1 ? "true"
                                                : "false");
    }
    return literals;
}

/// "name": { a tensor }, at `indent`.
std::string tensor_text(std::string_view name, const Tensor& tensor, std::size_t indent) {
    const Literals literals = literals_of(tensor);
    std::vector<std::string> dims;
    for (const std::int64_t dim : tensor.shape) dims.push_back(std::to_string(dim));
    const std::string head = spaces(indent) + json_string(name) +
                             ": { \"type\": " + json_string(gathercheck::name(tensor.type)) +
                             ", \"shape\": " + list_text(dims, indent, 0) + ", " +
                             json_string(literals.key) + ": ";
    return head + list_text(literals.items, indent, head.size()) + " }";
}

/// The same of a tensor whose contents nobody says.
std::string descriptor_text(std::string_view name, const Descriptor& descriptor,
                            std::size_t indent) {
    std::vector<std::string> dims;
    for (const std::int64_t dim : descriptor.shape) dims.push_back(std::to_string(dim));
    return spaces(indent) + json_string(name) +
           ": { \"type\": " + json_string(gathercheck::name(descriptor.type)) +
           ", \"shape\": " + list_text(dims, indent, 0) + " }";
}

std::string attribute_text(const AttributeValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
    if (const auto* decimal = std::get_if<double>(&value)) return shortest_decimal(*decimal);
    if (const auto* text = std::get_if<std::string>(&value)) return json_string(*text);
    std::vector<std::string> items;
    for (const std::int64_t item : std::get<std::vector<std::int64_t>>(value)) {
        items.push_back(std::to_string(item));
    }
    return list_text(items, 6, 0);
}

}  // namespace

std::string json_string(std::string_view text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string case_text(const std::string& id, const std::string& title, const ImportedCall& call,
                      bool all_versions) {
    const std::vector<OperatorVersion> versions = versions_of(call, all_versions);
    // Only a version that takes the axis as an input needs it apart from the attributes.
    const bool axis_apart = std::ranges::any_of(
        versions, [](OperatorVersion version) { return info(version).axis == AxisSource::input; });
    std::vector<std::string> names;
    std::vector<std::string> rules;
    for (const OperatorVersion version : versions) {
        names.push_back(json_string(name(version)));
        for (const std::string& rule : rules_of(call, version)) {
            rules.push_back(json_string(rule));
        }
    }
    std::string attributes;
    for (const Attribute& attribute : call.attributes) {
        if (axis_apart && attribute.name == "axis") continue;
        attributes += (attributes.empty() ? " " : ", ") + json_string(attribute.name) + ": " +
                      attribute_text(attribute.value);
    }

    std::string text = "    {\n      \"id\": " + json_string(id) +
                       ",\n      \"title\": " + json_string(title) + ",\n";
    if (axis_apart) {
        const std::int64_t axis = *integer_attribute(call.attributes, "axis");
        text += "      \"axis\": " + std::to_string(axis) + ",\n";
    }
    if (!attributes.empty()) text += "      \"attributes\": {" + attributes + " },\n";
    text += "      \"inputs\": {\n" + tensor_text("data", call.data, 8) + ",\n" +
            tensor_text("indices", call.indices, 8) + "\n      },\n";
    const std::string rules_head = "          \"rules\": ";
    text += "      \"expect\": [\n        {\n          \"for\": " + list_text(names, 10, 17) +
            ",\n" + rules_head + list_text(rules, 10, rules_head.size()) + ",\n" +
            tensor_text("output", call.output, 10) + "\n        }\n      ]\n    }";
    return text;
}

namespace {

/// What an alternative says, as members of an object at `indent`. `described`: the case has no
/// contents; in any other an output without elements has some.
std::string alternative_text(const ResolvedAlternative& alternative, bool described,
                             std::size_t indent) {
    if (const auto* error = std::get_if<ExpectedError>(&alternative)) {
        return spaces(indent) + "\"error\": " + json_string(name(error->category));
    }
    const auto& output = std::get<ResolvedOutput>(alternative);
    const Descriptor& of = output.descriptor;
    if (output.contents) return tensor_text("output", *output.contents, indent);
    if (described || byte_size(of) != 0) return descriptor_text("output", of, indent);
    return tensor_text("output", Tensor{of.type, of.shape, {}, {}}, indent);
}

std::string answer_text(const WrittenCase& written) {
    if (written.alternatives.empty()) {
        return spaces(10) + "\"unspecified\": " + json_string(written.unspecified);
    }
    if (written.alternatives.size() == 1) {
        return alternative_text(written.alternatives.front(), written.described, 10);
    }
    std::string text = spaces(10) + "\"either\": [\n";
    for (std::size_t k = 0; k < written.alternatives.size(); ++k) {
        text += spaces(12) + "{\n" +
                alternative_text(written.alternatives[k], written.described, 14) + "\n" +
                spaces(12) + (k + 1 < written.alternatives.size() ? "},\n" : "}\n");
    }
    return text + spaces(10) + "]";
}

}  // namespace

std::string case_text(const WrittenCase& written) {
    std::string text = "    {\n      \"id\": " + json_string(written.id) +
                       ",\n      \"title\": " + json_string(written.title) + ",\n";
    if (!written.why.empty()) text += "      \"why\": " + json_string(written.why) + ",\n";
    if (!written.after.empty()) {
        std::vector<std::string> ids;
        for (const std::string& id : written.after) ids.push_back(json_string(id));
        text += "      \"after\": " + list_text(ids, 6, 15) + ",\n";
    }
    std::string attributes;
    for (const Attribute& attribute : written.attributes) {
        attributes += (attributes.empty() ? " " : ", ") + json_string(attribute.name) + ": " +
                      attribute_text(attribute.value);
    }
    if (!attributes.empty()) text += "      \"attributes\": {" + attributes + " },\n";
    text += "      \"inputs\": {\n";
    for (std::size_t k = 0; k < written.inputs.size(); ++k) {
        const auto& [name, tensor] = written.inputs[k];
        const bool described = written.described && name != "axis";
        text += (described ? descriptor_text(name, {tensor.type, tensor.shape}, 8)
                           : tensor_text(name, tensor, 8)) +
                (k + 1 < written.inputs.size() ? ",\n" : "\n");
    }
    std::vector<std::string> rules;
    for (const std::string& rule : written.rules) rules.push_back(json_string(rule));
    const std::string rules_head = "          \"rules\": ";
    return text + "      },\n      \"expect\": [\n        {\n          \"for\": [" +
           json_string(name(written.version)) + "],\n" + rules_head +
           list_text(rules, 10, rules_head.size()) + ",\n" + answer_text(written) +
           "\n        }\n      ]\n    }";
}

std::string case_file_text(const std::vector<std::string>& cases) {
    std::string text = "{\n  \"cases\": [\n";
    for (std::size_t k = 0; k < cases.size(); ++k) {
        text += cases[k] + (k + 1 < cases.size() ? ",\n" : "\n");
    }
    return text + "  ]\n}\n";
}

}  // namespace gathercheck
