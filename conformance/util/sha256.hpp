// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4): names of cases and suites by their content, and expected contents by
// digest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gathercheck {

/// A digest in the making.
class Sha256 {
public:
    void update(std::span<const std::byte> bytes);
    void update(std::string_view text);

    /// The digest of all bytes so far, as 64 lower-case hex digits. Ends the object's use.
    std::string hex();

private:
    void block(const std::byte* bytes);

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, 64> pending_{};
    std::uint64_t length_ = 0;  // in bytes
};

/// The digest as 64 lower-case hex digits.
std::string sha256_hex(std::span<const std::byte> bytes);
std::string sha256_hex(std::string_view text);

}  // namespace gathercheck
