// SPDX-License-Identifier: Apache-2.0
// Generated calls: what choices decode to, and how they shrink.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/fuzz/call.hpp"
#include "conformance/fuzz/draft.hpp"
#include "conformance/fuzz/relations.hpp"
#include "conformance/fuzz/shrink.hpp"
#include "conformance/judge/judge.hpp"
#include "conformance/model/routes.hpp"
#include "conformance/mutants/mutants.hpp"
#include "reference/check.hpp"
#include "reference/exercised.hpp"
#include "reference/reference.hpp"

namespace gathercheck {
namespace {

std::vector<ElementType> listed(TypeSet types) {
    std::vector<ElementType> result;
    for (const ElementTypeInfo& row : element_types()) {
        if (types.contains(row.type)) result.push_back(row.type);
    }
    return result;
}

CallSpace space_of(OperatorVersion version) {
    const OperatorInfo& op = info(version);
    CallSpace space;
    space.versions.push_back({version, listed(op.data_types), listed(op.indices_types)});
    space.thresholds = usual_thresholds();
    return space;
}

bool same(const GeneratedCall& a, const GeneratedCall& b) {
    const auto same_inputs = [](const GeneratedCall::Inputs& x, const GeneratedCall::Inputs& y) {
        return std::ranges::equal(x, y, [](const auto& p, const auto& q) {
            return p.first == q.first && p.second.type == q.second.type &&
                   p.second.shape == q.second.shape &&
                   (p.second.type == ElementType::string || p.second.contents == q.second.contents);
        });
    };
    return a.version == b.version && a.route == b.route && same_inputs(a.inputs, b.inputs) &&
           std::ranges::equal(a.attributes, b.attributes, [](const auto& x, const auto& y) {
               return x.name == y.name && x.value == y.value;
           });
}

/// The output that code gives, or the reference for versions that it does not claim; nothing where
/// it refuses the call.
std::optional<Tensor> output_of(const BuiltIn& with_bug, const GeneratedCall& made) {
    const bool claimed = std::ranges::any_of(with_bug.claims, [&](const Claim& claim) {
        return std::ranges::find(claim.versions, made.version) != claim.versions.end();
    });
    const BuiltIn& code = claimed ? with_bug : unchanged().built_in;
    const Call call = made.view();
    const Result<Descriptor> described = code.output_descriptor(call);
    if (!described) return std::nullopt;
    Tensor output{described->type, described->shape, {}, nullptr};
    output.contents.resize(static_cast<std::size_t>(byte_size(*described).value_or(0)));
    if (!code.run(call, output.contents)) return std::nullopt;
    return output;
}

/// How often each relation was asked, and how often it did not hold.
struct Held {
    int asked = 0;
    int broken = 0;
};

std::map<std::string, Held> relations_of(const BuiltIn& code, OperatorVersion version) {
    std::map<std::string, Held> held;
    CallSpace space = space_of(version);
    // So that Gather can be asked as GatherND.
    space.versions.push_back(space_of(OperatorVersion::onnx_gather_nd_13).versions.front());
    for (CallsOfVersion& of : space.versions) std::erase(of.data, ElementType::string);
    for (std::uint64_t number = 0; number < 1200; ++number) {
        Choices choices = Choices::of_seed(seed_of_call(9, number));
        const GeneratedCall made = generate(choices, space);
        const std::optional<Tensor> output = output_of(code, made);
        if (!output) continue;
        for (const RelatedCalls& related : related_calls(made, *output, space)) {
            std::vector<Tensor> outputs;
            for (const GeneratedCall& other : related.calls) {
                if (auto one = output_of(code, other)) outputs.push_back(std::move(*one));
            }
            if (outputs.size() != related.calls.size()) continue;
            const std::optional<Tensor> combined = related.combined(outputs);
            if (!combined) continue;
            Held& one = held[std::string(related.relation)];
            ++one.asked;
            one.broken += same_tensor(*combined, *output) ? 0 : 1;
        }
    }
    return held;
}

const BuiltIn& mutant(std::string_view name) {
    return std::ranges::find(mutants(), name, &Mutant::name)->built_in;
}

}  // namespace

TEST_CASE("every relation between calls holds on the reference") {
    std::map<std::string, int> asked;
    for (const OperatorInfo& op : operator_versions()) {
        for (const auto& [relation, held] : relations_of(unchanged().built_in, op.version)) {
            CAPTURE(op.name, relation);
            CHECK(held.broken == 0);
            asked[relation] += held.asked;
        }
    }
    CHECK(asked.size() == 7);  // by other routes: where there are several
    for (const auto& [relation, count] : asked) {
        CAPTURE(relation);
        CHECK(count > 50);
    }
}

TEST_CASE("relations do not hold on planted bugs, without an oracle", "[release]") {
    const auto breaks = [](std::string_view bug, OperatorVersion version, const char* relation) {
        CAPTURE(bug, relation);
        CHECK(relations_of(mutant(bug), version)[relation].broken > 0);
    };
    using enum OperatorVersion;
    breaks("indices-sorted", onnx_gather_13, "indices reversed: slices reversed");
    breaks("data-column-major", onnx_gather_13, "the axis moved to the front: the same slices");
    breaks("data-column-major", onnx_gather_elements_13,
           "the axis swapped with the first dimension: so is the output");
    breaks("indices-of-first-batch", openvino_gather_8, "batch_dims is a loop over batches");
    breaks("last-element-missing", onnx_gather_13, "indices in two parts: their outputs joined");
    breaks("indices-sorted", onnx_gather_13, "gathered again in reverse: reversed");
    breaks("tuples-sorted", onnx_gather_13,
           "Gather along the first dimension is GatherND of tuples of one");
}

TEST_CASE("choices made again, and their bytes, decode to the same call") {
    for (const OperatorInfo& op : operator_versions()) {
        const CallSpace space = space_of(op.version);
        for (std::uint64_t number = 0; number < 200; ++number) {
            Choices random = Choices::of_seed(seed_of_call(1, number));
            const GeneratedCall made = generate(random, space);
            Choices again = Choices::of_sequence(random.made());
            CHECK(same(made, generate(again, space)));
            CHECK(again.made() == random.made());
            const std::vector<std::byte> bytes = random.as_bytes();
            Choices of_bytes = Choices::of_bytes(bytes);
            CHECK(same(made, generate(of_bytes, space)));
        }
    }
}

TEST_CASE("no choices at all decode to a legal call of a single element") {
    for (const OperatorInfo& op : operator_versions()) {
        CAPTURE(op.name);
        Choices none = Choices::of_sequence({});
        const GeneratedCall made = generate(none, space_of(op.version));
        const Result<CheckedCall> checked = check(made.view());
        REQUIRE(checked.ok());
        CHECK(check_index_values(*checked).ok());
        CHECK(element_count(checked->data.shape) == 1);
        CHECK(element_count(checked->output.shape) == 1);
    }
}

TEST_CASE("every check of every version is broken by some calls, and most calls are legal") {
    for (const OperatorInfo& op : operator_versions()) {
        CAPTURE(op.name);
        CallSpace space = space_of(op.version);
        space.described = true;
        std::map<Check, int> broken;
        int legal = 0;
        constexpr int calls = 6000;
        for (std::uint64_t number = 0; number < calls; ++number) {
            Choices choices = Choices::of_seed(seed_of_call(7, number));
            const GeneratedCall made = generate(choices, space);
            const Exercised came_to = exercised(made.view());
            if (came_to.broken) {
                ++broken[*came_to.broken];
            } else {
                ++legal;
            }
        }
        CHECK(legal > calls / 2);
        CHECK(legal < calls * 9 / 10);
        for (std::size_t k = 0; k < check_count; ++k) {
            const Check check{static_cast<std::uint8_t>(k)};
            if (op.check_rules[k].empty()) continue;
            // Its sizes are drawn to fit, and where indices out of bounds mean something they break
            // nothing.
            const bool fits = op.family == Family::stablehlo_gather;
            if (check == Check::output_size && fits) continue;
            if (check == Check::index_range && op.out_of_bounds != OutOfBounds::reject) continue;
            CAPTURE(k, op.check_rules[k]);
            CHECK(broken[check] > 0);
        }
    }
}

TEST_CASE("batch_dims is wrong also where everything else fits it") {
    struct Met {
        OperatorVersion version;
        int met = 0;
    };
    using enum OperatorVersion;
    // Equal sizes in all dimensions of a batch and tuples that are not too long: nothing else would
    // make an engine refuse it.
    std::vector<Met> all{{onnx_gather_nd_13}, {openvino_gather_8}, {openvino_gather_nd_8}};
    for (Met& one : all) {
        const CallSpace space = space_of(one.version);
        for (std::uint64_t number = 0; number < 20000; ++number) {
            Choices choices = Choices::of_seed(seed_of_call(11, number));
            const GeneratedCall made = generate(choices, space);
            const auto broken = exercised(made.view()).broken;
            if (broken != Check::batch_dims_range && broken != Check::batch_dims_le_axis) continue;
            const auto named = std::ranges::find(made.attributes, "batch_dims", &Attribute::name);
            if (named == made.attributes.end()) continue;
            const auto* batch_dims = std::get_if<std::int64_t>(&named->value);
            const Shape& data = made.input("data")->shape;
            const Shape& indices = made.input("indices")->shape;
            if (batch_dims == nullptr || *batch_dims < 1 || data.rank() < 2) continue;
            const auto least = static_cast<std::int64_t>(std::min(data.rank(), indices.rank()));
            if (*batch_dims > least) continue;
            one.met +=
                std::equal(data.begin(), data.begin() + *batch_dims, indices.begin()) ? 1 : 0;
        }
        CAPTURE(info(one.version).name);
        CHECK(one.met > 15);
    }
}

TEST_CASE("batch dimensions differ also where there are as many batches") {
    bool met = false;
    const CallSpace space = space_of(OperatorVersion::onnx_gather_nd_13);
    for (std::uint64_t number = 0; number < 20000 && !met; ++number) {
        Choices choices = Choices::of_seed(seed_of_call(12, number));
        const GeneratedCall made = generate(choices, space);
        if (exercised(made.view()).broken != Check::batch_shape) continue;
        const Shape& data = made.input("data")->shape;
        const Shape& indices = made.input("indices")->shape;
        met = data.rank() > 1 && indices.rank() > 2 && data[0] == indices[1] &&
              data[1] == indices[0] && data[0] > 0 && data[1] > 0;
    }
    CHECK(met);
}

TEST_CASE("a surplus input never comes in the place of one that is left out") {
    using enum OperatorVersion;
    for (const OperatorVersion version : {onnx_gather_13, onnx_gather_nd_13, openvino_gather_8}) {
        const CallSpace space = space_of(version);
        const OperatorInfo& op = info(version);
        CAPTURE(op.name);
        const std::size_t all = op.axis == AxisSource::input ? 3 : 2;
        int met = 0;
        for (std::uint64_t number = 0; number < 20000; ++number) {
            Choices choices = Choices::of_seed(seed_of_call(13, number));
            const GeneratedCall made = generate(choices, space);
            if (made.input("surplus") == nullptr) continue;
            CAPTURE(number);
            CHECK(made.inputs.size() == all + 1);
            ++met;
        }
        CHECK(met > 0);
    }
}

TEST_CASE("a batch_dims out of range is next to it, beyond every rank, or wider than 32 bits") {
    CallSpace space = space_of(OperatorVersion::onnx_gather_nd_13);
    std::map<std::string_view, int> met;
    for (std::uint64_t number = 0; number < 20000; ++number) {
        Choices choices = Choices::of_seed(seed_of_call(5, number));
        const GeneratedCall made = generate(choices, space);
        const Call call = made.view();
        if (exercised(call).broken != Check::batch_dims_range) continue;
        const auto* batch_dims = call.attribute<std::int64_t>("batch_dims");
        if (batch_dims == nullptr) continue;
        const bool is_near = std::abs(*batch_dims) <= 16;
        const bool is_wide = *batch_dims > INT32_MAX || *batch_dims < INT32_MIN;
        ++met[is_near ? "near" : is_wide ? "wide" : "beyond every rank"];
    }
    CHECK(met["near"] > 20);
    CHECK(met["beyond every rank"] > 5);
    CHECK(met["wide"] > 20);
}

TEST_CASE("with legal_only no call breaks a check") {
    for (const OperatorInfo& op : operator_versions()) {
        CAPTURE(op.name);
        CallSpace space = space_of(op.version);
        space.legal_only = true;
        space.described = true;
        for (std::uint64_t number = 0; number < 3000; ++number) {
            CAPTURE(number);
            Choices choices = Choices::of_seed(seed_of_call(3, number));
            const GeneratedCall made = generate(choices, space);
            const Exercised came_to = exercised(made.view());
            if (came_to.broken) {
                FAIL("breaks check " << static_cast<int>(*came_to.broken));
            }
        }
    }
}

TEST_CASE("described calls come by the route of described calls") {
    int described = 0;
    for (const OperatorVersion version :
         {OperatorVersion::onnx_gather_13, OperatorVersion::openvino_gather_nd_8}) {
        CallSpace space = space_of(version);
        space.versions.front().routes = routes(version);
        space.described = true;
        for (std::uint64_t number = 0; number < 1000; ++number) {
            Choices choices = Choices::of_seed(seed_of_call(9, number));
            const GeneratedCall made = generate(choices, space);
            if (!made.described) continue;
            ++described;
            CAPTURE(number);
            CHECK(made.route == Route{});
        }
    }
    CHECK(described > 20);
}

TEST_CASE("where models are kept, one model serves all calls of a sequence") {
    int sequences = 0;
    int with_other_axis = 0;
    for (const OperatorInfo& op : operator_versions()) {
        CallSpace space = space_of(op.version);
        space.versions.front().routes = routes(op.version);
        space.sequences = true;
        for (std::uint64_t number = 0; number < 4000; ++number) {
            CAPTURE(op.name, number);
            Choices choices = Choices::of_seed(seed_of_call(5, number));
            const GeneratedCall made = generate(choices, space);
            sequences += made.earlier.empty() ? 0 : 1;
            for (const GeneratedCall::Inputs& earlier : made.earlier) {
                REQUIRE(earlier.size() == made.inputs.size());
                for (std::size_t k = 0; k < earlier.size(); ++k) {
                    const auto& [name, tensor] = made.inputs[k];
                    const Tensor& other = earlier[k].second;
                    CAPTURE(name);
                    REQUIRE(other.type == tensor.type);
                    REQUIRE(other.shape.rank() == tensor.shape.rank());
                    if (made.route.shapes == Shapes::fixed) REQUIRE(other.shape == tensor.shape);
                    if (name != "axis") continue;
                    if (made.route.axis == AxisOperand::constant) {
                        REQUIRE(other.contents == tensor.contents);
                    } else {
                        with_other_axis += other.contents == tensor.contents ? 0 : 1;
                    }
                }
            }
        }
    }
    CHECK(sequences > 1000);
    CHECK(with_other_axis > 0);
}

TEST_CASE("whatever the choices, no call makes more elements than its space allows") {
    for (const OperatorInfo& op : operator_versions()) {
        for (const bool keeps_models : {false, true}) {
            CAPTURE(op.name, keeps_models);
            CallSpace space = space_of(op.version);
            space.versions.front().routes = routes(op.version);
            space.sequences = true;
            space.keeps_models = keeps_models;
            // The choices of a seed are usual ones; here each is as likely the first, the last or
            // one of the first few, as in what shrinking tries.
            std::mt19937_64 random(11);
            for (int number = 0; number < 6000; ++number) {
                Choices::Sequence sequence(300);
                for (std::uint64_t& choice : sequence) {
                    const std::uint64_t drawn = random();
                    choice = drawn % 4 == 0   ? 0
                             : drawn % 4 == 1 ? ~std::uint64_t{0}
                                              : (drawn >> 8U) % (drawn % 4 == 2 ? 8 : 300);
                }
                Choices choices = Choices::of_sequence(sequence);
                const GeneratedCall made = generate(choices, space);
                std::vector<Call> calls{made.view()};
                for (const auto& inputs : made.earlier) calls.push_back(made.view(inputs));
                if (calls.size() > 1) {
                    CAPTURE(number, to_string(calls.front().inputs.front().tensor.shape));
                    const Shape& data = calls.front().inputs.front().tensor.shape;
                    REQUIRE(elements_of({data.begin(), data.end()}) <= space.largest);
                }
                for (const Call& call : calls) {
                    const Result<Descriptor> output = reference::output_descriptor(call);
                    if (!output) continue;
                    CAPTURE(number, to_string(output->shape));
                    REQUIRE(element_count(output->shape).value_or(space.largest + 1) <=
                            space.largest);
                }
            }
        }
    }
}

TEST_CASE("of large calls some have nearly all elements in one dimension", "[release]") {
    CallSpace space = space_of(OperatorVersion::openvino_gather_8);
    space.versions.front().data = {ElementType::u8};
    space.largest = std::int64_t{1} << 20;
    const std::int64_t beyond_thresholds = space.thresholds.back() + 2;
    std::map<std::string, int> large;
    for (std::uint64_t number = 0; number < 60'000; ++number) {
        Choices choices = Choices::of_seed(seed_of_call(3, number));
        const GeneratedCall made = generate(choices, space);
        for (const auto& [name, tensor] : made.inputs) {
            if (tensor.contents.empty() || name == "axis") continue;
            large[name] += std::ranges::any_of(
                tensor.shape.dims(), [&](std::int64_t dim) { return dim >= beyond_thresholds; });
        }
    }
    CHECK(large["data"] >= 3);
    CHECK(large["indices"] >= 3);
}

TEST_CASE("an axis that its type cannot hold makes no giant output") {
    const CallSpace space = space_of(OperatorVersion::openvino_gather_7);
    for (std::uint64_t number = 0; number < 100000; ++number) {
        Choices choices = Choices::of_seed(seed_of_call(3, number));
        const GeneratedCall made = generate(choices, space);
        const Result<Descriptor> output = reference::output_descriptor(made.view());
        if (!output) continue;
        INFO(number << ": " << to_string(output->shape));
        REQUIRE(element_count(output->shape).value_or(space.largest + 1) <= space.largest);
    }
}

TEST_CASE("what shrinks is as simple as what it shows allows") {
    // A call of Gather-13 with a negative index and data of rank 2 or more.
    const CallSpace space = space_of(OperatorVersion::onnx_gather_13);
    const auto shows = [&](const Choices::Sequence& candidate) -> std::optional<Choices::Sequence> {
        Choices choices = Choices::of_sequence(candidate);
        const GeneratedCall made = generate(choices, space);
        const Call call = made.view();
        const TensorView* data = call.input("data");
        const TensorView* indices = call.input("indices");
        if (exercised(call).broken || data->shape.rank() < 2) return std::nullopt;
        const std::int64_t count = *element_count(indices->shape);
        for (std::int64_t k = 0; k < count; ++k) {
            if (integer_element(indices->type, indices->contents, k) < 0) return choices.made();
        }
        return std::nullopt;
    };
    int found = 0;
    for (std::uint64_t number = 0; number < 500; ++number) {
        Choices choices = Choices::of_seed(seed_of_call(5, number));
        (void)generate(choices, space);
        if (!shows(choices.made())) continue;
        ++found;
        const Choices::Sequence small = shrink(choices.made(), 3000, shows);
        CHECK(shrink(choices.made(), 3000, shows) == small);
        Choices again = Choices::of_sequence(small);
        const Call call = generate(again, space).view();
        CAPTURE(number);
        CHECK(call.inputs.front().tensor.shape == Shape{1, 1});
        CHECK(*element_count(call.input("indices")->shape) == 1);
    }
    CHECK(found > 20);
}

TEST_CASE("shrinking asks no more often than it may") {
    int asked = 0;
    const Choices::Sequence long_one(100, 1000);
    const auto never = [&](const Choices::Sequence&) -> std::optional<Choices::Sequence> {
        ++asked;
        return std::nullopt;
    };
    CHECK(shrink(long_one, 50, never) == long_one);
    CHECK(asked == 50);
}

TEST_CASE("of many calls those are left that are needed") {
    std::vector<std::uint64_t> calls(1000);
    std::iota(calls.begin(), calls.end(), 7);
    int asked = 0;
    const auto needs_two = [&](std::span<const std::uint64_t> few) {
        ++asked;
        return std::ranges::count(few, 300) == 1 && std::ranges::count(few, 900) == 1;
    };
    CHECK(needed_of(calls, 100, needs_two) == std::vector<std::uint64_t>{300, 900});
    CHECK(asked <= 100);
    CHECK(needed_of(calls, 1, needs_two).size() == calls.size());  // neither half has both
    CHECK(needed_of(calls, 100, [](auto) { return true; }).empty());
}

}  // namespace gathercheck
