"""The tables of docs/benchmarks.md and benches/measured.md, in their order there."""

from benches.tables import alternation, closing, drivers, peers, scale, sizes, truth

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
)
