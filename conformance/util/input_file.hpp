// SPDX-License-Identifier: Apache-2.0
// What a user names to be read: a file, or standard input, compressed or not.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "conformance/util/subprocess.hpp"

namespace gathercheck {

/// The bytes of a file, or of standard input where its name is "-". Those that begin as gzip or
/// Zstandard do, whatever the file is called, come decompressed by the program gzip or zstd.
class InputFile {
public:
    explicit InputFile(const std::filesystem::path& file);

    bool is_open() const { return static_cast<bool>(source_); }
    bool is_compressed() const { return !program_.empty(); }

    /// The next bytes, as many as there are and fit; 0 at the end, and where `fault` tells why no
    /// more can be read.
    std::size_t read(std::span<char> into);

    /// Why the bytes ended before their end: "gzip could not decompress it: ..."; else empty.
    const std::string& fault() const { return fault_; }

private:
    std::size_t read_source(std::span<char> into);
    std::size_t read_decompressed(std::span<char> into);
    void feed();
    void finish();

    FileHandle source_;
    std::vector<char> pending_;  // read of the source and not yet handed on
    std::size_t handed_on_ = 0;
    bool source_ended_ = false;
    std::string program_;  // that decompresses; empty: nothing is to be decompressed
    Spawned decompressor_;
    Tail errors_;
    std::string fault_;
};

}  // namespace gathercheck
