// SPDX-License-Identifier: Apache-2.0
// SHA-256 as FIPS 180-4 writes it down.
#include "conformance/util/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gathercheck {
namespace {

constexpr std::array<std::uint32_t, 64> constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

void Sha256::block(const std::byte* bytes) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t) {
        w[t] = std::to_integer<std::uint32_t>(bytes[4 * t]) << 24U |
               std::to_integer<std::uint32_t>(bytes[4 * t + 1]) << 16U |
               std::to_integer<std::uint32_t>(bytes[4 * t + 2]) << 8U |
               std::to_integer<std::uint32_t>(bytes[4 * t + 3]);
    }
    for (std::size_t t = 16; t < 64; ++t) {
        const std::uint32_t s0 =
            std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3U;
        const std::uint32_t s1 =
            std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10U;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t t = 0; t < 64; ++t) {
        const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t choice = (e & f) ^ (~e & g);
        const std::uint32_t t1 = h + s1 + choice + constants[t] + w[t];
        const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        const std::uint32_t t2 = s0 + majority;
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> change{a, b, c, d, e, f, g, h};
    for (std::size_t k = 0; k < state_.size(); ++k) state_[k] += change[k];
}

void Sha256::update(std::span<const std::byte> bytes) {
    auto filled = static_cast<std::size_t>(length_ % 64);
    length_ += bytes.size();
    if (filled != 0) {
        const std::size_t count = std::min(bytes.size(), 64 - filled);
        std::copy_n(bytes.begin(), count, pending_.begin() + static_cast<std::ptrdiff_t>(filled));
        bytes = bytes.subspan(count);
        filled += count;
        if (filled < 64) return;
        block(pending_.data());
    }
    for (; bytes.size() >= 64; bytes = bytes.subspan(64)) block(bytes.data());
    std::copy(bytes.begin(), bytes.end(), pending_.begin());
}

void Sha256::update(std::string_view text) { update(std::as_bytes(std::span(text))); }

std::string Sha256::hex() {
    const std::uint64_t bits = length_ * 8;
    const std::array<std::byte, 64> padding{std::byte{0x80}};
    const std::size_t filled = static_cast<std::size_t>(length_ % 64);
    update(std::span(padding).first(filled < 56 ? 56 - filled : 120 - filled));
    std::array<std::byte, 8> length;
    for (std::size_t k = 0; k < 8; ++k) length[k] = static_cast<std::byte>(bits >> (56 - 8 * k));
    update(length);

    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(64);
    for (const std::uint32_t word : state_) {
        for (int shift = 28; shift >= 0; shift -= 4) text += digits[word >> shift & 15U];
    }
    return text;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
    Sha256 digest;
    digest.update(bytes);
    return digest.hex();
}

std::string sha256_hex(std::string_view text) {
    Sha256 digest;
    digest.update(text);
    return digest.hex();
}

}  // namespace gathercheck
