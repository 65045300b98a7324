// SPDX-License-Identifier: Apache-2.0
// Records to JSON lines and back.
#include "conformance/records/record.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "conformance/implementations/worker/protocol_json.hpp"
#include "conformance/records/unclaimed.hpp"
#include "conformance/util/bounded_lines.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/sha256.hpp"
#include "reference/byte_order.hpp"

namespace gathercheck {
namespace {

using Line = nlohmann::ordered_json;

Line to_json(const Route& route) {
    Line json{{"operands", name(route.operands)}, {"shapes", name(route.shapes)}};
    if (route.axis != AxisOperand::constant) json["axis"] = name(route.axis);
    return json;
}

void put(Line& line, const char* key, const std::string& value) {
    if (!value.empty()) line[key] = value;
}

template <class Choice>
Line names(const std::vector<Choice>& choices) {
    Line list = Line::array();
    for (const Choice choice : choices) list.push_back(name(choice));
    return list;
}

Line to_json(const Claim& claim) {
    Line json = {{"operators", names(claim.versions)}, {"data", names_of(claim.data)},
                 {"indices", names_of(claim.indices)}, {"operands", names(claim.operands)},
                 {"shapes", names(claim.shapes)},      {"axis", names(claim.axes)}};
    for (const auto& [attribute, values] : claim.attributes) json["attributes"][attribute] = values;
    return json;
}

/// What is set; the limit on restarts always, as none at all is one.
Line to_json(const RunSettings& settings) {
    Line json = Line::object();
    each_setting(settings, [&]<class Value>(const char* key, const Value& value) {
        if (std::is_same_v<Value, std::int64_t> || value != Value{}) json[key] = value;
    });
    return json;
}

struct Writer {
    Line operator()(const RunRecord& run) const {
        Line machine{{"cpu", run.cpu}, {"system", run.system}};
        put(machine, "distribution", run.distribution);
        Line line{
            {"record", "run"},
            {"schema", record_schema_version},
            {"suite",
             {{"version", run.suite_version}, {"hash", run.suite_hash}, {"cases", run.cases}}},
            {"tool", {{"version", run.tool_version}}},
            {"command", run.command},
            {"started", run.started},
            {"machine", std::move(machine)}};
        put(line, "repeat", run.repeat);
        put(line, "repeat_known_failures", run.repeat_known_failures);
        if (run.settings) line["options"] = to_json(*run.settings);
        return line;
    }
    Line operator()(const ImplementationRecord& implementation) const {
        Line line{{"record", "implementation"},
                  {"implementation", implementation.name},
                  {"state", implementation.state}};
        put(line, "why", implementation.why);
        line["asked_by_name"] = implementation.asked_by_name;
        put(line, "version", implementation.version);
        put(line, "language", implementation.language);
        put(line, "device", implementation.device);
        put(line, "known_failures", implementation.known_failures);
        put(line, "known_failures_hash", implementation.known_failures_hash);
        if (implementation.witness) line["witness"] = true;
        if (implementation.claims) {
            line["claims"] = Line::array();
            for (const Claim& claim : *implementation.claims) {
                line["claims"].push_back(to_json(claim));
            }
        }
        for (const NotImplemented& one : implementation.not_implemented) {
            line["not_implemented"].push_back(to_json(one.what));
            line["not_implemented"].back()["why"] = one.why;
        }
        return line;
    }
    Line operator()(const ExecutionRecord& execution) const {
        Line line{{"record", "execution"},
                  {"implementation", execution.implementation},
                  {"version", execution.version},
                  {"operator", name(execution.operator_version)},
                  {"route", to_json(execution.route)},
                  {"case", execution.case_id},
                  {"verdict", name(execution.verdict)}};
        put(line, "title", execution.title);
        put(line, "failure", std::string(name(execution.failure)));
        put(line, "outcome", execution.outcome);
        put(line, "class", execution.classification);
        put(line, "category", execution.category);
        put(line, "phase", execution.phase);
        put(line, "answer", execution.answer);
        put(line, "detail", execution.detail);
        put(line, "got", execution.got);
        put(line, "finding", execution.finding);
        put(line, "reason", execution.reason);
        if (!execution.rules.empty()) line["rules"] = execution.rules;
        put(line, "shown_by", execution.shown_by);
        put(line, "reproducer", execution.reproducer);
        return line;
    }
    Line operator()(const NoteRecord& note) const {
        Line line{{"record", "note"},
                  {"implementation", note.implementation},
                  {"level", note.level},
                  {"text", note.text}};
        put(line, "about", note.about);
        return line;
    }
    Line operator()(const EndRecord& end) const {
        Line line{{"record", "end"},
                  {"executions", end.executions},
                  {"exit_code", end.exit_code},
                  {"seconds", end.seconds}};
        if (end.partial) line["partial"] = true;
        return line;
    }
};

/// Reads the members of one line; the first that is missing or of the wrong kind makes it bad.
class Reader {
public:
    explicit Reader(const Json& line) : line_(line) {}

    std::optional<Record> read() {
        const std::string kind = text("record");
        std::optional<Record> record;
        if (kind == "run") record = run();
        if (kind == "implementation") record = implementation();
        if (kind == "execution") record = execution();
        if (kind == "note") {
            record = NoteRecord{text("implementation"), text("level"), text("text"),
                                optional_text("about")};
        }
        if (kind == "end") record = end();
        if (!good_) return std::nullopt;
        return record;
    }

private:
    const Json* member(const Json& object, const char* key) {
        const Json* found = object.is_object() ? find_member(object, key) : nullptr;
        if (found == nullptr) good_ = false;
        return found;
    }
    std::string text(const Json& object, const char* key, bool required = true) {
        const Json* found = object.is_object() ? find_member(object, key) : nullptr;
        if (found != nullptr && found->is_string()) return found->get<std::string>();
        if (found != nullptr || required) good_ = false;
        return {};
    }
    std::string text(const char* key, bool required = true) { return text(line_, key, required); }
    std::string optional_text(const char* key) { return text(key, false); }
    /// A list of texts that may be missing.
    std::vector<std::string> texts(const Json& object, const char* key) {
        std::vector<std::string> list;
        const Json* found = object.is_object() ? find_member(object, key) : nullptr;
        if (found == nullptr) return list;
        if (!found->is_array()) good_ = false;
        for (const Json& entry : *found) {
            if (entry.is_string()) list.push_back(entry.get<std::string>());
            good_ = good_ && entry.is_string();
        }
        return list;
    }
    bool flag(const Json& object, const char* key) {
        const Json* found = object.is_object() ? find_member(object, key) : nullptr;
        if (found != nullptr && !found->is_boolean()) good_ = false;
        return found != nullptr && found->is_boolean() && found->get<bool>();
    }
    std::int64_t integer(const Json& object, const char* key) {
        const Json* found = member(object, key);
        const auto value = found != nullptr ? as_integer(*found) : std::nullopt;
        if (!value) good_ = false;
        return value.value_or(0);
    }
    template <class Value, class Parse>
    Value word(const std::string& text, Parse parse) {
        const std::optional<Value> value = parse(text);
        if (!value) good_ = false;
        return value.value_or(Value{});
    }

    Record run() {
        RunRecord record;
        static const Json nothing = Json::object();
        const Json* suite = member(line_, "suite");
        const Json* tool = member(line_, "tool");
        const Json* machine = member(line_, "machine");
        if (integer(line_, "schema") != record_schema_version) good_ = false;
        const Json& of_suite = suite != nullptr ? *suite : nothing;
        record.suite_version = text(of_suite, "version");
        record.suite_hash = text(of_suite, "hash");
        record.cases = integer(of_suite, "cases");
        record.tool_version = text(tool != nullptr ? *tool : nothing, "version");
        const Json* command = member(line_, "command");
        if (command != nullptr && command->is_array()) {
            for (const Json& argument : *command) {
                if (argument.is_string()) record.command.push_back(argument.get<std::string>());
            }
        }
        record.started = text("started");
        const Json& of_machine = machine != nullptr ? *machine : nothing;
        record.cpu = text(of_machine, "cpu");
        record.system = text(of_machine, "system");
        record.distribution = text(of_machine, "distribution", false);
        record.repeat = optional_text("repeat");
        record.repeat_known_failures = optional_text("repeat_known_failures");
        if (const Json* options = find_member(line_, "options")) {
            record.settings = settings(*options);
        }
        return record;
    }
    RunSettings settings(const Json& options) {
        RunSettings settings;
        each_setting(settings, [&](const char* key, auto& value) { read(options, key, value); });
        return settings;
    }
    void read(const Json& options, const char* key, std::string& value) {
        value = text(options, key, std::string_view(key) == "folder");
    }
    void read(const Json& options, const char* key, std::vector<std::string>& value) {
        value = texts(options, key);
    }
    void read(const Json& options, const char* key, bool& value) { value = flag(options, key); }
    void read(const Json& options, const char* key, double& value) {
        if (!options.is_object()) return;
        if (const Json* number = find_member(options, key)) value = decimal(*number);
    }
    void read(const Json& options, const char* key, std::int64_t& value) {
        value = integer(options, key);
    }
    void read(const Json& options, const char* key, std::uint64_t& value) {
        if (!options.is_object() || find_member(options, key) == nullptr) return;
        value = static_cast<std::uint64_t>(integer(options, key));
    }
    Record implementation() {
        ImplementationRecord record;
        record.name = text("implementation");
        record.state = text("state");
        record.why = optional_text("why");
        const Json* asked = member(line_, "asked_by_name");
        record.asked_by_name = asked != nullptr && asked->is_boolean() && asked->get<bool>();
        record.version = optional_text("version");
        record.language = optional_text("language");
        record.device = optional_text("device");
        record.known_failures = optional_text("known_failures");
        record.known_failures_hash = optional_text("known_failures_hash");
        const Json* witness = find_member(line_, "witness");
        record.witness = witness != nullptr && witness->is_boolean() && witness->get<bool>();
        if (const Json* claims = list(line_, "claims")) {
            record.claims.emplace();
            for (const Json& one : *claims) record.claims->push_back(claim(one));
        }
        if (const Json* refusals = list(line_, "not_implemented")) {
            for (const Json& one : *refusals) {
                record.not_implemented.push_back({claim(one), text(one, "why")});
            }
        }
        return record;
    }
    /// A list that may be missing.
    const Json* list(const Json& object, const char* key) {
        const Json* found = find_member(object, key);
        if (found == nullptr || found->is_array()) return found;
        good_ = false;
        return nullptr;
    }
    Claim claim(const Json& value) {
        auto read = read_claim(value);
        if (auto* found = std::get_if<Claim>(&read)) return std::move(*found);
        good_ = false;
        return {};
    }
    Record execution() {
        ExecutionRecord record;
        record.implementation = text("implementation");
        record.version = text("version");
        record.operator_version = word<OperatorVersion>(
            text("operator"), [](const auto& t) { return operator_version(t); });
        static const Json nothing = Json::object();
        const Json* route = member(line_, "route");
        const Json& of_route = route != nullptr ? *route : nothing;
        record.route.operands =
            word<Operands>(text(of_route, "operands"), [](const auto& t) { return operands(t); });
        record.route.shapes =
            word<Shapes>(text(of_route, "shapes"), [](const auto& t) { return shapes(t); });
        const std::string axis = text(of_route, "axis", false);
        if (!axis.empty()) {
            record.route.axis =
                word<AxisOperand>(axis, [](const auto& t) { return axis_operand(t); });
        }
        record.case_id = text("case");
        record.title = optional_text("title");
        record.verdict = word<Verdict>(text("verdict"), [](const auto& t) { return verdict(t); });
        record.failure =
            word<Failure>(optional_text("failure"), [](const auto& t) { return failure(t); });
        record.outcome = optional_text("outcome");
        record.classification = optional_text("class");
        record.category = optional_text("category");
        record.phase = optional_text("phase");
        record.answer = optional_text("answer");
        record.detail = optional_text("detail");
        record.got = optional_text("got");
        record.reason = optional_text("reason");
        record.finding = optional_text("finding");
        record.rules = texts(line_, "rules");
        record.shown_by = optional_text("shown_by");
        record.reproducer = optional_text("reproducer");
        return record;
    }
    Record end() {
        EndRecord record;
        record.executions = integer(line_, "executions");
        record.exit_code = static_cast<int>(integer(line_, "exit_code"));
        const Json* seconds = member(line_, "seconds");
        if (seconds != nullptr) record.seconds = decimal(*seconds);
        const Json* partial = find_member(line_, "partial");
        record.partial = partial != nullptr && partial->is_boolean() && partial->get<bool>();
        return record;
    }

    /// A number of seconds, also one that is kept as its text.
    static double decimal(const Json& value) {
        if (value.is_number()) return value.get<double>();
        double number = 0;
        if (is_odd_number(value)) {
            const std::string text = odd_number_text(value);
            std::from_chars(text.data(), text.data() + text.size(), number);
        }
        return number;
    }

    const Json& line_;
    bool good_ = true;
};

}  // namespace

std::string to_json_line(const Record& record) {
    // Details quote what others printed: bytes that are not UTF-8 are replaced, never thrown over.
    return std::visit(Writer{}, record).dump(-1, ' ', false, Line::error_handler_t::replace);
}

std::variant<RecordLines, Problem> read_record_lines(const std::filesystem::path& file) {
    constexpr JsonLimits limits;
    BoundedLines lines(file, limits.bytes);
    const std::string file_name = file == "-" ? "standard input" : file.generic_string();
    if (!lines.is_open()) {
        return Problem{file_name, "",
                       "cannot be read; give a file that `gathercheck run --output` wrote"};
    }
    RecordLines read;
    read.is_compressed = lines.is_compressed();
    std::string text;
    std::uint64_t end = 0;
    std::int64_t number = 1;
    for (; lines.next(text); ++number) {
        const bool cut_short = !lines.has_newline();
        end += text.size() + (cut_short ? 0 : 1);
        JsonResult parsed = parse_json(text, file_name, limits);
        std::optional<Record> record;
        if (const Json* line = std::get_if<Json>(&parsed)) record = Reader(*line).read();
        if (record) {
            read.lines.push_back({std::move(*record), end, !cut_short});
        } else if (cut_short) {
            read.ends_in_half_a_line = true;
        } else {
            // What is damaged may be decompressed for a while before that shows.
            while (read.is_compressed && lines.next(text)) continue;
            if (!lines.fault().empty()) break;
            return Problem{
                file_name, "",
                "line " + std::to_string(number) + " is no record of schema " +
                    std::to_string(record_schema_version) +
                    "; give a file that this version's `gathercheck run --output` wrote"};
        }
    }
    if (lines.is_too_long()) {
        return Problem{file_name, "",
                       "line " + std::to_string(number) + " is longer than " +
                           std::to_string(limits.bytes) +
                           " bytes, as no line of a record is; give a file that `gathercheck run "
                           "--output` wrote"};
    }
    if (!lines.fault().empty()) return Problem{file_name, "", lines.fault()};
    return read;
}

std::variant<std::vector<Record>, Problem> read_records(const std::filesystem::path& file) {
    auto read = read_record_lines(file);
    if (auto* problem = std::get_if<Problem>(&read)) return std::move(*problem);
    std::vector<Record> records;
    for (RecordLine& line : std::get<RecordLines>(read).lines) {
        records.push_back(std::move(line.record));
    }
    return records;
}

bool says_something(const ExecutionRecord& execution) {
    switch (execution.verdict) {
        case Verdict::unavailable:
        case Verdict::broken:
        case Verdict::not_run:
            return false;
        case Verdict::pass:
        case Verdict::fail:
        case Verdict::crash:
        case Verdict::timeout:
        case Verdict::unsupported:
        case Verdict::unspecified:
        case Verdict::known_failure:
        case Verdict::fixed:
        case Verdict::difference:
            break;
    }
    return true;
}

bool lacked_memory(const ExecutionRecord& execution) {
    return execution.verdict == Verdict::not_run && execution.classification == too_little_memory;
}

std::string answer_digest(const Outcome& outcome) {
    constexpr std::size_t digits = 16;
    Sha256 digest;
    if (const auto* descriptor = std::get_if<DescriptorOutcome>(&outcome)) {
        const bool complete =
            descriptor->known_rank &&
            std::ranges::all_of(descriptor->shape, [](const auto& dim) { return dim.has_value(); });
        if (!complete) return {};
        digest.update("descriptor " + to_string(outcome));
        return digest.hex().substr(0, digits);
    }
    const auto* value = std::get_if<ValueOutcome>(&outcome);
    if (value == nullptr) return {};
    const Tensor& output = value->output;
    digest.update(std::string(name(output.type)) + " " + to_string(output.shape) + " ");
    const std::int64_t count = element_count(output.shape).value_or(0);
    if (output.type == ElementType::string) {
        for (std::int64_t k = 0; k < count; ++k) {
            StringElement element;
            std::memcpy(&element,
                        output.contents.data() + k * static_cast<std::int64_t>(sizeof element),
                        sizeof element);
            digest.update(std::to_string(element.length) + " ");
            digest.update(element.view());
        }
        return digest.hex().substr(0, digits);
    }
    const LittleEndian sent(output.type, output.contents);
    const auto bytes = sent.bytes();
    // Spare bits of a last byte say nothing.
    const auto used = static_cast<unsigned>(count * bits(output.type) % 8);
    digest.update(bytes.first(bytes.size() - (used == 0 ? 0 : 1)));
    if (used != 0) {
        const std::byte last = bytes.back() & static_cast<std::byte>((1U << used) - 1U);
        digest.update(std::span(&last, 1));
    }
    return digest.hex().substr(0, digits);
}

std::uint64_t execution_key(const ExecutionRecord& record) {
    const std::string text = record.implementation + '\n' +
                             std::string(name(record.operator_version)) + '\n' +
                             to_string(record.route) + '\n' + record.case_id;
    return std::hash<std::string>{}(text);
}

std::string wrong_outcome(Verdict verdict, Failure failure) {
    switch (verdict) {
        case Verdict::fail:
        case Verdict::difference:
        case Verdict::known_failure:
            return std::string(failure == Failure::none ? name(verdict) : name(failure));
        case Verdict::crash:
        case Verdict::timeout:
            return std::string(name(verdict));
        case Verdict::pass:
        case Verdict::unsupported:
        case Verdict::unavailable:
        case Verdict::broken:
        case Verdict::unspecified:
        case Verdict::fixed:
        case Verdict::not_run:
            break;
    }
    return {};
}

std::string wrong_outcome(const ExecutionRecord& record) {
    if (record.verdict == Verdict::known_failure && record.failure == Failure::none) {
        return record.outcome;  // "crash" or "timeout"
    }
    return wrong_outcome(record.verdict, record.failure);
}

}  // namespace gathercheck
