"""`python3 site_pages.py ROOT OUT`: pages as the site's generator reads them, in OUT/pages, with its OUT/zensical.toml.

They are those of docs/, and Markdown elsewhere in the repository to which these link. Pages stay as they are where they
lie: what the generator's Markdown wants otherwise than a repository's browser is changed in the copies. A link to
anything else in the repository becomes its text, with the path where that does not say it: the site has no other files.
"""

import os
import re
import shutil
import sys
from pathlib import Path, PurePosixPath

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
FENCE = re.compile(r"^```.*?^```$", flags=re.DOTALL | re.MULTILINE)
MARKER = re.compile(r"^<!-- .* -->$", flags=re.MULTILINE)
LIST_ITEM = re.compile(r" *(?:- |\d+\. )")


def place_of(page: PurePosixPath) -> PurePosixPath:
    """Where a page of the repository is on the site."""
    if page.parts[0] == "docs":
        return page.relative_to("docs")
    return "repository" / (page.parent.with_suffix(".md") if page.name == "README.md" else page)


def target_of(link: str, page: PurePosixPath) -> PurePosixPath:
    """The path in the repository to which a link of a page leads; the page itself where that is only an anchor."""
    return PurePosixPath(os.path.normpath(page.parent / link)) if link else page


def pages_of(root: Path) -> list[PurePosixPath]:
    """Those of docs/, then those elsewhere that they link, by their paths in the repository."""
    docs = [PurePosixPath(path.relative_to(root)) for path in sorted((root / "docs").rglob("*.md"))]
    linked = {
        target_of(link[3], page) for page in docs for link in LINK.finditer((root / page).read_text(encoding="utf-8"))
    }
    return [*docs, *sorted(each for each in linked if each.suffix == ".md" and "docs" not in each.parts[:1])]


def with_links(text: str, page: PurePosixPath, pages: frozenset[PurePosixPath]) -> str:
    """The text of a page with links as they lead on the site."""

    def on_site(link: re.Match[str]) -> str:
        is_picture, words, path, anchor = link[1], link[2], link[3], link[4] or ""
        target = target_of(path, page)
        if path.startswith("https://") or is_picture:
            return link[0]
        if target in pages:
            to = "" if target == page else os.path.relpath(place_of(target), place_of(page).parent)
            return f"[{words}]({to}{anchor})"
        return words if target.name in words else f"{words} (`{target}`)"

    return LINK.sub(on_site, text)


def with_lists(text: str) -> str:
    """Lists with four columns for each level, and an empty line before the first item: Python-Markdown's rules."""
    lines: list[str] = []
    in_list = False
    for line in text.split("\n"):
        is_item = LIST_ITEM.match(line) is not None
        if is_item and not in_list:
            in_list = True
            if lines and lines[-1].strip():
                lines.append("")
        elif line.strip() and not line.startswith(" ") and not is_item:
            in_list = False
        indent = len(line) - len(line.lstrip(" "))
        lines.append(" " * indent + line if in_list else line)
    return "\n".join(lines)


def on_site(text: str, page: PurePosixPath, pages: frozenset[PurePosixPath]) -> str:
    """A page as the generator reads it."""
    prose = iter(FENCE.split(text))
    parts = [with_lists(with_links(MARKER.sub("", next(prose)), page, pages))]
    for fence in FENCE.findall(text):
        parts += [fence, with_lists(with_links(MARKER.sub("", next(prose)), page, pages))]
    return "".join(parts)


def main(root: Path, out: Path) -> None:
    """Write them."""
    pages = pages_of(root)
    for page in pages:
        copy = out / "pages" / place_of(page)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(on_site((root / page).read_text(encoding="utf-8"), page, frozenset(pages)), encoding="utf-8")
    for picture in (*(root / "docs").rglob("*.svg"), *(root / "docs").rglob("*.png")):
        shutil.copy(picture, out / "pages" / picture.relative_to(root / "docs"))
    for asset in ("site.css", "site.js", "iframe-worker-shim.js"):
        shutil.copy(root / "scripts" / asset, out / "pages")
    shutil.copy(root / "scripts" / "site.toml", out / "zensical.toml")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
