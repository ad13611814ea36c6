"""No secret is left, wherever it stands; and what is none stays."""

from typing import Any

import pytest

from fairtrial.base.secret_names import is_secret_name
from fairtrial_import.model import Body, FoundJson, FoundRequest, TextBody
from fairtrial_import.redact import TooDeep, without_secrets
from fairtrial_import.variables import Variables, variable_name

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJTRUNSRVQifQ.SECRETsignature"
GITHUB = "ghp_SECRET0123456789abcdefghijklmno"


def redacted(path: str = "/", headers: dict[str, str] | None = None, body: Body | None = None) -> FoundRequest:
    request = FoundRequest(method="get", path=path, headers=tuple((headers or {}).items()), body=body)
    return without_secrets(request, Variables())


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("authorization", "Bearer SECRET", "Bearer {{env API_TOKEN}}"),
        ("authorization", "Basic U0VDUkVU", "Basic {{env API_BASIC_CREDENTIALS}}"),
        ("authorization", "SECRET", "{{env API_AUTHORIZATION}}"),
        ("authorization", "SECRET of mine", "{{env API_AUTHORIZATION}}"),
        ("authorization", "Bearer {{env API_TOKEN}}", "Bearer {{env API_TOKEN}}"),
        ("proxy-authorization", "Digest username=SECRET", "Digest {{env API_TOKEN}}"),
        ("cookie", "a=SECRET; b=2", "{{env API_COOKIE}}"),
        ("cookie", "a={{env API_A}}", "a={{env API_A}}"),
        ("x-api-key", "SECRET", "{{env API_KEY}}"),
        ("x-csrf-token", "SECRET", "{{env API_CSRF_TOKEN}}"),
        ("x-odd", f"a {JWT} b", "a {{env API_TOKEN}} b"),
        ("x-odd", "https://h/?sig=SECRET&a=1", "https://h/?sig=SECRET&a=1".replace("SECRET", "{{env API_SIG}}")),
        ("accept", "application/json", "application/json"),
    ],
)
def test_headers(name: str, value: str, left: str) -> None:
    assert dict(redacted(headers={name: value}).headers) == {name: left}


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("/a?access_token=SECRET&page=2", "/a?access_token={{env API_ACCESS_TOKEN}}&page=2"),
        ("/a?x%5Bpassword%5D=SECRET%20x", "/a?x%5Bpassword%5D={{env API_PASSWORD}}"),
        ("/a;jsessionid=SECRET?b=1", "/a;jsessionid={{env API_JSESSIONID}}?b=1"),
        (f"/reset/{JWT}/x", "/reset/{{env API_TOKEN}}/x"),
        ("/a?key=SECRET0123456789ab&key=short", "/a?key={{env API_KEY}}&key=short"),
        ("/a?token=&tokens&token", "/a?token=&tokens&token"),
        ("/items/{{row items id}}?session={{env API_S}}", "/items/{{row items id}}?session={{env API_S}}"),
        ("/passwords/1?max=5", "/passwords/1?max=5"),
        ("/desk-organizer-of-wood-large?a=1", "/desk-organizer-of-wood-large?a=1"),
    ],
)
def test_paths(path: str, left: str) -> None:
    assert redacted(path).path == left


@pytest.mark.parametrize(
    ("value", "left"),
    [
        ({"password": "SECRET", "user": "ann"}, {"password": "{{env API_PASSWORD}}", "user": "ann"}),
        ({"a": [{"clientSecret": "SECRET"}]}, {"a": [{"clientSecret": "{{env API_CLIENT_SECRET}}"}]}),
        ({"credentials": {"id": "SECRET"}}, {"credentials": {"id": "{{env API_ID}}"}}),
        ({"tokens": ["SECRET"]}, {"tokens": ["{{env API_TOKENS}}"]}),
        ({"pin": 1234, "max_tokens": 100}, {"pin": "{{env API_PIN}}", "max_tokens": 100}),
        ({"password": None, "token": "", "secret": True}, {"password": None, "token": "", "secret": True}),
        ({"session": {"title": "a talk"}}, {"session": {"title": "a talk"}}),
        ({"text": f"use {GITHUB}"}, {"text": "use {{env API_TOKEN}}"}),
        ({"query": 'f(password: "SECRET")'}, {"query": 'f(password: "{{env API_PASSWORD}}")'}),
        ({"query": "mutation($password: String!)"}, {"query": "mutation($password: String!)"}),
        ({"next": "/a?token=SECRET"}, {"next": "/a?token={{env API_TOKEN}}"}),
    ],
)
def test_json(value: Any, left: Any) -> None:
    assert redacted(body=FoundJson(value)).body == FoundJson(left)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("user=ann&password=SECRET", "user=ann&password={{env API_PASSWORD}}"),
        ('{"password": "SECRET", "n": null}', '{"password": "{{env API_PASSWORD}}", "n": null}'),
        ("<login><o:Password x='1'>SECRET</o:Password></login>", None),
        ('<login password="SECRET"/>', '<login password="{{env API_PASSWORD}}"/>'),
        ("password: SECRET\nuser: ann", "password: {{env API_PASSWORD}}\nuser: ann"),
        (f"plain {JWT}", "plain {{env API_TOKEN}}"),
        ("20", "20"),
    ],
)
def test_texts(text: str, left: str | None) -> None:
    body = redacted(body=TextBody(text)).body
    assert isinstance(body, TextBody) and "SECRET" not in body.text
    assert left is None or body.text == left


def test_one_secret_has_one_variable_and_two_have_two() -> None:
    variables = Variables()
    for token in ("one", "two", "one"):
        request = FoundRequest(method="get", path=f"/?token={token}", headers=(("authorization", f"Bearer {token}"),))
        without_secrets(request, variables)
    assert list(variables.purposes) == ["API_TOKEN", "API_TOKEN_2"]


def test_json_that_nests_too_deeply() -> None:
    value: Any = "SECRET"
    for _ in range(100):
        value = [value]
    with pytest.raises(TooDeep):
        redacted(body=FoundJson(value))


def test_names_of_variables() -> None:
    names = ["clientSecret", "X-Api-Key", "HTTPToken", "", "日本", "path", "api_token"]
    assert [variable_name(name) for name in names] == [
        "API_CLIENT_SECRET",
        "API_KEY",
        "API_HTTP_TOKEN",
        "API_SECRET",
        "API_SECRET",
        "API_PATH",
        "API_TOKEN",
    ]


def test_names_of_secrets() -> None:
    assert all(map(is_secret_name, ["Password", "user-pwd", "refreshToken", "X-CSRF", "sid", "AUTH"]))
    assert not any(map(is_secret_name, ["user", "page", "author", "sidebar", "monkey", "key", "pinned", "passenger"]))
