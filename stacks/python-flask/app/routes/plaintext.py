"""The workload plaintext: a constant."""

from flask import Blueprint, Response


def routes() -> Blueprint:
    blueprint = Blueprint("plaintext", __name__)

    @blueprint.get("/plaintext")
    def plaintext() -> Response:
        return Response("Hello, World!", mimetype="text/plain")

    return blueprint
