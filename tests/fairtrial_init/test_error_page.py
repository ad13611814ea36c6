"""A page of HTML is told by its title, its heading and its message; what is none is not."""

import pytest

from fairtrial_init.error_page import page_in_words

DJANGO = b"""<!DOCTYPE html>
<html lang="en"><head><style>h1 { margin: 0 }</style>
  <title>OperationalError
          at /items/</title></head>
<body><h1>OperationalError
       <span>at /items/</span></h1>
<pre class="exception_value">no such table: shop_item</pre><pre>more</pre></body></html>"""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (DJANGO, "OperationalError at /items/: no such table: shop_item"),
        (b"<!doctype html><title>Error</title><pre>Cannot GET /a&amp;b</pre>", "Error: Cannot GET /a&b"),
        (b"\n<html><head><title>500 \x1b[2J</title><h1>Server Error", "500 \\x1b[2J: Server Error"),
        (b"<html></html>", ""),
        (b'{"title": "<title>x</title>"}', ""),
        (b"", ""),
    ],
)
def test_what_a_page_says(body: bytes, words: str) -> None:
    assert page_in_words(body) == words
