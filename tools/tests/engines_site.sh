#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The site of what the tests of engines recorded, with a page for each of them. usage: engines_site.sh GATHERCHECK RECORDS SITE
#
# RECORDS is the folder of the records; the site is left in the folder SITE, for people. Exit code 77 where no engine was tested.
set -u
shopt -s nullglob
gathercheck=$1
records=$2
site=$3
files=("$records"/*.jsonl)
((${#files[@]} > 0)) || { echo 'skipped: no engine was tested in this build'; exit 77; }
rm -rf "$site"
"$gathercheck" site "${files[@]}" --output "$site" || exit 1
pages=$(find "$site/engines" -name '*.html' | wc -l)
echo "${#files[@]} engines, $pages of them with a page"
((pages == ${#files[@]}))
