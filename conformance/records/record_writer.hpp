// SPDX-License-Identifier: Apache-2.0
// Records to the lines of a file, in which what executions have in common stands once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "conformance/records/record.hpp"

namespace gathercheck {

/// Writes one file of records, from its beginning or behind any of its lines.
class RecordWriter {
public:
    /// The lines of a record, each with its newline: what it shares with other executions is
    /// declared before it where it was not yet.
    std::string lines(const Record& record);

private:
    std::string execution_lines(const ExecutionRecord& execution);
    /// The number of what is shared, known by `key`. Where it is new it is declared at the end of
    /// `text`, by the JSON that `members()` makes.
    template <class Members>
    std::int64_t number_of(std::string key, const Members& members, std::string& text);

    /// What is shared is declared anew from here on.
    void forget();

    std::unordered_map<std::string, std::int64_t> numbers_;
    std::int64_t next_ = 0;
    std::size_t bytes_ = 0;  // of the keys
};

}  // namespace gathercheck
