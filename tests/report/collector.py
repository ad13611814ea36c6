"""A collector of OpenTelemetry that takes everything, by OTLP over HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@contextmanager
def collector(status: int = 200) -> Iterator[tuple[str, dict[str, bytes]]]:
    """The URL of a server that takes everything, and by path what it got."""
    taken: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", taken
        finally:
            server.shutdown()
            thread.join()


def attributes(message: Any) -> dict[str, Any]:
    """What a resource, a point, a span or an event says of itself."""
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in message.attributes}


def metrics_in(taken: dict[str, bytes]) -> tuple[Any, dict[str, Any]]:
    """The resource of what was taken, and its metrics by name."""
    (of_resource,) = ExportMetricsServiceRequest.FromString(taken["/v1/metrics"]).resource_metrics
    return of_resource.resource, {each.name: each for scope in of_resource.scope_metrics for each in scope.metrics}


def spans_in(taken: dict[str, bytes]) -> tuple[Any, list[Any]]:
    """The span of the run in what was taken, and those below it."""
    (of_resource,) = ExportTraceServiceRequest.FromString(taken["/v1/traces"]).resource_spans
    spans = [span for scope in of_resource.scope_spans for span in scope.spans]
    (run,) = [span for span in spans if not span.parent_span_id]
    below = [span for span in spans if span.parent_span_id == run.span_id]
    assert len(below) == len(spans) - 1
    return run, below
