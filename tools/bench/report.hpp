// SPDX-License-Identifier: Apache-2.0
// Results for people and for programs: a table as it grows, JSON, and a page with plots.
#pragma once

#include <string>
#include <vector>

#include "tools/bench/result.hpp"

namespace gathercheck::bench {

/// "4.5 ns", "12.3 us", "1.25 ms": three digits.
std::string time_text(double nanoseconds);
/// "2.13": two decimals, less where the number is large.
std::string ratio_text(double ratio);

/// The machine, the engines, and how it is measured; as lines of text.
std::string machine_text(const BenchResult& result);
std::string peers_text(const BenchResult& result);

/// A table: its head, and a line for each workload. `peers` are the columns of engines.
std::string table_head(const std::vector<PeerState>& peers);
std::string table_line(const WorkloadResult& result, const std::vector<PeerState>& peers);

/// What stands below the table: who was wrong or failed, and the summary.
std::string closing_text(const BenchResult& result);

/// Everything, as one JSON document. Its form is described in tools/README.md.
std::string json_text(const BenchResult& result);

/// Everything, as one page that needs no other file.
std::string html_text(const BenchResult& result);

}  // namespace gathercheck::bench
