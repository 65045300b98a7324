// SPDX-License-Identifier: Apache-2.0
// Base64 by tables: two characters at once out, a character's place in its group at once in.
#include "conformance/util/base64.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace gathercheck {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The two characters of each twelve bits.
using Pair = std::array<char, 2>;
constexpr std::array<Pair, 4096> pairs = [] {
    std::array<Pair, 4096> table{};
    for (std::size_t k = 0; k < table.size(); ++k) {
        table[k] = {alphabet[k >> 6U], alphabet[k & 63U]};
    }
    return table;
}();

/// Beyond the 24 bits of a group: the character is none of the alphabet.
constexpr std::uint32_t foreign = std::uint32_t{1} << 24U;

/// The bits of each character as first to fourth of a group.
using Bits = std::array<std::uint32_t, 256>;
constexpr std::array<Bits, 4> bits = [] {
    std::array<Bits, 4> tables{};
    for (std::size_t j = 0; j < tables.size(); ++j) {
        tables[j].fill(foreign);
        for (std::size_t k = 0; k < alphabet.size(); ++k) {
            tables[j][static_cast<unsigned char>(alphabet[k])] =
                static_cast<std::uint32_t>(k << (18U - 6U * j));
        }
    }
    return tables;
}();

std::uint32_t bits_of(const char* group, std::size_t j) {
    return bits[j][static_cast<unsigned char>(group[j])];
}

void write_pair(char* to, std::uint64_t twelve) { std::memcpy(to, pairs[twelve].data(), 2); }

/// Eight bytes, the first of which is the highest of the number.
std::uint64_t load_big_endian(const std::byte* from) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, sizeof word);
    return std::endian::native == std::endian::big ? word : __builtin_bswap64(word);
}

}  // namespace

void append_base64(std::string& text, std::span<const std::byte> bytes) {
    const std::size_t start = text.size();
    text.resize(start + (bytes.size() + 2) / 3 * 4, '=');
    char* to = text.data() + start;
    const auto byte = [&](std::size_t k) { return std::to_integer<std::uint32_t>(bytes[k]); };
    std::size_t k = 0;
    for (; k + 8 <= bytes.size(); k += 6, to += 8) {  // eight are loaded, six are written
        const std::uint64_t word = load_big_endian(bytes.data() + k);
        write_pair(to, word >> 52U);
        write_pair(to + 2, word >> 40U & 4095U);
        write_pair(to + 4, word >> 28U & 4095U);
        write_pair(to + 6, word >> 16U & 4095U);
    }
    const std::size_t rest = bytes.size() % 3;
    const std::size_t whole = bytes.size() - rest;
    for (; k < whole; k += 3, to += 4) {
        const std::uint32_t group = byte(k) << 16U | byte(k + 1) << 8U | byte(k + 2);
        write_pair(to, group >> 12U);
        write_pair(to + 2, group & 4095U);
    }
    if (rest == 0) return;
    const std::uint32_t group = byte(whole) << 16U | (rest == 2 ? byte(whole + 1) << 8U : 0U);
    write_pair(to, group >> 12U);
    if (rest == 2) to[2] = alphabet[group >> 6U & 63U];
}

std::optional<std::vector<std::byte>> base64_decode(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    if (text.empty()) return std::vector<std::byte>();
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    std::vector<std::byte> bytes(text.size() / 4 * 3 - padding);
    std::byte* to = bytes.data();
    const char* from = text.data();
    const char* const last = from + text.size() - 4;
    std::uint32_t seen = 0;
    for (; from != last; from += 4, to += 3) {
        const std::uint32_t group =
            bits_of(from, 0) | bits_of(from, 1) | bits_of(from, 2) | bits_of(from, 3);
        seen |= group;
        to[0] = static_cast<std::byte>(group >> 16U);
        to[1] = static_cast<std::byte>(group >> 8U);
        to[2] = static_cast<std::byte>(group);
    }
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 4 - padding; ++j) group |= bits_of(last, j);
    for (std::size_t j = 0; j < 3 - padding; ++j) {
        to[j] = static_cast<std::byte>(group >> (16U - 8U * j));
    }
    const std::uint32_t behind = group & ((std::uint32_t{1} << 8U * padding) - 1U);
    if (((seen | group) & foreign) != 0 || behind != 0) return std::nullopt;
    return bytes;
}

}  // namespace gathercheck
