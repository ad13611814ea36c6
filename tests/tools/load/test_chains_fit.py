"""Loads that requests of several exchanges cannot be sent in."""

import pytest

from fairtrial.base.problem import Problem
from fairtrial.engine.plan import EnginePlan, Request, SetupRequest, Take
from fairtrial.engine.sent_requests import SentRequests
from fairtrial.load.engine_terms import Closed
from fairtrial.tools.load.request.file_requests import assert_load_fits


@pytest.mark.parametrize("keys", [{"follow_redirects": 1}, {"renew": "login"}], ids=["redirects", "renewal"])
def test_a_connection_that_is_set_up_and_that_the_load_closes_ends_no_chain(
    keys: dict[str, object], snapshot: object
) -> None:
    load = Closed.model_construct(kind="closed", connections=1)
    plan = EnginePlan.model_construct(load=load, pipeline=1, requests_per_connection=3, http2=None)
    login = SetupRequest(name="login", path="/login", take={"token": Take(pointer="/token")})
    request = Request.model_validate({"name": "order", "path": "/orders", **keys})
    assert_load_fits(SentRequests([request], {}, {}), plan)
    with pytest.raises(Problem) as caught:
        assert_load_fits(SentRequests([request], {}, {}, [login]), plan)
    assert str(caught.value) == snapshot
    assert "--requests-per-connection" in caught.value.remedy
