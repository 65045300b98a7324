// SPDX-License-Identifier: Apache-2.0
// The verbs of the command, their options and help.
#include "tools/command.hpp"

#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/select/filter_check.hpp"
#include "conformance/util/json.hpp"
#include "tools/shared/dialects.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

/// Says which word of the command line belongs to nothing, and what it may be meant for.
int refuse_extras(const CLI::App& app, const std::vector<std::string>& words) {
    const std::vector<CLI::App*> verbs = app.get_subcommands();
    const CLI::App& verb = verbs.empty() ? app : *verbs.front();
    const std::vector<std::string> left = app.remaining(true);
    const std::string word = left.empty() ? std::string() : left.front();
    std::string text = verb.get_name() + " takes no '" + word + "'";
    if (word.starts_with("-")) {
        std::vector<std::string> options;
        for (const CLI::Option* option : verb.get_options()) {
            for (const std::string& one : option->get_lnames()) options.push_back("--" + one);
        }
        text += near_names(word.substr(0, word.find('=')), options);
    }
    // exec:python3 my_worker.py, without quotes
    for (std::size_t k = 0; k + 1 < words.size(); ++k) {
        const std::size_t exec = words[k].find("exec:");
        const bool is_command =
            exec == 0 || (exec != std::string::npos && exec > 0 && words[k][exec - 1] == '=');
        if (is_command && words[k + 1] == word) {
            text += "; if it belongs to the command line, put that in quotes: '" + words[k] + " " +
                    word + "'";
        }
    }
    return refuse(text + "; `gathercheck " + verb.get_name() + " --help` tells what it takes");
}

}  // namespace

int command(int argc, char** argv, std::vector<BuiltIn> more) {
    std::signal(SIGPIPE, SIG_IGN);
    CLI::App app{
        "gathercheck: does your gather do what the specification says?\n\n"
        "Runs a suite of cases for the gather operators of ONNX, OpenVINO, TensorFlow, StableHLO, "
        "WebNN, "
        "the array API\nand PyTorch on a reference, on vectorised kernels, and on anything that "
        "you "
        "bring."};
    app.set_version_flag("--version", GATHERCHECK_VERSION);
    app.require_subcommand(1);
    int exit_code = 0;

    std::vector<std::string> dialects;
    app.add_option("--dialect", dialects,
                   "Declare the operator versions of this file, too, for every verb; may be "
                   "repeated (spec_cases/dialects/README.md)")
        ->type_name("FILE");
    app.fallthrough();  // so that it may stand behind the verb
    std::vector<Problem> wrong;
    app.parse_complete_callback([&] {
        wrong = declare_dialects(dialects);
        if (!wrong.empty()) throw CLI::RuntimeError(exit_bad_input);
    });

    const CommandLine line{{argv, argv + argc}, std::move(more)};
    for (AddVerb* const add :
         {add_run_verb,      add_merge_verb,    add_report_verb,         add_diff_verb,
          add_history_verb,  add_policy_verb,   add_claim_verb,          add_worker_verb,
          add_list_verb,     add_explain_verb,  add_check_verb,          add_mutants_verb,
          add_fuzz_verb,     add_coverage_verb, add_clarifications_verb, add_findings_verb,
          add_overhead_verb, add_bench_verb,    add_import_verb,         add_export_verb,
          add_harvest_verb,  add_smoke_verb,    add_verify_verb,         add_calls_verb,
          add_judge_verb,    add_compare_verb,  add_porting_verb,        add_site_verb}) {
        add(Verb(app), line, exit_code);
    }

    const std::string_view verb = argc > 1 ? argv[1] : "";
    if (!verb.empty() && !verb.starts_with('-') &&
        app.get_subcommands([&](const CLI::App* one) { return one->get_name() == verb; }).empty()) {
        std::vector<std::string> verbs;
        for (const CLI::App* one : app.get_subcommands({})) verbs.push_back(one->get_name());
        return refuse("there is no verb '" + std::string(verb) + "'" + near_names(verb, verbs) +
                      "; `gathercheck --help` lists them");
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ExtrasError&) {
        return refuse_extras(app, std::vector<std::string>(argv + 1, argv + argc));
    } catch (const CLI::ParseError& error) {
        if (!wrong.empty()) {
            print_problems(wrong);
            return exit_bad_input;
        }
        // --help and --version are "errors" of exit code 0.
        return app.exit(error) == 0 ? 0 : exit_bad_input;
    } catch (const std::bad_alloc&) {
        std::fputs(
            "gathercheck: out of memory: its input needs more than there is, or than a "
            "limit (ulimit -v) leaves\n",
            stderr);
        return 3;
    } catch (const std::exception& error) {
        // Out of memory and the like: said, and told apart from a verdict.
        std::fprintf(stderr, "gathercheck: %s\n", error.what());
        return 3;
    }
    std::cout.flush();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
        // A reader that has seen enough, as head has, is no trouble.
        pollfd reader{STDOUT_FILENO, POLLOUT, 0};
        if (::poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR) != 0) return exit_code;
        std::fputs("gathercheck: what it had to say could not be written to standard output\n",
                   stderr);
        if (exit_code == 0) exit_code = 3;
    }
    return exit_code;
}

}  // namespace gathercheck
