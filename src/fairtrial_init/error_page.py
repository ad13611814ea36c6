"""The message of a page of HTML that came in place of an answer: its title, its heading, and the message below it."""

from html.parser import HTMLParser

from fairtrial.base.printable import printable

PARTS = ("title", "h1", "pre")
"""The elements that are read, the first of each: frameworks put the exception's text into `pre`."""
LONGEST_CHARACTERS = 300
READ_CHARACTERS = 200_000
"""The part of the page that is read: what is wrong stands at its beginning."""


def page_in_words(body: bytes) -> str:
    """The page in one line, printable; empty if it is none."""
    text = body[:READ_CHARACTERS].decode(errors="replace")
    if not text.lstrip().lower().startswith(("<!doctype html", "<html")):
        return ""
    parser = _Parts()
    parser.feed(text)
    words = [" ".join(parser.texts.get(part, "").split()) for part in PARTS]
    return printable(": ".join(dict.fromkeys(each for each in words if each)), LONGEST_CHARACTERS)


class _Parts(HTMLParser):
    """The text of the first element of each kind."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self._within: str | None = None

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        if self._within is None and tag in PARTS and tag not in self.texts:
            self._within = tag
            self.texts[tag] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag == self._within:
            self._within = None

    def handle_data(self, data: str) -> None:
        if self._within is not None:
            self.texts[self._within] += data
