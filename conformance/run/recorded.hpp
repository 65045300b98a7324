// SPDX-License-Identifier: Apache-2.0
// What a run that was cut short has left: the records with which it can go on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "conformance/known_failures/known_failures.hpp"
#include "conformance/records/record.hpp"

namespace gathercheck {

/// Records of one run, found by what they are about.
class Recorded {
public:
    void add(const Record& record);

    /// Null where it is not there.
    const ImplementationRecord* implementation(const std::string& name) const;
    bool has(const std::string& implementation, OperatorVersion version, const Route& route,
             const std::string& case_id) const;
    bool has(const NoteRecord& note) const;
    std::int64_t executions(const std::string& implementation) const;

    /// Why executions of it were not run any more; empty where all were.
    std::string stopped(const std::string& implementation) const;
    /// Deaths, timeouts and broken answers that were no known failures.
    int ends(const std::string& implementation) const;
    /// Failures, known ones too, of which there is no file.
    std::int64_t without_reproducer(const std::string& implementation) const;

private:
    struct Of {
        std::optional<ImplementationRecord> record;
        std::set<std::tuple<OperatorVersion, Operands, Shapes, AxisOperand, std::string>>
            executions;
        std::set<std::pair<std::string, std::string>> notes;  // level and all text
        std::string stopped;
        int ends = 0;
        std::int64_t without_reproducer = 0;
    };

    const Of& of(const std::string& implementation) const;

    std::map<std::string, Of> all_;
};

/// What a known-failure file says, by its digest: the same however it is laid out.
std::string content_hash(const KnownFailures& known);

/// What two records say differently of one implementation; empty where a run may go on with it.
std::string difference(const ImplementationRecord& before, const ImplementationRecord& now);

/// A file of records that its run did not finish.
struct CutShort {
    RunRecord header;
    std::vector<Record> records;   ///< behind the header, up to the last that is kept
    std::uint64_t kept = 0;        ///< so many bytes of the file hold them
    bool ends_in_newline = true;   ///< the kept part does
    double seconds = 0;            ///< that it has taken, where it could say so
    std::optional<int> exit_code;  ///< of a run that is complete: nothing is left to do
};

/// Reads a file as a run to go on with. Kept is all up to the last record of an execution or an
/// implementation: what follows (half a line, notes on the whole, the end) is made again.
std::variant<CutShort, Problem> read_cut_short(const std::filesystem::path& file);

}  // namespace gathercheck
