// SPDX-License-Identifier: Apache-2.0
// A libFuzzer target out of any plug-in: bytes become a call that it claims, it is asked twice on
// exactly sized memory, and what the reference and the rules do not allow ends the program.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/fuzz/call.hpp"
#include "conformance/fuzz/choices.hpp"
#include "conformance/implementations/plugin/linked_plugin.hpp"
#include "tools/shared/dialects.hpp"
#include "tools/shared/fuzz_session.hpp"
#include "tools/shared/fuzz_text.hpp"
#include "tools/shared/suite.hpp"

namespace gathercheck {
namespace {

constexpr std::string_view seeds_option = "--write-seeds=";
constexpr int seeds = 500;

void print(const std::string& text) {
    std::fprintf(stderr, "%s", text.c_str());
    std::fflush(stderr);
}

[[noreturn]] void give_up(const std::string& why) {
    print("gathercheck: " + why + "\n");
    std::_Exit(exit_bad_input);
}

/// The call that is being asked, for who has to say what ended the program.
const GeneratedCall* at_hand = nullptr;

void print_call(const GeneratedCall& call) {
    print("gathercheck: while it was asked " + std::string(name(call.version)) +
          "\n   call: " + tensors_text(call) + "; route " + to_string(call.route) + "\n");
}

/// Once: a report may lead to others.
void print_call_at_hand() {
    if (const auto* const call = std::exchange(at_hand, nullptr)) print_call(*call);
}

/// The plug-in that is linked, and what judges it. It stays as long as the program.
class PluginFuzzer {
public:
    static PluginFuzzer& instance() {
        static auto* const fuzzer = new PluginFuzzer();
        return *fuzzer;
    }

    void ask(std::span<const std::byte> bytes) {
        Choices choices = Choices::of_bytes(bytes);
        const GeneratedCall call = generate(choices, session_->space());
        if (shows_calls) print_call(call);
        at_hand = &call;
        const auto failure = session_->departure_of(call);
        at_hand = nullptr;
        if (!failure) return;
        print("gathercheck: " + failure_text(*failure, loaded_->rules) + "   again: " + program +
              " FILE, where FILE is the test unit that is written now\n");
        std::abort();
    }

    void write_seeds(const std::filesystem::path& folder) const {
        std::filesystem::create_directories(folder);
        for (int k = 0; k < seeds; ++k) {
            Choices choices = Choices::of_seed(seed_of_call(0, static_cast<std::uint64_t>(k)));
            (void)generate(choices, session_->space());
            const std::filesystem::path file = folder / ("seed-" + std::to_string(k));
            std::ofstream stream(file, std::ios::binary);
            for (const std::byte byte : choices.as_bytes()) {
                stream.put(static_cast<char>(std::to_integer<unsigned char>(byte)));
            }
            stream.close();
            if (!stream) give_up(file.string() + " cannot be written; name a folder that can");
        }
    }

    bool shows_calls = false;
    std::string program = "the program";

private:
    PluginFuzzer() {
        loaded_ = load_suite({});
        if (!loaded_) give_up("without its data it cannot judge");
        auto linked = linked_plugin(gathercheck_plugin(GATHERCHECK_PLUGIN_VERSION));
        if (const auto* why = std::get_if<std::string>(&linked)) {
            give_up("the plug-in cannot be used: " + *why);
        }
        plugin_ = std::get<std::unique_ptr<Implementation>>(std::move(linked));
        CallSpace space = space_of(plugin_->introduction(), {}, nullptr, CallSpace().largest);
        if (space.versions.empty()) {
            give_up(plugin_->name() + " claims no call; its struct needs claims (see plugin.h)");
        }
        session_.emplace(*loaded_, FuzzTarget{*plugin_}, std::move(space), FuzzOptions{});
    }

    std::optional<LoadedSuite> loaded_;
    std::unique_ptr<Implementation> plugin_;
    std::optional<FuzzSession> session_;
};

void initialize(std::span<char* const> arguments) {
    PluginFuzzer& fuzzer = PluginFuzzer::instance();
    if (!arguments.empty()) fuzzer.program = arguments.front();
    std::error_code error;
    for (const std::string_view argument : arguments.subspan(arguments.empty() ? 0 : 1)) {
        if (argument.starts_with(seeds_option)) {
            fuzzer.write_seeds(argument.substr(seeds_option.size()));
            std::_Exit(EXIT_SUCCESS);
        }
        // Test units are given to be looked at.
        fuzzer.shows_calls =
            fuzzer.shows_calls || std::filesystem::is_regular_file(argument, error);
    }
}

}  // namespace
}  // namespace gathercheck

extern "C" {

int LLVMFuzzerInitialize(int* count, char*** arguments) {
    gathercheck::initialize({*arguments, static_cast<std::size_t>(*count)});
    return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    gathercheck::PluginFuzzer::instance().ask(std::as_bytes(std::span(data, size)));
    return 0;
}

// Sanitizers call these when they report something.
void __asan_on_error() {
    gathercheck::print_call_at_hand();
}  // NOLINT(bugprone-reserved-identifier)
void __ubsan_on_report() {
    gathercheck::print_call_at_hand();
}  // NOLINT(bugprone-reserved-identifier)
}
