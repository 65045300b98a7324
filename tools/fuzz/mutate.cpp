// SPDX-License-Identifier: Apache-2.0
// Values, lines and bytes put in the place of others.
#include "tools/fuzz/mutate.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gathercheck::fuzz {
namespace {

constexpr std::array<std::string_view, 40> hostile{"null",
                                                   "true",
                                                   "0",
                                                   "-1",
                                                   "-0",
                                                   "1e400",
                                                   "1e-400",
                                                   "3.7",
                                                   "nan",
                                                   "9223372036854775807",
                                                   "-9223372036854775808",
                                                   "18446744073709551616",
                                                   "4294967296",
                                                   "[]",
                                                   "{}",
                                                   "[[]]",
                                                   "\"\"",
                                                   "\"f32\"",
                                                   "\"\\u0000\"",
                                                   "\"\\ud800\"",
                                                   "\"<script>alert(1)</script>\"",
                                                   "\"\\u001b[31m\"",
                                                   "\"\\u009b31m\"",
                                                   "\"\\u202e\"",
                                                   "\"]]>\"",
                                                   "\"|`*_#\"",
                                                   "\"../../../etc/passwd\"",
                                                   "\"con..trol\"",
                                                   "\"$axis\"",
                                                   "\"exec:true\"",
                                                   "[4611686018427387904,4]",
                                                   "[0,9223372036854775807]",
                                                   "[-1]",
                                                   "{\"address\":1}",
                                                   "{\"values\":[1]}",
                                                   "\"string\"",
                                                   "\"u4\"",
                                                   "\"c128\"",
                                                   "[1,\"x\",null]",
                                                   "{\"a\":{\"a\":{\"a\":1}}}"};

/// Begin and end of a JSON scalar or container that starts at or after a place.
std::pair<std::size_t, std::size_t> value_at(const std::string& text, std::size_t place) {
    const std::size_t begin = text.find_first_of("\"[{0123456789-tfn", place);
    if (begin == std::string::npos) return {text.size(), text.size()};
    if (text[begin] == '"') {
        std::size_t end = begin + 1;
        while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
        return {begin, std::min(end + 1, text.size())};
    }
    if (text[begin] == '[' || text[begin] == '{') {
        int depth = 0;
        for (std::size_t end = begin; end < text.size(); ++end) {
            if (text[end] == '[' || text[end] == '{') ++depth;
            if ((text[end] == ']' || text[end] == '}') && --depth == 0) return {begin, end + 1};
        }
        return {begin, text.size()};
    }
    return {begin, std::min(text.find_first_of(",]} \n", begin), text.size())};
}

}  // namespace

void mutate_once(std::string& text, Random& random, const std::vector<std::string>& seeds) {
    constexpr std::string_view bytes = "{}[]\",:-0129.eE+$ntfa\\u\xff\xc3\x01\x1b \n";
    if (text.empty()) text = " ";
    const std::size_t place = random.below(text.size());
    const auto line = [&] {
        const std::size_t begin = text.rfind('\n', place);
        const std::size_t from = begin == std::string::npos ? 0 : begin + 1;
        return std::pair(from, std::min(text.find('\n', from), text.size() - 1) + 1);
    };
    switch (random.below(9)) {
        case 0:
            text[place] = bytes[random.below(bytes.size())];
            break;
        case 1:
            text.insert(place, 1, bytes[random.below(bytes.size())]);
            break;
        case 2:
            text.erase(place, random.below(30) + 1);
            break;
        case 3:
        case 4: {  // a value in place of another
            const auto [begin, end] = value_at(text, place);
            text.replace(begin, end - begin, hostile[random.below(hostile.size())]);
            break;
        }
        case 5: {  // a value that stands elsewhere
            const auto [begin, end] = value_at(text, place);
            const std::string& other = seeds[random.below(seeds.size())];
            const auto [first, last] = value_at(other, random.below(other.size()));
            text.replace(begin, end - begin, other, first, last - first);
            break;
        }
        case 6: {  // the same again, and again
            const auto [begin, end] = value_at(text, place);
            if (end - begin > 2000 || begin == end) break;
            const std::string value = text.substr(begin, end - begin);
            std::string many = value;
            for (std::size_t k = random.below(2) == 0 ? 1 : random.below(1000); k > 0; --k) {
                many += "," + value;
            }
            text.replace(begin, end - begin, many);
            break;
        }
        case 7: {  // a line twice
            const auto [begin, end] = line();
            text.insert(begin, text.substr(begin, end - begin));
            break;
        }
        default: {  // a line less
            const auto [begin, end] = line();
            text.erase(begin, end - begin);
            break;
        }
    }
}

std::string mutate_text(Random& random, const std::vector<std::string>& seeds) {
    std::string text = seeds[random.below(seeds.size())];
    for (std::size_t times = random.below(4) + 1; times > 0; --times) {
        mutate_once(text, random, seeds);
        if (text.size() > largest_input) text.resize(largest_input);
    }
    return text;
}

}  // namespace gathercheck::fuzz
