"""The outcome of a load as one HTML page that opens without a network."""

from datetime import datetime
from pathlib import Path

from fairtrial import __version__
from fairtrial.report.page import page_environment, page_parts
from fairtrial.tools.load.advice import remedy, warnings
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.report.charts import distribution_chart, percentile_chart, rate_chart, time_chart
from fairtrial.tools.load.report.figures import (
    capacities,
    facts,
    goodput_in_words,
    notes_on_times,
    probes_table,
    requests_table,
    times_table,
)

TEMPLATES = Path(__file__).with_name("templates")


def load_page(measurement: Measurement) -> str:
    """The whole page. The request's headers and body are left out, as they may be secret."""
    charts = {
        "distribution": distribution_chart(measurement),
        "percentiles": percentile_chart(measurement),
        "rate": rate_chart(measurement),
        "time": time_chart(measurement),
    }
    failed = sorted(measurement.failed.items(), key=lambda item: -item[1])
    return (
        page_environment(TEMPLATES)
        .get_template("load.html.j2")
        .render(
            measurement=measurement,
            summary=measurement.summary,
            load=measurement.load.describe(),
            goodput=goodput_in_words(measurement),
            facts=list(facts(measurement)),
            times=times_table(measurement),
            requests=requests_table(measurement),
            verdicts=measurement.verdicts,
            capacities=capacities(measurement),
            probes=probes_table(measurement),
            notes=[*notes_on_times(measurement), *measurement.notes],
            failed=[(kind, count, remedy(kind, measurement.summary)) for kind, count in failed],
            warnings=list(warnings(measurement)),
            written_at=datetime.now().astimezone().isoformat(sep=" ", timespec="seconds"),
            version=__version__,
            **page_parts({name: spec for name, spec in charts.items() if spec is not None}),
        )
    )
