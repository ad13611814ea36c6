"""The workload fan-out: one call to the upstream in each request, over connections that are kept."""

import urllib3
from flask import Blueprint, abort, current_app

TIMEOUT_SECONDS = 10


def routes(upstream_url: str, connections: int) -> Blueprint:
    blueprint = Blueprint("fan_out", __name__)
    # urllib3 is what Requests is built on; its pool may be shared by threads, as a session of Requests may not.
    upstream = urllib3.PoolManager(maxsize=connections, block=True, retries=False, timeout=TIMEOUT_SECONDS)

    @blueprint.get("/fan-out")
    def fan_out() -> dict[str, int]:
        try:
            answer = upstream.request("GET", upstream_url)
        except urllib3.exceptions.HTTPError as error:
            current_app.logger.error("the upstream: %s", error)
            abort(502)
        return {"status": answer.status, "bytes": len(answer.data)}

    return blueprint
