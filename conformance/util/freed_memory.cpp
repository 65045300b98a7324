// SPDX-License-Identifier: Apache-2.0
// Thresholds of the C library's memory.
#include "conformance/util/freed_memory.hpp"

#include <malloc.h>

namespace gathercheck {

void keep_freed_memory() {
#if defined(__GLIBC__)
    constexpr int most = 32 << 20;  // that the library accepts
    ::mallopt(M_TRIM_THRESHOLD, most);
    ::mallopt(M_MMAP_THRESHOLD, most);
#endif
}

}  // namespace gathercheck
