"""Tools of which nothing is read: each is named by what only it prints, and lends no figure to another tool's run."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial_cross_examine.examination import examine_output
from fairtrial_cross_examine.formats import all_formats
from fairtrial_cross_examine.formats.others import NOT_READ
from fairtrial_cross_examine.read import read_evidence
from tests.fairtrial_cross_examine.formats.reports import HONEST
from tests.fairtrial_cross_examine.formats.test_cleaning import TEXTS
from tests.fairtrial_cross_examine.formats.test_public_forms import WRK_SHORT

REDIS = """\
====== SET ======
  100000 requests completed in 0.90 seconds
  50 parallel clients
  3 bytes payload
  keep alive: 1

Latency by percentile distribution:
0.000% <= 0.103 milliseconds (cumulative count 1)
50.000% <= 0.231 milliseconds (cumulative count 51483)

Summary:
  throughput summary: 111111.11 requests per second
  latency summary (msec):
          avg       min       p50       p95       p99       max
        0.242     0.096     0.231     0.359     0.447     2.111
"""
MEMTIER = """\
ALL STATS
==================================================================================================
Type         Ops/sec     Hits/sec   Misses/sec    Avg. Latency     p50 Latency     p99 Latency       KB/sec
--------------------------------------------------------------------------------------------------
Sets         2312.01          ---          ---         1.86602         1.80700         4.31900       178.01
Totals      25420.11       110.02     22998.08         1.85103         1.79900         4.28700      1075.30
"""
SYSBENCH = """\
General statistics:
    total time:                          10.0004s
    total number of events:              91234

Latency (ms):
         min:                                    0.31
         avg:                                    0.44
         max:                                    9.12
         95th percentile:                        0.62

Threads fairness:
    events (avg/stddev):           22808.5000/14.65
    execution time (avg/stddev):   9.9901/0.00
"""
CASSOWARY = """\
Starting Load Test with 1000 requests using 10 concurrent users

 TCP Connect.....................: Avg/mean=1.90ms \tMedian=1.00ms\tp(95)=5ms
 Server Processing...............: Avg/mean=10.18ms \tMedian=10.50ms\tp(95)=13ms
 Content Transfer................: Avg/mean=0.01ms \tMedian=0.00ms\tp(95)=0ms

Summary:
 Total Req.......................: 1000
 Failed Req......................: 0
 Req/s...........................: 812.40
"""
GOOSE = """\
 === PER REQUEST METRICS ===
 ------------------------------------------------------------------------------
 Name                     |        # reqs |        # fails |    req/s |  fail/s
 ------------------------------------------------------------------------------
 GET /                    |         2,240 |         0 (0%) |    74.67 |    0.00
 -------------------------+---------------+----------------+----------+--------
 Aggregated               |         2,240 |         0 (0%) |    74.67 |    0.00
 ------------------------------------------------------------------------------
 Name                     |    Avg (ms) |        Min |         Max |     Median
 ------------------------------------------------------------------------------
 GET /                    |       14.21 |          6 |          32 |         14
"""
BATON = """\
=========================== Results ========================================

Total requests:                                 20000
Time taken to complete requests:        13.442480557s
Requests per second:                             1488
Max response time (ms):                            23
Min response time (ms):                             1
Avg response time (ms):                          6.21
"""
DDOSIFY = """\
RESULT
-------------------------------------
Success Count:    4966  (99%)
Failed Count:     34    (1%)

Durations (Avg):
  DNS                  :0.0018s
  Connection           :0.0404s
  Total                :0.1625s

Status Code (Message) :Count
  200 (OK)    :4966
"""
NGHTTP = """\
***** Statistics *****

sorted by 'complete'

id  responseEnd requestStart  process code size request path
 13    +45.30ms       +196us  45.10ms  200   5K /
"""
NEWMAN = """\
┌─────────────────────────┬────────────────────┬────────────────────┐
│                         │           executed │             failed │
├─────────────────────────┼────────────────────┼────────────────────┤
│                requests │                  5 │                  0 │
├─────────────────────────┴────────────────────┴────────────────────┤
│ total run duration: 1446ms                                        │
├───────────────────────────────────────────────────────────────────┤
│ average response time: 136ms [min: 35ms, max: 1s, s.d.: 10ms]     │
└───────────────────────────────────────────────────────────────────┘
"""
TAURUS = """\
12:01:05 INFO: Test duration: 0:01:00
12:01:05 INFO: Samples count: 12061, 0.33% failures
12:01:05 INFO: Average times: total 0.450, latency 0.400, connect 0.000
"""
DPERF = """\
seconds 0                  cpuUsage 0
pktRx   8                  pktTx    4                  bitsRx   8,064              bitsTx  1,632              dropTx  0
tcpRx   0                  tcpTx    0                  udpRx    2                  udpTx   0
"""
TREX = """\
-Global stats enabled
 Cpu Utilization : 81.6  %  3.5 Gb/core
 Platform_factor : 1.0
 Total-Tx        :       1.42 Gbps
 Total-Rx        :       1.42 Gbps
 Total-PPS       :       2.00 Mpps
"""
SLOW = """\
Sat Nov 28 12:00:05 2026:
slow HTTP test status on 5th second:
initializing:        0
pending:             12
connected:           238
error:               0
"""
TSUNG = """\
# stats: dump at 1767225600
stats: users 26 26
stats: request 139 12.500138 1.124 2684.760 0.431 16.094 30499861
stats: finish_users_count 137 500
"""
ALI = """\
{"target": {"url": "http://127.0.0.1:8080/", "method": "GET"}, "parameters": {"rate": 50, "duration_seconds": 2},
"requests": {"count": 100, "success_ratio": 1.0}, "throughput": 48.24,
"latency_ms": {"total": 44000, "mean": 447.88, "p50": 445.46, "p99": 935.49, "max": 965.4, "min": 55.32},
"bytes": {"in": {"total": 2325200, "mean": 23252}}, "status_codes": {"200": 100}}
"""
FORTIO = """\
{"RunType": "HTTP", "Labels": "", "ActualQPS": 7.99, "DurationHistogram": {"Count": 40, "Min": 0.0007, "Max": 0.014,
"Sum": 0.04, "Avg": 0.001, "Percentiles": [{"Percentile": 50, "Value": 0.001}]}, "RetCodes": {"200": 40}}
"""
REPORTS = [
    ("redis-benchmark", REDIS),
    (
        "redis-benchmark",
        '"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms"\n"SET","51652.89","0.5","0.1","0.4"\n',
    ),
    (
        "redis-benchmark",
        "PING_INLINE: 126742.12 requests per second\nSET: 90641.88 requests per second, p50=0.231 msec\n",
    ),
    ("ali", ALI),
    ("ali", "id,timestamp,latency_ns,url,method,status_code\n4c3f,2026-01-15T13:45:12Z,18234567,http://a/,GET,200\n"),
    ("memtier_benchmark", MEMTIER),
    ("sysbench", SYSBENCH),
    ("cassowary", CASSOWARY),
    ("goose", GOOSE),
    ("baton", BATON),
    ("ddosify", DDOSIFY),
    ("nghttp", NGHTTP),
    ("newman", NEWMAN),
    ("taurus", TAURUS),
    ("dperf", DPERF),
    ("trex", TREX),
    ("slowhttptest", SLOW),
    ("tsung", TSUNG),
    ("fortio", FORTIO),
]


@pytest.mark.parametrize(
    ("tool", "text"), REPORTS, ids=[f"{tool}-{number}" for number, (tool, _) in enumerate(REPORTS)]
)
def test_a_tool_of_which_nothing_is_read_is_named(tmp_path: Path, tool: str, text: str, snapshot: object) -> None:
    """Each in the form that its own source or documentation has.

    By their sources: redis-benchmark (`redis-benchmark.c`, the summary, `--csv` and `-q`), cassowary (`output.go`),
    baton (`result.go`), ddosify (the reporter for standard output), nghttp (`nghttp.cc`, `print_stats`), Taurus (the
    final status reporter), TRex (its dump of global statistics), slowhttptest (its report of a second) and goose (the
    documentation of its metrics). By the pages of their projects: ali (the specification of its export), dperf (its
    description of statistics), memtier_benchmark, sysbench, Newman, fortio (its results as JSON) and tsung (its log of
    statistics). Figures are made up.
    """
    file = tmp_path / "x.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(Problem) as error:
        read_evidence([file])
    assert str(error.value) == snapshot
    file.write_text(f"{WRK_SHORT}\n{text}", encoding="utf-8")
    first, *others = read_evidence([file]).runs
    assert first.has_figures and [other.tool for other in others] == [tool]
    assert examine_output(read_evidence([file])).exit_status == 3


def test_no_report_that_is_read_passes_for_one_that_is_not(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    tools = {tool for tool, _ in NOT_READ.values()} - set(all_formats())
    for text in [*TEXTS.values(), *(text for texts in HONEST.values() for text in texts)]:
        file.write_text(text, encoding="utf-8")
        assert not tools & {run.tool for run in read_evidence([file]).runs}, text[:300]
