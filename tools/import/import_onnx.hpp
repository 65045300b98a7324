// SPDX-License-Identifier: Apache-2.0
// Import: ONNX node-test folders become cases, or a sentence that says why they cannot.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gathercheck {

struct ImportOptions {
    std::string id_prefix = "onnx-node-";  ///< what every id begins with: words of [a-z0-9], each
                                           ///< with one point or hyphen behind it
    bool all_versions = false;  ///< name every operator version for which the call is legal and
                                ///< gives the same shape, not only the model's own
};

struct ImportResult {
    std::vector<std::string> cases;    ///< the text of each, one for each data set
    int tests = 0;                     ///< node tests that became cases
    int skipped = 0;                   ///< models in a folder of many that are not one gather node
    std::vector<std::string> refused;  ///< "FOLDER: why", once for each folder

    /// A file of all cases; empty where there is no case.
    std::string json() const;
    /// Files of them that are no larger than `most` bytes, if no case is.
    std::vector<std::string> files(std::size_t most) const;
};

/// Imports node tests. Each folder is one (model.onnx, test_data_set_0/input_0.pb, ...), or holds
/// many of them side by side: of those, models that are not a single gather node are skipped. Of an
/// export of ours (export/export_onnx.hpp) it is the node tests. Reads files and nothing else. The
/// order of cases is that of the folders, those inside a folder sorted by name.
ImportResult import_onnx(const std::vector<std::filesystem::path>& folders,
                         const ImportOptions& options = {});

}  // namespace gathercheck
