// SPDX-License-Identifier: Apache-2.0
// Records to JSON and back, each by itself.
#include "conformance/records/record_json.hpp"

#include <charconv>
#include <type_traits>
#include <utility>

#include "conformance/implementations/worker/protocol_json.hpp"
#include "conformance/records/recorded_answer_json.hpp"
#include "conformance/records/unclaimed.hpp"

namespace gathercheck {

Json route_json(const Route& route) {
    Json json{{"operands", name(route.operands)}, {"shapes", name(route.shapes)}};
    if (route.axis != AxisOperand::constant) json["axis"] = name(route.axis);
    return json;
}

namespace {

template <class Choice>
Json names(const std::vector<Choice>& choices) {
    Json list = Json::array();
    for (const Choice choice : choices) list.push_back(name(choice));
    return list;
}

Json to_json(const Claim& claim) {
    Json json = {{"operators", names(claim.versions)}, {"data", names_of(claim.data)},
                 {"indices", names_of(claim.indices)}, {"operands", names(claim.operands)},
                 {"shapes", names(claim.shapes)},      {"axis", names(claim.axes)}};
    for (const auto& [attribute, values] : claim.attributes) json["attributes"][attribute] = values;
    return json;
}

/// What is set; the limit on restarts always, as none at all is one.
Json to_json(const RunSettings& settings) {
    Json json = Json::object();
    each_setting(settings, [&]<class Value>(const char* key, const Value& value) {
        if (std::is_same_v<Value, std::int64_t> || value != Value{}) json[key] = value;
    });
    return json;
}

struct Writer {
    Json operator()(const RunRecord& run) const {
        Json machine{{"cpu", run.cpu}, {"system", run.system}};
        put_text(machine, "distribution", run.distribution);
        Json line{
            {"record", "run"},
            {"schema", record_schema_version},
            {"suite",
             {{"version", run.suite_version}, {"hash", run.suite_hash}, {"cases", run.cases}}},
            {"tool", {{"version", run.tool_version}}},
            {"command", run.command},
            {"started", run.started},
            {"machine", std::move(machine)}};
        put_text(line, "repeat", run.repeat);
        put_text(line, "repeat_known_failures", run.repeat_known_failures);
        if (run.settings) line["options"] = to_json(*run.settings);
        return line;
    }
    Json operator()(const ImplementationRecord& implementation) const {
        Json line{{"record", "implementation"},
                  {"implementation", implementation.name},
                  {"state", implementation.state}};
        put_text(line, "why", implementation.why);
        line["asked_by_name"] = implementation.asked_by_name;
        put_text(line, "version", implementation.version);
        put_text(line, "language", implementation.language);
        put_text(line, "device", implementation.device);
        put_text(line, "known_failures", implementation.known_failures);
        put_text(line, "known_failures_hash", implementation.known_failures_hash);
        if (implementation.witness) line["witness"] = true;
        if (implementation.claims) {
            line["claims"] = Json::array();
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
    Json operator()(const ExecutionRecord& execution) const {
        Json line = context_json(execution);
        line.update(case_json(execution));
        line.update(result_json(execution));
        line.update(evidence_json(execution));
        put_text(line, "reproducer", execution.reproducer);
        if (execution.microseconds) line["us"] = *execution.microseconds;
        return line;
    }
    Json operator()(const NoteRecord& note) const {
        Json line{{"record", "note"},
                  {"implementation", note.implementation},
                  {"level", note.level},
                  {"text", note.text}};
        put_text(line, "about", note.about);
        return line;
    }
    Json operator()(const EndRecord& end) const {
        Json line{{"record", "end"},
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
        record.schema = static_cast<int>(integer(line_, "schema"));
        if (record.schema < 1 || record.schema > record_schema_version) good_ = false;
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
        record.got = answers("got");
        record.expected = answers("expected");
        record.reason = optional_text("reason");
        record.finding = optional_text("finding");
        record.rules = texts(line_, "rules");
        record.shown_by = optional_text("shown_by");
        record.reproducer = optional_text("reproducer");
        record.case_hash = optional_text("case_hash");
        if (find_member(line_, "us") != nullptr) record.microseconds = integer(line_, "us");
        return record;
    }
    std::vector<RecordedAnswer> answers(const char* key) {
        const Json* found = find_member(line_, key);
        if (found == nullptr) return {};
        auto read = read_recorded_answers(*found);
        if (!read) good_ = false;
        return std::move(read).value_or(std::vector<RecordedAnswer>{});
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

Json context_json(const ExecutionRecord& execution) {
    return {{"record", "execution"},
            {"implementation", execution.implementation},
            {"version", execution.version},
            {"operator", name(execution.operator_version)},
            {"route", route_json(execution.route)}};
}

Json case_json(const ExecutionRecord& execution) {
    Json json = Json::object();
    put_text(json, "case_hash", execution.case_hash);
    json["case"] = execution.case_id;
    return json;
}

Json result_json(const ExecutionRecord& execution) {
    Json json{{"verdict", name(execution.verdict)}};
    put_text(json, "title", execution.title);
    put_text(json, "failure", std::string(name(execution.failure)));
    put_text(json, "outcome", execution.outcome);
    put_text(json, "class", execution.classification);
    put_text(json, "category", execution.category);
    put_text(json, "phase", execution.phase);
    put_text(json, "answer", execution.answer);
    put_text(json, "detail", execution.detail);
    if (!execution.got.empty()) json["got"] = to_json(execution.got);
    if (!execution.expected.empty()) json["expected"] = to_json(execution.expected);
    return json;
}

Json evidence_json(const ExecutionRecord& execution) {
    Json json = Json::object();
    put_text(json, "finding", execution.finding);
    put_text(json, "reason", execution.reason);
    if (!execution.rules.empty()) json["rules"] = execution.rules;
    put_text(json, "shown_by", execution.shown_by);
    return json;
}

std::optional<Record> read_record(const Json& line) { return Reader(line).read(); }

std::string to_json_line(const Record& record) {
    // Details quote what others printed: bytes that are not UTF-8 are replaced, never thrown over.
    return std::visit(Writer{}, record).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gathercheck
