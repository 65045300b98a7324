// SPDX-License-Identifier: Apache-2.0
// Contenders: what is timed on a workload, and the engines that bring them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bench/workload.hpp"

namespace gathercheck::bench {

/// What a contender is given: every buffer is the same for all of them.
struct Tensors {
    const Workload* workload = nullptr;
    const std::byte* data = nullptr;
    std::size_t data_bytes = 0;
    const std::byte* indices = nullptr;
    std::size_t indices_bytes = 0;
    std::byte* output = nullptr;
    std::size_t output_bytes = 0;
    int threads = 1;
};

/// One prepared way to do a workload's gather, again and again on the same buffers.
class Contender {
public:
    Contender() = default;
    Contender(const Contender&) = delete;
    Contender& operator=(const Contender&) = delete;
    virtual ~Contender() = default;

    /// One call, after which the output holds the answer; the text is why it failed.
    virtual std::string run() = 0;
    /// Seconds that so many calls in a row take.
    virtual double time(std::int64_t calls) = 0;
    /// Empties the caches of the cores that another process uses; ours are emptied already.
    virtual void flush() {}
    /// Whether another program had the CPU while time() ran; `caller` says it of the calling
    /// thread.
    virtual bool was_interrupted(bool caller) const { return caller; }
};

/// A contender of this process: Self has a member `bool call()`, of which nothing but itself is
/// timed. The text of a call that returned false is `why()`.
template <class Self>
class InProcess : public Contender {
public:
    std::string run() override { return self().call() ? std::string() : self().why(); }
    double time(std::int64_t calls) override {
        const auto start = std::chrono::steady_clock::now();
        for (std::int64_t k = 0; k < calls; ++k) {
            const bool done = self().call();
            asm volatile("" : : "r"(done) : "memory");  // the answer of every call is used
        }
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    std::string why() const { return "the call failed"; }

private:
    Self& self() { return static_cast<Self&>(*this); }
};

enum class Kind : std::uint8_t {
    ours,     ///< the optimized library
    variant,  ///< the optimized library in another way: one-shot, by one instruction set
    peer,     ///< another engine
    plain,    ///< a loop as one would write it
    bound,    ///< moves the bytes of the output and nothing else
    lines,    ///< touches each line that a call must touch, once and in order
};

std::string_view name(Kind kind);

/// Whether what it leaves in the output is the workload's answer.
constexpr bool gives_answer(Kind kind) { return kind != Kind::bound && kind != Kind::lines; }

/// A contender with its name, or why there is none for a workload.
struct Entry {
    std::string name;  ///< "optimized", "torch:index_select"
    Kind kind = Kind::peer;
    std::unique_ptr<Contender> contender;
    std::string unsupported;  ///< where there is no contender: why
};

/// An engine that was found here.
class Peer {
public:
    Peer() = default;
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    virtual ~Peer() = default;

    virtual std::string version() const = 0;
    /// Whether it has a way to take an index outside its range for the nearest inside.
    virtual bool clamps() const { return false; }
    /// Its ways to do a workload: at least one entry. Borrows the buffers.
    virtual std::vector<Entry> prepare(const Tensors& tensors) = 0;
};

}  // namespace gathercheck::bench
