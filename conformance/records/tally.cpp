// SPDX-License-Identifier: Apache-2.0
// Counting records, and what the counts mean.
#include "conformance/records/tally.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "conformance/util/number.hpp"

namespace gathercheck {
namespace {

/// What warnings of one kind have in common: their text without numbers and what it quotes, such as
/// the number of a message and its payload.
std::string kind_of(const NoteRecord& note) {
    if (note.level != "warning") return note.text;
    std::string kind;
    bool quoted = false;
    for (const char c : note.text) {
        if (c == '"') quoted = !quoted;
        const bool is_digit = c >= '0' && c <= '9';
        if (quoted || (is_digit && kind.ends_with('0'))) continue;
        kind += is_digit ? '0' : c;
    }
    return kind;
}

/// True where something came that could be judged. Who takes no call may be anything, whether that
/// is known or not; and of a whole run known deaths show nothing, while a filter may ask for
/// nothing else.
bool is_alive(const ImplementationTally& tally, bool is_filtered) {
    std::int64_t judged =
        failures_of(tally) - tally.refused - (is_filtered && tally.refused == 0 ? 0 : tally.ended);
    for (const Verdict verdict : {Verdict::pass, Verdict::fixed, Verdict::known_failure,
                                  Verdict::difference, Verdict::unspecified}) {
        judged += tally.count(verdict);
    }
    return judged > 0;
}

std::string more_like_it(std::int64_t more) { return " (and " + std::to_string(more) + " more)"; }

}  // namespace

void Tally::add(const Record& record) {
    if (const auto* implementation = std::get_if<ImplementationRecord>(&record)) {
        // Shards of one run each begin with it.
        const bool is_new =
            introduced_
                .insert({implementation->name, implementation->version, implementation->state})
                .second;
        if (!is_new) return;
        places_[{implementation->name, implementation->version}] = implementations_.size();
        implementations_.emplace_back().record = *implementation;
    } else if (const auto* execution = std::get_if<ExecutionRecord>(&record)) {
        // Executions of one implementation follow its record; a merged file may mix them.
        const auto [place, is_unknown] = places_.try_emplace(
            {execution->implementation, execution->version}, implementations_.size());
        if (is_unknown) {
            ImplementationRecord unknown;
            unknown.name = execution->implementation;
            unknown.version = execution->version;
            unknown.state = "started";
            implementations_.emplace_back().record = std::move(unknown);
        }
        ImplementationTally* const found = &implementations_[place->second];
        ++found->verdicts[static_cast<std::size_t>(execution->verdict)];
        if (execution->verdict == Verdict::unspecified) ++found->classes[execution->classification];
        if (execution->verdict == Verdict::known_failure) {
            ++found->known[execution->finding.empty() ? execution->reason : execution->finding];
            found->ended += execution->outcome == kind_name(Crash{}) ||
                            execution->outcome == kind_name(Timeout{});
        }
        if (execution->verdict == Verdict::known_failure ||
            execution->verdict == Verdict::unspecified) {
            found->refused += execution->outcome == kind_name(Unsupported{});
        }
        if (execution->verdict == Verdict::not_run && found->stopped.empty()) {
            found->stopped = execution->detail;
        }
    } else if (const auto* note = std::get_if<NoteRecord>(&record)) {
        const auto [place, is_new] = folded_.try_emplace(
            {note->implementation, note->level, kind_of(*note)}, Folded{notes_.size(), 0});
        if (is_new) {
            notes_.push_back(*note);
            if (!note->about.empty()) notes_.back().text += ": " + note->about;
            return;
        }
        std::string& text = notes_[place->second.place].text;
        const std::int64_t more = place->second.more++;
        if (more > 0) text.resize(text.size() - more_like_it(more).size());
        text += more_like_it(more + 1);
    } else if (const auto* run = std::get_if<RunRecord>(&record)) {
        ++runs_;
        filtered_ = filtered_ || (run->settings && !run->settings->filters.empty());
    } else if (const auto* end = std::get_if<EndRecord>(&record)) {
        ++ends_;
        interrupted_ = interrupted_ || end->partial;
    }
}

std::int64_t Tally::known_failures() const {
    std::int64_t sum = 0;
    for (const ImplementationTally& tally : implementations_) {
        sum += tally.count(Verdict::known_failure);
    }
    return sum;
}

std::int64_t Tally::differences() const {
    std::int64_t sum = 0;
    for (const ImplementationTally& tally : implementations_) {
        sum += tally.count(Verdict::difference);
    }
    return sum;
}

bool Tally::only_unspecified() const {
    std::int64_t sum = 0;
    std::int64_t unspecified = 0;
    for (const ImplementationTally& tally : implementations_) {
        sum += std::reduce(tally.verdicts.begin(), tally.verdicts.end());
        unspecified += tally.count(Verdict::unspecified);
    }
    return sum > 0 && sum == unspecified;
}

bool Tally::only_witnesses() const {
    const auto started = [](const ImplementationTally& one) {
        return one.record.state == "started";
    };
    return std::ranges::any_of(implementations_, started) &&
           std::ranges::all_of(implementations_, [&](const ImplementationTally& one) {
               return one.record.witness || !started(one);
           });
}

std::string Tally::trouble() const {
    if (implementations_.empty()) return "no implementation was run";
    if (partial()) return "the run was cut short";
    if (!lacking_.empty()) return "incomplete: " + lacking_.front();
    for (const NoteRecord& note : notes_) {
        if (note.level == "error") return note.implementation + ": " + note.text;
    }
    for (const ImplementationTally& tally : implementations_) {
        const std::string& name = tally.record.name;
        if (tally.record.state != "started") {
            if (!tally.record.asked_by_name && tally.record.state != "broken") continue;
            // Of a program that its author brings.
            const bool own = name.starts_with("exec:");
            return name + " is " + tally.record.state +
                   (own ? "; `gathercheck smoke` tells more" : "");
        }
        if (const std::int64_t broken = tally.count(Verdict::broken); broken > 0) {
            return "the adapter of " + name + " broke " + count_of(broken, "execution") +
                   ", shown as BROKEN";
        }
        if (!is_alive(tally, filtered_)) return "nothing passed on " + name;
    }
    return "";
}

int Tally::exit_code() const {
    if (!trouble().empty()) return 3;
    bool disagrees = std::ranges::any_of(
        notes_, [](const NoteRecord& note) { return note.level == "disagreement"; });
    for (const ImplementationTally& tally : implementations_) {
        if (failures_of(tally) + tally.count(Verdict::not_run) > 0) return 1;
        disagrees = disagrees || tally.count(Verdict::fixed) > 0;
    }
    return disagrees ? 2 : 0;
}

}  // namespace gathercheck
