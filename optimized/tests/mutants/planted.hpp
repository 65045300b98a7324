// SPDX-License-Identifier: Apache-2.0
// What a mutant of the library tells the runner that it is linked with. Included by each mutant's
// generated source, so without any other header.
#pragma once

namespace gathercheck::optimized {

struct Kernels;

/// How a mutant's calls are run, whatever this machine's thresholds are. No setting: by execute(),
/// on one thread, with vector gathers, without prefetches, through the caches.
struct RunSettings {
    bool loads = false;     ///< elements by scalar loads
    bool prefetch = false;  ///< from tables of any size
    bool stream = false;    ///< outputs of any size by non-temporal stores
    bool small = false;     ///< small calls inline
    bool parts = false;     ///< cut into three parts, one after the other
    bool large = false;     ///< the bug needs large calls, and is asked no others

    friend bool operator==(const RunSettings&, const RunSettings&) = default;
};

struct Planted {
    const char* name;
    const char* theme;  ///< the file that it is in
    const char* idea;
    RunSettings settings;
};

// In each mutant's own source:
extern const Planted planted;
/// Puts the kernels that are compiled with the bug into a table; nothing where it is elsewhere.
void plant(Kernels& table);

}  // namespace gathercheck::optimized
