"""`report.html`: a single file that opens without a network and runs no script but its own."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from jinja2 import Template

from fairtrial.base.formatting import level_in_words
from fairtrial.judge.model import Result
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.placement import topology_in_words
from fairtrial.record.profile import NO_PROFILES, Profiles
from fairtrial.report import causes, columns, grouping, sentences, stack_users
from fairtrial.report.charts import goodput_chart, percentile_chart, second_chart, verdict_chart
from fairtrial.report.curve_chart import curve_chart
from fairtrial.report.page import TEMPLATES, page_environment, page_parts
from fairtrial.report.profile.section import profile_section
from fairtrial.report.slowest_traced import slowest_traced
from fairtrial.report.vega import Spec

REPORT = TEMPLATES / "report.html.j2"


@cache
def report_template(template: Path = REPORT) -> Template:
    """The template of the page, compiled. It asks for what it shows by the functions that all reports have."""
    templates = page_environment(template.parent)
    templates.globals |= {
        "causes": causes,
        "columns": columns,
        "grouping": grouping,
        "sentences": sentences,
        "stack_users": stack_users,
    }
    templates.globals["topology_in_words"] = topology_in_words
    templates.tests["has_lower_bounds"] = columns.has_lower_bounds
    return templates.get_template(template.name)


def html_text(
    result: Result,
    record: ExperimentRecord,
    trials: Sequence[TrialRecord],
    profiles: Profiles = NO_PROFILES,
    template: Path = REPORT,
    more: Mapping[str, object] | None = None,
) -> str:
    """The whole report as one HTML document.

    Args:
        template: the report's, or one that extends it.
        more: variables of that one.
    """
    charts: dict[str, Spec | None] = {
        "causes": causes.causes_chart(result.causes),
        "curves": curve_chart(result),
        "goodput": goodput_chart(result),
        "percentiles": percentile_chart(result, trials),
        "seconds": second_chart(result, trials),
    }
    charts |= {f"claim-{claim.id}": verdict_chart(claim) for claim in result.claims}
    profile = profile_section(profiles)
    charts |= profile.charts
    specs = {name: spec for name, spec in charts.items() if spec is not None}
    levels = {f"claim-{claim.id}": claim.level for claim in result.claims if claim.level is not None}
    return report_template(template).render(
        **(more or {}),
        result=result,
        claims_at=level_in_words(*levels.values()),
        drawn_at=level_in_words(*(level for chart, level in levels.items() if chart in specs)),
        record=record,
        names={condition.id: condition.contender for condition in record.conditions},
        profile=profile,
        traced=slowest_traced(result, trials),
        **page_parts(specs),
    )
