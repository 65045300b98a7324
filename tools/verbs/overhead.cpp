// SPDX-License-Identifier: Apache-2.0
// gathercheck overhead: what a call costs beside the time of whatever answers it, measured with
// implementations that compute nothing.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "conformance/records/record_writer.hpp"
#include "conformance/run/run.hpp"
#include "conformance/util/freed_memory.hpp"
#include "tools/shared/installed.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct OverheadVerb {
    int calls = 2000;  ///< of each size, for each way to answer
    std::string format = "text";
};

constexpr auto version = OperatorVersion::onnx_gather_13;

/// Data of so many rows and columns, all of which are gathered in their order.
struct Size {
    const char* name;
    std::int64_t rows;
};
constexpr Size sizes[] = {{"16 B", 2}, {"1 KiB", 16}, {"64 KiB", 128}};

Case case_of(const Size& size, int number) {
    Case one;
    one.id = "null-" + std::to_string(number);
    one.title = "all rows in their order";
    const TensorSpec data{{ElementType::f32, Shape{size.rows, size.rows}},
                          Fill{AddressFill{number}}};
    const TensorSpec indices{{ElementType::i64, Shape{size.rows}}, Fill{AddressFill{0}}};
    one.inputs = {{"data", data}, {"indices", indices}};
    one.expect.push_back({{version}, {}, {ExpectedOutput{data, {}}}, {}});
    return one;
}

double microseconds(Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
}

struct Spread {
    double median = 0;
    double p99 = 0;
};

Spread spread_of(std::vector<double> samples) {
    std::ranges::sort(samples);
    return {samples[samples.size() / 2], samples[samples.size() * 99 / 100]};
}

/// Something that computes nothing.
struct Null {
    std::string name;
    std::string key;        ///< in JSON
    std::size_t batch = 1;  ///< calls that a run asks together
    std::function<std::unique_ptr<Implementation>()> make;
};

BuiltIn null_built_in() {
    BuiltIn built_in;
    built_in.name = "null";
    built_in.version = "1";
    built_in.output_descriptor = [](const Call& call) -> Result<Descriptor> {
        const TensorView* data = call.input("data");
        return Descriptor{data->type, data->shape};
    };
    built_in.run = [](const Call& call, std::span<std::byte> output) -> Result<void> {
        std::memcpy(output.data(), call.input("data")->contents, output.size());
        return {};
    };
    return built_in;
}

constexpr const char* python_worker = R"(
import gathercheck.worker as worker
channel = worker.take_over_standard_streams()
class Null:
    name, version = "null", "1"
    claims = [{"operators": ["onnx.Gather-13"], "data": ["f32"], "indices": ["i64"]}]
    def run(self, call):
        return call.inputs["data"]
worker.serve(channel, Null())
)";

std::vector<Null> all_nulls(const Installed& installed) {
    const char* chosen = std::getenv("GATHERCHECK_PYTHON");
    const std::string python = chosen != nullptr && *chosen != '\0' ? chosen : "python3";
    const std::filesystem::path executable = this_executable();
    const auto plugin = modules_folder() / "gathercheck_null_plugin.so";
    const auto program = [](std::vector<std::string> command,
                            std::vector<std::string> environment = {}) {
        return [=] { return worker("null", command, environment, Limits{}); };
    };
    return {
        {"a worker in C++", "worker_cpp", 1, program({executable.string(), "worker", "--null"})},
        {"a worker in Python (with Python's own JSON)", "worker_python", 1,
         program({python, "-B", "-c", python_worker},
                 {"PYTHONPATH=" + installed.adapters.string()})},
        {"a plug-in in its worker", "plugin", 1,
         program({executable.string(), "worker", "--plugin", plugin.string()})},
        {"C++ in a child process, asked in batches", "in_process", 64,
         [] { return in_process(null_built_in(), Limits{}); }}};
}

struct Row {
    std::string name;
    std::string key;
    std::string why_not;             ///< it was not measured; else empty
    std::vector<Spread> calls;       ///< one for each size
    std::vector<double> executions;  ///< of a whole run; one for each size
};

/// Microseconds a call; the text is what went wrong.
std::variant<Spread, std::string> measure_calls(Implementation& implementation, const Size& size,
                                                std::size_t batch, int calls) {
    const OwnedCall call = make_call(case_of(size, 0), version);
    const std::vector<Request> requests(batch, Request{&call.call});
    std::string wrong;
    std::vector<double> samples;
    const int wanted = std::max(1, calls / static_cast<int>(batch));
    constexpr int warm_up = 20;
    for (int k = -std::min(warm_up, wanted); k < wanted; ++k) {
        const auto begin = Clock::now();
        implementation.answer(requests, [&](std::size_t, const Outcome& outcome) {
            if (!std::holds_alternative<ValueOutcome>(outcome)) wrong = to_string(outcome);
        });
        const double each = microseconds(Clock::now() - begin) / static_cast<double>(batch);
        if (!wrong.empty()) return wrong;
        if (k >= 0) samples.push_back(each);
    }
    return spread_of(std::move(samples));
}

/// Microseconds an execution of a run that judges and records; the text is what went wrong.
std::variant<double, std::string> measure_run(const Null& null, const Size& size,
                                              const Equations& equations, int calls) {
    Suite suite;
    for (int k = 0; k < std::clamp(calls / 2, 1, 2000); ++k)
        suite.cases.push_back(case_of(size, k));
    std::vector<Contender> contenders;
    contenders.push_back({null.make(), true});
    std::string wrong;
    Clock::time_point begin;
    Clock::time_point end;
    std::size_t bytes = 0;
    RecordWriter writer;
    const auto record = [&](const Record& one) {
        bytes += writer.lines(one).size();  // as it is written to a file
        end = Clock::now();
        if (std::holds_alternative<ImplementationRecord>(one)) begin = end;
        const auto* execution = std::get_if<ExecutionRecord>(&one);
        if (execution != nullptr && execution->verdict != Verdict::pass) wrong = execution->detail;
    };
    const std::int64_t executions =
        run(suite, RuleCatalogue{}, equations, contenders, RunOptions{}, record, {});
    if (executions != static_cast<std::int64_t>(suite.cases.size())) wrong = "not all were run";
    if (!wrong.empty()) return wrong;
    return microseconds(end - begin) / static_cast<double>(executions);
}

Row measure(const Null& null, const Equations& equations, int calls) {
    Row row{null.name, null.key, {}, {}, {}};
    const auto implementation = null.make();
    if (const auto failed = implementation->start()) {
        row.why_not = failed->why;
        return row;
    }
    for (const Size& size : sizes) {
        auto spread = measure_calls(*implementation, size, null.batch, calls);
        auto execution = measure_run(null, size, equations, calls);
        if (const auto* why = std::get_if<std::string>(&spread)) row.why_not = *why;
        if (const auto* why = std::get_if<std::string>(&execution)) row.why_not = *why;
        if (!row.why_not.empty()) return row;
        row.calls.push_back(std::get<Spread>(spread));
        row.executions.push_back(std::get<double>(execution));
    }
    return row;
}

void print_text(const std::vector<Row>& rows) {
    std::puts(
        "microseconds a call, median (99th percentile): runner, pipe, parsing, no computation");
    const auto head = [] {
        std::printf("%-46s", "");
        for (const Size& size : sizes) std::printf("%20s", size.name);
        std::puts("");
    };
    head();
    for (const Row& row : rows) {
        std::printf("%-46s", row.name.c_str());
        if (!row.why_not.empty()) std::printf("  not measured: %s", row.why_not.c_str());
        for (const Spread& one : row.why_not.empty() ? row.calls : std::vector<Spread>{}) {
            char text[40];
            std::snprintf(text, sizeof text, "%.1f (%.1f)", one.median, one.p99);
            std::printf("%20s", text);
        }
        std::puts("");
    }
    std::puts("\nmicroseconds an execution of a whole run: two calls, made, judged and recorded");
    head();
    for (const Row& row : rows) {
        if (!row.why_not.empty()) continue;
        std::printf("%-46s", row.name.c_str());
        for (const double one : row.executions) std::printf("%18.1f", one);
        std::puts("");
    }
}

void print_json(const std::vector<Row>& rows, int calls) {
    nlohmann::ordered_json all{{"calls", calls}, {"unit", "microseconds"}};
    for (const Row& row : rows) {
        nlohmann::ordered_json one{{"name", row.name}};
        if (!row.why_not.empty()) one["not_measured"] = row.why_not;
        for (std::size_t k = 0; k < row.executions.size(); ++k) {
            one["sizes"].push_back({{"size", sizes[k].name},
                                    {"call_median", row.calls[k].median},
                                    {"call_p99", row.calls[k].p99},
                                    {"execution", row.executions[k]}});
        }
        all["rows"][row.key] = std::move(one);
    }
    std::puts(all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

/// 3 where something that comes with the command could not be measured.
int overhead_verb(const OverheadVerb& options) {
    keep_freed_memory();
    const auto found = find_installed();
    if (const auto* why = std::get_if<std::string>(&found)) return refuse(*why);
    const auto& installed = std::get<Installed>(found);
    auto equations = Equations::load(installed.equations);
    if (const auto* problems = std::get_if<std::vector<Problem>>(&equations)) {
        print_problems(*problems);
        return exit_bad_input;
    }
    std::vector<Row> rows;
    bool trouble = false;
    for (const Null& null : all_nulls(installed)) {
        rows.push_back(measure(null, std::get<Equations>(equations), options.calls));
        // Python may be missing here; the others come with the command.
        trouble = trouble || (!rows.back().why_not.empty() && null.key != "worker_python");
    }
    if (options.format == "json") {
        print_json(rows, options.calls);
    } else {
        print_text(rows);
    }
    return trouble ? 3 : 0;
}

}  // namespace

void add_overhead_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<OverheadVerb>();
    const Verb verb = command.add_verb(
        "overhead", "What a call costs beside the engine's own time: runner, pipe, parsing");
    verb.add_option("--calls", options->calls, "Calls of each size that are measured")
        .in(Range<int>{1, 10000000})
        .show_default()
        .type_name("N");
    add_format(verb, options->format);
    verb.footer(
        "Measured with implementations that compute nothing: a worker in C++, one in Python on the "
        "shipped\ntemplate, a plug-in, and code in a child process. Python is that of "
        "GATHERCHECK_PYTHON, else python3.\n\n"
        "Example:\n"
        "  gathercheck overhead --calls 5000\n\n"
        "Exit code: 0 measured; 3 something that comes with the command could not be measured.");
    verb.callback([options, &exit_code] { exit_code = overhead_verb(*options); });
}

}  // namespace gathercheck
