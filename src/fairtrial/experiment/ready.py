"""When a server counts as ready: a request is answered as it should be, or its port accepts connections."""

from typing import Self

from pydantic import Field, model_validator

from fairtrial.base.strict import Strict


class Ready(Strict):
    """`ready = { path = "/healthz", status = 200 }`, or `ready = { tcp = true }` where no path can be asked."""

    path: str | None = Field(None, pattern=r"^/[!-~]*$", description="asked by GET until it is answered with `status`")
    status: int | None = Field(200, ge=100, le=599, description="null: any answer will do")
    tcp: bool = Field(False, description="ready as soon as its port accepts connections")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.tcp and self.path is not None:
            raise ValueError("path: `tcp = true` asks for nothing but a connection: leave one of them out")
        if not self.tcp and self.path is None:
            raise ValueError('name what to ask for, as in { path = "/healthz" }, or set { tcp = true }')
        return self

    def __str__(self) -> str:
        """The condition, as a sentence without its full stop: `GET /health answers 200`."""
        if self.tcp:
            return "its port accepts connections"
        return f"GET {self.path} is answered" if self.status is None else f"GET {self.path} answers {self.status}"


IN_THE_FOREGROUND = (
    "let `run` stay in the foreground as long as it serves: what it leaves in the background is ended with it (nginx: "
    "`daemon off;`; gunicorn: without `--daemon`; a script: `exec` the server, without `&`)"
)
"""What to do about a server whose command ended without an error."""

HEALTH = Ready(path="/health")
"""The contract's own: docs/stack-contract.md."""

ANSWERED = Ready(path="/", status=None)
"""Of a program that promises nothing: an answer of whatever kind."""
