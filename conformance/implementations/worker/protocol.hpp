// SPDX-License-Identifier: Apache-2.0
// The worker protocol's messages: JSON lines out, JSON lines back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/model/implementation.hpp"

namespace gathercheck {

/// The versions of the protocol that are spoken here, and the longest line in either direction.
inline constexpr std::int64_t protocol_min = 1;
inline constexpr std::int64_t protocol_max = 1;
inline constexpr std::size_t longest_line = std::size_t{1} << 30;
/// The longest answer that carries no output, and the longest name that a hello says.
inline constexpr std::size_t longest_small_answer = std::size_t{1} << 24;
inline constexpr std::size_t longest_name = 256;

/// Why a line is not what the protocol asks for: one clause, without the line itself.
struct Malformed {
    std::string why;
    std::string pointer = {};  ///< JSON pointer to what is wrong in it; empty for the whole line
};

/// Every message ends with its newline. `restart`: it is not the first process that is asked, and
/// what the first one said holds.
std::string hello_message(bool restart = false);
std::string goodbye_message();

/// The members of a run, describe or reproduce message that say which call it is about.
std::string call_members(const Request& request);

/// Upper bound of the bytes of call_members(), known without making them.
std::size_t size_of_call_members(const Request& request);

/// Bytes of the answer to a run or describe message that the operator's output makes: what a right
/// answer needs.
std::size_t size_of_answer(const Request& request);

/// The longest answer that is read: wrong ones may be larger than right ones, but not by any
/// amount.
std::size_t longest_answer(const Request& request);

/// "run", or "describe" for a described call. `with_pass`: not for calls that wait
/// in a file, which is answered once for each pass;
/// `model`: the number that the calls of a sequence share, for a worker that keeps models, else 0.
std::string call_message(std::int64_t seq, const Request& request, std::string_view members,
                         bool with_pass = true, std::int64_t model = 0);

/// The requests that come before this one in its sequence.
std::vector<Request> earlier_requests(const Request& request);

/// Carries the call again, for a worker that no longer knows the number; and those before it.
std::string reproduce_message(std::int64_t seq, std::string_view language, std::string_view members,
                              std::span<const Request> before = {});

/// The worker's side of the handshake. What is unknown in it is left out.
std::variant<Introduction, Malformed> read_hello(std::string_view line);

/// The answer to a run, or to a describe message.
struct Answer {
    Outcome outcome;
    bool restart = false;  ///< the process is used up, and asks for another before the next call
};

/// Its forms become outcomes; that of unsafe memory is only for workers with that feature.
std::variant<Answer, Malformed> read_answer(std::string_view line, std::int64_t seq, bool describe,
                                            bool may_be_unsafe = false);

/// The answer to a reproduce message: the program; an empty text where the worker has none.
std::variant<ProgramSource, Malformed> read_source(std::string_view line, std::int64_t seq);

/// A line for people: its start, printable.
std::string shown(std::string_view line);

/// Why a list of words cannot be what runs a program; empty where it can.
std::string fault_of_command(std::span<const std::string> command);

}  // namespace gathercheck
