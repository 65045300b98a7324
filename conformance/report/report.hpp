// SPDX-License-Identifier: Apache-2.0
// Reports: text and JSON derived from records; they decide nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/records/record.hpp"
#include "conformance/records/tally.hpp"

namespace gathercheck {

/// True for the verdicts that a reader must see one by one: fail, crash, timeout, broken, fixed.
bool is_reported(Verdict verdict);

/// The same of a record: one that was not run for lack of memory is among them.
bool is_reported(const ExecutionRecord& record);

/// Text of others of several lines for a terminal or a log: each line as printable() has it, those
/// behind the first with an indent.
std::string printable_lines(std::string_view text, std::string_view indent);

/// Text of others for Markdown: on one line, and no markup, HTML or link of it is one any more.
std::string in_markdown(std::string_view text);

/// The same as code.
std::string code_in_markdown(std::string_view text);

/// "openvino.Gather-7,8" for versions of one operator, several separated by spaces.
std::string short_names(std::span<const OperatorVersion> versions);

/// Rows of cells as text, columns aligned: the first `text_columns` to the left, the rest to the
/// right.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t text_columns);

/// "Some CPU, Linux 6.1, Debian GNU/Linux 12".
std::string machine_text(const RunRecord& run);

/// Lines about one execution of a run; the last is its repeat_line().
std::string failure_text(const ExecutionRecord& record, const RunRecord& run);

/// The command that repeats one execution of a run; a known failure is shown as the failure it is.
std::string repeat_line(const ExecutionRecord& record, const RunRecord& run);

/// The command that says why the case of an execution expects what it does.
std::string explain_line(const ExecutionRecord& record, const RunRecord& run);

/// The verdicts in the order in which reports show them.
std::span<const Verdict> shown_verdicts();

/// The table of implementations against verdicts, with what each did where nothing is specified,
/// and notes.
std::string summary_text(const Tally& tally);

/// The same as one JSON object.
std::string summary_json(const Tally& tally);

/// What an exit code of a run means, in a sentence; `trouble` is what code 3 stands for, and
/// `tally` counts the known failures, and knows whether what ran promises anything.
std::string exit_code_text(int exit_code, const std::string& trouble, const Tally& tally);

}  // namespace gathercheck
