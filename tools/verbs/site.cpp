// SPDX-License-Identifier: Apache-2.0
// gathercheck site: the records of runs as a folder of pages for a web server.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/records/record_files.hpp"
#include "conformance/report/report_data.hpp"
#include "conformance/util/json.hpp"
#include "tools/page/page_document.hpp"
#include "tools/shared/suite.hpp"
#include "tools/shared/verb.hpp"
#include "tools/site/folder.hpp"
#include "tools/site/site.hpp"
#include "tools/verbs/verbs.hpp"

namespace gathercheck {
namespace {

struct SiteVerb {
    std::vector<std::string> records;  ///< files of one or more runs
    std::string output;                ///< folder
    std::string url;                   ///< where the folder will be found; empty: nobody knows
    std::string history;               ///< folder of runs; empty: none
    bool allow_partial = false;
};

/// Exit code where the records are not whole.
constexpr int exit_trouble = 3;

/// Why a text is no address of a site; empty where it is one.
std::string why_no_address(const std::string& url) {
    if (url.empty()) return {};
    constexpr std::string_view scheme = "https://";
    constexpr std::string_view refused = " \"'<>\\^`{|}?#";
    const bool has_host =
        url.starts_with(scheme) && url.size() > scheme.size() && url[scheme.size()] != '/';
    const bool is_plain = std::ranges::all_of(
        url, [](unsigned char character) { return character > 0x20 && character < 0x7f; });
    if (has_host && is_plain && url.find_first_of(refused) == std::string::npos) return {};
    return "--url '" + printable(url) +
           "' is no address of a folder; it looks like https://NAME.github.io/REPOSITORY/";
}

int site_verb(const SiteVerb& options) {
    const std::string no_address = why_no_address(options.url);
    if (!no_address.empty()) return refuse(no_address);
    SiteFolder folder(options.output);
    const std::string kept = folder.why_not_replaced();
    if (!kept.empty()) return refuse(kept);

    const auto read = read_record_files(options.records);
    if (const auto* problem = std::get_if<Problem>(&read)) {
        print_problems({*problem});
        return exit_bad_input;
    }
    const auto& [files, lacking] = std::get<RecordFiles>(read);
    if (!lacking.empty() && !options.allow_partial) {
        print_lacking(lacking);
        refuse(
            "a site is made of complete records: go on with a run that was cut short by "
            "`gathercheck run --resume FILE`, and name all shards; --allow-partial makes a site "
            "that says on every page what is not there");
        return exit_trouble;
    }
    ReportData data;
    data.set_lacking(lacking);
    for (const RecordFileContent& file : files) {
        for (const Record& record : file.records) data.add(record);
    }
    const auto loaded = suite_of(files);
    if (!loaded) return exit_bad_input;
    const PageRecords records{files, data, {}};
    PageSupplements supplements;
    if (!options.history.empty()) {
        auto history = history_in(options.history, {});
        if (!history) return exit_bad_input;
        supplements.history = std::move(*history);
    }
    const auto document =
        page_document(records, *loaded, causes_in(records, &*loaded), std::move(supplements));
    if (!document) return exit_bad_input;

    if (folder.begin()) {
        const bool lacks_slash = !options.url.empty() && !options.url.ends_with('/');
        make_site(
            *document, options.url + (lacks_slash ? "/" : ""),
            [&](const std::string& path, const std::string& text) { folder.write(path, text); });
    }
    const std::string failed = folder.finish();
    if (!failed.empty()) return refuse(failed);
    std::fprintf(stderr, "%s: %zu files, %.1f MB; begins with index.html: %s\n",
                 printable(options.output).c_str(), folder.files(),
                 static_cast<double>(folder.bytes()) / 1e6, conclusion(data.tally()).c_str());
    return 0;
}

}  // namespace

void add_site_verb(const Verb& command, const CommandLine&, int& exit_code) {
    const auto options = std::make_shared<SiteVerb>();
    const Verb verb = command.add_verb(
        "site", "Write what records say as a folder of pages, for a web server or a disk");
    verb.add_option("records", options->records,
                    "Files that `gathercheck run --output FILE` wrote; shards are put together")
        .required()
        .type_name("FILE");
    verb.add_option("--output", options->output,
                    "Folder to write: a new one, an empty one, or one that this verb made before "
                    "and that holds nothing else, which is replaced as a whole")
        .required()
        .type_name("FOLDER");
    verb.add_option("--url", options->url,
                    "Where the folder will be found. With it there are canonical links, "
                    "sitemap.xml, feed.xml (Atom, the findings) and 404.html, which must name it; "
                    "at the root of a host robots.txt, too")
        .type_name("https://…");
    verb.add_option("--history", options->history,
                    "Also the runs of this folder one after the other, and since when failures are "
                    "there, as `gathercheck history` tells them")
        .type_name("FOLDER");
    verb.add_flag("--allow-partial", options->allow_partial,
                  "Also of records that were cut short or lack shards: each page says so");
    verb.footer(
        "A page for each engine, operator version, finding, open point, hand-written case and case "
        "that fails,\nwith links that need no server: index.html may be opened from a disk, "
        "too.\n\n"
        "Examples:\n"
        "  gathercheck site run.jsonl --output site\n"
        "  gathercheck site numpy.jsonl onnxruntime.jsonl --output site --url "
        "https://NAME.github.io/REPOSITORY/\n\n"
        "Exit code: 0 the site was written, whatever its records say of the engines; 3 the records "
        "are not whole;\n4 bad input or usage, or the folder holds files of others.");
    verb.callback([options, &exit_code] { exit_code = site_verb(*options); });
}

}  // namespace gathercheck
