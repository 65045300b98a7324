// SPDX-License-Identifier: Apache-2.0
// Indices that follow one another, or are all the same, with one of them amiss: only
// some of them are looked at one by one.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "optimized/gather.hpp"
#include "optimized/tests/support.hpp"
#include "reference/reference.hpp"

namespace gathercheck::optimized::test {
namespace {

struct Geometry {
    std::string name;
    Family family;
    Shape data;
    Shape indices;
    /// Index number k where nothing is amiss.
    std::int64_t (*index)(std::int64_t k);
};

const std::vector<Geometry>& geometries() {
    static const std::vector<Geometry> all{
        {"one run", Family::gather, {2600}, {2500}, [](std::int64_t k) { return k + 5; }},
        {"one run of rows", Family::gather, {2600, 3}, {2500}, [](std::int64_t k) { return k; }},
        {"many runs", Family::gather, {2600}, {2500}, [](std::int64_t k) { return k % 600; }},
        {"one index", Family::gather, {2600}, {2500}, [](std::int64_t) { return std::int64_t{9}; }},
        {"rows of equal indices",
         Family::gather_elements,
         {70, 40},
         {62, 40},
         [](std::int64_t k) { return k / 40 * 7 % 70; }},
        {"few long rows",
         Family::gather_elements,
         {70, 1250},
         {2, 1250},
         [](std::int64_t k) { return 3 + k / 1250; }},
        {"a run in each row",
         Family::gather_elements,
         {2, 1250},
         {2, 1250},
         [](std::int64_t k) { return k % 1250; }},
    };
    return all;
}

OwnedCall call_of(OperatorVersion version, const Geometry& geometry, ElementType type) {
    OwnedCall call{};
    call.version = version;
    std::vector<std::int32_t> data(static_cast<std::size_t>(*element_count(geometry.data)));
    for (std::size_t k = 0; k < data.size(); ++k) data[k] = static_cast<std::int32_t>(k * 77 + 1);
    call.data = tensor(ElementType::i32, geometry.data, data);
    const std::int64_t count = *element_count(geometry.indices);
    std::vector<std::int64_t> wide;
    std::vector<std::int32_t> narrow;
    for (std::int64_t k = 0; k < count; ++k) {
        wide.push_back(geometry.index(k));
        narrow.push_back(static_cast<std::int32_t>(wide.back()));
    }
    call.indices = type == ElementType::i64 ? tensor(type, geometry.indices, wide)
                                            : tensor(type, geometry.indices, narrow);
    call.axis = geometry.name == "a run in each row" ? 1 : 0;
    return call;
}

/// "value", or the error's text, and the output where there is none.
template <class Run>
std::pair<std::string, std::vector<std::byte>> answer(OwnedCall& call, Run run) {
    const auto descriptor = reference::output_descriptor(call.call());
    std::vector<std::byte> output(static_cast<std::size_t>(*byte_size(*descriptor)),
                                  std::byte{0xA5});
    const Result<void> done = run(call.call(), std::span<std::byte>(output));
    if (!done) return {to_string(done.error()), {}};
    return {"value", output};
}

void same_as_reference(OwnedCall& call, const std::string& what) {
    const auto expected = answer(call, [](const Call& one, std::span<std::byte> output) {
        return reference::run(one, output);
    });
    for (const Target& target : targets()) {
        if (!target.available()) continue;
        INFO(target.name << ", " << call.text() << ", " << what);
        const auto given = answer(call, [&](const Call& one, std::span<std::byte> output) {
            return target.run(one, output);
        });
        REQUIRE(given.first == expected.first);
        REQUIRE((given.second == expected.second));
    }
}

}  // namespace

TEST_CASE("one index amiss in a run is seen at every place") {
    constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
    for (const OperatorVersion version :
         {OperatorVersion::onnx_gather_13, OperatorVersion::openvino_gather_7,
          OperatorVersion::openvino_gather_8, OperatorVersion::onnx_gather_elements_13}) {
        for (const Geometry& geometry : geometries()) {
            if (info(version).family != geometry.family) continue;
            for (const ElementType type : {ElementType::i32, ElementType::i64}) {
                OwnedCall call = call_of(version, geometry, type);
                same_as_reference(call, geometry.name);
                const std::int64_t s = geometry.data[call.axis];
                const std::int64_t count = *element_count(geometry.indices);
                for (const std::int64_t place :
                     {std::int64_t{0}, std::int64_t{1}, std::int64_t{511}, std::int64_t{512},
                      std::int64_t{1024}, count / 2, count - 1}) {
                    for (const std::int64_t value : {s / 2, s, std::int64_t{-1}, -s - 1,
                                                     type == ElementType::i64 ? smallest : -s}) {
                        const std::vector<std::byte> before = call.indices.contents;
                        set_element_bits(type, call.indices.contents.data(), place,
                                         type == ElementType::i64
                                             ? static_cast<std::uint64_t>(value)
                                             : static_cast<std::uint32_t>(value));
                        same_as_reference(call, geometry.name + " with " + std::to_string(value) +
                                                    " at " + std::to_string(place));
                        call.indices.contents = before;
                    }
                }
            }
        }
    }
}

TEST_CASE("a run that goes past the end is seen") {
    OwnedCall call = call_of(OperatorVersion::onnx_gather_13, geometries()[0], ElementType::i64);
    call.data.shape = Shape{2504};  // the last index is 2504
    same_as_reference(call, "a run past the end");
    call.data.shape = Shape{2505};
    same_as_reference(call, "a run to the end");
}

}  // namespace gathercheck::optimized::test
