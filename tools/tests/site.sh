#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The site of records: its files and links, and what is refused; or what a browser makes of it.
# usage: tools/tests/site.sh GATHERCHECK [browser]
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
[ "${2:-}" != browser ] || needs_browser
without_sweeps
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1

# An engine that takes negative indices for the first element, and whose errors are HTML; one that dies; one whose known failures show a
# finding; and the reference. Each has a run of its own.
worker=$root/tools/examples/my_worker.py
sed -E 's/outer \* size \+ index % size/outer * size + max(index, 0)/; s/an index outside \[/<\/main><script>alert(1)<\/script><img src=x onerror=alert(2)>[/' "$worker" >negative.py
sed -E 's/^        raise IndexError.*/        import os; os.abort()/' "$worker" >dies.py
sed -E 's/^    if any\(not -size .*/    if False:/' "$worker" >wraps.py
shipped=$(readlink "$GATHERCHECK_SHARE/spec_cases/findings")
rm "$GATHERCHECK_SHARE/spec_cases/findings"
cp -r "$shipped/" "$GATHERCHECK_SHARE/spec_cases/findings"
mkdir "$GATHERCHECK_SHARE/spec_cases/findings/reproducers/wraps"
echo 'print("<b>it wraps</b>")' >"$GATHERCHECK_SHARE/spec_cases/findings/reproducers/wraps/around.py"
cat >"$GATHERCHECK_SHARE/spec_cases/findings/wraps.json" <<'JSON'
{"engine": "Wraps", "findings": [{"id": "wraps-around", "implementations": ["wraps"], "severity": "missing error",
  "statement": "Indices out of bounds are taken for their remainder <by the size of the axis>",
  "rules": ["onnx.gather-13.indices.error", "ov.gather-8.indices.zero-fill"],
  "call": {"case": "gather-index-one-past-the-end", "operator": "onnx.Gather-13", "route": {"operands": "runtime", "shapes": "static"}},
  "outcome": "accepted what must be rejected", "reproducer": "wraps/around.py", "seen": {"first": "1", "last": "2"}}]}
JSON
finding='wraps-around'
run() { "$gathercheck" run --sweeps none --filter type=f32 --filter operator=onnx.Gather-13 --filter operator=openvino.Gather-8 "$@"; }
wraps=(--implementation wraps=exec:'python3 wraps.py' --known-failures known.json)
expect 'an engine takes negative indices for the first element' 1 'does not conform' run --implementation negative=exec:'python3 negative.py' --output negative.jsonl
expect 'one dies' 1 'does not conform' run --implementation dies=exec:'python3 dies.py' --output dies.jsonl
expect 'the failures of one show a finding' 1 'brought up to date' run "${wraps[@]}" --update-known-failures --finding "$finding"
expect 'and are known' 0 'conforms but for' run "${wraps[@]}" --output wraps.jsonl
expect 'the reference conforms' 0 'conforms' run --implementation reference --output reference.jsonl
runs=(negative.jsonl dies.jsonl wraps.jsonl reference.jsonl)
head -n 60 negative.jsonl >partial.jsonl
site() { "$gathercheck" site "$@"; }
links() { python3 -B "$root/tools/tests/site_links.py" "$@"; }

mkdir before
cp "${runs[@]}" before/
expect 'runs become a site' 0 '^site: [0-9]+ files, [0-9.]+ MB; begins with index.html: does not conform$' site "${runs[@]}" --history before --output site
expect 'partial ones too, if asked for' 0 'partial: [0-9]+ files' site partial.jsonl --output partial --allow-partial
if [ "${2:-}" = browser ]; then
  mv partial site/
  expect 'in a browser' 0 '^browser: [0-9]+ passed, 0 failed$' node "$root/tools/tests/page/site.mjs" "$modules" "$browser" "$folder/site"
  cat output errors
  finish
  exit
fi

# shellcheck disable=SC2016
expect 'not in the place of the folder that one is in' 4 'is the folder that you are in' sh -c 'mkdir here && cd here && "$0" site ../reference.jsonl --output .' "$gathercheck"

# --- what there is
for file in index failures cause findings cases search clarifications specifications policy run history engines/negative engines/wraps \
  operators/onnx.Gather-13 "findings/$finding" cases/gather-index-negative-ten clarifications/batch-dims-range-and-base; do
  expect "$file.html is a page" 0 '^<!DOCTYPE html>$' head -n 1 "site/$file.html"
done
"$gathercheck" report "${runs[@]}" --format page-data --output document.json
expect 'so is each case of the document' 0 '^[1-9][0-9]{2,} cases, 0 without a page$' python3 -c '
import json, os, re
cases = [case["id"] for case in json.load(open("document.json"))["cases"]]
name = lambda id: re.sub("[/=+]", lambda each: "~%02X" % ord(each[0]), id) + ".html"
print(len(cases), "cases,", sum(not os.path.exists("site/cases/" + name(id)) for id in cases), "without a page")'
expect 'every link leads to a file or a place' 0 '^[0-9]+ pages, [0-9]+ links$' links site
expect 'what names an address is not made without one' 2 'No such file' ls site/sitemap.xml site/feed.xml site/404.html site/robots.txt
expect 'and that a part of the suite was asked for' 0 '4 of 4 runs asked for a part of the suite' cat site/index.html
expect 'which, too' 0 '<dd>--filter type=f32 --filter operator=onnx.Gather-13 [^<]* --sweeps none</dd>' cat site/run.html
expect 'the overview says without scripts who does what' 0 'openvino.Gather-8.*(pass|fail)' sh -c 'tr -d "\n" <site/index.html'
expect 'an operator version, what its sentences say' 0 'id="onnx.gather-13.indices.error"' cat site/operators/onnx.Gather-13.html
expect 'with their public page' 0 'href="https://onnx.ai/' cat site/operators/onnx.Gather-13.html
expect 'runs of a folder, since when what fails' 0 '<li>wraps-around: in 1 run' cat site/history.html
expect 'a finding, what is done' 0 '<h1>Indices out of bounds are taken for their remainder &lt;by the size' cat "site/findings/$finding.html"
# shellcheck disable=SC2016
expect 'words of an engine are no markup' 0 '^0$' sh -c 'cat $(find site -name "*.html") | grep -c "<img src=x"; true'
expect 'nor is a site asked for anything elsewhere' 0 '^0$' sh -c 'cat site/assets/* $(find site -name "*.html") | grep -cE "(src|rel=\"stylesheet\" href)=\"https?:|fetch\(|import\("; true'

# --- at an address
url=https://example.org/gather/
expect 'with an address there is more' 0 'site: ' site "${runs[@]}" --output site --url "$url"
# updated SITE: the dates of its feed's entries, each once
updated() { tr -d '\n' <"$1/feed.xml" | grep -oE '<entry>.*' | grep -oE '<updated>[^<]*' | sed 's/<updated>//' | sort -u; }
sed -E 's/"started":"[^"]*"/"started":"2001-02-03T04:05:06Z"/' wraps.jsonl >newest.jsonl
expect 'a site of one day' 0 'newest: ' site newest.jsonl --output newest --url "$url"
expect 'a sitemap and a feed, well-formed' 0 '^[0-9]+ pages in the sitemap, [1-9][0-9]* entries in the feed$' links site "$url"
expect 'its findings have the date of the newest run' 0 '^2001-02-03T04:05:06Z$' updated newest
mkdir earlier
sed -E 's/"started":"[^"]*"/"started":"1999-12-31T23:59:59Z"/' wraps.jsonl >earlier/wraps.jsonl
expect 'a history knows' 0 'newest: ' site newest.jsonl --history earlier --output newest --url "$url"
expect 'since when there is a finding' 0 '^1999-12-31T23:59:59Z$' updated newest
expect 'a page for what is not there' 0 'href="https://example.org/gather/"' cat site/404.html
expect 'robots look at the root of a host alone' 2 'No such file' ls site/robots.txt
expect 'which this is' 0 'root: ' site reference.jsonl --output root --url https://example.org
expect 'there they are told' 0 '^Sitemap: https://example.org/sitemap.xml$' cat root/robots.txt
for bad in http://example.org/ https:///x example.org 'https://example.org/?q' 'https://example.org/"x'; do
  expect "no address: $bad" 4 'is no address of a folder; it looks like https://' site reference.jsonl --output other --url "$bad"
done

# --- records that are not whole
expect 'a run that was cut short is refused' 3 'a site is made of complete records: go on with .*--resume' site partial.jsonl reference.jsonl --output other
expect 'and leaves nothing' 2 'No such file' ls -d other other.*
expect 'shards that are not there, too' 1 '' run --implementation negative=exec:'python3 negative.py' --shard 1/2 --output shard.jsonl
expect 'by their number' 3 'shard' site shard.jsonl --output other
# shellcheck disable=SC2016
expect 'each page of a partial site says so' 0 '^0$' sh -c 'grep -L "cut short" $(find partial -name "*.html") | wc -l'
# shellcheck disable=SC2016
expect 'and its title' 0 '^0$' sh -c 'grep -L "<title>.*PARTIAL" $(find partial -name "*.html") | wc -l'

# --- folders of others
expect 'a site is replaced' 0 'site: ' site reference.jsonl --output site
expect 'as a whole' 2 'No such file' ls site/engines/negative.html
mkdir empty
expect 'an empty folder is taken' 0 'empty/: ' site reference.jsonl --output empty/
echo mine >empty/CNAME
expect 'a file of somebody is not lost' 4 "holds CNAME, which no .gathercheck site. made" site reference.jsonl --output empty
expect 'it is still there' 0 '^mine$' cat empty/CNAME
mkdir theirs
echo theirs >theirs/index.html
expect 'nor a folder of somebody' 4 'holds index.html, which no' site reference.jsonl --output theirs
expect 'nor a file' 4 'is a file; name a folder' site reference.jsonl --output known.json
ln -s empty link
rm empty/CNAME
expect 'behind a link the folder is replaced' 0 'link: ' site reference.jsonl --output link
expect 'and the link stays' 0 '^empty$' readlink link
expect 'nothing is left beside them' 0 '^0$' sh -c 'ls -d *.new-* 2>/dev/null | wc -l'
expect 'what cannot be read is named' 4 'no-such.jsonl' site no-such.jsonl --output other
expect 'and what is no record' 4 'known.json' site known.json --output other
finish
