// SPDX-License-Identifier: Apache-2.0
// What makes a run another one than the one that it would go on with.
#include "conformance/run/recorded.hpp"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <string>

using namespace gathercheck;

namespace {

KnownFailures known(const std::function<void(KnownFailure&)>& change = {}) {
    KnownFailures known;
    known.file = "known.json";
    known.implementation = "engine";
    known.versions = {"1.2"};
    KnownFailure entry;
    entry.case_id = "gather-x";
    entry.outcomes = {"crash"};
    entry.reason = "why";
    entry.rules = {"onnx.gather-13.indices.error"};
    entry.reproducer = "reproducers/engine/why.py";
    entry.link = "link";
    entry.expires = "2027-12-31";
    entry.pointer = "/failures/0";
    if (change) change(entry);
    known.add(std::move(entry));
    return known;
}

ImplementationRecord engine(const KnownFailures& known) {
    ImplementationRecord record;
    record.name = "engine";
    record.state = "started";
    record.known_failures = known.file;
    record.known_failures_hash = content_hash(known);
    return record;
}

}  // namespace

TEST_CASE("known failures are others where one thing that they say is another") {
    const std::string hash = content_hash(known());
    CHECK(hash.size() == 64);
    CHECK(content_hash(known()) == hash);
    // Not where they stand.
    CHECK(content_hash(known([](KnownFailure& entry) { entry.pointer = "/failures/7"; })) == hash);
    CHECK(content_hash(known([](KnownFailure& entry) { entry.case_id = "gather-y"; })) != hash);
    CHECK(content_hash(known([](KnownFailure& entry) {
              entry.version = OperatorVersion::onnx_gather_11;
          })) != hash);
    CHECK(content_hash(
              known([](KnownFailure& entry) { entry.route.operands = Operands::folded; })) != hash);
    CHECK(content_hash(known([](KnownFailure& entry) { entry.outcomes = {"timeout"}; })) != hash);
    CHECK(content_hash(known([](KnownFailure& entry) { entry.reason = "because"; })) != hash);
    CHECK(content_hash(known([](KnownFailure& entry) { entry.rules = {}; })) != hash);
    CHECK(content_hash(known([](KnownFailure& entry) { entry.reproducer = ""; })) != hash);
    CHECK(content_hash(known([](KnownFailure& entry) { entry.link = ""; })) != hash);
    CHECK(content_hash(known([](KnownFailure& entry) { entry.expires = ""; })) != hash);
    KnownFailures other = known();
    other.versions = {"1.3"};
    CHECK(content_hash(other) != hash);
    CHECK(content_hash(KnownFailures{}) != hash);
}

TEST_CASE("a run does not go on with other known failures than it began with") {
    const KnownFailures changed =
        known([](KnownFailure& entry) { entry.outcomes = {"crash", "timeout"}; });
    CHECK(difference(engine(known()), engine(known())).empty());
    CHECK(difference(engine(known()), engine(changed)) ==
          "the known failures of engine in known.json were others: their hash was " +
              content_hash(known()) + " and is " + content_hash(changed));
    CHECK(difference(engine(known()), engine(KnownFailures{})) ==
          "the known-failure file of engine was known.json then and is none now");
}
