"""A result in Prometheus' text form, for the textfile collector of node_exporter, which takes no times of its own."""

import math

from fairtrial.base.printable import printable
from fairtrial.judge.model import Result
from fairtrial.report.gauges import Labels, gauges_of


def prometheus_text(result: Result) -> str:
    """The gauges of a result, as version 0.0.4 of the exposition format has them."""
    lines = []
    for gauge in gauges_of(result):
        lines += [f"# HELP {gauge.name} {_escaped(gauge.meaning)}", f"# TYPE {gauge.name} gauge"]
        lines += [f"{gauge.name}{_label_set(labels)} {_number(value)}" for labels, value in gauge.points]
    return "\n".join(lines) + "\n"


def _label_set(labels: Labels) -> str:
    texts = ((name, _escaped(text).replace('"', r"\"")) for name, text in labels.items())
    return "{" + ",".join(f'{name}="{text}"' for name, text in texts) + "}"


def _escaped(text: str) -> str:
    return printable(text).replace("\\", r"\\")


def _number(value: float) -> str:
    return "+Inf" if value == math.inf else repr(value)
