"""A page of HTML that an answer must say the same as, however it spells it."""

from collections.abc import Sequence
from html.parser import HTMLParser
from itertools import zip_longest
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

LARGEST_PAGE_BYTES = 1 << 20
MOST_TIMES_AS_LONG = 4
SPARE_CHARACTERS = 4096
"""Escapes and white space lengthen a page. A body that is longer yet is not read: the parser may take time that grows
with the square of what it is given."""

SHOWN_CHARACTERS = 80


class HtmlPage:
    """A page's content: its tags in their order, and the texts between them.

    Character references count as what they stand for, and `&quot;` is `&#34;`. Of white space, a run counts as one
    space, and none counts at the ends of a text. Names of tags and attributes are compared without their case,
    attributes in any order. Comments do not count.

    Raises:
        ValueError: the text holds no tag.
    """

    def __init__(self, text: str) -> None:
        self._pieces = _pieces_of(text)
        self._longest = MOST_TIMES_AS_LONG * len(text) + SPARE_CHARACTERS
        if not any(piece.startswith("<") for piece in self._pieces):
            raise ValueError("it holds no tag of HTML")

    def fault(self, body: str) -> str | None:
        """Where a body says something else, with what stands there; None if it says the same."""
        if len(body) > self._longest:
            return f"{len(body):,} characters, and the page that is expected, however it is spelled, has fewer"
        for number, (piece, right) in enumerate(zip_longest(_pieces_of(body), self._pieces), 1):
            if piece != right:
                return f"piece {number} of the page is {_excerpt(piece)}, not {_excerpt(right)}"
        return None


def read_html_page(file: Path, where: str) -> HtmlPage:
    """The page in a file.

    Args:
        where: the key that names it, for messages.

    Raises:
        Problem: it cannot be read, is larger than a MiB, or is no HTML in UTF-8.
    """
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST_PAGE_BYTES + 1)
        if len(content) > LARGEST_PAGE_BYTES:
            raise ValueError(f"larger than {LARGEST_PAGE_BYTES >> 20} MiB")
        return HtmlPage(content.decode())
    except OSError as error:
        raise Problem(f"{where}: {file}: {error.strerror}", "name a file that can be read") from error
    except ValueError as error:
        raise Problem(f"{where}: {file}: {error}", "name the page that is right, as HTML in UTF-8") from error


class _Reader(HTMLParser):
    """Collects the pieces of a page: `<td class="x">`, `</td>` and texts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._text: list[str] = []

    def end_text(self) -> None:
        """End the text since the last tag as one piece, if it is more than white space."""
        text = " ".join("".join(self._text).split())
        self._text = []
        if text:
            # A text that looks like a tag must not be taken for one.
            self.pieces.append(f"text {text}")

    def handle_decl(self, decl: str) -> None:
        self._add(f"<!{' '.join(decl.lower().split())}>")

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self._add(f"<{tag}{''.join(f' {name}={value!r}' for name, value in sorted(attrs, key=str))}>")

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self._add(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def _add(self, piece: str) -> None:
        self.end_text()
        self.pieces.append(piece)


def _pieces_of(text: str) -> list[str]:
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.end_text()
    return reader.pieces


def _excerpt(piece: str | None) -> str:
    return "missing" if piece is None else printable(piece, SHOWN_CHARACTERS)
