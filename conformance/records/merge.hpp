// SPDX-License-Identifier: Apache-2.0
// The shards of one run put together: what belongs together, and what is to be run again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "conformance/records/record.hpp"
#include "conformance/records/record_files.hpp"
#include "conformance/util/problem.hpp"

namespace gathercheck {

/// A shard that has its end.
struct MergedShard {
    std::int64_t index = 0;  ///< from 1
    std::span<const Record> records;
};

/// A shard that is not here, or not whole.
struct MissingShard {
    std::int64_t index = 0;
    std::string file;  ///< that holds some of it; empty: none does
    bool can_resume = false;
};

struct MergedRun {
    RunSettings settings;  ///< of the first shard
    std::int64_t shards = 0;
    std::vector<MergedShard> there;  ///< in their order
    std::vector<MissingShard> missing;
};

/// The shards in these files. A problem where one is no shard, or is of another run than the first:
/// their number, its options, the versions of implementations or their known failures are others.
/// What else does not belong together check_records() tells. The result refers to `files`.
std::variant<MergedRun, Problem> merge_shards(std::span<const RecordFileContent> files);

/// A line for a POSIX shell that runs a missing shard, or goes on with it.
std::string command_for(const MergedRun& run, const MissingShard& shard,
                        const std::string& program);

}  // namespace gathercheck
