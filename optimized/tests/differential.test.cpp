// SPDX-License-Identifier: Apache-2.0
// Random calls of all versions: every target against the reference, between guard
// pages.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <optional>

#include "optimized/cpu.hpp"
#include "optimized/execute/execute.hpp"
#include "optimized/tests/executors.hpp"
#include "optimized/tests/support.hpp"
#include "reference/reference.hpp"

namespace gathercheck::optimized::test {
namespace {

/// Mostly small dimensions, sometimes one that fills vectors, sometimes none.
std::int64_t random_dim(Random& random, bool long_one) {
    if (random.one_in(40)) return 0;
    return long_one ? random.between(1, 150) : random.between(1, 4);
}

Shape random_shape(Random& random, std::int64_t rank) {
    const std::int64_t long_dim =
        random.one_in(2) ? random.between(0, std::max<std::int64_t>(rank - 1, 0)) : -1;
    Shape shape;
    for (std::int64_t k = 0; k < rank; ++k) shape.push_back(random_dim(random, k == long_dim));
    return shape;
}

void set_index(OwnedCall& call, std::int64_t k, std::int64_t value) {
    const auto width = static_cast<unsigned>(bits(call.indices.type));
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    set_element_bits(call.indices.type, call.indices.contents.data(), k,
                     static_cast<std::uint64_t>(value) & mask);
}

/// Index values: legal ones, negative ones now and then, and in some calls a few
/// that are out of bounds or anything at all.
void fill_indices(Random& random, OwnedCall& call) {
    const OperatorInfo& op = info(call.version);
    const std::int64_t count = *element_count(call.indices.shape);
    const std::int64_t rank = call.indices.shape.rank();
    const bool tuples = op.family == Family::gather_nd;
    const std::int64_t n = tuples ? call.indices.shape[rank - 1] : 1;
    const bool is_signed = info(call.indices.type).kind == ElementKind::signed_integer;
    const bool negatives = op.negative_indices && is_signed && random.one_in(2);
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t s = call.data.shape[tuples ? call.batch_dims + k % n : call.axis];
        set_index(call, k, s == 0 ? 0 : random.between(negatives ? -s : 0, s - 1));
    }
    // Runs of equal and of consecutive indices.
    if (count > 0 && random.one_in(4)) {
        const std::int64_t step = random.between(0, 1);
        const std::int64_t run = random.between(1, count);
        for (std::int64_t k = n; k < count; ++k) {
            const std::int64_t s = call.data.shape[tuples ? call.batch_dims + k % n : call.axis];
            if (s == 0 || k / n % run == 0) continue;
            const auto before =
                integer_element(call.indices.type, call.indices.contents.data(), k - n);
            const std::int64_t next = *before + (k % n == n - 1 ? step : 0);
            if (next < s) set_index(call, k, next);
        }
    }
    if (count > 0 && random.one_in(op.out_of_bounds == OutOfBounds::zero ? 2 : 5)) {
        for (std::int64_t wrong = random.between(1, 3); wrong > 0; --wrong) {
            const std::int64_t k = random.between(0, count - 1);
            const std::int64_t s = call.data.shape[tuples ? call.batch_dims + k % n : call.axis];
            switch (random.between(0, 4)) {
                case 0:
                    set_index(call, k, s);
                    break;
                case 1:
                    set_index(call, k, -s - 1);
                    break;
                case 2:
                    set_index(call, k, -1);
                    break;
                case 3:  // the smallest signed number of the type
                    set_index(call, k, std::int64_t{1} << (bits(call.indices.type) - 1));
                    break;
                case 4:
                    set_index(call, k, random.between(INT64_MIN, INT64_MAX));
                    break;
            }
        }
    }
}

/// Each family with each meaning of an index out of bounds, negative ones taken or not, and what
/// else no enumerated version has.
void declare_further_versions() {
    for (const OperatorVersion like :
         {OperatorVersion::openvino_gather_8, OperatorVersion::onnx_gather_elements_13,
          OperatorVersion::openvino_gather_nd_8}) {
        for (const OutOfBounds beyond : {OutOfBounds::zero, OutOfBounds::clamp}) {
            for (const bool negative : {false, true}) {
                OperatorInfo row = info(like);
                const std::string name = std::string(row.name) + " " +
                                         std::to_string(static_cast<int>(beyond)) +
                                         (negative ? " negative" : "");
                row.name = name;
                row.out_of_bounds = beyond;
                row.negative_indices = negative;
                row.indices_types = info(OperatorVersion::openvino_gather_8).indices_types;
                if (negative) row.other_dims = OtherDims::broadcast;
                REQUIRE(std::holds_alternative<OperatorVersion>(declare(row)));
            }
        }
    }
}

OwnedCall random_call(Random& random) {
    OwnedCall call{};
    call.version = static_cast<OperatorVersion>(
        random.between(0, static_cast<int>(operator_versions().size()) - 1));
    const OperatorInfo& op = info(call.version);
    call.data.type = random.type(op.data_types);
    call.indices.type = random.type(op.indices_types);
    call.data.shape = random_shape(random, random.between(1, 5));
    const std::int64_t N = call.data.shape.rank();
    if (op.axis != AxisSource::none) call.axis = random.between(0, N - 1);
    const std::int64_t most_batch_dims =
        op.batch_dims == BatchDims::none ? 0 : (op.family == Family::gather ? call.axis : N - 1);
    call.batch_dims = random.one_in(2) ? 0 : random.between(0, most_batch_dims);

    switch (op.family) {
        case Family::gather:
            call.indices.shape = call.data.shape.slice(0, call.batch_dims);
            for (const std::int64_t dim : random_shape(random, random.between(0, 3))) {
                call.indices.shape.push_back(dim);
            }
            break;
        case Family::gather_elements:
            call.indices.shape = call.data.shape;
            for (std::int64_t k = 0; k < N; ++k) {
                const bool smaller = op.other_dims == OtherDims::not_larger && random.one_in(4);
                if (smaller) call.indices.shape[k] = random.between(0, call.data.shape[k]);
                if (op.other_dims == OtherDims::broadcast && random.one_in(3)) {
                    (random.one_in(2) ? call.indices : call.data).shape[k] = 1;
                }
            }
            call.indices.shape[call.axis] = random_dim(random, random.one_in(3));
            break;
        case Family::gather_nd:
            call.indices.shape = call.data.shape.slice(0, call.batch_dims);
            for (const std::int64_t dim : random_shape(random, random.between(0, 2))) {
                call.indices.shape.push_back(dim);
            }
            call.indices.shape.push_back(random.between(1, N - call.batch_dims));
            break;
    }
    if (op.axis != AxisSource::none && random.one_in(2)) call.axis -= N;
    call.data.contents =
        random.bytes(static_cast<std::size_t>(*byte_size({call.data.type, call.data.shape})));
    call.indices.contents.resize(
        static_cast<std::size_t>(*byte_size({call.indices.type, call.indices.shape})));
    const std::int64_t given = call.axis;
    if (call.axis < 0) call.axis += N;
    fill_indices(random, call);
    call.axis = given;
    return call;
}

/// What an implementation did with a call: its error, and what is in the output
/// afterwards.
struct Answer {
    std::optional<Error> error;
    std::vector<std::byte> output;
};

/// After an error the contents of an output are unspecified.
bool same(const Answer& a, const Answer& b) {
    if (a.error.has_value() != b.error.has_value()) return false;
    return a.error ? to_string(*a.error) == to_string(*b.error) : a.output == b.output;
}

/// No tensor of a random call has more elements, and none more bytes than the
/// buffers: whole pages, so that both ends lie at one.
constexpr std::int64_t most_elements = 16384;
constexpr std::size_t most_bytes = most_elements * 16;

struct Buffers {
    Guarded data{most_bytes, Flush::at_start};
    Guarded indices{most_bytes, Flush::at_start};
    Guarded output{most_bytes, Flush::at_start};
};

template <class Run>
Answer answer(const Buffers& buffers, OwnedCall& owned, std::size_t size, Flush flush, Run run) {
    const auto data = buffers.data.place(owned.data.contents, flush);
    const auto indices = buffers.indices.place(owned.indices.contents, flush);
    const auto output = buffers.output.place(filled(size, 0xA5), flush);
    const auto error = run(owned.call(data.data(), indices.data()), output);
    return {error, {output.begin(), output.end()}};
}

bool small(OwnedCall& owned) {
    const auto output = reference::output_descriptor(owned.call());
    return *element_count(owned.data.shape) <= most_elements &&
           *element_count(owned.indices.shape) <= most_elements && output.ok() &&
           *element_count(output->shape) <= most_elements;
}

template <class T>
std::optional<Error> error_of(const Result<T>& result) {
    if (result) return std::nullopt;
    return result.error();
}

TEST_CASE("every target gives the reference's answer to random calls", "[random]") {
    constexpr std::uint64_t seed = 20240229;
    constexpr int calls = 20000;
    declare_further_versions();
    Random random(seed);
    const Buffers buffers;
    int errors = 0;
    int moved = 0;
    for (int k = 0; k < calls; ++k) {
        OwnedCall owned = random_call(random);
        while (!small(owned)) owned = random_call(random);
        const Flush flush = random.one_in(2) ? Flush::at_start : Flush::at_end;
        const auto descriptor = reference::output_descriptor(owned.call());
        REQUIRE(descriptor.ok());
        const auto size = static_cast<std::size_t>(*byte_size(*descriptor));
        const Answer expected =
            answer(buffers, owned, size, flush, [](const Call& call, std::span<std::byte> output) {
                return error_of(reference::run(call, output));
            });
        if (expected.error) ++errors;
        if (!expected.error && size > 0) ++moved;
        for (const Target& target : targets()) {
            if (!target.available()) continue;
            INFO("call " << k << " of seed " << seed << " on " << target.name << ": "
                         << owned.text());
            const Answer given = answer(buffers, owned, size, flush,
                                        [&](const Call& call, std::span<std::byte> output) {
                                            return error_of(target.run(call, output));
                                        });
            if (given.error) UNSCOPED_INFO(to_string(*given.error));
            if (expected.error) UNSCOPED_INFO(to_string(*expected.error));
            REQUIRE(same(given, expected));
            // The kernels that this machine would not choose.
            Tuning tuning = Tuning::of_this_machine(target.instruction_set);
            for (Method& method : tuning.methods) {
                method = method == Method::loads ? Method::gathers : Method::loads;
            }
            tuning.register_tables = k % 2 == 0;
            tuning.runs = k % 3 != 0;
            // Not too small for gathers, which are for tables of less than twice that.
            tuning.prefetch_from = k % 5 < 2 ? never : k % 3 * 128;
            tuning.prefetch_elements_from = k % 5 * 256;
            tuning.stream_from = k % 4 < 2 ? k % 4 * 512 : tuning.stream_from;
            const Answer other = answer(
                buffers, owned, size, flush, [&](const Call& call, std::span<std::byte> output) {
                    const auto checked = check(call);
                    const Plan plan = make_plan(*checked, true, index_rule(call.version),
                                                *kernels(target.instruction_set), tuning);
                    return error_of(
                        run(plan, checked->data.contents, checked->indices.contents, output));
                });
            REQUIRE(same(other, expected));
            // In parts, each of which is a plan of its own.
            constexpr std::array<int, 4> numbers{1, 2, 3, 7};
            const int parts = numbers[static_cast<std::size_t>(random.between(0, 3))];
            INFO("in " << parts << " parts");
            InTurn executor(parts);
            const Answer in_parts = answer(
                buffers, owned, size, flush, [&](const Call& call, std::span<std::byte> output) {
                    return error_of(trace(target, call, output, &executor, parts));
                });
            REQUIRE(same(in_parts, expected));
        }
    }
    // The calls are worth something only while they reach both ends.
    CHECK(errors > calls / 20);
    CHECK(moved > calls / 2);
}

}  // namespace
}  // namespace gathercheck::optimized::test
