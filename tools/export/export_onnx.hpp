// SPDX-License-Identifier: Apache-2.0
// Export: the corpus as ONNX node tests, in folders with a manifest.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/load/load.hpp"
#include "conformance/model/rules.hpp"
#include "conformance/oracle/equation.hpp"
#include "conformance/select/select.hpp"

namespace gathercheck {

struct ExportOptions {
    std::filesystem::path folder;  ///< absent, or without anything in it
    std::string suite_version;
    std::vector<std::string> filters;  ///< as the manifest tells them
    Filter filter;                     ///< the same, parsed
    Sweeps sweeps = Sweeps::sample;
    std::string sweeps_name;  ///< as the manifest tells it
};

struct ExportResult {
    std::size_t accepted = 0;
    std::size_t rejected = 0;
    std::size_t either = 0;
    std::size_t unspecified = 0;
    std::size_t controls = 0;  ///< of those, beside them
    std::size_t left_out = 0;  ///< no node test can say them; the manifest lists them
    std::string failed;        ///< why the export is not complete; it has no manifest then

    std::size_t calls() const { return accepted + rejected + either + unspecified; }
};

/// Writes each selected case of each operator version of ONNX, and a manifest last. The same suite
/// and options give the same bytes.
ExportResult export_onnx(const Suite& suite, const RuleCatalogue& rules, const Equations& equations,
                         const ExportOptions& options);

}  // namespace gathercheck
