// SPDX-License-Identifier: Apache-2.0
// Dialects are declared once: rows of the table of operator versions stay.
#include "tools/shared/dialects.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

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

std::vector<std::filesystem::path> shipped_dialects() {
    std::vector<std::filesystem::path> files;
    const auto installed = find_installed();
    if (const auto* place = std::get_if<Installed>(&installed)) {
        std::error_code error;
        for (std::filesystem::directory_iterator entry(place->dialects, error), end;
             !error && entry != end; entry.increment(error)) {
            if (entry->path().extension() == ".json") files.push_back(entry->path());
        }
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace

std::vector<Problem> declare_dialects(const std::vector<std::string>& files) {
    static bool done = false;
    std::vector<Problem> problems;
    if (std::exchange(done, true)) return problems;
    std::vector<std::filesystem::path> all = shipped_dialects();
    shipped_count() = all.size();
    all.insert(all.end(), files.begin(), files.end());
    for (const std::filesystem::path& file : all) {
        auto dialect = load_dialect(file);
        if (auto* found = std::get_if<std::vector<Problem>>(&dialect)) {
            std::ranges::move(*found, std::back_inserter(problems));
        } else {
            declared().push_back(std::get<Dialect>(std::move(dialect)));
        }
    }
    return problems;
}

std::span<const Dialect> declared_dialects() { return declared(); }

std::span<const Dialect> own_dialects() { return declared_dialects().subspan(shipped_count()); }

}  // namespace gathercheck
