// SPDX-License-Identifier: Apache-2.0
// Results as one page: a plot of every workload on one logarithmic scale, and the table behind it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "tools/bench/report.hpp"

namespace gathercheck::bench {
namespace {

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char letter : text) {
        switch (letter) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += letter;
        }
    }
    return safe;
}

std::string element(std::string_view tag, const std::string& content,
                    const std::string& attributes = "") {
    return "<" + std::string(tag) + (attributes.empty() ? "" : " " + attributes) + ">" + content +
           "</" + std::string(tag) + ">";
}

/// The engine or kind that a mark stands for: its class in the style sheet.
std::string mark_class(const Measured& measured) {
    switch (measured.kind) {
        case Kind::peer:
            return measured.name.substr(0, measured.name.find(':'));
        case Kind::plain:
            return measured.name == "plain loop" ? "loop" : "memcpy";
        case Kind::bound:
            return "copy";
        case Kind::lines:
            return "lines";
        case Kind::ours:
        case Kind::variant:
            break;
    }
    return "ours";
}

/// A logarithmic scale of time relative to ours.
class Scale {
public:
    explicit Scale(const BenchResult& result) {
        for (const WorkloadResult& one : result.workloads) {
            const Comparison comparison = compare(one, Statistic::median);
            if (!comparison.ours) continue;
            for (const Measured& measured : one.measured) {
                if (measured.state == State::timed) include(measured.median() / *comparison.ours);
            }
        }
    }

    /// Where a ratio stands, as "12.3%".
    std::string place(double ratio) const {
        const double share =
            (std::log2(std::clamp(ratio, std::exp2(low_), std::exp2(high_))) - low_) /
            (high_ - low_);
        std::array<char, 32> text;
        std::snprintf(text.data(), text.size(), "%.2f%%", 1 + 98 * share);
        return text.data();
    }

    /// Powers of two, few enough to be told apart.
    std::vector<double> ticks() const {
        const int step = high_ - low_ > 8 ? 2 : 1;
        std::vector<double> found;
        for (int power = low_; power <= high_; ++power) {
            if (power % step == 0) found.push_back(std::exp2(power));
        }
        return found;
    }

private:
    void include(double ratio) {
        if (!(ratio > 0)) return;
        low_ = std::max(-8, std::min(low_, static_cast<int>(std::floor(std::log2(ratio)))));
        high_ = std::min(10, std::max(high_, static_cast<int>(std::ceil(std::log2(ratio)))));
    }

    int low_ = -2;
    int high_ = 3;
};

std::string tick_text(double ratio) {
    return ratio < 1 ? "1/" + std::to_string(static_cast<int>(std::lround(1 / ratio)))
                     : std::to_string(static_cast<int>(std::lround(ratio)));
}

std::string plot(const WorkloadResult& result, const Scale& scale) {
    std::string marks;
    for (const double tick : scale.ticks()) {
        const std::string x = scale.place(tick);
        marks += "<line x1=\"" + x + "\" x2=\"" + x + "\" y1=\"0\" y2=\"100%\" class=\"" +
                 (tick == 1 ? "one" : "grid") + "\"/>";
    }
    const Comparison comparison = compare(result, Statistic::median);
    if (comparison.ours) {
        // Peers last, so that they lie on top.
        std::vector<const Measured*> order;
        for (const Kind kind : {Kind::bound, Kind::lines, Kind::plain, Kind::peer}) {
            for (const Measured& one : result.measured) {
                if (one.kind == kind && one.state == State::timed) order.push_back(&one);
            }
        }
        for (const Measured* one : order) {
            const double ratio = one->median() / *comparison.ours;
            const std::string title =
                element("title", escaped(one->name) + ": " + time_text(one->median()) + " (" +
                                     ratio_text(ratio) + " of ours)");
            const std::string x = scale.place(ratio);
            const std::string type = " class=\"" + mark_class(*one) + "\"";
            if (one->kind == Kind::peer) {
                marks += "<circle cx=\"" + x + "\" cy=\"50%\" r=\"5\"" + type + ">" + title +
                         "</circle>";
            } else {
                marks += "<line x1=\"" + x + "\" x2=\"" + x +
                         "\" y1=\"15%\" y2=\"85%\" stroke-width=\"3\"" + type + ">" + title +
                         "</line>";
            }
        }
    }
    return element("svg", marks, "role=\"img\" aria-label=\"" + escaped(result.workload.id) + "\"");
}

std::string axis(const Scale& scale) {
    std::string labels;
    const std::vector<double> ticks = scale.ticks();
    for (const double tick : ticks) {
        // The last one keeps clear of what stands behind the scale.
        labels += element("text", tick_text(tick),
                          "x=\"" + scale.place(tick) + "\" y=\"14\" text-anchor=\"" +
                              (tick == ticks.back() ? "end" : "middle") + "\"");
    }
    return "<div class=\"row axis\"><span class=\"id\">time / ours</span>" +
           element("svg", labels) + "<span class=\"ratio\">best peer / ours</span></div>";
}

std::string summary_card(const std::string& what, const Summary& summary) {
    if (summary.count == 0) return {};
    return element("div",
                   element("b", ratio_text(summary.geomean)) + element("span", escaped(what)) +
                       element("small", "worst " + ratio_text(summary.worst) + " (" +
                                            escaped(summary.worst_id) +
                                            "), below 1: " + std::to_string(summary.below_one) +
                                            " of " + std::to_string(summary.count)),
                   "class=\"card\"");
}

std::string time_cell(const WorkloadResult& result, Kind kind, const std::string& prefix) {
    if (const Measured* one = fastest(result, kind, Statistic::median, prefix)) {
        std::array<char, 32> spread;
        std::snprintf(spread.data(), spread.size(), "%.0f", one->spread() * 100);
        const std::string title = one->name + ": least " + time_text(one->minimum()) + ", most " +
                                  time_text(one->maximum()) + ", spread " + spread.data() + " %";
        return element("td", time_text(one->median()), "title=\"" + escaped(title) + "\"");
    }
    for (const Measured& one : result.measured) {
        if (one.kind == kind && one.name.starts_with(prefix) && one.state != State::timed) {
            return element("td",
                           one.state == State::unsupported ? "–" : std::string(name(one.state)),
                           "title=\"" + escaped(one.why) + "\"");
        }
    }
    return element("td", "–");
}

std::string table(const BenchResult& result) {
    std::string head = element("th", "workload") + element("th", "ours") +
                       element("th", "one-shot") + element("th", "plain loop") +
                       element("th", "memcpy per row") + element("th", "copy") +
                       element("th", "lines");
    for (const PeerState& peer : result.peers) {
        if (peer.missing.empty()) head += element("th", escaped(peer.name));
    }
    head += element("th", "best peer / ours") + element("th", "by minima") +
            element("th", "copy / ours") + element("th", "lines / ours");
    std::string rows = element("tr", head);
    for (const WorkloadResult& one : result.workloads) {
        std::string row =
            element("th", escaped(one.workload.id),
                    "title=\"" + escaped(one.workload.text) + "\"") +
            time_cell(one, Kind::ours, "") + time_cell(one, Kind::variant, "optimized:one-shot") +
            time_cell(one, Kind::plain, "plain loop") + time_cell(one, Kind::plain, "memcpy") +
            time_cell(one, Kind::bound, "") + time_cell(one, Kind::lines, "");
        for (const PeerState& peer : result.peers) {
            if (peer.missing.empty()) row += time_cell(one, Kind::peer, peer.name);
        }
        const Comparison median = compare(one, Statistic::median);
        const Comparison minimum = compare(one, Statistic::minimum);
        for (const std::optional<double>& ratio :
             {median.best, minimum.best, median.copy, median.lines}) {
            row += element("td", ratio ? ratio_text(*ratio) : "–",
                           ratio && *ratio < 1 ? "class=\"low\"" : "");
        }
        rows += element("tr", row);
    }
    return element("div", element("table", rows), "class=\"wide\"");
}

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --faint: #d8dee4; --dim: #57606a; --low: #b42318;
  --onnxruntime: #7b3fe4; --openvino: #0b6bcb; --torch: #d9480f; --numpy: #1a7f37; --jax: #bf2d86; --loop: #8c959f; --copy: #24292f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --faint: #30363d; --dim: #9198a1; --low: #ff8278;
  --onnxruntime: #b48cff; --openvino: #58a6ff; --torch: #ff9a5c; --numpy: #4ac26b; --jax: #ff80c8; --loop: #6e7681; --copy: #e6edf3; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
pre { overflow-x: auto; color: var(--dim); font-size: .85rem; }
.cards { display: flex; flex-wrap: wrap; gap: .75rem; }
.card { border: 1px solid var(--faint); border-radius: .5rem; padding: .6rem .9rem; flex: 1 1 13rem; display: flex; flex-direction: column; }
.card b { font-size: 1.6rem; } .card small { color: var(--dim); }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1rem; color: var(--dim); font-size: .9rem; }
.legend svg { width: 14px; height: 14px; vertical-align: -2px; }
.row { display: grid; grid-template-columns: 11rem 1fr 6.5rem; align-items: center; border-top: 1px solid var(--faint); }
.row svg { width: 100%; height: 22px; overflow: visible; }
.row .id { font: .85rem ui-monospace, monospace; } .row .ratio { text-align: right; font-variant-numeric: tabular-nums; }
.axis { border: 0; color: var(--dim); font-size: .8rem; } .axis svg { height: 18px; } .axis text { fill: var(--dim); font-size: 11px; }
.low { color: var(--low); font-weight: 600; }
.grid { stroke: var(--faint); } .one { stroke: var(--ink); stroke-width: 1.5; }
circle { stroke: var(--paper); stroke-width: 1; }
.onnxruntime { fill: var(--onnxruntime); } .openvino { fill: var(--openvino); } .torch { fill: var(--torch); }
.numpy { fill: var(--numpy); } .jax { fill: var(--jax); } .loop { stroke: var(--loop); } .memcpy { stroke: var(--loop); stroke-dasharray: 2 2; }
.copy { stroke: var(--copy); } .lines { stroke: var(--copy); stroke-dasharray: 2 2; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
td, th { padding: .2rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--faint); } th:first-child { text-align: left; position: sticky; left: 0; background: var(--paper); }
@media (max-width: 40rem) { .row { grid-template-columns: 1fr auto; padding: .15rem 0; } .row svg { grid-column: 1 / -1; grid-row: 2; } }
)";

std::string legend(const BenchResult& result) {
    std::string entries;
    const auto add = [&](const std::string& mark, const std::string& label) {
        entries +=
            element("span", element("svg", mark, "aria-hidden=\"true\"") + " " + escaped(label));
    };
    for (const PeerState& peer : result.peers) {
        if (!peer.missing.empty()) continue;
        add("<circle cx=\"7\" cy=\"7\" r=\"5\" class=\"" + escaped(peer.name) + "\"/>",
            peer.name + " " + peer.version +
                (peer.where == "in process" ? "" : " (" + peer.where + ")"));
    }
    for (const auto& [type, label] :
         {std::pair<std::string, std::string>{"loop", "plain checked loop"},
          {"memcpy", "memcpy per row"},
          {"copy", "copies of the output's bytes"},
          {"lines", "each line that a call must touch, once and in order"}}) {
        add("<line x1=\"7\" x2=\"7\" y1=\"1\" y2=\"13\" stroke-width=\"3\" class=\"" + type +
                "\"/>",
            label);
    }
    return element("p", entries, "class=\"legend\"");
}

}  // namespace

std::string html_text(const BenchResult& result) {
    const Scale scale(result);
    const std::string threads = std::to_string(result.settings.threads);
    std::string body = element("h1", "gathercheck bench");
    body += element("p", "Medians of " + std::to_string(result.settings.rounds) +
                             " interleaved rounds with " + threads +
                             (threads == "1" ? " thread" : " threads") +
                             ". Ratios above 1: we are faster. Every answer was compared with the "
                             "right one before it was timed.");
    body += element("div",
                    summary_card("best peer / ours, geomean",
                                 summarise(result, Statistic::median, &Comparison::best)) +
                        summary_card("the same by minima",
                                     summarise(result, Statistic::minimum, &Comparison::best)) +
                        summary_card("copy of the output / ours, geomean",
                                     summarise(result, Statistic::median, &Comparison::copy)) +
                        summary_card("lines touched in order / ours, geomean",
                                     summarise(result, Statistic::median, &Comparison::lines)) +
                        summary_card("plain loop / ours, geomean",
                                     summarise(result, Statistic::median, &Comparison::plain)),
                    "class=\"cards\"");
    body += element("h2", "Time relative to ours");
    body +=
        element("p", "Each mark is a contender; right of the line at 1 it takes longer than ours.");
    body += legend(result) + axis(scale);
    for (const WorkloadResult& one : result.workloads) {
        const Comparison comparison = compare(one, Statistic::median);
        const std::string ratio = comparison.best ? ratio_text(*comparison.best) : "–";
        body += element("div",
                        element("span", escaped(one.workload.id),
                                "class=\"id\" title=\"" + escaped(one.workload.text) + "\"") +
                            plot(one, scale) +
                            element("span", ratio,
                                    std::string("class=\"ratio") +
                                        (comparison.best && *comparison.best < 1 ? " low" : "") +
                                        "\" title=\"" + escaped(comparison.best_peer) + "\""),
                        "class=\"row\"");
    }
    body += element("h2", "Times") + table(result);
    body += element("h2", "Machine") + element("pre", escaped(machine_text(result)));
    if (!result.peers.empty()) {
        body += element("h2", "Engines") + element("pre", escaped(peers_text(result)));
    }
    const std::string closing = closing_text(result);
    body += element("h2", "Summary") + element("pre", escaped(closing));
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
           "<title>gathercheck bench</title><style>" +
           std::string(style) + "</style></head><body>" + body + "</body></html>\n";
}

}  // namespace gathercheck::bench
