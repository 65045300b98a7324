// SPDX-License-Identifier: Apache-2.0
// The target of a kind, GATHERCHECK_FUZZ_KIND, for libFuzzer. It reads the shipped data where the
// command finds it, and its corpus in fuzz_corpus/ beside that.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tools/fuzz/mutate.hpp"
#include "tools/fuzz/node_tests.hpp"
#include "tools/fuzz/targets.hpp"
#include "tools/shared/installed.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace gathercheck::fuzz {
namespace {

constexpr std::string_view kind = GATHERCHECK_FUZZ_KIND;

Target make_target() {
    std::string why;
    const auto installed = find_installed();
    if (const auto* place = std::get_if<Installed>(&installed)) {
        const auto spec = place->rules.parent_path();
        auto made = target_of(std::string(kind), {spec, spec.parent_path() / "fuzz_corpus"});
        auto* target = std::get_if<std::optional<Target>>(&made);
        if (target != nullptr && *target) return **target;
        why = target != nullptr ? "this build has none" : std::get<std::string>(made);
    } else {
        why = std::get<std::string>(installed);
    }
    std::fprintf(stderr, "gathercheck: no target %s: %s\n", GATHERCHECK_FUZZ_KIND, why.c_str());
    std::_Exit(4);
}

std::string text_of(const std::uint8_t* data, std::size_t size) {
    std::string text(size, '\0');
    std::copy_n(data, size, text.begin());
    return text;
}

}  // namespace
}  // namespace gathercheck::fuzz

extern "C" {

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gathercheck::fuzz;
    static const auto* const target = new Target(make_target());
    const std::string why = (*target)(text_of(data, size));
    if (why.empty()) return 0;
    std::fprintf(stderr, "gathercheck: %s: %s\n", GATHERCHECK_FUZZ_KIND, why.c_str());
    std::abort();
}

// Half of the mutations are ours, which know values, lines and messages: a dictionary of tokens
// knows less.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                    unsigned seed) {
    using namespace gathercheck::fuzz;
    Random random(seed);
    if (random.below(2) == 0) return LLVMFuzzerMutate(data, size, most);
    std::string text = text_of(data, size);
    if (kind == "import") {
        text = mutate_bundle(text, random);
    } else {
        if (text.empty()) text = "{}";
        mutate_once(text, random, {text});
    }
    const std::size_t kept = std::min(text.size(), most);
    std::memcpy(data, text.data(), kept);
    return kept;
}
}
