#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs_listings.py ROOT

Checks what README.md and docs/**/*.md show against the files it comes from:

  ```cpp examples/01_heat.cpp     the fences of one page that name a file are, one after another, that file, but for
  …                               blank lines and the licence line
  ```cpp tests/x.cpp#field        the part of a file between the lines `// [field]` and `// [end]`
  ```text examples/01_heat.out    what a program prints; `…` in the file stands for any text
  [text](page.md#heading)         links to files and headings of the repository lead somewhere
  error: …                        in docs/errors/NAME.md: the library's own sentence, which names that page

Paths of files are relative to ROOT, those of links to the page. Prints what does not agree and returns 1 then.
"""
import pathlib
import re
import sys
import textwrap

FENCE = re.compile(r"^```(\w*)[ \t]*(\S*)[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def lines_of(text):
    return [line.rstrip() for line in text.splitlines() if line.strip() and "SPDX-License-Identifier" not in line]


def stored_text(root, path):
    """The file, or the part of it, without its indentation; None if there is none."""
    name, _, part = path.partition("#")
    if not (root / name).is_file():
        return None
    text = (root / name).read_text(encoding="utf-8")
    if part:
        found = re.search(rf"^ *// \[{re.escape(part.replace('_', ' '))}\]\n(.*?)^ *// \[end\]", text,
                          re.MULTILINE | re.DOTALL)
        return textwrap.dedent(found.group(1)) if found else None
    return text


def agree(shown, stored):
    """Whether a line shown is the stored one, in which … is any text."""
    return re.fullmatch(".*".join(re.escape(part) for part in stored.split("…")), shown) is not None


def compare(page, path, shown, stored):
    for number in range(max(len(shown), len(stored))):
        here = shown[number] if number < len(shown) else "(nothing)"
        there = stored[number] if number < len(stored) else "(nothing)"
        if number >= len(shown) or number >= len(stored) or not agree(here, there):
            return [f"{page}: line {number + 1} of what it shows of {path}\n    {here}\nis there\n    {there}"]
    return []


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        plain = re.sub(r"[`*]|\[|\]\([^)]*\)", "", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


def check_links(root, page, text):
    found = []
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.is_relative_to(root) or not path.exists():
            found.append(f"{page.relative_to(root)}: the link {target} leads nowhere")
        elif anchor and anchor not in anchors(path):
            found.append(f"{page.relative_to(root)}: {name or 'the page'} has no heading for #{anchor}")
    return found


def check_errors(name, text):
    """A page of a constraint shows the library's own words, not some other mistake that was in the way."""
    shown = [line for _, _, body in FENCE.findall(text) for line in body.splitlines() if line.startswith("error: ")]
    return [f"{name}: shows {line!r}, not the sentence of this constraint" for line in shown
            if not re.search(rf"tessera: .*\({re.escape(str(name))}\)", line)]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    mistakes, files = [], 0
    for page in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        name = page.relative_to(root)
        pieces = {}
        for _, path, body in FENCE.findall(text):
            if path:
                pieces.setdefault(path, []).extend(lines_of(body))
        for path, shown in pieces.items():
            files += 1
            stored = stored_text(root, path)
            if stored is None:
                mistakes.append(f"{name}: there is no {path}")
            else:
                mistakes += compare(name, path, shown, lines_of(stored))
        mistakes += check_links(root, page, text)
        if name.parent == pathlib.Path("docs/errors"):
            mistakes += check_errors(name, text)
    for mistake in mistakes:
        print(mistake)
    print(f"{files} files shown, {len(mistakes)} mistakes")
    return 1 if mistakes or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
