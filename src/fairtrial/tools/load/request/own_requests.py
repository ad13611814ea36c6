"""The requests of a workload file, as `fairtrial load -f` sends them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.workloads.from_file import SentRequests, sent_requests
from fairtrial.engine.plan import Request
from fairtrial.experiment.workload_file.read import read_workload_file
from fairtrial.tools.load.request.options import LoadOptions
from fairtrial.tools.load.request.url import Url
from fairtrial.tools.load.request.values import Header


def requests_of_file(options: LoadOptions, url: Url) -> SentRequests:
    """The requests of the options' file; headers of the options take the place of its own. Every answer is compared.

    Raises:
        Problem: the file cannot be used, a variable that it names is not set, or an option says what the file says.
    """
    assert options.file is not None
    for name in _said_twice(options):
        raise Problem(f"{name} and -f exclude each other", f"write it into {printable(str(options.file))}")
    if url.path != "/":
        raise Problem(
            f"{printable(url.text)}: with -f, the URL is that of the server alone",
            f"leave out {printable(url.path)}: the workload file has the paths",
        )
    sent = sent_requests(read_workload_file(options.file), check_every=1)
    own = [header for header in options.headers if header.name.lower() != "host"]
    return replace(sent, requests=[_with_headers(request, own) for request in sent.requests])


def _said_twice(options: LoadOptions) -> Iterator[str]:
    """The options that are given, and that the file decides."""
    given = {
        "-m": options.method,
        "-b": options.body,
        "--template": options.template or None,
        "--expect-status": options.expect_status or None,
        "--expect-body": options.expect_body,
        "--expect-length": options.expect_length,
    }
    return (name for name, value in given.items() if value is not None)


def _with_headers(request: Request, own: Sequence[Header]) -> Request:
    names = {header.name.lower() for header in own}
    kept = [(name, value) for name, value in request.headers if name.lower() not in names]
    added = [(header.name, header.value.replace("{{", "{{{{")) for header in own]
    return request.model_copy(update={"headers": [*kept, *added]})
