// SPDX-License-Identifier: Apache-2.0
// Dialects are declared once: rows of the table of operator versions stay.
#include "tools/shared/dialects.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <variant>

#include "conformance/util/subprocess.hpp"
#include "tools/shared/installed.hpp"

namespace gathercheck {
namespace {

std::vector<Dialect>& declared() {
    static std::vector<Dialect> all;
    return all;
}

std::size_t& shipped_count() {
    static std::size_t count = 0;
    return count;
}

std::vector<std::string>& own_files() {
    static std::vector<std::string> files;
    return files;
}

}  // namespace

std::vector<Problem> declare_dialects(const std::vector<std::string>& files) {
    static bool done = false;
    std::vector<Problem> problems;
    if (std::exchange(done, true)) return problems;
    const auto installed = find_installed();
    if (const auto* place = std::get_if<Installed>(&installed)) {
        auto shipped = load_dialects(place->dialects);
        if (auto* found = std::get_if<std::vector<Problem>>(&shipped)) return std::move(*found);
        declared() = std::get<std::vector<Dialect>>(std::move(shipped));
        shipped_count() = declared().size();
    }
    for (const std::string& file : files) {
        auto dialect = load_dialect(file);
        if (auto* found = std::get_if<std::vector<Problem>>(&dialect)) {
            std::ranges::move(*found, std::back_inserter(problems));
        } else {
            declared().push_back(std::get<Dialect>(std::move(dialect)));
            own_files().push_back(file);
        }
    }
    return problems;
}

std::span<const Dialect> declared_dialects() { return declared(); }

std::span<const Dialect> own_dialects() { return declared_dialects().subspan(shipped_count()); }

std::string dialect_options() {
    std::string options;
    for (const std::string& file : own_files()) options += "--dialect " + shell_word(file) + " ";
    return options;
}

}  // namespace gathercheck
