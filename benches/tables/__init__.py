"""The tables of docs/benchmarks.md, in their order there."""

from benches.tables import closing, cost, drivers, http2, one_connection, scale, sizes, truth

TABLES = (
    cost.TABLE,
    drivers.TABLE,
    one_connection.TABLE,
    sizes.ANSWERS,
    sizes.REQUESTS,
    truth.TABLE,
    closing.TABLE,
    scale.TABLE,
    http2.TABLE,
)
