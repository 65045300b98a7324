// SPDX-License-Identifier: Apache-2.0
#include "tools/site/feed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "conformance/report/page_files.hpp"
#include "tools/site/markup.hpp"
#include "tools/site/names.hpp"
#include "tools/site/texts.hpp"

namespace gathercheck {
namespace {

constexpr std::string_view xml_head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// "2026-11-26T13:57:54Z", the start of the newest run; empty where no run tells it.
std::string newest_start(const SiteData& data) {
    std::string newest;
    for (const Json& run : data.document()["runs"]) {
        newest = std::max(newest, text_of(run, "started"));
    }
    return newest;
}

/// The start of the first run of the history that shows each finding, by the finding's id.
std::map<std::string, std::string> first_starts(const SiteData& data) {
    std::map<std::string, std::string> starts;
    const Json& history = data.document()["history"];
    if (history.is_null()) return starts;
    for (const Json& implementation : history["implementations"]) {
        for (const Json& failure : implementation["failures"]) {
            const std::string finding = text_of(failure, "finding");
            const Json& run = history["runs"][failure["first"].get<std::size_t>()];
            const std::string start = text_of(run, "started");
            if (finding.empty() || start.empty()) continue;
            const auto [at, is_new] = starts.emplace(finding, start);
            if (!is_new) at->second = std::min(at->second, start);
        }
    }
    return starts;
}

}  // namespace

std::string sitemap(const std::vector<std::string>& addresses, const SiteData& data) {
    const std::string day = newest_start(data).substr(0, 10);
    Markup made;
    made.raw(xml_head);
    made.open("urlset", {{"xmlns", "http://www.sitemaps.org/schemas/sitemap/0.9"}}).raw("\n");
    for (const std::string& address : addresses) {
        made.open("url").element("loc", address).element("lastmod", day).close("url");
    }
    return made.close("urlset").made();
}

std::string feed(const std::string& url, const SiteData& data) {
    const std::string updated = newest_start(data);
    const std::map<std::string, std::string> first = first_starts(data);
    // A finding is no news with every site that still shows it.
    std::vector<std::pair<std::string, const Json*>> entries;
    for (const Json* finding : data.shown_findings()) {
        const auto start = first.find((*finding)["id"].get<std::string>());
        entries.emplace_back(start == first.end() ? updated : start->second, finding);
    }
    std::ranges::stable_sort(entries, std::greater(), &std::pair<std::string, const Json*>::first);
    Markup made;
    made.raw(xml_head).open("feed", {{"xmlns", "http://www.w3.org/2005/Atom"}}).raw("\n");
    made.element("title", "gathercheck: findings (" + conclusion_of(data) + ")");
    made.element("id", url).element("updated", updated);
    made.open("author").element("name", "gathercheck").close("author");
    made.open("link", {{"href", url}}).close("link");
    made.open("link", {{"rel", "self"}, {"href", url + "feed.xml"}}).close("link");
    for (const auto& [start, shown] : entries) {
        const Json& finding = *shown;
        const std::string address = url + page_path("findings", finding["id"]);
        made.open("entry").element("title", finding["engine"].get<std::string>() + ": " +
                                                finding["title"].get<std::string>());
        made.element("id", address).element("updated", start);
        made.open("link", {{"href", address}}).close("link");
        made.element("summary", finding["statement"]).close("entry");
    }
    return made.close("feed").made();
}

std::string not_found_page(const std::string& url) {
    Markup text;
    text.element("h1", "Nothing has this address")
        .open("p")
        .link(url, "To the overview")
        .close("p");
    Markup made;
    made.raw("<!DOCTYPE html>\n")
        .open("html", {{"lang", "en"}})
        .open("head")
        .raw(
            "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, "
            "initial-scale=1\"/>\n<meta name=\"robots\" content=\"noindex\"/>\n");
    made.element("title", "Nothing has this address · gathercheck").open("style");
    made.raw(page_file("page/style.css")).close("style").close("head").open("body");
    return made.open("main").raw(text.made()).close("main").close("body").close("html").made();
}

}  // namespace gathercheck
