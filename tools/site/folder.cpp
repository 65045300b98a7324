// SPDX-License-Identifier: Apache-2.0
#include "tools/site/folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace gathercheck {
namespace {

namespace fs = std::filesystem;

/// In each site: the first line, and then its files, which alone are ours to replace.
constexpr const char* marker = ".gathercheck-site";
constexpr const char* marker_head = "Files of a site that `gathercheck site` made and may replace:";

/// The files that a folder's marker names; none where it has no marker of ours.
std::set<std::string> files_made(const fs::path& folder) {
    std::ifstream stream(folder / marker);
    std::string line;
    if (!std::getline(stream, line) || line != marker_head) return {};
    std::set<std::string> files{marker};
    while (std::getline(stream, line)) files.insert(line);
    return files;
}

std::string because(const std::error_code& error) { return ": " + error.message(); }

}  // namespace

SiteFolder::SiteFolder(const std::string& folder) {
    std::error_code error;
    folder_ = fs::weakly_canonical(folder, error);
    if (!folder_.has_filename()) folder_ = folder_.parent_path();
}

SiteFolder::~SiteFolder() {
    std::error_code error;
    if (!new_.empty()) fs::remove_all(new_, error);
}

std::string SiteFolder::why_not_replaced() const {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(folder_, error))) return {};
    const std::string name = folder_.string();
    if (!fs::is_directory(folder_, error)) {
        return name + " is a file; name a folder for the site";
    }
    if (fs::equivalent(folder_, fs::current_path(error), error)) {
        return name +
               " is the folder that you are in, and a site is put in the place of its folder "
               "as a whole; name a folder in it";
    }
    const std::set<std::string> ours = files_made(folder_);
    for (fs::recursive_directory_iterator at(folder_, error), end; at != end; at.increment(error)) {
        if (error) break;
        if (at->is_directory(error) && !at->is_symlink(error)) continue;
        const std::string path = at->path().lexically_relative(folder_).generic_string();
        if (ours.contains(path)) continue;
        return name + " holds " + path +
               ", which no `gathercheck site` made, and would lose it; move it away, or name "
               "another folder";
    }
    return error ? "cannot look through " + name + because(error) : std::string();
}

bool SiteFolder::begin() {
    std::error_code error;
    fs::create_directories(folder_.parent_path(), error);
    std::string pattern = folder_.string() + ".new-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
        failed_ = "cannot make a folder beside " + folder_.string() + ": " + std::strerror(errno) +
                  "; name a folder below one that may be written";
        return false;
    }
    new_ = pattern;
    // As a folder that a person makes: mkdtemp lets nobody else read, and servers are others.
    const ::mode_t mask = ::umask(0);
    ::umask(mask);
    fs::permissions(new_, static_cast<fs::perms>(0777 & ~mask), error);
    return true;
}

void SiteFolder::write(const std::string& path, const std::string& text) {
    if (!failed_.empty()) return;
    const fs::path file = new_ / path;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) {
        failed_ = "cannot write " + path + " of the site: " + std::strerror(errno);
        if (errno == ENAMETOOLONG) failed_ += "; give it a short name: --implementation NAME=...";
    }
    written_.insert(path);
    bytes_ += text.size();
}

std::string SiteFolder::finish() {
    std::string list = std::string(marker_head) + "\n";
    for (const std::string& path : written_) list += path + "\n";
    if (!new_.empty()) write(marker, list);
    if (!failed_.empty()) return failed_;
    std::error_code error;
    fs::path old;
    if (fs::exists(folder_, error)) {
        old = new_;
        old += ".old";
        fs::rename(folder_, old, error);
        if (error) {
            return "cannot replace " + folder_.string() + because(error) +
                   "; where that is the root of a file system, name a folder in it";
        }
    }
    fs::rename(new_, folder_, error);
    if (error) {
        const std::string why = "cannot put the site at " + folder_.string() + because(error);
        if (!old.empty()) fs::rename(old, folder_, error);
        return why;
    }
    new_.clear();
    if (!old.empty()) fs::remove_all(old, error);
    return {};
}

}  // namespace gathercheck
