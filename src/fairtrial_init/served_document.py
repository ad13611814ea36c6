"""The OpenAPI document that a started service serves itself, at the places where frameworks put it."""

from collections.abc import Sequence

import httpx

from fairtrial.base.json_or_yaml import BrokenDocument, parse_json_or_yaml
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import ask

PLACES = (
    "/openapi.json",  # FastAPI, Litestar's older versions, and most others
    "/v3/api-docs",  # springdoc
    "/q/openapi?format=json",  # Quarkus
    "/schema/openapi.json",  # Litestar
    "/documentation/json",  # @fastify/swagger
    "/api-json",  # @nestjs/swagger
    "/swagger/v1/swagger.json",  # Swashbuckle
    "/swagger/doc.json",  # swaggo
    "/apispec_1.json",  # Flasgger
    "/api/schema/?format=json",  # drf-spectacular
    "/swagger.json",
    "/api-docs",
    "/api-docs.json",
    "/api/openapi.json",
    "/api/v1/openapi.json",
    "/openapi.yaml",
)
"""By the documentation of each, the path that it uses if nobody says another."""


def served_document(client: httpx.Client, places: Sequence[str]) -> tuple[str, str] | None:
    """The first document that is one of OpenAPI 3 or Swagger 2.0, and its place; None if there is none.

    Args:
        places: where the service's source says that it is; they are asked first.
    """
    for place in dict.fromkeys([*places, *PLACES]):
        try:
            answer = ask(client, "GET", place)
        except (Problem, httpx.ConnectError):
            continue
        text = answer.body.decode(errors="replace") if answer.status == httpx.codes.OK else ""
        if _is_one(text):
            return place, text
    return None


def _is_one(text: str) -> bool:
    if "openapi" not in text and "swagger" not in text:
        return False
    try:
        root = parse_json_or_yaml(text)
    except BrokenDocument:
        return False
    if not isinstance(root, dict) or not isinstance(root.get("paths"), dict):
        return False
    return str(root.get("openapi", "")).startswith("3.") or str(root.get("swagger", "")) == "2.0"
