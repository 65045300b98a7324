// SPDX-License-Identifier: Apache-2.0
// Tensors in exactly sized blocks of the heap, around one call each.
#include "conformance/implementations/plugin/linked_plugin.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <list>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/implementations/in_process/guarded_call.hpp"
#include "conformance/implementations/plugin/plugin_call.hpp"
#include "conformance/implementations/worker/protocol.hpp"
#include "conformance/util/guarded_buffer.hpp"

namespace gathercheck {
namespace {

/// A block of the heap that ends with the last byte of its contents. Without contents it has some
/// bytes before them: the heap has no block of no bytes.
class ExactBlock {
public:
    ExactBlock(std::size_t size, std::size_t alignment, std::size_t shift) : size_(size) {
        const std::size_t before = size == 0 ? alignment : shift;
        if (::posix_memalign(&memory_, alignment, before + size) != 0) throw std::bad_alloc();
        contents_ = static_cast<std::byte*>(memory_) + before;
    }
    ExactBlock(const ExactBlock&) = delete;
    ExactBlock& operator=(const ExactBlock&) = delete;
    ~ExactBlock() { std::free(memory_); }

    std::span<std::byte> contents() const { return {contents_, size_}; }

private:
    void* memory_ = nullptr;
    std::byte* contents_ = nullptr;
    std::size_t size_;
};

/// What an input must still hold after the call.
struct Original {
    std::span<const std::byte> placed;
    std::span<const std::byte> bytes;
    std::uint32_t input = 0;
    MemoryFault::Buffer what = MemoryFault::Buffer::input;
};

/// One call on blocks of its own.
class HeapCall {
public:
    HeapCall(const Request& request, std::size_t alignment, std::size_t shift)
        : call_(*request.call),
          described_(request.describe),
          alignment_(alignment),
          shift_(shift),
          pass_(request.pass) {
        for (std::size_t k = 0; k < call_.inputs.size(); ++k) place_input(k);
    }

    const Call& call() const { return call_; }

    std::optional<std::span<std::byte>> place_output(std::size_t size) {
        const auto contents = block(size);
        std::ranges::fill(contents, output_pattern(pass_));
        return contents;
    }

    /// The first input that is not what it was.
    std::optional<std::string> damage() const {
        for (const Original& original : originals_) {
            const auto differs = std::ranges::mismatch(original.placed, original.bytes).in1;
            if (differs == original.placed.end()) continue;
            return to_string(
                {original.what, original.input, Access::write, differs - original.placed.begin(),
                 static_cast<std::int64_t>(original.placed.size())},
                call_);
        }
        return std::nullopt;
    }

    Outcome outcome_of(const PluginWrote& wrote) const {
        const Descriptor& descriptor = wrote.descriptor;
        if (descriptor.type != ElementType::string) {
            return ValueOutcome{{descriptor.type,
                                 descriptor.shape,
                                 {wrote.bytes.begin(), wrote.bytes.end()},
                                 nullptr}};
        }
        const auto strings = strings_in(wrote.bytes, data_characters_, pass_);
        if (const auto* why = std::get_if<std::string>(&strings)) return UnsafeMemory{*why};
        const auto& views = std::get<std::vector<std::string_view>>(strings);
        return ValueOutcome{string_tensor(descriptor.shape, {views.begin(), views.end()})};
    }

private:
    std::span<std::byte> block(std::size_t size) {
        return blocks_.emplace_back(size, alignment_, shift_).contents();
    }

    std::span<std::byte> place(std::size_t input, MemoryFault::Buffer what,
                               std::span<const std::byte> bytes) {
        const auto placed = block(bytes.size());
        std::ranges::copy(bytes, placed.begin());
        originals_.push_back({placed, bytes, static_cast<std::uint32_t>(input), what});
        return placed;
    }

    void place_input(std::size_t input) {
        TensorView& tensor = call_.inputs[input].tensor;
        if (described_ && tensor.contents == nullptr) return;
        const auto size = byte_size({tensor.type, tensor.shape}).value_or(0);
        std::span<const std::byte> bytes(tensor.contents, static_cast<std::size_t>(size));
        if (tensor.type == ElementType::string) bytes = place_characters(input, bytes);
        tensor.contents = place(input, MemoryFault::Buffer::input, bytes).data();
    }

    /// Copies the characters, and returns elements that point to the copies.
    std::span<const std::byte> place_characters(std::size_t input,
                                                std::span<const std::byte> elements) {
        std::vector<StringElement> strings(elements.size() / sizeof(StringElement));
        std::ranges::copy(elements, std::as_writable_bytes(std::span(strings)).begin());
        std::vector<std::byte>& all = copies_.emplace_back();
        for (const StringElement& each : strings) {
            const auto characters = std::as_bytes(std::span(each.view()));
            all.insert(all.end(), characters.begin(), characters.end());
        }
        const auto placed = place(input, MemoryFault::Buffer::characters, all);
        if (call_.inputs[input].name == "data") data_characters_ = placed;
        const char* next = static_cast<const char*>(static_cast<const void*>(placed.data()));
        for (StringElement& each : strings) {
            each.bytes = std::exchange(next, next + each.length);
        }
        const auto moved = std::as_bytes(std::span(strings));
        return copies_.emplace_back(moved.begin(), moved.end());
    }

    Call call_;
    bool described_;
    std::size_t alignment_;
    std::size_t shift_;
    int pass_;
    std::list<ExactBlock> blocks_;
    std::list<std::vector<std::byte>> copies_;
    std::vector<Original> originals_;
    std::span<const std::byte> data_characters_;
};

Outcome outcome_of(const PluginRejected& rejected) {
    Rejected outcome{category(rejected.category), rejected.phase, {}, rejected.message};
    if (rejected.category.empty() || outcome.category) return outcome;
    return Broken{"it gave an error the category '" + rejected.category + "', which is none"};
}

class LinkedPlugin : public Implementation {
public:
    LinkedPlugin(const gathercheck_implementation& implementation, Introduction introduction)
        : implementation_(implementation), introduction_(std::move(introduction)) {}

    const std::string& name() const override { return introduction_.name; }
    std::optional<NotStarted> start() override { return std::nullopt; }
    const Introduction& introduction() const override { return introduction_; }
    std::optional<ProgramSource> reproduce(const Request&) override { return std::nullopt; }

    void answer(std::span<const Request> requests, const Answered& answered) override {
        for (std::size_t k = 0; k < requests.size(); ++k) answered(k, outcome_of(requests[k]));
    }

private:
    Outcome outcome_of(const Request& request) const {
        // As in a worker: where no alignment is needed, one of the two passes begins at odd
        // addresses.
        const std::size_t shift = implementation_.alignment == 1 && request.pass == 1 ? 1 : 0;
        HeapCall heap(request, alignment(), shift);
        Outcome outcome = asked(request, heap);
        if (auto damage = heap.damage()) return UnsafeMemory{std::move(*damage)};
        return outcome;
    }

    Outcome asked(const Request& request, HeapCall& heap) const {
        const std::string version(gathercheck::name(request.call->version));
        const PluginCall call(version.c_str(), request.route, heap.call());
        PluginHandle handle(implementation_);
        PluginAnswer answer = ask_plugin(
            implementation_, call, request.describe,
            [&](std::size_t size) { return heap.place_output(size); }, handle);
        if (const auto* wrote = std::get_if<PluginWrote>(&answer)) return heap.outcome_of(*wrote);
        if (const auto* rejected = std::get_if<PluginRejected>(&answer)) {
            return gathercheck::outcome_of(*rejected);
        }
        if (auto* known = std::get_if<DescriptorOutcome>(&answer)) return std::move(*known);
        if (auto* unsupported = std::get_if<Unsupported>(&answer)) return std::move(*unsupported);
        return std::get<Broken>(std::move(answer));
    }

    std::size_t alignment() const {
        return std::max(alignof(std::max_align_t),
                        static_cast<std::size_t>(implementation_.alignment));
    }

    gathercheck_implementation implementation_;
    Introduction introduction_;
};

}  // namespace

std::variant<std::unique_ptr<Implementation>, std::string> linked_plugin(
    const gathercheck_implementation* given) {
    auto read = read_implementation(given);
    if (auto* why = std::get_if<std::string>(&read)) return std::move(*why);
    const auto& implementation = std::get<gathercheck_implementation>(read);
    // What it claims is read as a runner would.
    auto hello = read_hello(hello_answer(hello_of(implementation)));
    if (const auto* malformed = std::get_if<Malformed>(&hello)) return malformed->why;
    return std::make_unique<LinkedPlugin>(implementation, std::get<Introduction>(std::move(hello)));
}

}  // namespace gathercheck
