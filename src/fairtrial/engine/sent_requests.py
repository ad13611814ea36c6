"""What a load sends, whoever wrote it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairtrial.engine.plan import GivenRows, Request, SetupRequest
from fairtrial.experiment.workload_file.texts import Cookies
from fairtrial.experiment.workload_file.websocket import WebSocket


@dataclass(frozen=True)
class SentRequests:
    """The requests of a workload file as the engine sends them, with the values of environment variables in them."""

    requests: Sequence[Request]
    rows: Mapping[str, GivenRows]
    secrets: Mapping[str, str]
    """those values, by name"""
    setup: Sequence[SetupRequest] = ()
    """what each connection sends first"""
    cookies: Cookies | None = None
    """who keeps those that answers set; None: nobody"""
    websocket: WebSocket | None = None
    """how answers find their messages; None: requests are HTTP's"""
