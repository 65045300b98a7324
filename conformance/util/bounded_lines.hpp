// SPDX-License-Identifier: Apache-2.0
// Lines of a file, or of standard input, none of which takes more memory than a limit, however long
// it is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/util/input_file.hpp"

namespace gathercheck {

class BoundedLines {
public:
    BoundedLines(const std::filesystem::path& file, std::size_t limit);

    bool is_open() const { return file_.is_open(); }
    bool is_compressed() const { return file_.is_compressed(); }

    /// The next line, without its newline. False at the end of the file, and at a line beyond the
    /// limit, which is not read to its end.
    bool next(std::string& line);

    /// Why the last line may not be that of the file: it cannot be read on, or be decompressed.
    const std::string& fault() const { return file_.fault(); }

    bool is_too_long() const { return is_too_long_; }  ///< what `next` stopped at
    bool has_newline() const { return has_newline_; }  ///< false only of the last line

private:
    bool refill();

    InputFile file_;
    std::size_t limit_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool is_too_long_ = false;
    bool has_newline_ = true;
};

}  // namespace gathercheck
