"""The outcome of a load as one HTML page that opens without a network."""

from datetime import datetime
from pathlib import Path

from fairtrial import __version__
from fairtrial.report.page import page_environment, page_parts
from fairtrial.tools.load import advice
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.report import figures
from fairtrial.tools.load.report.charts import distribution_chart, percentile_chart, rate_chart, time_chart

TEMPLATES = Path(__file__).with_name("templates")


def load_page(measurement: Measurement) -> str:
    """The whole page. The request's headers and body are left out, as they may be secret."""
    charts = {
        "distribution": distribution_chart(measurement),
        "percentiles": percentile_chart(measurement),
        "rate": rate_chart(measurement),
        "time": time_chart(measurement),
    }
    return (
        page_environment(TEMPLATES)
        .get_template("load.html.j2")
        .render(
            measurement=measurement,
            figures=figures,
            advice=advice,
            written_at=datetime.now().astimezone().isoformat(sep=" ", timespec="seconds"),
            version=__version__,
            **page_parts({name: spec for name, spec in charts.items() if spec is not None}),
        )
    )
