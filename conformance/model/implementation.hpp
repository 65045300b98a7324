// SPDX-License-Identifier: Apache-2.0
// Implementations: whatever answers calls - code of this process in a child, or a worker that
// speaks the protocol.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/model/outcome.hpp"
#include "conformance/model/route.hpp"
#include "reference/call.hpp"

namespace gathercheck {

/// Types, versions, routes and values of attributes that an implementation says it supports. They
/// go together only within one claim; an empty list of a kind claims nothing.
struct Claim {
    std::vector<OperatorVersion> versions;
    TypeSet data;
    TypeSet indices;
    std::vector<Operands> operands{Operands::runtime};
    std::vector<Shapes> shapes{Shapes::fixed};
    std::vector<AxisOperand> axes{AxisOperand::constant};
    /// By the name of an attribute; one that is not named may have any value. It says nothing of
    /// versions without the attribute.
    std::map<std::string, std::vector<std::int64_t>, std::less<>> attributes = {};
};

/// What the engine behind an implementation refuses of what the specification allows, and its words
/// for it: no failure, and shown.
struct NotImplemented {
    Claim what;
    std::string why;
};

/// Everything that the table of operator versions allows, with all operands at run time.
std::vector<Claim> claims_of_table();

/// What an implementation says of itself.
struct Introduction {
    std::string name;  ///< as the implementation calls itself
    std::string version;
    std::string language;
    std::string device;
    bool witness = false;  ///< promises none of the specifications: what it does differently is no
                           ///< failure
    std::vector<Claim> claims;
    std::vector<NotImplemented> not_implemented = {};
    bool runs = true;        ///< answers calls
    bool describes = false;  ///< answers described calls
    bool reproduces = false;
    bool reports_unsafe = false;  ///< guards memory itself and answers when it was left
    bool keeps_models = false;    ///< asks the calls of a sequence of one prepared model
    bool runs_sequences = true;   ///< false: calls cannot be asked one after the other
    /// It must give the suite's own reading everywhere, category and rule of an error included: the
    /// reference, the optimized targets, mutants. Known before it is started.
    bool follows_suite = false;
};

/// A program that a worker wrote, and how it is run.
struct ProgramSource {
    std::string text;
    std::vector<std::string> command = {};  ///< "{file}" in it is the program; empty: by language
};

/// A call that is asked just before another, of the same model.
struct EarlierCall {
    const Call* call = nullptr;
    std::string_view case_id;
};

/// One call to be answered, after those that come before it in a sequence: these are asked in the
/// same process, and their answers are not told unless it ends there. All is borrowed and must live
/// until the answer.
struct Request {
    const Call* call = nullptr;
    Route route = {};
    bool describe = false;  ///< data and indices have no contents
    int pass = 0;  ///< 0 or 1: buffers lie against the end or the start of their pages, the
                   ///< output is pre-filled with one pattern or the other
    bool may_crash = false;  ///< it is known to end the implementation: that does not count towards
                             ///< the limit on restarts
    std::span<const EarlierCall> before = {};
    bool known_timeout = false;  ///< it is known to take too long: the shorter limit is its
    std::int64_t number = 0;     ///< of the first of its messages to a worker; 0: the next

    /// Messages to a worker.
    std::int64_t messages() const { return 1 + static_cast<std::int64_t>(before.size()); }
};

/// Why an implementation cannot be asked anything.
struct NotStarted {
    enum class Kind : std::uint8_t {
        unavailable,  ///< this machine lacks it: an instruction set, a package
        broken,       ///< the adapter is wrong: no operators, no common protocol version, no hello
    };
    Kind kind = Kind::unavailable;
    std::string why;
};

class Implementation {
public:
    Implementation() = default;
    virtual ~Implementation() = default;
    Implementation(const Implementation&) = delete;
    Implementation& operator=(const Implementation&) = delete;

    /// The name it was asked for by: "reference", "optimized:avx2", "exec:...", "onnxruntime".
    virtual const std::string& name() const = 0;

    /// Must be called first, once. Nothing on success.
    virtual std::optional<NotStarted> start() = 0;

    /// After a successful start.
    virtual const Introduction& introduction() const = 0;

    /// Answers the requests in order; calls `answered` exactly once for each, in order, as answers
    /// come. A crash, a hang or a broken answer is an outcome like any other, and the next request
    /// is asked. `answered` must ask this implementation nothing.
    using Answered = std::function<void(std::size_t request, Outcome outcome)>;
    virtual void answer(std::span<const Request> requests, const Answered& answered) = 0;

    /// While `answered` is called: how long the call took, with what it takes to hand over tensors,
    /// without those before it in its sequence. Nothing where it is not known.
    virtual std::optional<std::chrono::nanoseconds> took() const { return std::nullopt; }

    /// A stand-alone program that shows the call in the implementation's own API; nothing
    /// where it has none. Changes nothing about later answers: what has died is started again for
    /// it, and a death over it does not count towards the limit on restarts.
    virtual std::optional<ProgramSource> reproduce(const Request& request) = 0;

    /// How often its process has ended so far, as counted towards the limit on restarts.
    virtual int ends() const { return 0; }
};

/// Limits of a run.
struct Limits {
    double seconds_per_call = 20;
    double seconds_of_known_timeout = 0;  ///< of a program's calls that are known to take longer
                                          ///< than they may; 0: as for any other
    double seconds_to_start = 60;
    int restarts = 200;  ///< after that many unexpected deaths and timeouts the rest is not run
    int ends = 0;        ///< deaths and timeouts that count already, of a run that goes on
    std::uint64_t bytes_of_memory = 0;  ///< of address space for its process; 0: no limit
    /// A worker gets a small call before the answer to the last one is read: more calls a
    /// second, and how long each took is not known.
    bool asks_ahead = false;
    /// True once nothing more is to be asked: the rest is not run. Called by every thread that
    /// asks. May be empty.
    std::function<bool()> interrupted = {};
};

/// Code of this process: the two steps of a call.
struct BuiltIn {
    std::string name;
    std::string version;
    std::string unavailable;  ///< why it cannot run here; empty where it can
    std::function<Result<Descriptor>(const Call& call)> output_descriptor;
    std::function<Result<void>(const Call& call, std::span<std::byte> output)> run;
    std::vector<Claim> claims = {};  ///< empty: all that the table of operator versions allows
    bool follows_suite = false;      ///< it must give the suite's own reading everywhere
    /// What comes is one more model, and so many calls of it: 1, or those of a sequence. May be
    /// empty.
    std::function<void(std::size_t calls)> new_model = {};
    /// Sizes of data or of the output, in bytes, at which it changes what it does. It may take
    /// measurements of the machine. May be empty.
    std::function<std::vector<std::int64_t>()> thresholds = {};
};

/// Runs a built-in implementation in a forked child: its buffers lie flush against inaccessible
/// pages, and a crash of its is an outcome.
std::unique_ptr<Implementation> in_process(const BuiltIn& built_in, const Limits& limits);

/// Runs a worker program that speaks the protocol on its standard input and output.
/// `environment` holds additional NAME=value strings.
std::unique_ptr<Implementation> worker(std::string name, std::vector<std::string> command,
                                       std::vector<std::string> environment, const Limits& limits);

}  // namespace gathercheck
