"""The document that a started service serves itself."""

import json
from typing import Any

import httpx
import pytest

from fairtrial_init.served_document import served_document


@pytest.mark.parametrize(
    ("document", "is_one"),
    [
        ({"openapi": "3.1.0", "paths": {}}, True),
        ({"swagger": "2.0", "paths": {}}, True),
        ({"swagger": "1.2", "paths": {}}, False),
        ({"openapi": "3.1.0"}, False),
        ({"title": "openapi"}, False),
    ],
)
def test_documents_of_openapi_3_and_of_swagger_2_are_taken(document: dict[str, Any], *, is_one: bool) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        is_there = request.url.path == "/swagger/doc.json"
        return httpx.Response(200 if is_there else 404, stream=httpx.ByteStream(json.dumps(document).encode()))

    with httpx.Client(transport=httpx.MockTransport(answer), base_url="http://127.0.0.1") as client:
        found = served_document(client, [])
    assert (found is not None and found[0] == "/swagger/doc.json") == is_one
