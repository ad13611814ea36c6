"""Sentences of the lab on a page."""

from fairtrial.report.page import page_environment, prose


def test_what_is_in_backquotes_is_code_and_markup_is_shown() -> None:
    assert prose("try `--minutes 6 & more`, or `x`") == "try <code>--minutes 6 &amp; more</code>, or <code>x</code>"
    assert prose("<b> `<script>` \x1b[2J") == "&lt;b&gt; <code>&lt;script&gt;</code> \\x1b[2J"


def test_a_backquote_alone_stays() -> None:
    assert prose("a ` and ``") == "a ` and ``"


def test_a_template_shows_it_once_escaped() -> None:
    template = page_environment().from_string("<p>{{ text|prose }}</p><p>{{ text|prose(4) }}</p>")
    assert template.render(text="`a` < b") == "<p><code>a</code> &lt; b</p><p><code>a</code>…</p>"
