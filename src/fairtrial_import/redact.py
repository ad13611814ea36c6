"""Replaces the secrets of a found request by variables of the environment."""

import json
import re
from dataclasses import replace
from typing import Any
from urllib.parse import unquote_plus

from fairtrial.base.secret_names import VALUE, is_secret_name
from fairtrial_import.model import Body, FormBody, FormFile, FoundJson, FoundRequest, TextBody
from fairtrial_import.template import is_placeholders
from fairtrial_import.variables import Variables

CREDENTIALS = frozenset({"authorization", "proxy-authorization"})
SCHEMES = frozenset(
    "apikey api-key aws4-hmac-sha256 basic bearer digest dpop hawk jwt key negotiate ntlm oauth signature token".split()  # noqa: SIM905
)
"""Schemes of the header authorization (IANA and usual ones); any other first word may be secret."""
SESSION_IN_PATH = re.compile(r"(?<=;)(?P<name>jsessionid|phpsessid|sid)=(?P<value>[^/?;]+)", re.IGNORECASE)
PAIR = re.compile(r"(?<=[?&;])(?P<name>[A-Za-z][\w.%\[\]-]{0,80})=(?P<value>[^&#;\s\"'<>]+)")
QUOTED = re.compile(
    r"(?P<name>[A-Za-z][\w.-]{0,80})[\"']?\s{0,9}[:=]\s{0,9}(?P<quote>\\?[\"'])(?P<value>[^\"'\\]+)(?P=quote)"
)
UNQUOTED = re.compile(r"(?P<name>[A-Za-z][\w.-]{0,80})\s{0,9}[:=]\s{0,9}(?P<value>[^\s\"'<>&,;{}]+)")
ELEMENT = re.compile(r"<(?P<name>[A-Za-z][\w:.-]{0,80})(?:\s[^<>]{0,500})?>(?P<value>[^<>]+)</")
DEEPEST = 64


class TooDeep(Exception):
    """A JSON value is nested more deeply than any request is."""


def without_secrets(request: FoundRequest, variables: Variables) -> FoundRequest:
    """The request with a placeholder for each secret in its path, its headers and its body.

    Raises:
        TooDeep: its body is.
    """
    redactor = _Redactor(variables, request.no_secrets)
    return replace(
        request,
        path=redactor.path(request.path),
        headers=tuple((name, redactor.header(name, value)) for name, value in request.headers),
        body=redactor.body(request.body),
    )


class _Redactor:
    def __init__(self, variables: Variables, no_secrets: frozenset[str]) -> None:
        self._variables, self._no_secrets = variables, no_secrets

    def header(self, name: str, value: str) -> str:
        if name in CREDENTIALS:
            scheme, _, rest = value.partition(" ")
            if scheme.lower() not in SCHEMES or not rest.strip():
                return self._secret(name, value, f"header {name}")
            rest = rest.strip()
            if scheme.lower() == "basic":
                secret = self._secret("basic-credentials", rest, f"header {name}: base64 of user:password")
            else:
                secret = self._secret("token", rest, f"header {name}, after {scheme}")
            return f"{scheme} {secret}"
        if name == "cookie" and all(is_placeholders(pair.partition("=")[2]) for pair in value.split(";")):
            return value
        if name == "cookie":  # browsers change some of them all the time: one variable for all values
            return self._variables.placeholder(name, "header cookie", "header cookie")
        if is_secret_name(name):
            return self._secret(name, value, f"header {name}")
        return PAIR.sub(self._pair, self._by_form(value, f"header {name}"))

    def path(self, path: str) -> str:
        path, mark, query = path.partition("?")
        path = SESSION_IN_PATH.sub(self._pair, path)
        path = self._by_form(path, "a part of the path")
        return f"{path}{mark}{self._pairs(query)}"

    def body(self, body: Body | None) -> Body | None:
        if isinstance(body, FoundJson):
            return FoundJson(self._json(body.value, name="", within=False, depth=0))
        if isinstance(body, TextBody):
            return TextBody(self._text(body.text))
        if isinstance(body, FormBody):
            parts = ((name, self._scalar(name, part, within=False)) for name, part in body.parts)
            return FormBody(tuple(parts))
        return body

    def _pairs(self, query: str) -> str:
        """The pairs of `a=1&b=2`, as they are encoded in a query or a form."""
        parts = []
        for part in query.split("&"):
            name, sign, value = part.partition("=")
            plain = unquote_plus(name)
            if sign and value and is_secret_name(plain, unquote_plus(value)):
                value = self._secret(plain, unquote_plus(value), f"parameter {plain}")
            parts.append(f"{name}{sign}{self._by_form(value, f'parameter {plain}')}")
        return "&".join(parts)

    def _json(self, value: Any, *, name: str, within: bool, depth: int) -> Any:
        """`within`: the value belongs to a member whose name is a secret's."""
        if depth > DEEPEST:
            raise TooDeep
        if isinstance(value, dict):
            return {
                key: self._json(each, name=key, within=within or _holds_secrets(key), depth=depth + 1)
                if isinstance(each, dict | list)
                else self._scalar(key, each, within=within)
                for key, each in value.items()
            }
        if isinstance(value, list):
            return [
                self._json(each, name=name, within=within, depth=depth + 1)
                if isinstance(each, dict | list)
                else self._scalar(name, each, within=within)
                for each in value
            ]
        return self._scalar(name, value, within=within)

    def _scalar(self, name: str, value: Any, *, within: bool) -> Any:
        if isinstance(value, bool | FormFile) or value is None:
            return value
        if value != "" and (within or is_secret_name(name, value)):
            return self._secret(name or "secret", str(value), f"member {name}")
        if isinstance(value, str):
            return PAIR.sub(self._pair, QUOTED.sub(self._pair, self._by_form(value, f"member {name}")))
        return value

    def _text(self, text: str) -> str:
        """JSON under another name, a form, or any other text."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict | list):
            redacted = self._json(value, name="", within=False, depth=0)
            return text if redacted == value else json.dumps(redacted, ensure_ascii=False)
        if re.fullmatch(r"[^=&\s<>{}]+=\S*", text):
            return self._pairs(text)
        for pattern in (ELEMENT, QUOTED, UNQUOTED):
            text = pattern.sub(self._pair, text)
        return self._by_form(text, "a part of a body")

    def _by_form(self, text: str, purpose: str) -> str:
        return VALUE.sub(lambda match: self._secret("token", match.group(), purpose), text)

    def _pair(self, match: re.Match[str]) -> str:
        name, value = match["name"], match["value"]
        plain = unquote_plus(name).rpartition(":")[2]
        if not is_secret_name(plain, unquote_plus(value)):
            return match.group()
        start, end = match.start("value") - match.start(), match.end("value") - match.start()
        whole = match.group()
        return whole[:start] + self._secret(plain, unquote_plus(value), plain) + whole[end:]

    def _secret(self, name: str, secret: str, purpose: str) -> str:
        """A variable for it, unless it is one already, or none."""
        if is_placeholders(secret) or secret in self._no_secrets:
            return secret
        return self._variables.placeholder(name, secret, purpose)


def _holds_secrets(name: str) -> bool:
    """Whether all texts below a member of this name are secrets; a `session` may be anything."""
    return is_secret_name(name) and name.lower() != "session"
