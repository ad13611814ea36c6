"""`report.html`: one file that opens without a network, shows what the record says, and runs nothing but its
own script."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import vl_convert
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from fairtrial.claims.wording import bound_in_words, count, figure, plain, span
from fairtrial.judge.model import Result
from fairtrial.printable import printable
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.report import columns
from fairtrial.report.charts import Spec, goodput_chart, percentile_chart, second_chart, verdict_chart
from fairtrial.report.grouping import grouped_findings, numbered, obstacles

TEMPLATES = Path(__file__).with_name("templates")
VEGA_LITE = "6.4"


def html_text(result: Result, record: ExperimentRecord, trials: Sequence[TrialRecord]) -> str:
    """The whole report as one HTML document."""
    charts: dict[str, Spec | None] = {
        "goodput": goodput_chart(result),
        "percentiles": percentile_chart(result, trials),
        "seconds": second_chart(result, trials),
    }
    charts |= {f"claim-{claim.id}": verdict_chart(claim) for claim in result.claims}
    drawn = {name: spec for name, spec in charts.items() if spec is not None}
    script = _script() if drawn else ""
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            result=result,
            record=record,
            names={condition.id: condition.contender for condition in record.conditions},
            conditions=columns.in_order(result.conditions),
            columns=columns,
            loads=columns.loads(result),
            findings=grouped_findings(result),
            obstacles=obstacles(result),
            charts=drawn,
            chart_data=json_for_html(drawn),
            script=Markup(script),  # noqa: S704 our own
            script_hash=_content_hash(script),
            style=Markup(_text("report.css")),  # noqa: S704 our own
        )
    )


def json_for_html(value: object) -> Markup:
    """JSON that may stand inside a `<script>` element: `<`, `>`, `&` and the line ends of JavaScript are escaped."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 escaped just now


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "figure": figure,
        "span": span,
        "plain": plain,
        "printable": printable,
        "counted": count,
        "numbered": numbered,
    }
    environment.globals |= {"bound_in_words": bound_in_words, "contender": columns.contender}
    return environment


def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """The report's script with Vega, Vega-Lite and Vega-Embed in it; nothing in it can end its own element."""
    bundle = vl_convert.javascript_bundle(_text("report.js"), VEGA_LITE)
    return re.sub(r"<(?=/script|script|!--)", r"\\x3c", bundle, flags=re.IGNORECASE)


def _content_hash(script: str) -> str:
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
