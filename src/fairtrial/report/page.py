"""What all HTML pages of this project share: templates, the style, charts that are drawn offline, and a content
security policy that allows no script but the page's own."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import vl_convert
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from fairtrial.base.formatting import count, figure, figure_in, plain, plain_in, span, span_in
from fairtrial.base.printable import printable
from fairtrial.report.vega import Spec

TEMPLATES = Path(__file__).with_name("templates")
VEGA_LITE = "6.4"


def environment(*folders: Path) -> Environment:
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
    return templates


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
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 escaped above


def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """The page's script together with Vega, Vega-Lite and Vega-Embed. No text in it can end the `<script>` element."""
    bundle = vl_convert.javascript_bundle(_text("report.js"), VEGA_LITE)
    return re.sub(r"<(?=/script|script|!--)", r"\\x3c", bundle, flags=re.IGNORECASE)


def _content_hash(script: str) -> str:
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
