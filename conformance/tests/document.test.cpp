// SPDX-License-Identifier: Apache-2.0
// Documents: one text in three markups has one list of units, and each rule of the splitting shows.
#include "conformance/documents/document.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/tests/temporary.hpp"

using namespace gathercheck;

namespace {

std::vector<std::string> texts(std::string_view document) {
    std::vector<std::string> result;
    for (Unit& unit : document_units(document)) result.push_back(std::move(unit.text));
    return result;
}

using Texts = std::vector<std::string>;

Rule rule_on(const std::string& id, const std::string& document, std::string_view sentence) {
    Rule rule{};
    rule.id = id;
    rule.version = OperatorVersion::onnx_gather_1;
    rule.document = document;
    rule.sha256 = document_units(sentence).at(0).sha256;
    return rule;
}

}  // namespace

TEST_CASE("reStructuredText, Markdown and plain text of one document have the same units") {
    const Texts expected{"Pick", "Picks rows of data.", "An index counts from zero. Required.",
                         "See the list for others, e.g. all of them.", "<op x=\"1\"/>"};
    CHECK(texts(".. {#anchor_of_pick}\n"
                "\n"
                "Pick\n"
                "====\n"
                "\n"
                ".. meta::\n"
                "   :description: not part of the text.\n"
                "\n"
                "Picks *rows* of ``data``. An index counts\n"
                "from zero. **Required.**\n"
                "\n"
                "* See `the list <https://example.org/list>`__ for others, e.g. all of them.\n"
                "\n"
                ".. code-block:: xml\n"
                "   :force:\n"
                "\n"
                "   <op  x=\"1\"/>\n") == expected);
    CHECK(texts("## Pick <a name=\"Pick\"></a> {#anchor_of_pick}\n"
                "Picks *rows* of `data`. An index counts\n"
                "from zero. **Required.**\n"
                "- See [the list](#list) for others, e.g. all of them.\n"
                "```xml\n"
                "<op  x=\"1\"/>\n"
                "```\n") == expected);
    CHECK(texts("Pick\r\n"
                "\r\n"
                "  Picks rows of data. An index counts from zero. Required.\r\n"
                "\xE2\x80\xA2 See the list for others,\xC2\xA0"
                "e.g. all of them.\r\n"
                "\r\n"
                "<op x=\"1\"/>") == expected);
}

TEST_CASE("a unit's hash is the SHA-256 of its text in UTF-8") {
    const auto units = document_units("  *abc*  \n");
    REQUIRE(units.size() == 1);
    CHECK(units[0].text == "abc");
    CHECK(units[0].sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a sentence ends with a point, a question mark or an exclamation mark and a blank") {
    CHECK(texts("Is it so? It is so! Version 1.2 is so. And on") ==
          Texts{"Is it so?", "It is so!", "Version 1.2 is so.", "And on"});
}

TEST_CASE("an ellipsis and the abbreviations e.g. and i.e. end no sentence") {
    CHECK(
        texts("One, two, ... and so on. The last, i.e. the third one, e.g. a third .. a fourth") ==
        Texts{"One, two, ... and so on.",
              "The last, i.e. the third one, e.g. a third .. a fourth"});
}

TEST_CASE("a piece of one word stays with the sentence before it") {
    CHECK(texts("The first input. Required. Optional. A new one") ==
          Texts{"The first input. Required. Optional.", "A new one"});
    CHECK(texts("Required. The first input.") == Texts{"Required.", "The first input."});
}

TEST_CASE("a table's row is one unit and its rule none") {
    CHECK(texts("| a. b | c |\n|:---|---:|\n| 1 | 2 |") == Texts{"a. b c", "1 2"});
}

TEST_CASE("the body of an unknown directive is text, that of a comment is dropped") {
    CHECK(texts(".. note::\n   Mind this.\n") == Texts{"Mind this."});
    CHECK(texts(".. _a label:\n   dropped\n\n   dropped too\nkept") == Texts{"kept"});
}

TEST_CASE("only a line of one sign three times or more is an underline") {
    CHECK(texts("a\n---\nb") == Texts{"a", "b"});
    CHECK(texts("a\n--\nb") == Texts{"a -- b"});
    CHECK(texts("a\n-=-\nb") == Texts{"a -=- b"});
}

TEST_CASE("seven number signs are no heading and a sign without a blank is no bullet") {
    CHECK(texts("a\n####### b") == Texts{"a ####### b"});
    CHECK(texts("a\n-b") == Texts{"a -b"});
    CHECK(texts("a\n- b") == Texts{"a", "b"});
}

TEST_CASE("only links to an address, an anchor or a relative path lose their target") {
    CHECK(texts("[a](https://x/y) [b](#y) [c](../y) [d](y) data[e](f g)") ==
          Texts{"a b c [d](y) data[e](f g)"});
    CHECK(texts("`a b <c>`_ and `d <e>` and `f`_") == Texts{"a b and d <e> and f_"});
}

TEST_CASE("anchors vanish and other tags stay") {
    CHECK(texts("a<a name=\"b\"></a>c <abbr>d</abbr> <a>e") == Texts{"ac <abbr>d</abbr> e"});
}

TEST_CASE("a blank before a colon vanishes and a block without text is no unit") {
    CHECK(texts("Name : value") == Texts{"Name: value"});
    CHECK(texts("**\n\n``\n\n|\n").empty());
    CHECK(texts("").empty());
}

TEST_CASE("code without its end is code to the end of the document") {
    CHECK(texts("```\na. b\n\nc") == Texts{"a. b c"});
}

TEST_CASE("a file belongs to the document with which it shares the most units") {
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "b.txt") << "Shared words. Only the second has this.";
    std::ofstream(folder.path() / "a.txt") << "Nothing that anybody knows.";
    std::ofstream(folder.path() / ".hidden") << "Shared words.";
    RuleCatalogue rules;
    rules.add(rule_on("onnx.gather-1.a", "first", "Shared words."));
    rules.add(rule_on("onnx.gather-1.b", "second", "Only the second has this."));
    const std::vector<InformativeUnit> informative{
        {"second", document_units("Shared words.").at(0).sha256, "an introduction"}};
    const KnownUnits known = known_units(rules, informative);
    const auto result = read_documents(folder.path(), known);
    const auto& files = std::get<std::vector<DocumentFile>>(result);
    REQUIRE(files.size() == 2);
    CHECK(files[0].path == "a.txt");
    CHECK(files[0].document.empty());
    CHECK(files[1].path == "b.txt");
    CHECK(files[1].document == "second");
}

TEST_CASE("a rule is known by each of its sentences in the document where it stands") {
    RuleCatalogue rules;
    Rule rule = rule_on("onnx.gather-1.a", "first", "One sentence.");
    rule.also.push_back({"first", "Inputs", document_units("Another one.").at(0).sha256});
    rule.also.push_back({"second", "Inputs", rule.sha256});
    rules.add(rule);
    const KnownUnits known = known_units(rules, {});
    REQUIRE(known.size() == 2);
    CHECK(known.at("first").size() == 2);
    CHECK(known.at("first").at(rule.also[0].sha256).at(0)->id == "onnx.gather-1.a");
    CHECK(known.at("second").size() == 1);
    CHECK(known.at("second").at(rule.sha256).at(0)->id == "onnx.gather-1.a");
}

TEST_CASE("a folder of documents that is not there is a problem that names it") {
    const auto result = read_documents("no/such/folder", {});
    const auto* problems = std::get_if<std::vector<Problem>>(&result);
    REQUIRE(problems != nullptr);
    CHECK(problems->at(0).file == "no/such/folder");
}
