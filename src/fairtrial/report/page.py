"""The common parts of all HTML pages of this project: templates, the style, charts that are drawn offline, and a
content security policy that allows no script but the page's own."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from fairtrial import __version__
from fairtrial.base.formatting import bounded_below, count, figure, figure_in, plain, plain_in, span, span_in
from fairtrial.base.printable import printable
from fairtrial.report.vega import Spec

CODE = re.compile(r"`([^`\s](?:[^`]*[^`\s])?)`")
TEMPLATES = Path(__file__).with_name("templates")
BUNDLE = Path(__file__).with_name("script") / "bundle.js"
"""`scripts/bundle-charts` makes it of the files beside it."""


def page_environment(*folders: Path) -> Environment:
    """The templates of these folders and of this package, with the filters that all pages use."""
    templates = Environment(
        loader=FileSystemLoader([*folders, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"figure": figure, "span": span, "plain": plain, "printable": printable, "counted": count}
    templates.filters |= {"figure_in": figure_in, "span_in": span_in, "plain_in": plain_in}
    templates.filters |= {"bounded_below": bounded_below, "prose": prose}
    return templates


def prose(text: str, limit: int | None = None) -> Markup:
    """A sentence of the lab as `printable` leaves it, for the inside of an element: what is in backquotes is code.

    Markup that is in the text is shown and not obeyed.
    """
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(printable(text, limit)))))  # noqa: S704 escaped before


def page_text(template: Path, charts: Mapping[str, Spec | None], **variables: object) -> str:
    """A whole page by this template, which has the variables of `page_parts` too, `version` and `written_at`."""
    return (
        page_environment(template.parent)
        .get_template(template.name)
        .render(
            **variables,
            written_at=datetime.now().astimezone().isoformat(sep=" ", timespec="seconds"),
            version=__version__,
            **page_parts({name: spec for name, spec in charts.items() if spec is not None}),
        )
    )


def page_parts(charts: Mapping[str, Spec]) -> dict[str, object]:
    """A template's variables for its style and charts: `charts`, `chart_data`, `script`, `script_hash`, `style`."""
    script = _script() if charts else ""
    return {
        "charts": charts,
        "chart_data": json_for_html(charts),
        "script": Markup(script),  # noqa: S704 our own
        "script_hash": _content_hash(script),
        "style": Markup(_text("report.css")),  # noqa: S704 our own
    }


def json_for_html(value: object) -> Markup:
    """JSON for the inside of a `<script>` element: `<`, `>`, `&` and the line ends of JavaScript are escaped."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 escaped above


def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """The charts' script, with Vega, Vega-Lite and Vega-Embed in it; nothing in it can end its own element."""
    return re.sub(r"<(?=/script|script|!--)", r"\\x3c", BUNDLE.read_text(encoding="utf-8"), flags=re.IGNORECASE)


def _content_hash(script: str) -> str:
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
