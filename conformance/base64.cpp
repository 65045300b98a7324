// SPDX-License-Identifier: Apache-2.0
// Base64 by table, three bytes to four characters.
#include "conformance/base64.hpp"

#include <array>
#include <cstdint>

namespace gathercheck {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t foreign = 0xFF;

constexpr std::array<std::uint8_t, 256> values = [] {
    std::array<std::uint8_t, 256> table{};
    table.fill(foreign);
    for (std::size_t k = 0; k < alphabet.size(); ++k) {
        table[static_cast<unsigned char>(alphabet[k])] = static_cast<std::uint8_t>(k);
    }
    return table;
}();

}  // namespace

std::string base64_encode(std::span<const std::byte> bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t k = 0; k < bytes.size(); k += 3) {
        const std::size_t count = bytes.size() - k < 3 ? bytes.size() - k : 3;
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            group = group << 8U | (j < count ? std::to_integer<std::uint32_t>(bytes[k + j]) : 0U);
        }
        for (std::size_t j = 0; j < 4; ++j) {
            text += j <= count ? alphabet[group >> (18U - 6U * j) & 63U] : '=';
        }
    }
    return text;
}

std::optional<std::vector<std::byte>> base64_decode(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = 0;
    if (text.ends_with("==")) {
        padding = 2;
    } else if (text.ends_with('=')) {
        padding = 1;
    }
    std::vector<std::byte> bytes(text.size() / 4 * 3 - padding);
    std::size_t to = 0;
    for (std::size_t k = 0; k < text.size(); k += 4) {
        const std::size_t characters = k + 4 == text.size() ? 4 - padding : 4;
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 4; ++j) {
            const std::uint8_t value =
                j < characters ? values[static_cast<unsigned char>(text[k + j])] : std::uint8_t{0};
            if (value == foreign) return std::nullopt;
            group = group << 6U | value;
        }
        for (std::size_t j = 0; j < 3; ++j) {
            const auto byte = static_cast<std::byte>(group >> (16U - 8U * j));
            if (j + 1 < characters) {
                bytes[to++] = byte;
            } else if (byte != std::byte{0}) {
                return std::nullopt;
            }
        }
    }
    return bytes;
}

}  // namespace gathercheck
