# ruff: noqa: E501 (lines as the tools print them)
"""Reports in the forms that tools print, each with the contradictions that it holds. Written by hand, by public reports
and the tools' sources, with figures of their own."""

import json

BOMBARDIER = """\
$ bombardier -c 125 -d 10s http://127.0.0.1:8080/
Bombarding http://127.0.0.1:8080/ for 10s using 125 connection(s)
[=========================================================================] 10s
Done!
Statistics        Avg      Stdev        Max
  Reqs/sec      6290.10     455.20    7020.44
  Latency       19.85ms     2.10ms    61.30ms
  Latency Distribution (Total)
     50%    19.20ms
     99%    31.10ms
  Latency Distribution (2xx)
     50%    19.30ms
     99%    31.20ms
  HTTP codes:
    1xx - 0, 2xx - 62980, 3xx - 0, 4xx - 0, 5xx - 0
    others - 0
  Throughput:     2.13MB/s
"""
BOMBARDIER_OLD = """\
$ bombardier -c 125 -n 500000 http://127.0.0.1:5000/api/values/5
Bombarding http://127.0.0.1:5000/api/values/5 with 500000 requests using 125 connections
 500000 / 500000 [========================================================] 100.00% 16s
Done!
Statistics        Avg      Stdev        Max
  Reqs/sec     31102.10    9800.20     259792
  Latency        3.99ms     2.32ms   297.21ms
  HTTP codes:
    1xx - 0, 2xx - 500000, 3xx - 0, 4xx - 0, 5xx - 0
    others - 0
  Throughput:     6.89MB/s
"""
BOMBARDIER_JSON = """\
{"spec":{"numberOfConnections":10,"testType":"timed","testDurationSeconds":2,"method":"GET",
"url":"http://127.0.0.1:8080/","body":"","stream":false,"timeoutSeconds":2,"client":"fasthttp"},
"result":{"bytesRead":1700000,"bytesWritten":600000,"timeTakenSeconds":2.000512,"req1xx":0,"req2xx":10000,"req3xx":0,
"req4xx":0,"req5xx":0,"others":0,"latency":{"mean":1990.2,"stddev":310.5,"max":24010,"percentiles":{"50":1900,
"75":2200,"90":2600,"95":2900,"99":4100}},"rps":{"mean":4940.1,"stddev":420.3,"max":6100.2,
"percentiles":{"50":4990.1}}}}
"""
GATLING = """\
Simulation computerdatabase.ComputerDatabaseSimulation completed in 17 seconds
Parsing log file(s)...

================================================================================
---- Global Information --------------------------------------------------------
> request count                                       1020 (OK=1020   KO=0     )
> min response time                                    108 (OK=108    KO=-     )
> max response time                                   1563 (OK=1563   KO=-     )
> mean response time                                   162 (OK=163    KO=-     )
> std deviation                                        168 (OK=170    KO=-     )
> response time 50th percentile                        115 (OK=115    KO=-     )
> response time 75th percentile                        120 (OK=121    KO=-     )
> response time 95th percentile                        351 (OK=352    KO=-     )
> response time 99th percentile                        620 (OK=620    KO=-     )
> mean requests/sec                                     60 (OK=60     KO=-     )
---- Response Time Distribution ------------------------------------------------
> t < 800 ms                                          1010 ( 99%)
> failed                                                 0 (  0%)
================================================================================
"""
GATLING_NEW = """\
---- Global Information -------------------------------------------------------------|---Total---|-----OK----|----KO----
> request count                                                                      |   326,617 |   326,617 |         -
> min response time (ms)                                                             |         0 |         0 |         -
> max response time (ms)                                                             |     5,052 |     5,052 |         -
> mean response time (ms)                                                            |        28 |        28 |         -
> response time std deviation (ms)                                                   |       143 |       143 |         -
> response time 50th percentile (ms)                                                 |        11 |        11 |         -
> response time 75th percentile (ms)                                                 |        17 |        17 |         -
> response time 95th percentile (ms)                                                 |        40 |        39 |         -
> response time 99th percentile (ms)                                                 |     1,984 |       713 |         -
> mean throughput (rps)                                                              | 13,064.68 | 13,064.68 |         -
---- Response Time Distribution ----------------------------------------------------------------------------------------
> OK: t < 800 ms                                                                                        322,933 (98.87%)
> KO                                                                                                          0     (0%)
"""
GATLING_JSON = json.dumps(
    {
        "type": "GROUP",
        "name": "All Requests",
        "stats": {
            "name": "All Requests",
            "numberOfRequests": {"total": 2000, "ok": 2000, "ko": 0},
            "minResponseTime": {"total": 0, "ok": 0, "ko": 0},
            "maxResponseTime": {"total": 234, "ok": 234, "ko": 0},
            "meanResponseTime": {"total": 21, "ok": 21, "ko": 0},
            "standardDeviation": {"total": 39, "ok": 39, "ko": 0},
            "percentiles1": {"total": 2, "ok": 2, "ko": 0},
            "meanNumberOfRequestsPerSecond": {"total": 400.0, "ok": 400.0, "ko": 0},
        },
        "contents": {},
    }
)
SIEGE = """\
$ siege -b -c 100 -t30S http://127.0.0.1:8080/
** SIEGE 4.0.7
** Preparing 100 concurrent users for battle.
The server is now under siege...
Lifting the server siege...
Transactions:\t\t       32676 hits
Availability:\t\t      100.00 %
Elapsed time:\t\t       29.92 secs
Data transferred:\t      437.39 MB
Response time:\t\t        0.09 secs
Transaction rate:\t     1092.11 trans/sec
Throughput:\t\t       14.62 MB/sec
Concurrency:\t\t       98.55
Successful transactions:       32676
Failed transactions:\t           0
Longest transaction:\t       20.63
Shortest transaction:\t        0.00

"""
SIEGE_JSON = """\
siege -c 50 -r 10 http://127.0.0.1:8000/index.html

{       "transactions":                        50000,
        "availability":                       100.00,
        "elapsed_time":                         3.38,
        "data_transferred":                     3.43,
        "response_time":                        0.01,
        "transaction_rate":                 14792.90,
        "throughput":                           1.02,
        "concurrency":                         99.66,
        "successful_transactions":             50000,
        "failed_transactions":                     0,
        "longest_transaction":                  0.02,
        "shortest_transaction":                 0.00
}
"""
JMETER = """\
Creating summariser <summary>
Starting standalone test @ 2026 Nov 28 05:10:36 UTC (1773292236484)
Waiting for possible Shutdown/StopTestNow/HeapDump/ThreadDump message on port 4445
summary +   2406 in 00:00:22 =  109.4/s Avg:    45 Min:    12 Max:   457 Err:     0 (0.00%) Active: 5 Started: 5 Finished: 0
summary +   3300 in 00:00:30 =  110.0/s Avg:    44 Min:    11 Max:   310 Err:     0 (0.00%) Active: 5 Started: 5 Finished: 0
summary =   5706 in 00:00:52 =  109.7/s Avg:    44 Min:    11 Max:   457 Err:     0 (0.00%)
summary +    294 in 00:00:03 =   98.0/s Avg:    47 Min:    13 Max:   201 Err:     0 (0.00%) Active: 0 Started: 5 Finished: 5
summary =   6000 in 00:00:55 =  109.1/s Avg:    44 Min:    11 Max:   457 Err:     0 (0.00%)
Tidying up ...    @ 2026 Nov 28 05:11:31 UTC (1773292291245)
... end of run
"""
JMETER_OLD = """\
2026/07/14 19:15:00 INFO  - jmeter.reporters.Summariser: summary =    154 in  59.2s =    2.6/s Avg:   148 Min:    44 Max:   766 Err:     0 (0.00%)
"""
JMETER_COMMA = """\
Generate Summary Results =  24062 in 00:00:22 = 1087,9/s Avg:     3 Min:     0 Max:    30 Err:     0 (0,00%)
"""
JMETER_JSON = json.dumps(
    {
        label: {
            "transaction": label,
            "sampleCount": 1_000_000,
            "errorCount": 0,
            "errorPct": 0.0,
            "meanResTime": 18.627447000000156,
            "medianResTime": 5.0,
            "minResTime": 0.0,
            "maxResTime": 79.0,
            "pct1ResTime": 7.0,
            "pct2ResTime": 8.0,
            "pct3ResTime": 23.0,
            "throughput": 35789.69972441931,
        }
        for label in ("Total", "Java Request")
    }
)
LOADTEST = """\
$ loadtest -n 50000 -c 1000 http://127.0.0.1:3000/version
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO Requests: 0 (0%), requests per second: 0, mean latency: 0 ms
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO Target URL:          http://127.0.0.1:3000/version
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO Max requests:        50000
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO Concurrency level:   1000
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO Agent:               none
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO Completed requests:  50000
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO Total errors:        0
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO Total time:          43.307403647 s
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO Requests per second: 1155
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO Total time:          43.307403647 s
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO Mean latency:        850.2 ms
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO Percentage of the requests served within a certain time
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO   50%      838 ms
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO   99%      1290 ms
[Fri Feb 27 2026 19:00:53 GMT+0100 (CET)] INFO  100%      1723 ms (longest request)
"""
LOADTEST_NEW = """\
Target URL:          http://127.0.0.1:3000/heavy
Max requests:        1200
Concurrency level:   200
Running on cores:    4
Agent:               keepalive

Completed requests:  1200
Total errors:        0
Total time:          2.486 s
Mean latency:        1100.3 ms
Effective rps:       483

Percentage of the requests served within a certain time
  50%      1240 ms
  90%      1596 ms
  95%      1607 ms
  99%      1680 ms
 100%      1723 ms (longest request)
"""
LOADTEST_JSON = json.dumps(
    {
        "totalRequests": 3186,
        "totalErrors": 0,
        "totalTimeSeconds": 20.001132613000003,
        "rps": 159,
        "meanLatencyMs": 42,
        "maxLatencyMs": 184,
        "minLatencyMs": 9,
        "percentiles": {"50": 32, "90": 80, "95": 94, "99": 122},
        "errorCodes": {},
    }
)
LOCUST = """\
[2026-08-23 07:52:07,355] host/INFO/locust.main: Starting Locust 2.46.3
Type     Name            # reqs      # fails |    Avg     Min     Max    Med |   req/s  failures/s
--------|---------------|-------|-------------|-------|-------|-------|-------|--------|-----------
POST     short             1003     0(0.00%) |   1510     813    3818   1400 |    3.25        0.00
--------|---------------|-------|-------------|-------|-------|-------|-------|--------|-----------
         Aggregated        1003     0(0.00%) |   1510     813    3818   1400 |    3.25        0.00

[2026-08-23 07:53:07,720] host/INFO/locust.main: --run-time limit reached, shutting down
[2026-08-23 07:53:07,724] host/INFO/locust.main: Shutting down (exit code 0)
Type     Name            # reqs      # fails |    Avg     Min     Max    Med |   req/s  failures/s
--------|---------------|-------|-------------|-------|-------|-------|-------|--------|-----------
POST     long-rag           470     0(0.00%) |   1931    1021    2711   1900 |    0.80        0.00
POST     short             1920     0(0.00%) |   1510     813    3818   1400 |    3.25        0.00
--------|---------------|-------|-------------|-------|-------|-------|-------|--------|-----------
         Aggregated        2390     0(0.00%) |   1593     813    3818   1500 |    4.04        0.00

Response time percentiles (approximated)
Type     Name             50%    66%    75%    80%    90%    95%    98%    99%  99.9% 99.99%   100% # reqs
--------|---------------|------|------|------|------|------|------|------|------|------|------|------|------
POST     long-rag        1900   2300   2300   2300   2600   2700   2700   2700   2700   2700   2700    470
POST     short           1400   1500   1600   1700   2200   2900   3800   3800   3800   3800   3800   1920
--------|---------------|------|------|------|------|------|------|------|------|------|------|------|------
         Aggregated      1500   1700   1900   2000   2300   2700   3800   3800   3800   3800   3800   2390

"""
LOCUST_OLD = """\
 Name                                                          # reqs      # fails     Avg     Min     Max  |  Median   req/s
--------------------------------------------------------------------------------------------------------------------------------------------
 POST action_rss                                                 1100     0(0.00%)    1756    1750    1760  |    1800    0.00
--------------------------------------------------------------------------------------------------------------------------------------------
 Total                                                           1100     0(0.00%)                                       0.00

Percentage of the requests completed within given times
 Name                                                           # reqs    50%    66%    75%    80%    90%    95%    98%    99%   100%
--------------------------------------------------------------------------------------------------------------------------------------------
 POST action_rss                                                  1100   1800   1800   1800   1800   1800   1800   1800   1800   1800
--------------------------------------------------------------------------------------------------------------------------------------------
 Total                                                            1100   1800   1800   1800   1800   1800   1800   1800   1800   1800
"""
LOCUST_CSV = """\
Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,Max Response Time,\
Average Content Size,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,98%,99%,99.9%,99.99%,100%
GET,"/a,b",1500,0,12,15.2,3.13,80.4,4000,15.0,0.0,12,14,15,16,20,31,40,52,79,80,80
,Aggregated,1500,0,12,15.214,3.13,80.4,4000,15.0,0.0,12,14,15,16,20,31,40,52,79,80,80
"""
LOCUST_CSV_OLD = """\
"Method","Name","# requests","# failures","Median response time","Average response time","Min response time",\
"Max response time","Average Content Size","Requests/s"
"GET","/uhphaiuh",1099,0,340,702,141,5702,2,213.43
"None","Total",1099,0,340,702,141,5702,2,213.43
"""
ARTILLERY = """\
All VUs finished. Total time: 1 minute, 2 seconds

--------------------------------
Summary report @ 18:23:24(-0700)
--------------------------------

http.codes.200: ................................................................ 1200
http.downloaded_bytes: ......................................................... 29229322
http.request_rate: ............................................................. 20/sec
http.requests: ................................................................. 1200
http.response_time:
  min: ......................................................................... 81
  max: ......................................................................... 608
  mean: ........................................................................ 107.4
  median: ...................................................................... 96.6
  p95: ......................................................................... 186.8
  p99: ......................................................................... 262.5
http.responses: ................................................................ 1200
vusers.completed: .............................................................. 1200
vusers.session_length:
  min: ......................................................................... 90.1
  max: ......................................................................... 9000.5
  median: ...................................................................... 1000.1
  p95: ......................................................................... 2000.8
  p99: ......................................................................... 3000.5
"""
ARTILLERY_OLD = """\
All virtual users finished
Summary report @ 14:36:07(+0200) 2026-10-23
  Scenarios launched:  10
  Scenarios completed: 10
  Requests completed:  2000
  Mean response/sec: 114.81
  Response time (msec):
    min: 54.9
    max: 1684.9
    median: 68
    p95: 109.1
    p99: 180.3
  Scenario counts:
    0: 10 (100%)
  Codes:
    200: 2000
"""
ARTILLERY_JSON = json.dumps(
    {
        "aggregate": {
            "counters": {"http.codes.200": 1200, "http.requests": 1200, "http.responses": 1200},
            "rates": {"http.request_rate": 20},
            "summaries": {
                "http.response_time": {"min": 81, "max": 608, "count": 1200, "mean": 107.4, "p50": 96.6, "p99": 262.5}
            },
            "histograms": {},
        },
        "intermediate": [],
    }
)

HYPERFOIL = """\
Running 30s test @ http://127.0.0.1:8080/items
  2 threads and 100 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    11.30ms    9.10ms 470.10ms   91.20%
    Req/Sec   8806.10   2011.05  10351.00     93.55
  264183 requests in 30.012s,   1.41GB read
Requests/sec: 8802.58
Transfer/sec:  48.11MB
"""
HYPERFOIL_LATE = HYPERFOIL.replace("11.30ms    9.10ms 470.10ms", "15.00s     8.60s   30.00s")
"""What `wrk2` there prints of a rate that the server cannot keep: it looks like too much time."""

JMETER_TABLE = """\
Label,# Samples,Average,Median,90% Line,95% Line,99% Line,Min,Max,Error %,Throughput,Received KB/sec,Sent KB/sec
Items,4000,31,28,47,58,97,4,412,0.000%,198.90604,71.20,24.10
Login,2000,62,57,90,104,180,11,703,0.000%,99.40310,31.60,19.30
TOTAL,6000,41,35,71,84,141,4,703,0.000%,298.29962,102.80,43.40
"""
JMETER_REPORTER = """\
sampler_label,aggregate_report_count,average,aggregate_report_median,aggregate_report_90%_line,aggregate_report_95%_line,\
aggregate_report_99%_line,aggregate_report_min,aggregate_report_max,aggregate_report_error%,aggregate_report_rate
Items,4000,31,28,47,58,97,4,412,0.00%,198.9
"""

GHZ = """\
$ ghz --insecure --call shop.Items.Get -c 50 -n 20000 127.0.0.1:50051

Summary:
  Count:\t20000
  Total:\t4.03 s
  Slowest:\t41.20 ms
  Fastest:\t0.61 ms
  Average:\t9.81 ms
  Requests/sec:\t4962.78

Response time histogram:
  0.610 [1]     |
  41.200 [10]   |

Latency distribution:
  10 % in 4.02 ms
  50 % in 9.11 ms
  99 % in 24.31 ms

Status code distribution:
  [OK]   20000 responses
"""
GHZ_FAILED = (
    GHZ.replace("[OK]   20000", "[Unavailable]   1500 responses\n  [OK]   18500")
    + "\nError distribution:\n  [1500]   rpc error: code = Unavailable desc = too many\n"
)
HONEST: dict[str, list[str]] = {
    "hyperfoil": [HYPERFOIL, HYPERFOIL_LATE, "$ jbang wrk@hyperfoil -c 100 http://127.0.0.1:8080/items\n" + HYPERFOIL],
    "bombardier": [BOMBARDIER, BOMBARDIER_OLD, BOMBARDIER_JSON],
    "ghz": [GHZ, GHZ.replace(" %", "%"), GHZ.partition("\n")[2]],
    "gatling": [GATLING, GATLING_NEW, GATLING_JSON],
    "siege": [SIEGE, SIEGE_JSON, SIEGE.replace("20.63", "20.63 secs").partition("\n")[2]],
    "jmeter": [JMETER, JMETER_OLD, JMETER_COMMA, JMETER_JSON, JMETER_TABLE, JMETER_REPORTER],
    "loadtest": [LOADTEST, LOADTEST_NEW, LOADTEST_JSON],
    "locust": [LOCUST, LOCUST_OLD, LOCUST_CSV, LOCUST_CSV_OLD],
    "artillery": [ARTILLERY, ARTILLERY_OLD, ARTILLERY_JSON],
}
"""Reports of each tool that contradict nothing."""

FAULTY: list[tuple[str, str, set[str]]] = [
    ("hyperfoil", "$ wrk -c 100 http://127.0.0.1:8080/items\n" + HYPERFOIL_LATE, {"too-much-time"}),
    ("jmeter", JMETER_TABLE.replace("703,0.000%", "703,12.500%"), {"errors-as-throughput"}),
    ("jmeter", JMETER_TABLE.replace("TOTAL,6000,41,", "TOTAL,6000,910,"), {"impossible-times"}),
    ("bombardier", BOMBARDIER.replace("62980", "11").replace("5xx - 0", "5xx - 62969"), {"errors-as-throughput"}),
    (
        "bombardier",
        BOMBARDIER_OLD.replace("2xx - 500000", "2xx - 400000").replace(
            "others - 0",
            "others - 100000\n  Errors:\n    dial tcp 127.0.0.1:5000: connect: connection refused - 100000",
        ),
        {"errors-as-throughput"},
    ),
    ("bombardier", BOMBARDIER.replace("62980", "31490"), {"rate"}),
    ("bombardier", BOMBARDIER.replace("99%    31.10ms", "99%    91.10ms"), {"impossible-times"}),
    (
        "bombardier",
        BOMBARDIER_JSON.replace('"mean":1990.2', '"mean":190.2').replace(
            '"50":1900,\n"75":2200,"90":2600,"95":2900,"99":4100', '"50":170'
        ),
        {"clients-idle"},
    ),
    ("bombardier", BOMBARDIER.replace("-d 10s", "-d 10s -r 9000"), {"load-not-offered"}),
    (
        "gatling",
        GATLING.replace(
            "mean requests/sec                                     60",
            "mean requests/sec                              85714.286",
        ),
        {"rate"},
    ),
    ("gatling", GATLING.replace("1020 (OK=1020   KO=0     )", "1020 (OK=960    KO=60    )"), {"errors-as-throughput"}),
    (
        "gatling",
        GATLING_NEW.replace("326,617 |   326,617 |         -", "326,617 |   300,000 |    26,617"),
        {"errors-as-throughput"},
    ),
    ("gatling", GATLING_NEW.replace("|        28 |", "|     5,528 |"), {"impossible-times"}),
    (
        "siege",
        SIEGE.replace("Successful transactions:       32676", "Successful transactions:       12676"),
        {"errors-as-throughput"},
    ),
    ("ghz", GHZ_FAILED, {"errors-as-throughput"}),
    ("ghz", GHZ.replace("9.81", "10.91"), {"too-much-time"}),
    ("siege", SIEGE_JSON.replace("14792.90", "24792.90"), {"rate"}),
    ("siege", SIEGE.replace("0.09 secs", "0.01 secs").replace("20.63", "0.63"), {"clients-idle"}),
    (
        "jmeter",
        JMETER.replace("Max:   457 Err:     0 (0.00%)\nTidying", "Max:   457 Err:   600 (10.00%)\nTidying"),
        {"errors-as-throughput"},
    ),
    ("jmeter", JMETER_COMMA.replace("1087,9", "10877,9"), {"rate"}),
    ("jmeter", JMETER_JSON.replace("79.0", "9.0"), {"impossible-times"}),
    (
        "loadtest",
        LOADTEST.replace("Total errors:        0", "Total errors:        1000") + "\n 500:   1000 errors\n",
        {"errors-as-throughput"},
    ),
    ("loadtest", LOADTEST_NEW.replace("cores:    4", "cores:    1"), {"too-much-time"}),
    ("loadtest", LOADTEST_NEW.replace("Effective rps:       483", "Effective rps:       983"), {"rate"}),
    ("loadtest", LOADTEST_NEW.replace("Agent:", "Target rps:          600\nAgent:"), {"load-not-offered"}),
    ("locust", LOCUST.replace("2390     0(0.00%)", "2390   239(10.00%)"), {"errors-as-throughput"}),
    (
        "locust",
        LOCUST_OLD.replace(
            "Total                                                           1100     0(0.00%)",
            "Total                                                           1100   100(8.33%)",
        ),
        {"lost-requests"},
    ),
    (
        "locust",
        LOCUST_CSV.replace("1500,0,12,15.214", "1500,45,12,85.214"),
        {"errors-as-throughput", "impossible-times"},
    ),
    (
        "artillery",
        ARTILLERY.replace(
            "200: ................................................................ 1200",
            "404: ................................................................ 1200",
        ),
        {"errors-as-throughput"},
    ),
    (
        "artillery",
        ARTILLERY.replace(
            "http.requests: ................................................................. 1200",
            "http.requests: ................................................................. 9200",
        ),
        {"errors-as-throughput", "lost-requests"},
    ),
    ("artillery", ARTILLERY_OLD + "  Errors:\n    ETIMEDOUT: 300\n    Failed capture or match: 5\n", {"lost-requests"}),
    ("artillery", ARTILLERY_JSON.replace("107.4", "1107.4"), {"impossible-times"}),
]
"""A tool, its report and what contradicts itself in it."""
