"""When a server counts as ready: a request is answered as it should be, or its port takes what it has to."""

from typing import Self

from pydantic import Field, model_validator

from fairtrial.base.strict import Strict


class Ready(Strict):
    """`ready = { path = "/healthz", status = 200 }`; without a path, `{ tcp = true }`, `{ http2 = true }`,
    `{ http3 = true }` or `{ grpc_health = "" }`."""

    path: str | None = Field(None, pattern=r"^/[!-~]*$", description="asked by GET until it is answered with `status`")
    status: int | None = Field(200, ge=100, le=599, description="null: any answer will do")
    tcp: bool = Field(False, description="ready as soon as its port accepts connections")
    http2: bool = Field(False, description="ready as soon as its port answers the preface of HTTP/2 with SETTINGS")
    http3: bool = Field(False, description="ready as soon as QUIC is spoken on its port of UDP")
    grpc_health: str | None = Field(
        None,
        max_length=100,
        pattern=r"^[!-~]*$",
        description='ready as soon as this service is SERVING by grpc.health.v1; "": the server as a whole',
    )

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        by_port = {"tcp": "a connection", "http2": "SETTINGS", "http3": "an answer by QUIC"}
        by_port = {key: asks_for for key, asks_for in by_port.items() if getattr(self, key)}
        for key, asks_for in by_port.items():
            if self.path is not None:
                raise ValueError(f"path: `{key} = true` asks for nothing but {asks_for}: leave one of them out")
        if self.grpc_health is not None and (by_port or self.path is not None):
            raise ValueError("grpc_health: it asks for a call: leave the others out")
        if len(by_port) > 1:
            keys = " and ".join(f"`{key} = true`" for key in by_port)
            raise ValueError(f"{next(iter(by_port))}: {keys} ask for different things: leave all but one of them out")
        if not by_port and self.path is None and self.grpc_health is None:
            raise ValueError('name what to ask for, as in { path = "/healthz" }, or set { tcp = true }')
        return self

    def __str__(self) -> str:
        """The condition, as a sentence without its full stop: `GET /health answers 200`."""
        if self.tcp:
            return "its port accepts connections"
        if self.http2:
            return "its port speaks HTTP/2"
        if self.http3:
            return "its port of UDP speaks QUIC"
        if self.grpc_health is not None:
            return f"its health by gRPC{self.grpc_health and f' ({self.grpc_health})'} is SERVING"
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

SPEAKS_HTTP3 = Ready(http3=True)
"""Of a server that is loaded over HTTP/3: nothing is known of its port of TCP."""
