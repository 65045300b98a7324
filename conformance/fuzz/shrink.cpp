// SPDX-License-Identifier: Apache-2.0
// Passes over a sequence until none makes it simpler: runs are left out or made 0, numbers are made
// smaller by halving, and a number is made smaller while choices behind it are left out, since it
// may have been their count.
#include "conformance/fuzz/shrink.hpp"

#include <algorithm>
#include <utility>

namespace gathercheck {
namespace {

using Sequence = Choices::Sequence;

class Shrinker {
public:
    Shrinker(Sequence from, int attempts, const Shows& shows)
        : best_(std::move(from)), left_(attempts), shows_(shows) {}

    Sequence run() {
        for (bool better = true; better && left_ > 0;) {
            better = false;
            for (const std::size_t size : {16U, 8U, 4U, 2U, 1U}) better = leave_out(size) || better;
            for (const std::size_t size : {8U, 2U}) better = make_zero(size) || better;
            better = make_smaller() || better;
            better = make_smaller_and_leave_out() || better;
        }
        return std::move(best_);
    }

private:
    /// Takes a candidate that is simpler and still shows it.
    bool take(const Sequence& candidate) {
        if (left_ <= 0 || !is_simpler(candidate, best_)) return false;
        --left_;
        auto made = shows_(candidate);
        if (!made) return false;
        best_ = is_simpler(*made, candidate) ? std::move(*made) : candidate;
        return true;
    }

    static Sequence without(Sequence from, std::size_t at, std::size_t count) {
        const auto begin = from.begin() + static_cast<std::ptrdiff_t>(at);
        from.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(count, from.size() - at)));
        return from;
    }

    bool leave_out(std::size_t count) {
        bool better = false;
        for (std::size_t end = best_.size(); end >= count && end > 0;
             end = std::min(end - 1, best_.size())) {
            better = take(without(best_, end - count, count)) || better;
        }
        return better;
    }

    bool make_zero(std::size_t count) {
        bool better = false;
        for (std::size_t at = 0; at + count <= best_.size(); at += count) {
            Sequence candidate = best_;
            std::fill_n(candidate.begin() + static_cast<std::ptrdiff_t>(at), count, 0);
            better = take(candidate) || better;
        }
        return better;
    }

    bool make_smaller() {
        bool better = false;
        for (std::size_t at = 0; at < best_.size(); ++at) {
            const auto with = [&](std::uint64_t number) {
                Sequence candidate = best_;
                candidate[at] = number;
                return candidate;
            };
            if (best_[at] == 0) continue;
            if (take(with(0))) {
                better = true;
                continue;
            }
            // 0 does not show it and the number does: what is between is halved.
            std::uint64_t low = 0;
            while (at < best_.size() && best_[at] > low + 1) {
                const std::uint64_t middle = low + (best_[at] - low) / 2;
                if (take(with(middle))) {
                    better = true;
                } else {
                    low = middle;
                }
                if (left_ <= 0) break;
            }
        }
        return better;
    }

    bool make_smaller_and_leave_out() {
        bool better = false;
        for (std::size_t at = 0; at < best_.size(); ++at) {
            for (std::size_t count = 1; count <= 3 && at < best_.size(); ++count) {
                if (best_[at] == 0) break;
                Sequence candidate = without(best_, at + 1, count);
                --candidate[at];
                better = take(candidate) || better;
            }
        }
        return better;
    }

    Sequence best_;
    int left_;
    const Shows& shows_;
};

}  // namespace

std::vector<std::uint64_t> needed_of(
    std::vector<std::uint64_t> calls, int attempts,
    const std::function<bool(std::span<const std::uint64_t>)>& shows) {
    for (std::size_t part = (calls.size() + 1) / 2; part > 0 && attempts > 0; part /= 2) {
        // From the front: what is long past is the least likely to matter.
        for (std::size_t at = 0; at < calls.size() && attempts > 0;) {
            const auto begin = calls.begin() + static_cast<std::ptrdiff_t>(at);
            const std::size_t count = std::min(part, calls.size() - at);
            std::vector<std::uint64_t> rest(calls.begin(), begin);
            rest.insert(rest.end(), begin + static_cast<std::ptrdiff_t>(count), calls.end());
            --attempts;
            if (shows(rest)) {
                calls = std::move(rest);
            } else {
                at += count;
            }
        }
    }
    return calls;
}

bool is_simpler(const Sequence& a, const Sequence& b) {
    if (a.size() != b.size()) return a.size() < b.size();
    return a < b;
}

Sequence shrink(Sequence from, int attempts, const Shows& shows) {
    return Shrinker(std::move(from), attempts, shows).run();
}

}  // namespace gathercheck
