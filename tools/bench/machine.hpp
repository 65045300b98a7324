// SPDX-License-Identifier: Apache-2.0
// The machine: what its CPU is and has, and where threads may run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gathercheck::bench {

struct Cache {
    int level = 0;
    std::string type;        ///< "data", "unified", "instruction"
    std::int64_t bytes = 0;  ///< of one
    int shared_by = 1;       ///< CPUs
};

/// What the system says; empty or 0 where it says nothing.
struct MachineFacts {
    std::string cpu;           ///< "AMD EPYC"
    std::string vendor;        ///< "AuthenticAMD"
    std::string family_model;  ///< "family 25 model 17 stepping 1"
    std::string microcode;
    int cpus = 0;  ///< that this process may use
    std::vector<Cache> caches;
    std::int64_t memory_bytes = 0;
    std::string gather_data_sampling;  ///< the kernel's word on slow vector gathers
    std::string huge_pages;            ///< "always", "madvise", "never"
    std::string system;                ///< kernel and C library
};
MachineFacts machine_facts();

/// Size of the largest cache; 32 MiB where the system does not say.
std::int64_t last_level_cache_bytes(const MachineFacts& facts);

/// The CPUs that this process may use.
std::vector<int> allowed_cpus();

/// Confines a thread (0: the calling one) to these CPUs. False where the system refuses.
bool confine(pid_t thread, const std::vector<int>& cpus);

/// The CPUs that a thread is confined to.
std::vector<int> cpus_of(pid_t thread);

/// All threads of this process.
std::vector<pid_t> threads_of_process();

/// Waits until no other thread of this process computes any more (engines keep theirs spinning for
/// a while after a call), at most 0.2 s.
void wait_until_quiet();

/// Reads memory three times the size of the caches (at least 96 MiB), so that nothing else is left
/// in them.
void flush_caches(const MachineFacts& facts);

/// "48 KiB", "1.5 MiB".
std::string bytes_text(std::int64_t bytes);

}  // namespace gathercheck::bench
