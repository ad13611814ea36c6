"""`report.html`: a single file that opens without a network and runs no script but its own."""

from collections.abc import Sequence
from functools import cache

from jinja2 import Template

from fairtrial.judge.model import Result
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.placement import topology_in_words
from fairtrial.record.profile import NO_PROFILES, Profiles
from fairtrial.report import columns
from fairtrial.report.charts import goodput_chart, percentile_chart, second_chart, verdict_chart
from fairtrial.report.curve_chart import curve_chart
from fairtrial.report.grouping import grouped_findings, numbered, obstacles
from fairtrial.report.page import environment, page_parts
from fairtrial.report.profile.section import profile_section
from fairtrial.report.sentences import (
    blocks_in_words,
    ceiling_in_words,
    claims_notes,
    floor_in_words,
    lanes_in_words,
    loads_in_words,
    notes,
    waits_in_words,
    workload_in_words,
)
from fairtrial.report.stack_users import users_in_words
from fairtrial.report.vega import Spec


@cache
def report_template() -> Template:
    """The template of the page, compiled."""
    templates = environment()
    templates.filters["numbered"] = numbered
    templates.filters["workload"] = workload_in_words
    return templates.get_template("report.html.j2")


def html_text(
    result: Result, record: ExperimentRecord, trials: Sequence[TrialRecord], profiles: Profiles = NO_PROFILES
) -> str:
    """The whole report as one HTML document."""
    charts: dict[str, Spec | None] = {
        "curves": curve_chart(result),
        "goodput": goodput_chart(result),
        "percentiles": percentile_chart(result, trials),
        "seconds": second_chart(result, trials),
    }
    charts |= {f"claim-{claim.id}": verdict_chart(claim) for claim in result.claims}
    profile = profile_section(profiles)
    charts |= profile.charts
    specs = {name: spec for name, spec in charts.items() if spec is not None}
    return report_template().render(
        result=result,
        record=record,
        names={condition.id: condition.contender for condition in record.conditions},
        conditions=columns.in_order(result.conditions),
        columns=columns,
        other_columns=columns.other_columns(result),
        classed=columns.shows_class(result.conditions),
        request_rows=columns.request_rows(result),
        started=columns.started(result),
        bounded_times=any(map(columns.has_lower_bounds, result.conditions)),
        ranked=any(condition.rank is not None for condition in result.conditions),
        blocks=blocks_in_words(result),
        loads=loads_in_words(result),
        notes=notes(result),
        claims_notes=claims_notes(result),
        users=users_in_words(result),
        ceiling=ceiling_in_words(result),
        floor=floor_in_words(result),
        waits=waits_in_words(result),
        topology=topology_in_words(result.placement),
        lanes=lanes_in_words(result),
        findings=grouped_findings(result),
        obstacles=obstacles(result),
        profile=profile,
        **page_parts(specs),
    )
