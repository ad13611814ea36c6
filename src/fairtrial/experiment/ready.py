"""When a server counts as ready: a request is answered as it should be, or its port takes what it has to."""

from typing import Self

from pydantic import Field, model_validator

from fairtrial.base.strict import Strict


class Ready(Strict):
    """`ready = { path = "/healthz", status = 200 }`; without a path, `{ tcp = true }` or `{ http2 = true }`."""

    path: str | None = Field(None, pattern=r"^/[!-~]*$", description="asked by GET until it is answered with `status`")
    status: int | None = Field(200, ge=100, le=599, description="null: any answer will do")
    tcp: bool = Field(False, description="ready as soon as its port accepts connections")
    http2: bool = Field(False, description="ready as soon as its port answers the preface of HTTP/2 with SETTINGS")

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        for key, asks_for in (("tcp", "a connection"), ("http2", "SETTINGS")):
            if getattr(self, key) and self.path is not None:
                raise ValueError(f"path: `{key} = true` asks for nothing but {asks_for}: leave one of them out")
        if self.tcp and self.http2:
            raise ValueError("tcp: `http2 = true` asks for more: leave one of them out")
        if not self.tcp and not self.http2 and self.path is None:
            raise ValueError('name what to ask for, as in { path = "/healthz" }, or set { tcp = true }')
        return self

    def __str__(self) -> str:
        """The condition, as a sentence without its full stop: `GET /health answers 200`."""
        if self.tcp:
            return "its port accepts connections"
        if self.http2:
            return "its port speaks HTTP/2"
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

SPEAKS_HTTP2 = Ready(http2=True)
"""Of a server of gRPC, which is asked nothing over HTTP/1.1."""
