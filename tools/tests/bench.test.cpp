// SPDX-License-Identifier: Apache-2.0
// Measuring: workloads and what is drawn for them, the judge, statistics, ratios and reports.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "conformance/util/json.hpp"
#include "reference/reference.hpp"
#include "tools/bench/lines.hpp"
#include "tools/bench/measure.hpp"
#include "tools/bench/ours.hpp"
#include "tools/bench/plain.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/result.hpp"
#include "tools/bench/team.hpp"
#include "tools/bench/workload.hpp"

using namespace gathercheck;
using namespace gathercheck::bench;

namespace {

Workload parsed(const std::string& text) {
    auto read = parse_workload("id", text);
    if (const auto* why = std::get_if<std::string>(&read)) FAIL(text << ": " << *why);
    return std::get<Workload>(std::move(read));
}

std::string refusal(const std::string& text) {
    const auto read = parse_workload("id", text);
    const auto* why = std::get_if<std::string>(&read);
    return why == nullptr ? "accepted" : *why;
}

std::vector<std::int64_t> drawn(const std::string& text) {
    const Workload workload = parsed(text);
    Buffers buffers(workload);
    std::vector<std::int64_t> indices(buffers.indices.size() / 8);
    std::memcpy(indices.data(), buffers.indices.data(), buffers.indices.size());
    return indices;
}

Measured timed(const std::string& name, Kind kind, std::vector<double> samples) {
    Measured measured;
    measured.name = name;
    measured.kind = kind;
    measured.samples = std::move(samples);
    return measured;
}

/// Two workloads: ours takes 10 and 20; the best peers take 20 and 10.
BenchResult example() {
    BenchResult result;
    result.machine.cpu = "CPU <of> \"tests\"";
    result.instruction_sets = {"avx2", "sse2"};
    result.settings.variants = {.targets = true, .unchecked = true};
    result.peers = {{"numpy", "in process", "1.2", "", ""},
                    {"torch", "in process", "", "not built", "install it"}};
    WorkloadResult first;
    first.workload = parsed("onnx.Gather-13 f32[4] i64[2]");
    first.workload.id = "first";
    first.output_bytes = 8;
    first.measured = {timed("optimized", Kind::ours, {10, 12, 8}),
                      timed("numpy:take", Kind::peer, {30, 20, 16}),
                      timed("numpy:index", Kind::peer, {40, 40, 40}),
                      timed("copy", Kind::bound, {5, 5, 5}),
                      timed("lines", Kind::lines, {8, 9, 9}),
                      timed("plain loop", Kind::plain, {40, 40, 40}),
                      timed("optimized:unchecked", Kind::variant, {9, 9, 9}),
                      timed("optimized:avx2", Kind::variant, {10, 10, 10}),
                      timed("optimized:sse2", Kind::variant, {8, 20, 8})};
    first.pairs = row_pairs(first.measured, result.instruction_sets);
    WorkloadResult second = first;
    second.pairs.clear();
    second.workload.id = "second";
    second.measured = {timed("optimized", Kind::ours, {20}), timed("numpy:take", Kind::peer, {10}),
                       timed("copy", Kind::bound, {20})};
    second.measured.push_back({"numpy:index", Kind::peer, State::wrong, "1 of 8 bytes", 1, {}});
    result.workloads = {first, second};
    return result;
}

/// Answers with `byte` everywhere.
class Constant final : public InProcess<Constant> {
public:
    Constant(Buffers& buffers, std::byte byte) : buffers_(buffers), byte_(byte) {}
    bool call() {
        std::ranges::fill(buffers_.output.bytes(), byte_);
        return true;
    }

private:
    Buffers& buffers_;
    std::byte byte_;
};

}  // namespace

TEST_CASE("a workload says operator version, tensors and options") {
    const Workload workload = parsed(
        "openvino.Gather-8 f16[3,5,7] i32[3,2] axis=1 batch_dims=1 indices=zipf negative=0.25 "
        "seed=9 cold");
    CHECK(workload.version == OperatorVersion::openvino_gather_8);
    CHECK(workload.data == Descriptor{ElementType::f16, {3, 5, 7}});
    CHECK(workload.indices == Descriptor{ElementType::i32, {3, 2}});
    CHECK(workload.axis == 1);
    CHECK(workload.batch_dims == 1);
    CHECK(workload.draw == Draw::zipf);
    CHECK(workload.negative == 0.25);
    CHECK(workload.seed == 9);
    CHECK(workload.cold);
    CHECK(workload.output == Descriptor{ElementType::f16, {3, 2, 7}});
}

TEST_CASE("a workload of StableHLO's gather has indices outside their range, which are clamped") {
    const auto indices = drawn("stablehlo.gather f32[10,2] i64[1000] beyond=0.25");
    const auto below = std::ranges::count_if(indices, [](auto k) { return k < 0 && k >= -10; });
    const auto above = std::ranges::count_if(indices, [](auto k) { return k > 9 && k < 20; });
    CHECK((below > 80 && below < 170));
    CHECK((above > 80 && above < 170));
    CHECK(std::ranges::count_if(indices, [](auto k) { return k < -10 || k >= 20; }) == 0);

    const Workload pairs = parsed("stablehlo.gather i32[2,3] i64[4,2] form=gather_nd");
    CHECK(pairs.output.shape == Shape{4});
    const std::array<std::int32_t, 6> data{0, 1, 2, 3, 4, 5};
    const std::array<std::int64_t, 8> vectors{0, 1, 1, -7, 9, 2, -1, 3};
    std::array<std::int32_t, 4> output{};
    CHECK(run_plain_loop(pairs, reinterpret_cast<const std::byte*>(data.data()),
                         reinterpret_cast<const std::byte*>(vectors.data()),
                         reinterpret_cast<std::byte*>(output.data())));
    CHECK(output == std::array<std::int32_t, 4>{1, 3, 5, 2});
}

TEST_CASE("a workload that cannot be is refused with a reason") {
    const auto contains = [](const std::string& text, const std::string& part) {
        INFO(text);
        CHECK(text.find(part) != std::string::npos);
    };
    contains(refusal(""), "a workload is an operator version");
    contains(refusal("onnx.Gather-12 f32[4] i64[2]"), "no operator version 'onnx.Gather-12'");
    contains(refusal("onnx.Gather-13 f32[4,] i64[2]"), "'f32[4,]' is not a type and a shape");
    contains(refusal("onnx.Gather-13 f33[4] i64[2]"), "'f33[4]' is not a type and a shape");
    contains(refusal("onnx.Gather-13 f32[4] i64[2] axis=1"), "axis_out_of_range");
    contains(refusal("onnx.Gather-13 f32[4] i64[2] axis=x"), "needs an integer");
    contains(refusal("onnx.Gather-13 f32[4] i64[2] axis=0 axis=0"), "stands twice");
    contains(refusal("onnx.Gather-13 f32[4] i64[2] batch_dims=1"), "has no batch_dims");
    contains(refusal("onnx.GatherND-13 f32[4] i64[2,1] axis=1"), "has no axis");
    contains(refusal("onnx.Gather-13 f32[4] i64[2] indices=odd"), "indices are drawn uniform");
    contains(refusal("onnx.Gather-13 f32[4] i64[2] indices=rows"), "is for GatherElements");
    contains(refusal("onnx.Gather-13 f32[4] i64[2] negative=2"), "a share from 0 to 1");
    contains(refusal("openvino.Gather-7 f32[4] i64[2] negative=0.5"), "has no negative indices");
    contains(refusal("onnx.Gather-13 f32[4] i64[2] beyond=0.5"), "clamps no index");
    contains(refusal("onnx.Gather-13 f32[4] i64[2] form=gather_nd"), "is for stablehlo.gather");
    contains(refusal("stablehlo.gather f32[4] i64[2] form=scatter"), "a form is gather, ");
    contains(refusal("stablehlo.gather f32[4] i64[2,1] form=gather_nd axis=1"), "has no axis");
    contains(refusal("stablehlo.gather f32[4,2] i64[2] form=gather_elements"), "no dimension");
    contains(refusal("stablehlo.gather f32[100] i8[2] beyond=0.5"), "cannot say 199");
    contains(refusal("onnx.Gather-13 f32[4] i64[2] warm"), "a workload is an operator");
    contains(refusal("onnx.Gather-13 string[4] i64[2]"), "whole bytes");
    contains(refusal("onnx.Gather-13 f32[0] i64[2]"), "data has no elements");
    contains(refusal("onnx.Gather-13 f32[4] i64[0]"), "nothing to time");
    contains(refusal("openvino.Gather-8 f32[300] u8[2]"), "cannot say 299");
}

TEST_CASE("indices are drawn as asked, the same each time") {
    const auto permutation = drawn("onnx.Gather-13 f32[50] i64[50] indices=permutation");
    CHECK(std::set(permutation.begin(), permutation.end()).size() == 50);
    CHECK(permutation == drawn("onnx.Gather-13 f32[50] i64[50] indices=permutation"));
    CHECK(permutation != drawn("onnx.Gather-13 f32[50] i64[50] indices=permutation seed=2"));

    CHECK(drawn("onnx.Gather-13 f32[3] i64[5] indices=arange") ==
          std::vector<std::int64_t>{0, 1, 2, 0, 1});
    CHECK(drawn("onnx.Gather-13 f32[3] i64[2] indices=zeros") == std::vector<std::int64_t>{0, 0});
    CHECK(std::ranges::is_sorted(drawn("onnx.Gather-13 f32[99] i64[500] indices=sorted")));

    const auto uniform = drawn("onnx.Gather-13 f32[10] i64[10000]");
    CHECK(std::ranges::min(uniform) == 0);
    CHECK(std::ranges::max(uniform) == 9);
    const auto zipf = drawn("onnx.Gather-13 f32[1000] i64[10000] indices=zipf");
    CHECK(std::ranges::min(zipf) == 0);
    CHECK(std::ranges::max(zipf) < 1000);
    CHECK(std::ranges::count_if(zipf, [](std::int64_t index) { return index < 30; }) > 4000);

    const auto negative = drawn("onnx.Gather-13 f32[10] i64[10000] negative=0.25");
    const auto below =
        std::ranges::count_if(negative, [](std::int64_t index) { return index < 0; });
    CHECK(below > 2200);
    CHECK(below < 2800);
    CHECK(std::ranges::min(negative) >= -10);

    // Rows of three equal indices; tuples in row-major order.
    const auto rows = drawn("onnx.GatherElements-13 f32[9,3] i64[4,3] indices=rows");
    for (std::size_t k = 0; k < rows.size(); ++k) CHECK(rows[k] == rows[k / 3 * 3]);
    CHECK(drawn("onnx.GatherND-13 f32[2,3] i64[7,2] indices=raster") ==
          std::vector<std::int64_t>{0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2, 0, 0});
}

TEST_CASE("every shipped workload can be read, and 69 of them are timed by default") {
    const auto read = read_workloads(GATHERCHECK_WORKLOADS);
    if (const auto* why = std::get_if<std::string>(&read)) FAIL(*why);
    const auto& all = std::get<std::vector<Workload>>(read);
    const auto chosen = select_workloads(all, {});
    CHECK(std::get<std::vector<Workload>>(chosen).size() == 69);

    const std::vector<std::string> patterns{"N0?", "G01-1"};
    const auto some = std::get<std::vector<Workload>>(select_workloads(all, patterns));
    CHECK(some.front().id == "G01-1");
    CHECK(some.size() == 6);
    const std::vector<std::string> unknown{"X*"};
    CHECK(std::holds_alternative<std::string>(select_workloads(all, unknown)));
}

TEST_CASE("the plain loops, their shares and our own answers are the reference's") {
    for (const char* const text :
         {"onnx.Gather-13 f32[5,7,3] i64[4] axis=1 negative=0.5",
          "onnx.Gather-13 u8[5,70] i32[1600] axis=1", "onnx.Gather-13 f32[99] i64[9000]",
          "onnx.GatherElements-13 f64[3,6,2] i64[3,2000,2] axis=1",
          "onnx.Gather-13 c128[9] i64[2,2]",
          "openvino.Gather-8 f16[2,3,5,2] i32[2,3,4] axis=2 batch_dims=1",
          "openvino.Gather-8 i64[2,3,5] u8[2,3,4] axis=2 batch_dims=2",
          "onnx.GatherElements-13 f64[3,6,2] i64[3,9,2] axis=1 negative=0.3",
          "onnx.GatherND-13 f32[2,4,5,300] i64[2,7,2] batch_dims=1 negative=0.4",
          "onnx.GatherND-13 u8[4,5] i64[20000,2]"}) {
        INFO(text);
        const Workload workload = parsed(text);
        Buffers buffers(workload);
        REQUIRE(compute_expected(workload, buffers) == "");
        const auto done = reference::run(
            call_of(workload, buffers.data.data(), buffers.indices.data()), buffers.output.bytes());
        REQUIRE(done.ok());
        CHECK(std::ranges::equal(buffers.output.bytes(), buffers.expected.bytes()));
        for (const int threads : {1, 3}) {
            const Tensors tensors = tensors_of(workload, buffers, threads);
            std::vector<Entry> entries =
                our_contenders(tensors, {.targets = true, .unchecked = true});
            for (Entry& entry : plain_contenders(tensors)) entries.push_back(std::move(entry));
            for (const Entry& entry : entries) {
                if (entry.contender == nullptr || !gives_answer(entry.kind)) continue;
                INFO(entry.name << " with " << threads << " threads");
                State state = State::timed;
                CHECK(judge(*entry.contender, buffers, state) == "");
            }
        }
    }
}

TEST_CASE("a plain loop refuses an index out of bounds") {
    const Workload workload = parsed("onnx.Gather-13 f32[5,2] i64[3]");
    Buffers buffers(workload);
    const std::int64_t bad = -6;
    std::memcpy(buffers.indices.data() + 8, &bad, sizeof bad);
    CHECK(compute_expected(workload, buffers) == "an index is out of bounds");
}

TEST_CASE("the judge sees a wrong answer, and one that writes nothing") {
    const Workload workload = parsed("onnx.Gather-13 u8[4] i64[2] indices=zeros");
    Buffers buffers(workload);
    buffers.expected = Buffer(2);  // both elements are 0
    State state = State::timed;
    Constant right(buffers, std::byte{0});
    CHECK(judge(right, buffers, state) == "");
    CHECK(state == State::timed);
    Constant wrong(buffers, std::byte{7});
    CHECK(judge(wrong, buffers, state) ==
          "2 of 2 bytes differ from the right answer, the first at 0");
    CHECK(state == State::wrong);

    class Idle final : public InProcess<Idle> {
    public:
        bool call() { return true; }
    } idle;
    state = State::timed;
    CHECK(judge(idle, buffers, state) != "");
    CHECK(state == State::wrong);
}

TEST_CASE("a measurement has a sample of each contender for each round") {
    Settings settings;
    settings.rounds = 2;
    settings.sample_seconds = 1e-6;
    settings.variants = {.targets = true, .unchecked = true};
    std::vector<OpenPeer> none;
    const auto measured = measure(parsed("onnx.Gather-13 f32[4] i64[2]"), settings, machine_facts(),
                                  {allowed_cpus().front()}, none);
    const auto& result = std::get<WorkloadResult>(measured);
    CHECK(result.output_bytes == 8);
    CHECK(result.measured.size() == 3 + our_instruction_sets().size() + 6);
    for (const Measured& one : result.measured) {
        INFO(one.name);
        if (one.state != State::timed) continue;
        CHECK(one.samples.size() == 2);
        CHECK(one.minimum() > 0);
    }
    CHECK(compare(result, Statistic::median).copy.has_value());
    CHECK_FALSE(compare(result, Statistic::median).best.has_value());
    CHECK_FALSE(compare(result, Statistic::median).lines.has_value());  // caches hold them
}

TEST_CASE("each line of data that picks touch counts once") {
    const auto bytes = [](const std::string& text, const std::vector<std::int64_t>& indices = {}) {
        const Workload workload = parsed(text);
        const Buffers buffers(workload);
        const auto* given = reinterpret_cast<const std::byte*>(indices.data());
        return picked_bytes(workload, indices.empty() ? buffers.indices.data() : given);
    };
    CHECK(bytes("onnx.Gather-13 f32[100] i64[4]", {0, 15, -1, -4}) == 2 * 64);
    CHECK(bytes("onnx.Gather-13 f32[3] i64[4]", {0, 1, 2, 2}) == 12);    // no more than data has
    CHECK(bytes("onnx.Gather-13 f32[50,12] i64[2]", {0, 5}) == 3 * 64);  // row 5 lies in two lines
    CHECK(bytes("onnx.Gather-13 f32[50,12] i64[2]", {1, 5}) == 4 * 64);
    CHECK(bytes("onnx.Gather-13 u8[3,128] i64[2] axis=1", {0, 127}) == 6 * 64);
    CHECK(bytes("openvino.Gather-8 u8[2,128] i64[2,1] axis=1 batch_dims=1", {0, -1}) == 2 * 64);
    CHECK(bytes("onnx.GatherElements-13 f64[4,8] i64[2,8]",
                {0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 3}) == 2 * 64);
    CHECK(bytes("onnx.GatherND-13 f32[9,16] i64[3,2]", {0, 0, 0, 15, -1, 3}) == 2 * 64);
    CHECK(bytes("onnx.GatherND-13 f32[2,9,16] i64[2,1,1] batch_dims=1", {8, 8}) == 2 * 64);
    CHECK(bytes("onnx.Gather-13 f32[1000] i64[64] indices=arange") == 4 * 64);
}

TEST_CASE("lines are touched by any number of threads, and nothing beside them") {
    const Workload workload = parsed("onnx.Gather-13 u8[70001] i64[90007]");
    Buffers buffers(workload);
    for (const int threads : {1, 3}) {
        const Tensors tensors = tensors_of(workload, buffers, threads);
        const auto team = std::make_shared<Team>(threads);
        for (const Entry& entry : lines_contenders(tensors, team, 0)) {
            if (entry.contender == nullptr) continue;
            INFO(entry.name << " with " << threads << " threads");
            std::ranges::fill(buffers.output.bytes(), std::byte{0});
            CHECK(entry.contender->run() == "");
            CHECK(std::ranges::count(buffers.output.bytes(), std::byte{0}) == 0);
        }
        for (const Entry& entry : lines_contenders(tensors, team, 1 << 30)) {
            CHECK(entry.contender == nullptr);
        }
    }
}

TEST_CASE("statistics are those of the samples") {
    const Measured measured = timed("x", Kind::peer, {4, 1, 2, 8, 5});
    CHECK(measured.minimum() == 1);
    CHECK(measured.median() == 4);
    CHECK(measured.maximum() == 8);
    CHECK(measured.spread() == 0.75);  // quartiles 2 and 5
    CHECK(timed("x", Kind::peer, {1, 3}).median() == 2);
}

TEST_CASE("ratios compare ours with the fastest peer that was right") {
    const BenchResult result = example();
    const Comparison first = compare(result.workloads[0], Statistic::median);
    CHECK(first.best_peer == "numpy:take");
    CHECK(first.best == 2.0);
    CHECK(first.copy == 0.5);
    CHECK(first.lines == 0.9);
    CHECK(first.plain == 4.0);
    CHECK(first.unchecked == 0.9);
    CHECK(compare(result.workloads[0], Statistic::minimum).best == 2.0);
    CHECK(compare(result.workloads[1], Statistic::median).best == 0.5);

    const Summary summary = summarise(result, Statistic::median, &Comparison::best);
    CHECK(summary.count == 2);
    CHECK(summary.below_one == 1);
    CHECK(std::abs(summary.geomean - 1) < 1e-12);
    CHECK(summary.worst == 0.5);
    CHECK(summary.worst_id == "second");
    CHECK_FALSE(ours_is_wrong(result));
}

TEST_CASE("who is below 1 is at a bound where both are near it") {
    const auto at_bound = [](double ours, double peer, double copy, std::optional<double> lines) {
        BenchResult result = example();
        result.workloads.resize(1);
        std::vector<Measured>& measured = result.workloads[0].measured;
        measured = {timed("optimized", Kind::ours, {ours}), timed("numpy:take", Kind::peer, {peer}),
                    timed("copy", Kind::bound, {copy})};
        if (lines) measured.push_back(timed("lines", Kind::lines, {*lines}));
        const bool at = compare(result.workloads[0], Statistic::median).at_bound;
        CHECK(summarise(result, Statistic::median, &Comparison::best).below_one_at_bound ==
              (at && peer < ours ? 1 : 0));
        const bool said =
            closing_text(result).find("both within 10 % of a bound: 1") != std::string::npos;
        CHECK(said == (at && peer < ours));
        return at;
    };
    CHECK(at_bound(20, 19, 5, 18.2));
    CHECK(at_bound(19, 20, 5, 18.2));
    CHECK_FALSE(at_bound(20, 19, 5, 18.1));
    CHECK_FALSE(at_bound(19, 20, 5, 18.1));
    CHECK_FALSE(at_bound(20, 19, 19, 5));  // lines count where there are any
    CHECK(at_bound(20, 19, 19, std::nullopt));
    CHECK_FALSE(at_bound(20, 19, 5, std::nullopt));
}

TEST_CASE("a row is compared with the next lower one by pairs of samples") {
    // Pairs 8/10, 20/10, 8/10: the middle says the upper row is slower, the means would not.
    const std::vector<SlowerRow> slower = slower_rows(example());
    REQUIRE(slower.size() == 1);
    CHECK(slower[0].workload == "first");
    CHECK(slower[0].upper == "optimized:avx2");
    CHECK(slower[0].lower == "optimized:sse2");
    CHECK(slower[0].ratio == 0.8);
}

TEST_CASE("the reports hold what was measured and what is missing") {
    const BenchResult result = example();
    CHECK(table_line(result.workloads[0], result.peers).find("first") == 0);
    const std::string closing = closing_text(result);
    CHECK(closing.find("second: numpy:index wrong: 1 of 8 bytes") != std::string::npos);
    CHECK(closing.find("below 1: 1 of 2") != std::string::npos);
    CHECK(closing.find("optimized:avx2 against optimized:sse2: 0.80") != std::string::npos);
    CHECK(peers_text(result).find("missing: not built; to install: install it") !=
          std::string::npos);

    const auto document = parse_json(json_text(result), "report");
    const Json& json = std::get<Json>(document);
    CHECK(json["workloads"][0]["by_median"]["best_peer_ratio"] == 2.0);
    CHECK(json["workloads"][0]["by_median"]["lines_ratio"] == 0.9);
    CHECK(json["workloads"][1]["by_median"]["lines_ratio"].is_null());
    CHECK(json["summary"]["lines"]["by_median"]["workloads"] == 1);
    CHECK(json["workloads"][1]["contenders"][3]["state"] == "wrong");
    CHECK(json["summary"]["best_peer"]["by_median"]["below_one"] == 1);
    CHECK(json["peers"][1]["missing"] == "not built");

    const std::string page = html_text(result);
    CHECK(page.find("<svg") != std::string::npos);
    CHECK(page.find("CPU &lt;of&gt; &quot;tests&quot;") != std::string::npos);
    CHECK(page.find("<script") == std::string::npos);
    CHECK(page.find("http") == std::string::npos);
}

TEST_CASE("times and ratios are written with three digits") {
    CHECK(time_text(4.567) == "4.57 ns");
    CHECK(time_text(45.67) == "45.7 ns");
    CHECK(time_text(456.7) == "457 ns");
    CHECK(time_text(999.6) == "1.00 us");
    CHECK(time_text(1.2345e7) == "12.3 ms");
    CHECK(time_text(2e9) == "2.00 s");
    CHECK(ratio_text(0.956) == "0.96");
    CHECK(ratio_text(12.34) == "12.3");
    CHECK(ratio_text(345.6) == "346");
}

TEST_CASE("a team shares a job, again and again") {
    Team team(3);
    std::vector<int> counts(3);
    for (int repeat = 0; repeat < 100; ++repeat) {
        team.run([&](int k) { ++counts[static_cast<std::size_t>(k)]; });
    }
    CHECK(counts == std::vector<int>{100, 100, 100});
    CHECK(Team::share(10, 0, 3) == std::pair<std::int64_t, std::int64_t>{0, 3});
    CHECK(Team::share(10, 2, 3) == std::pair<std::int64_t, std::int64_t>{6, 10});
}
