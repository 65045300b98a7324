# SPDX-License-Identifier: Apache-2.0
"""Every link of every page of a site: usage: site_links.py FOLDER [URL]. Prints how many pages and links, or what is wrong."""

import html.parser
import json
import pathlib
import re
import sys
import urllib.parse
import xml.etree.ElementTree

folder = pathlib.Path(sys.argv[1])
url = sys.argv[2] if len(sys.argv) > 2 else None
problems = []


class Page(html.parser.HTMLParser):
    """What a page links to, and what its head says."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.found, self.title, self.inside = [], set(), {}, "", ""
        self.data = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.inside = tag
        if "id" in attributes:
            self.ids.add(attributes["id"])
        if tag == "link" and attributes.get("rel") == "canonical":
            self.found["canonical"] = attributes["href"]
        elif tag == "meta" and "name" in attributes:
            self.found[attributes["name"]] = attributes["content"]
        else:
            self.links += [attributes[key] for key in ("href", "src", "action") if key in attributes]

    def handle_data(self, data):
        if self.inside == "title":
            self.title += data
        elif self.inside == "script":
            self.data += data

    def handle_endtag(self, _):
        self.inside = ""


pages = {path.relative_to(folder).as_posix(): Page(path.read_text()) for path in sorted(folder.rglob("*.html"))}
checked = 0
for name, page in pages.items():
    if not page.title.strip():
        problems.append(f"{name}: no title")
    if name == "404.html":
        continue
    if not page.found.get("description"):
        problems.append(f"{name}: no description")
    if page.found.get("canonical") != (url and url + ("" if name == "index.html" else name)):
        problems.append(f"{name}: the canonical link is {page.found.get('canonical')}")
    if page.data.strip():
        json.loads(page.data)
    for link in page.links:
        target = urllib.parse.urlsplit(link)
        if target.scheme:
            if not re.match(r"https://|data:image/", link):
                problems.append(f"{name}: {link} is neither relative nor https")
            continue
        path = urllib.parse.unquote(target.path)
        to = (folder / name).parent / path if path else folder / name
        checked += 1
        if path.startswith("/") or not to.is_file() or folder.resolve() not in to.resolve().parents:
            problems.append(f"{name}: {link} is no file")
        elif target.fragment and to.suffix == ".html":
            other = pages[to.resolve().relative_to(folder.resolve()).as_posix()]
            if urllib.parse.unquote(target.fragment) not in other.ids:
                problems.append(f"{name}: {link} is no place")

if url:
    sites = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    atom = "{http://www.w3.org/2005/Atom}"
    listed = [each.text for each in xml.etree.ElementTree.parse(folder / "sitemap.xml").iter(sites + "loc")]
    feed = xml.etree.ElementTree.parse(folder / "feed.xml").getroot()
    entries = feed.findall(atom + "entry")
    for element in [feed, *entries]:
        for key in ("id", "title", "updated", "link"):
            if element.find(atom + key) is None:
                problems.append(f"feed.xml: an element without {key}")
    for address in [*listed, *(each.find(atom + "id").text for each in entries)]:
        path = address.removeprefix(url) or "index.html"
        if not address.startswith(url) or path not in pages or pages[path].found.get("robots") == "noindex":
            problems.append(f"{address} is no page")
    if len(listed) != sum("robots" not in page.found for page in pages.values()):
        problems.append(f"sitemap.xml has {len(listed)} pages")
    print(f"{len(listed)} pages in the sitemap, {len(entries)} entries in the feed")

print("\n".join(problems[:20]) or f"{len(pages)} pages, {checked} links")
sys.exit(bool(problems))
