// SPDX-License-Identifier: Apache-2.0
#include "tools/site/site.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/records/record.hpp"
#include "conformance/report/page_files.hpp"
#include "conformance/report/report_data.hpp"
#include "conformance/util/sha256.hpp"
#include "tools/site/feed.hpp"
#include "tools/site/markup.hpp"
#include "tools/site/names.hpp"
#include "tools/site/site_data.hpp"
#include "tools/site/slice.hpp"
#include "tools/site/texts.hpp"

namespace gathercheck {
namespace {

struct View {
    std::string_view name;  ///< of its page, too
    const char* label;
};

/// What the head of each page leads to.
constexpr View navigation[] = {
    {"index", "Overview"},
    {"failures", "Failures"},
    {"findings", "Findings"},
    {"cases", "Cases"},
    {"policy", "Out of bounds"},
    {"specifications", "Specifications"},
    {"clarifications", "Open points"},
    {"history", "History"},
    {"run", "Provenance"},
};

/// ASCII, so that it does not matter how a server says the text is encoded.
std::string text_of_json(const Json& json) {
    return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// JSON within HTML: what stands in it does not end its element.
std::string data_element(const Json& data) {
    std::string text = "<script id=\"data\" type=\"application/json\">";
    for (const char character : text_of_json(data)) {
        if (character == '<') {
            text += "\\u003c";
        } else {
            text += character;
        }
    }
    return text + "</script>\n";
}

/// A script that adds members to what pages share.
std::string sharing_script(const Json& members) {
    return "globalThis.gathercheckData = {...globalThis.gathercheckData, ..." +
           text_of_json(members) + "};\n";
}

class Site {
public:
    Site(const Json& document, const std::string& url, const WriteSiteFile& write)
        : data_(document), url_(url), write_(write) {
        for (std::int64_t k = 0; k < std::ssize(document["cases"]); ++k) {
            const Json& tested = data_.tested(k);
            alike_[tested.value("written", tested["id"].get<std::string>())].push_back(k);
        }
    }

    void make() {
        add_assets();
        add_lists();
        const Json& document = data_.document();
        for (std::int64_t k = 0; k < std::ssize(document["implementations"]); ++k) add_engine(k);
        for (std::int64_t k = 0; k < std::ssize(document["versions"]); ++k) add_operator(k);
        for (const Json& finding : document["findings"]) add_finding(finding);
        for (std::int64_t k = 0; k < std::ssize(document["cases"]); ++k) add_case(k);
        for (const Json& entry : document["clarifications"]) add_clarification(entry);
        if (!url_.empty()) add_files_with_addresses();
    }

private:
    /// A page of its own: the view that it is, of which thing, and where the head stands.
    struct Page {
        std::string path;
        std::string_view view;
        std::string id;
        std::string_view current;  ///< of `navigation`
        PageText text;
        std::vector<std::string> assets;  ///< scripts beside those of every page
        const Json* data = nullptr;
        bool is_listed = true;  ///< for search engines
    };

    /// A script of assets/. Its address changes with its text: no page reads an old one.
    void add_asset(const std::string& name, const std::string& text) {
        write_("assets/" + name, text);
        addresses_.emplace_back(name, "assets/" + name + "?" + sha256_hex(text).substr(0, 12));
    }

    const std::string& asset(const std::string& name) const {
        return std::ranges::find(addresses_, name, &std::pair<std::string, std::string>::first)
            ->second;
    }

    void add_assets() {
        add_asset("site.css", std::string(page_file("page/style.css")) +
                                  std::string(page_file("site/site.css")));
        add_asset("site.js", "(() => {\n'use strict';\n" + views_script("site") + "})();\n");
        add_asset("suite.js", sharing_script(shared_members(data_)));
        Slice failures(data_);
        failures.add_listed([](const SiteAnswer& answer) { return is_looked_at(answer.verdict); });
        add_asset("failures.js", sharing_script(failures.made()));
        Json cases = Json::array();
        for (std::int64_t k = 0; k < std::ssize(data_.document()["cases"]); ++k) {
            Json tested = listed_case(data_.tested(k));
            tested.erase("rules");
            tested["counts"] = counts_of(k);
            cases.push_back(std::move(tested));
        }
        add_asset("cases.js", sharing_script({{"cases", std::move(cases)}}));
    }

    Json counts_of(std::int64_t case_number) const {
        Json counts = Json::object();
        for (const SiteAnswer* answer : data_.answers_to(case_number)) {
            const std::string verdict(name(answer->verdict));
            counts[verdict] = counts.value(verdict, std::int64_t{0}) + answer->executions;
        }
        return counts;
    }

    void add_page(const Page& page) {
        const std::string root = root_of(page.path);
        // Scripts in the order in which they run.
        std::string scripts;
        std::vector<std::string> names{"suite.js"};
        names.insert(names.end(), page.assets.begin(), page.assets.end());
        names.emplace_back("site.js");
        for (const std::string& name : names) {
            scripts += "<script defer src=\"" + root + asset(name) + "\"></script>\n";
        }
        Markup links;
        if (!url_.empty()) {
            links.open("link", {{"rel", "canonical"}, {"href", address_of(page.path)}}).raw("\n");
            links.open("link", {{"rel", "alternate"},
                                {"type", "application/atom+xml"},
                                {"title", "Findings"},
                                {"href", root + "feed.xml"}});
            links.raw("\n");
        }
        if (!page.is_listed) links.raw("<meta name=\"robots\" content=\"noindex\"/>\n");
        write_(page.path,
               filled(page_file("site/site.html"),
                      {{"title", xml_text(title_of(page))},
                       {"description", xml_text(page.text.description)},
                       {"links", links.made()},
                       {"style", root + asset("site.css")},
                       {"scripts", scripts},
                       {"root", root},
                       {"view", page.view},
                       {"id", xml_text(page.id)},
                       {"navigation", navigation_of(page, root)},
                       {"text", warnings_of(data_) + page.text.text},
                       {"footer", footer(root)},
                       {"data", page.data == nullptr ? std::string() : data_element(*page.data)}}));
        if (page.is_listed) listed_.push_back(page.path);
    }

    /// Records that are not whole say so before anything else.
    std::string title_of(const Page& page) const {
        if (page.view == "index") return page.text.title;
        return page.text.title + " · gathercheck: " + conclusion_of(data_);
    }

    bool has_history() const { return !data_.document()["history"].is_null(); }

    std::string navigation_of(const Page& page, const std::string& root) {
        Markup made;
        made.open("nav", {{"aria-label", "Views"}});
        for (const View& view : navigation) {
            if (view.name == "history" && !has_history()) continue;
            made.open("a", {{"href", root + std::string(view.name) + ".html"},
                            {"aria-current", view.name == page.current ? "page" : ""}});
            made.text(view.label).raw("</a>");
        }
        return made.raw("</nav>").made();
    }

    std::string footer(const std::string& root) const {
        Markup made;
        const Json& runs = data_.document()["runs"];
        if (!runs.empty()) {
            made.text("gathercheck " + runs[0]["tool"].get<std::string>() + ", suite " +
                      runs[0]["suite"].get<std::string>() + " · ");
        }
        return made.link(root + "run.html", "where it comes from").made();
    }

    std::string address_of(const std::string& path) const {
        return url_ + (path == "index.html" ? "" : path);
    }

    /// A page of the navigation.
    void add_view(std::string_view view, PageText text, std::vector<std::string> assets = {},
                  const Json* data = nullptr) {
        add_page({std::string(view) + ".html", view, "", view, std::move(text), std::move(assets),
                  data});
    }

    /// A page that is of a query, which search engines are not told of.
    void add_query_view(std::string_view view, std::string_view current, PageText text,
                        std::vector<std::string> assets) {
        add_page({std::string(view) + ".html", view, "", current, std::move(text),
                  std::move(assets), nullptr, false});
    }

    /// The page of one of several things, in their folder.
    void add_thing(std::string_view folder, std::string_view view, const std::string& id,
                   std::string_view current, PageText text, const Slice& slice) {
        add_page({page_path(folder, id), view, id, current, std::move(text), {}, &slice.made()});
    }

    void add_lists() {
        add_view("index", overview_text(data_), {"failures.js"});
        add_view("failures",
                 script_text("Failures by cause",
                             "What implementations get wrong, by cause, to "
                             "be filtered by engine, operator and rule."),
                 {"failures.js"});
        add_query_view(
            "cause", "failures",
            script_text("A cause of failures", "One cause of failures with its executions."),
            {"failures.js"});
        add_view("findings", findings_text(data_), {"failures.js"});
        add_view("cases", cases_text(data_), {"cases.js"});
        add_query_view("search", "",
                       script_text("Search",
                                   "Engines, operator versions, findings, rules, open "
                                   "points and cases by their words."),
                       {"cases.js"});
        add_view("clarifications", clarifications_text(data_));
        add_view("specifications", specifications_text(data_));
        add_view("run", run_text(data_));
        if (has_history()) add_view("history", history_text(data_));
        const Json map{{"map", data_.document()["map"]}};
        add_view("policy", policy_text(data_), {}, &map);
    }

    void add_engine(std::int64_t implementation) {
        Slice slice(data_);
        slice.add_listed([&](const SiteAnswer& answer) {
            return answer.implementation == implementation &&
                   (is_looked_at(answer.verdict) || answer.verdict == Verdict::unspecified);
        });
        const std::string label = data_.label(implementation);
        add_thing("engines", "engine", label, "index", engine_text(data_, implementation), slice);
    }

    void add_operator(std::int64_t version) {
        // The failures, and of each other case one answer: so the rules know their cases.
        Slice slice(data_);
        for (std::int64_t k = 0; k < std::ssize(data_.document()["cases"]); ++k) {
            const SiteAnswer* first = nullptr;
            bool is_failed = false;
            for (const SiteAnswer* answer : data_.answers_to(k)) {
                if (answer->version != version) continue;
                if (first == nullptr) first = answer;
                if (!is_looked_at(answer->verdict)) continue;
                is_failed = true;
                slice.add(*answer, Slice::Detail::listed);
            }
            if (first != nullptr && !is_failed) slice.add(*first, Slice::Detail::listed);
        }
        const std::string name = data_.version_name(version);
        add_thing("operators", "operator", name, "specifications", operator_text(data_, version),
                  slice);
    }

    void add_finding(const Json& finding) {
        const std::string id = finding["id"];
        const std::int64_t example = data_.case_number(finding["case"].get<std::string>());
        Slice slice(data_);
        if (example >= 0) add_whole(slice, example);
        slice.add_program(id);
        slice.add_listed([&](const SiteAnswer& answer) {
            return answer.case_number != example && data_.finding_of(answer) == id;
        });
        add_thing("findings", "finding", id, "findings", finding_text(data_, finding), slice);
    }

    void add_answers(Slice& slice, std::int64_t case_number, Slice::Detail detail) {
        for (const SiteAnswer* answer : data_.answers_to(case_number)) slice.add(*answer, detail);
    }

    void add_whole(Slice& slice, std::int64_t case_number) {
        slice.add_case(case_number, Slice::Detail::whole);
        add_answers(slice, case_number, Slice::Detail::whole);
    }

    /// With the same call in other element types.
    void add_case(std::int64_t case_number) {
        Slice slice(data_);
        add_whole(slice, case_number);
        const Json& tested = data_.tested(case_number);
        const std::string id = tested["id"];
        for (const std::int64_t alike : alike_[tested.value("written", id)]) {
            if (alike == case_number) continue;
            add_answers(slice, alike, Slice::Detail::listed);
        }
        add_thing("cases", "case", id, "cases", case_text(data_, case_number), slice);
    }

    void add_clarification(const Json& entry) {
        Slice slice(data_);
        for (const Json& id : entry["cases"]) {
            const std::int64_t tested = data_.case_number(id.get<std::string>());
            if (tested < 0) continue;
            add_answers(slice, tested, Slice::Detail::listed);
        }
        const std::string id = entry["id"];
        add_thing("clarifications", "clarification", id, "clarifications",
                  clarification_text(data_, entry), slice);
    }

    void add_files_with_addresses() {
        std::vector<std::string> addresses;
        for (const std::string& path : listed_) addresses.push_back(address_of(path));
        write_("sitemap.xml", sitemap(addresses, data_));
        write_("feed.xml", feed(url_, data_));
        write_("404.html", not_found_page(url_));
        // Robots look for it at the root of a host alone.
        if (std::ranges::count(url_, '/') == 3) {
            write_("robots.txt", "Sitemap: " + url_ + "sitemap.xml\n");
        }
    }

    SiteData data_;
    const std::string& url_;
    const WriteSiteFile& write_;
    std::vector<std::pair<std::string, std::string>> addresses_;
    std::vector<std::string> listed_;
    /// Cases that are one call in several element types, by the id of the written one.
    std::map<std::string, std::vector<std::int64_t>> alike_;
};

}  // namespace

void make_site(const Json& document, const std::string& url, const WriteSiteFile& write) {
    Site(document, url, write).make();
}

}  // namespace gathercheck
