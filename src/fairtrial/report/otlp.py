"""A result for a collector of OpenTelemetry, by OTLP over HTTP: gauges, and the run and its trials as spans.

It is sent when all is done: no window has it beside it. The SDK reads the standard environment variables for endpoint,
headers, certificates, compression and time-out, 10 s without one.
"""

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.judge.model import Result, TrialResult
from fairtrial.record.model import TrialRecord
from fairtrial.report.gauges import gauges_of

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricsData
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan

FROM_ENVIRONMENT = "env"
"""In place of a URL: the endpoint that the environment names."""
SCOPE = "fairtrial"
BEFORE_THE_TRIAL = "ceiling"
"""The stage that came before the start of a trial."""
LONGEST_REASON = 300
_PASSWORD = re.compile(r"//[^/]*@")
"""In a URL, before the host."""


def assert_sdk() -> None:
    """Raise Problem if OpenTelemetry's SDK is not installed."""
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.exporter.otlp.proto.http") is None:
        raise Problem(
            "--otlp needs OpenTelemetry's SDK and its OTLP exporter, which are not installed",
            "pip install 'fairtrial[otel]'",
        )


def send(result: Result, trials: Sequence[TrialRecord], url: str) -> None:
    """Send the gauges and spans of a result, and wait until they are taken.

    Args:
        url: of the collector, to which `/v1/metrics` and `/v1/traces` are added; or `FROM_ENVIRONMENT`.

    Raises:
        Problem: nobody takes them in time.
    """
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter  # noqa: PLC0415 optional
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.metrics.export import MetricExportResult  # noqa: PLC0415
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import SpanExportResult  # noqa: PLC0415

    base = None if url == FROM_ENVIRONMENT else url.rstrip("/")
    if base is not None and not base.startswith(("http://", "https://")):
        raise Problem(f"--otlp {printable(url)}: no URL", "name the collector, such as http://127.0.0.1:4318, or env")
    resource = Resource.create({"service.name": "fairtrial", "service.version": result.fairtrial_version})
    with _complaints() as complaints:
        spans = OTLPSpanExporter(endpoint=None if base is None else f"{base}/v1/traces")
        metrics = OTLPMetricExporter(endpoint=None if base is None else f"{base}/v1/metrics")
        try:
            success = (
                spans.export(_spans(result, trials, resource)) is SpanExportResult.SUCCESS
                and metrics.export(_metrics(result, resource)) is MetricExportResult.SUCCESS
            )
        finally:
            spans.shutdown()  # type: ignore[no-untyped-call]
            metrics.shutdown()
    if not success:
        whom = "the collector that the environment names" if base is None else printable(_PASSWORD.sub("//", base))
        why = f": {complaints[0]}" if complaints else ""  # the first has the cause, the last says that time is over
        raise Problem(
            f"{whom} did not take the figures{why}",
            "start a collector there, or name another; what was measured is safe, and "
            "`fairtrial judge DIR --otlp URL` sends it again",
        )


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """Complaints of the exporters, which are then not printed."""
    complaints: list[str] = []
    logger = logging.getLogger("opentelemetry.exporter.otlp")
    handler = logging.Handler()
    handler.emit = lambda record: complaints.append(printable(record.getMessage(), LONGEST_REASON))  # type: ignore[method-assign]
    propagated = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield complaints
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagated


def _metrics(result: Result, resource: "Resource") -> "MetricsData":
    from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader  # noqa: PLC0415

    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], resource, shutdown_on_exit=False)
    meter = provider.get_meter(SCOPE, result.fairtrial_version)
    for each in gauges_of(result):
        gauge = meter.create_gauge(each.name, unit=each.ucum_unit, description=each.meaning)
        for labels, value in each.points:
            gauge.set(value, dict(labels))
    data = reader.get_metrics_data()
    assert data is not None  # the run has a start
    return data


def _spans(result: Result, trials: Sequence[TrialRecord], resource: "Resource") -> "Sequence[ReadableSpan]":
    """The run, and below it its trials, with their true times."""
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: PLC0415
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: PLC0415
    from opentelemetry.trace import StatusCode, set_span_in_context  # noqa: PLC0415

    memory = InMemorySpanExporter()
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(memory))
    tracer = provider.get_tracer(SCOPE, result.fairtrial_version)
    start = _nanoseconds(result.started_at)
    run = tracer.start_span(f"run {result.name}", start_time=start)
    run.set_attributes({"experiment": result.name, "title": result.title, "interrupted": result.interrupted})
    below = set_span_in_context(run)
    judged: dict[int, tuple[str, TrialResult]] = {
        trial.index: (condition.contender, trial) for condition in result.conditions for trial in condition.trials
    }
    last = start
    for record in trials:
        contender, trial = judged[record.index]
        begin = _nanoseconds(record.started_at)
        span = tracer.start_span(f"trial {contender}", below, start_time=begin)
        span.set_attributes(
            {
                "experiment": result.name,
                "condition": record.condition,
                "contender": contender,
                "block": record.block,
                "outcome": trial.outcome,
            }
        )
        if trial.goodput is not None:
            span.set_attribute("goodput_per_second", trial.goodput.per_second)
        if trial.reason is not None:
            span.set_status(StatusCode.ERROR, printable(trial.reason, LONGEST_REASON))
        seconds = sum(length for stage, length in record.stage_seconds.items() if stage != BEFORE_THE_TRIAL)
        end = begin + round(seconds * 1e9)
        span.end(end)
        last = max(last, end)
    for claim in result.claims:
        run.add_event("verdict", {"claim": claim.id, "verdict": claim.verdict, "sentence": claim.sentence}, last)
    run.end(last)
    return memory.get_finished_spans()


def _nanoseconds(moment: str) -> int:
    """An RFC 3339 time in nanoseconds since 1970."""
    return round(datetime.fromisoformat(moment).timestamp() * 1e9)
