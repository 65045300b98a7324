// SPDX-License-Identifier: Apache-2.0
// A folder that is written as a whole: it stands there complete, or as it was before.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace gathercheck {

class SiteFolder {
public:
    /// Nothing is written yet.
    explicit SiteFolder(const std::string& folder);
    /// Takes away what was written, where it was not put in its place.
    ~SiteFolder();
    SiteFolder(const SiteFolder&) = delete;
    SiteFolder& operator=(const SiteFolder&) = delete;

    /// Why the folder must not be replaced: it holds what no site of ours is. Empty where it may.
    std::string why_not_replaced() const;

    /// Begins in a new folder beside it; false where that cannot be made.
    bool begin();
    void write(const std::string& path, const std::string& text);
    /// Puts what was written into its place. What failed, and why; empty where nothing did.
    std::string finish();

    std::size_t files() const { return written_.size(); }
    std::uintmax_t bytes() const { return bytes_; }

private:
    std::filesystem::path folder_;
    std::filesystem::path new_;
    std::set<std::string> written_;
    std::uintmax_t bytes_ = 0;
    std::string failed_;
};

}  // namespace gathercheck
