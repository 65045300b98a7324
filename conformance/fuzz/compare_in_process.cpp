// SPDX-License-Identifier: Apache-2.0
// The child counts in shared memory; the parent only waits, so that one core does all the work.
#include "conformance/fuzz/compare_in_process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "conformance/implementations/in_process/guarded_call.hpp"
#include "conformance/judge/judge.hpp"
#include "conformance/util/fork_gate.hpp"
#include "conformance/util/subprocess.hpp"
#include "reference/exercised.hpp"
#include "reference/reference.hpp"

namespace gathercheck {
namespace {

constexpr std::size_t most_suspects = 256;

/// In memory that both processes see.
struct Shared {
    std::atomic<std::uint64_t> begun{0};  ///< calls
    std::atomic<std::uint64_t> done{0};
    std::uint64_t suspects = 0;
    std::array<std::uint64_t, most_suspects> numbers{};
    SpaceCoverage coverage;
};

struct Unmap {
    void operator()(Shared* shared) const { ::munmap(shared, sizeof(Shared)); }
};

std::unique_ptr<Shared, Unmap> make_shared_area() {
    void* memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    return std::unique_ptr<Shared, Unmap>(new (memory) Shared);
}

/// The answers to one call, compared.
class Comparison {
public:
    Comparison(const BuiltIn& built_in, const CallSpace& space)
        : built_in_(built_in), space_(space) {}

    /// Whether the code does what the reference does.
    bool agrees(std::uint64_t seed, std::uint64_t number, SpaceCoverage& coverage) {
        Choices choices = Choices::of_seed(seed_of_call(seed, number));
        const GeneratedCall made = generate(choices, space_);
        for (const GeneratedCall::Inputs& inputs : made.earlier) {
            if (built_in_.new_model && &inputs == &made.earlier.front()) {
                built_in_.new_model(made.earlier.size() + 1);
            }
            if (!same_answers(made.view(inputs), number, false, nullptr)) return false;
        }
        if (built_in_.new_model && made.earlier.empty()) built_in_.new_model(1);
        Answer answer;
        const bool same = same_answers(made.view(), number, made.described, &answer);
        coverage.add(made, answer.broken, answer.empty, space_.thresholds);
        return same;
    }

private:
    struct Answer {
        std::optional<Check> broken;
        bool empty = false;
    };

    bool same_answers(const Call& call, std::uint64_t number, bool described_only, Answer* told) {
        const Result<Descriptor> expected = reference::output_descriptor(call);
        if (described_only) return same_descriptions(call, expected, told);
        const std::int64_t bytes = expected ? byte_size(*expected).value_or(-1) : 0;
        if (bytes < 0) return true;  // no memory holds the output
        const auto size = static_cast<std::size_t>(bytes);
        std::optional<Error> refused;
        if (expected) {
            expected_.resize(size);
            const Result<void> ran = reference::run(call, expected_);
            if (!ran) refused = ran.error();
        } else {
            refused = expected.error();
        }
        if (told != nullptr) {
            if (refused) told->broken = exercised(call).broken;
            told->empty = expected && size == 0;
        }

        strings_.clear();
        GuardedCall guarded(pool_, {.pass = static_cast<int>(number % 2)});
        Call& asked = guarded.call();
        asked.version = call.version;
        asked.attributes = call.attributes;
        asked.inputs = call.inputs;
        for (std::size_t k = 0; k < call.inputs.size(); ++k) {
            if (!place(guarded, k, call.inputs[k].tensor)) return true;
        }
        const Result<Descriptor> described = built_in_.output_descriptor(asked);
        if (!described) return same_error(described.error(), refused) && !guarded.damage();
        if (!expected || *described != *expected) return false;
        const auto output = guarded.place_output(size);
        if (!output) return true;
        const Result<void> ran = built_in_.run(asked, *output);
        if (!ran) return same_error(ran.error(), refused) && !guarded.damage();
        return !refused && same_contents(*expected, guarded, *output) && !guarded.damage();
    }

    bool same_descriptions(const Call& call, const Result<Descriptor>& expected,
                           Answer* told) const {
        if (told != nullptr && !expected) told->broken = exercised(call).broken;
        const Result<Descriptor> described = built_in_.output_descriptor(call);
        if (described && expected) return *described == *expected;
        return !described && !expected && same_error(described.error(), expected.error());
    }

    bool place(GuardedCall& guarded, std::size_t input, const TensorView& tensor) {
        const auto size = byte_size({tensor.type, tensor.shape});
        if (!size) return false;
        const std::span contents(tensor.contents, static_cast<std::size_t>(*size));
        if (tensor.type != ElementType::string) return guarded.place_input(input, contents);
        // The guarded call compares with them in the end.
        auto& [lengths, characters] = strings_.emplace_back();
        for (std::size_t at = 0; at < contents.size(); at += sizeof(StringElement)) {
            StringElement element;
            std::memcpy(&element, contents.data() + at, sizeof element);
            lengths.push_back(element.length);
            const auto bytes = std::as_bytes(std::span(element.view()));
            characters.insert(characters.end(), bytes.begin(), bytes.end());
        }
        return guarded.place_strings(input, std::as_bytes(std::span(lengths)), characters);
    }

    static bool same_error(const Error& error, const std::optional<Error>& refused) {
        return refused && error.category == refused->category && error.rule == refused->rule;
    }

    bool same_contents(const Descriptor& descriptor, const GuardedCall& guarded,
                       std::span<const std::byte> output) const {
        if (descriptor.type != ElementType::string) {
            // Packed types have spare bits that count for nothing; they are written zero by both.
            return std::ranges::equal(output, expected_);
        }
        const auto strings = guarded.strings_of(output);
        const auto* views = std::get_if<std::vector<std::string_view>>(&strings);
        if (views == nullptr) return false;
        for (std::size_t k = 0; k < views->size(); ++k) {
            StringElement element;
            std::memcpy(&element, expected_.data() + k * sizeof element, sizeof element);
            if (element.view() != (*views)[k]) return false;
        }
        return true;
    }

    const BuiltIn& built_in_;
    const CallSpace& space_;
    GuardedPool pool_;
    std::vector<std::byte> expected_;
    /// Lengths and characters of the strings of a call's inputs.
    std::deque<std::pair<std::vector<std::int64_t>, std::vector<std::byte>>> strings_;
};

struct Work {
    const BuiltIn& built_in;
    const CallSpace& space;
    const CallNumbers& numbers;
    Shared& shared;
};

/// The child's whole life.
[[noreturn]] void compare_all(const Work& work) {
    // What the code prints is nobody's.
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(nothing, STDOUT_FILENO);
    ::dup2(nothing, STDERR_FILENO);
    Comparison comparison(work.built_in, work.space);
    Shared& shared = work.shared;
    for (std::uint64_t k = 0; k < work.numbers.count && shared.suspects < most_suspects; ++k) {
        const std::uint64_t number = work.numbers.first + k * work.numbers.step;
        shared.begun.store(k + 1);
        bool agrees = false;
        try {
            agrees = comparison.agrees(work.numbers.seed, number, shared.coverage);
        } catch (const std::exception&) {
            agrees = false;
        }
        if (!agrees) shared.numbers[shared.suspects++] = number;
        shared.done.store(k + 1);
    }
    ::_exit(EXIT_SUCCESS);
}

}  // namespace

std::variant<Compared, std::string> compare_in_process(const BuiltIn& built_in,
                                                       const CallSpace& space,
                                                       const CallNumbers& numbers,
                                                       const Limits& limits) {
    const auto shared = make_shared_area();
    if (!shared) return "no shared memory is to be had here";
    const Work work{built_in, space, numbers, *shared};
    const auto begin = [](const void* context) -> int {
        compare_all(*static_cast<const Work*>(context));
    };
    Process child;
    {
        const Alone alone;
        auto started = Process::start({begin, &work});
        if (auto* why = std::get_if<std::string>(&started)) return "no process: " + *why;
        child = std::move(std::get<Process>(started));
    }
    if (limits.bytes_of_memory != 0) child.limit_memory(limits.bytes_of_memory);
    Clock::time_point since = Clock::now();
    std::uint64_t seen = 0;
    while (!child.has_ended()) {
        child.wait({}, Clock::now() + std::chrono::milliseconds(200));
        const std::uint64_t done = shared->done.load();
        if (done != seen) since = Clock::now();
        seen = done;
        const bool late = Clock::now() - since > duration_of(limits.seconds_per_call);
        if (late || (limits.interrupted && limits.interrupted())) break;
    }
    const bool interrupted = !child.has_ended() && limits.interrupted && limits.interrupted();
    child.end();
    Compared compared;
    compared.asked = shared->done.load();
    compared.coverage = shared->coverage;
    compared.suspects.assign(
        shared->numbers.begin(),
        shared->numbers.begin() +
            static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(shared->suspects, most_suspects)));
    // The call that had begun and was not done ended the process, or had no end.
    if (!interrupted && shared->begun.load() > compared.asked) {
        compared.suspects.push_back(numbers.first + compared.asked * numbers.step);
        ++compared.asked;
    }
    return compared;
}

}  // namespace gathercheck
