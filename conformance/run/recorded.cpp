// SPDX-License-Identifier: Apache-2.0
// Records of a run that was cut short, read to go on with it.
#include "conformance/run/recorded.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "conformance/records/record_files.hpp"
#include "conformance/records/record_reader.hpp"
#include "conformance/util/json.hpp"
#include "conformance/util/number.hpp"
#include "conformance/util/sha256.hpp"

namespace gathercheck {

void Recorded::add(const Record& record) {
    if (const auto* implementation = std::get_if<ImplementationRecord>(&record)) {
        all_[implementation->name].record = *implementation;
    } else if (const auto* note = std::get_if<NoteRecord>(&record)) {
        all_[note->implementation].notes.emplace(note->level, note->text + note->about);
    } else if (const auto* execution = std::get_if<ExecutionRecord>(&record)) {
        Of& of = all_[execution->implementation];
        const Route& route = execution->route;
        of.executions.emplace(execution->operator_version, route.operands, route.shapes, route.axis,
                              execution->case_id);
        if (execution->verdict == Verdict::not_run && !lacked_memory(*execution) &&
            of.stopped.empty()) {
            of.stopped = execution->detail;
        }
        const bool ended = execution->outcome == "crash" || execution->outcome == "timeout" ||
                           execution->outcome == "broken";
        if (ended && execution->verdict != Verdict::known_failure) ++of.ends;
        if (!wrong_outcome(*execution).empty() && execution->reproducer.empty()) {
            ++of.without_reproducer;
        }
    }
}

const Recorded::Of& Recorded::of(const std::string& implementation) const {
    static const Of nothing;
    const auto found = all_.find(implementation);
    return found != all_.end() ? found->second : nothing;
}

const ImplementationRecord* Recorded::implementation(const std::string& name) const {
    const auto& record = of(name).record;
    return record ? &*record : nullptr;
}

bool Recorded::has(const std::string& implementation, OperatorVersion version, const Route& route,
                   const std::string& case_id) const {
    return of(implementation)
        .executions.contains({version, route.operands, route.shapes, route.axis, case_id});
}

bool Recorded::has(const NoteRecord& note) const {
    return of(note.implementation).notes.contains({note.level, note.text + note.about});
}

std::int64_t Recorded::executions(const std::string& implementation) const {
    return static_cast<std::int64_t>(of(implementation).executions.size());
}

std::string Recorded::stopped(const std::string& implementation) const {
    return of(implementation).stopped;
}

int Recorded::ends(const std::string& implementation) const { return of(implementation).ends; }

std::int64_t Recorded::without_reproducer(const std::string& implementation) const {
    return of(implementation).without_reproducer;
}

std::string content_hash(const KnownFailures& known) {
    Json failures = Json::array();
    for (const KnownFailure& entry : known.entries()) {
        failures.push_back({{"case", entry.case_id},
                            {"operator", name(entry.version)},
                            {"route", to_string(entry.route)},
                            {"outcomes", entry.outcomes},
                            {"reason", entry.reason},
                            {"rule", entry.rules},
                            {"reproducer", entry.reproducer},
                            {"link", entry.link},
                            {"expires", entry.expires}});
    }
    return sha256_hex(canonical_json({{"implementation", known.implementation},
                                      {"versions", known.versions},
                                      {"failures", std::move(failures)}}));
}

std::string difference(const ImplementationRecord& before, const ImplementationRecord& now) {
    if (before.state != now.state) {
        const auto state = [](const ImplementationRecord& record) {
            return record.state + (record.why.empty() ? "" : " (" + record.why + ")");
        };
        return now.name + " was " + state(before) + " then and is " + state(now) + " now";
    }
    const auto differ = [&](const char* what, const std::string& then, const std::string& current) {
        const auto shown = [](const std::string& text) { return text.empty() ? "none" : text; };
        return "the " + std::string(what) + " of " + now.name + " was " + shown(then) +
               " then and is " + shown(current) + " now";
    };
    if (before.version != now.version) return differ("version", before.version, now.version);
    if (before.language != now.language) return differ("language", before.language, now.language);
    if (before.device != now.device) return differ("device", before.device, now.device);
    if (before.witness != now.witness) {
        return now.name + (now.witness ? " is a witness now and was none then"
                                       : " was a witness then and is none now");
    }
    if (before.known_failures != now.known_failures) {
        return differ("known-failure file", before.known_failures, now.known_failures);
    }
    if (before.known_failures_hash != now.known_failures_hash) {
        return "the known failures of " + now.name + " in " + now.known_failures +
               " were others: their hash was " + before.known_failures_hash + " and is " +
               now.known_failures_hash;
    }
    return {};
}

std::variant<CutShort, Problem> read_cut_short(const std::filesystem::path& file) {
    auto read = read_record_lines(file);
    if (auto* problem = std::get_if<Problem>(&read)) return std::move(*problem);
    auto& lines = std::get<RecordLines>(read).lines;
    const auto refused = [&](const char* why) { return Problem{file.generic_string(), "", why}; };
    if (file == "-" || std::get<RecordLines>(read).is_compressed) {
        return refused("cannot be written on in place; decompress it into a file and resume that");
    }
    if (lines.empty() || !std::holds_alternative<RunRecord>(lines.front().record)) {
        return refused(
            "does not begin with the header of a run, so there is nothing to go on "
            "with; start the run anew with --output");
    }
    if (std::get<RunRecord>(lines.front().record).schema != record_schema_version) {
        return refused("was written by an older gathercheck, in another form; start the run anew");
    }
    const auto is_header = [](const RecordLine& line) {
        return std::holds_alternative<RunRecord>(line.record);
    };
    if (std::ranges::count_if(lines, is_header) > 1) {
        return refused("holds several runs put together; resume each from its own file");
    }
    RecordFileContent whole;
    whole.name = file.generic_string();
    for (const RecordLine& line : lines) whole.records.push_back(line.record);
    const auto checked = check_records(std::span(&whole, 1));
    if (const auto* problem = std::get_if<Problem>(&checked)) return *problem;
    const auto is_end = [](const RecordLine& line) {
        const auto* end = std::get_if<EndRecord>(&line.record);
        return end != nullptr && !end->partial;
    };
    // What its last line calls complete is so, but for the other shards.
    const bool ends = std::ranges::any_of(lines, is_end);
    for (const std::string& what : std::get<std::vector<std::string>>(checked)) {
        if (!ends || what.find(" shards of its run ") != std::string::npos) continue;
        const std::string text =
            what.starts_with(whole.name + ": ") ? what.substr(whole.name.size() + 2) : what;
        return Problem{whole.name, "", "is incomplete: " + text + "; start the run anew"};
    }
    CutShort result;
    result.header = std::get<RunRecord>(std::move(lines.front().record));
    std::size_t kept = 0;
    for (std::size_t k = 1; k < lines.size(); ++k) {
        const Record& record = lines[k].record;
        if (const auto* end = std::get_if<EndRecord>(&record)) {
            result.seconds = end->seconds;
            if (!end->partial) result.exit_code = end->exit_code;
        }
        if (std::holds_alternative<ImplementationRecord>(record) ||
            std::holds_alternative<ExecutionRecord>(record)) {
            kept = k;
        }
    }
    result.kept = lines[kept].end;
    result.ends_in_newline = lines[kept].has_newline;
    for (std::size_t k = 1; k <= kept; ++k) {
        result.records.push_back(std::move(lines[k].record));
    }
    return result;
}

}  // namespace gathercheck
