"""The tables of docs/benchmarks.md and benches/measured.md, in their order there, and those that are printed alone."""

from benches.tables import (
    alternation,
    before,
    bodies,
    closing,
    drivers,
    go_protocols,
    grpc,
    journeys,
    peers,
    scale,
    sizes,
    truth,
)

TABLES = (
    peers.TABLE,
    alternation.COST,
    drivers.TABLE,
    alternation.ONE_CONNECTION,
    sizes.ANSWERS,
    sizes.REQUESTS,
    truth.TABLE,
    closing.TABLE,
    scale.TABLE,
    alternation.OVER_HTTP2,
    grpc.TABLE,
    journeys.TABLE,
    bodies.PACKED_TABLE,
    bodies.EVENTS_TABLE,
    go_protocols.WEBSOCKET_TABLE,
    go_protocols.HTTP3_TABLE,
    before.TABLE,
)
