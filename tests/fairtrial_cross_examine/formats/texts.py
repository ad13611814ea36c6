"""Outputs written by hand, in the form of the tools' sources: what they print when something fails, and older forms."""

AB = """\
This is ApacheBench, Version 2.3 <$Revision: 1 $>

Server Software:        some
Server Hostname:        127.0.0.1
Server Port:            8080

Document Path:          /v1/categories
Document Length:        601 bytes

Concurrency Level:      100
Time taken for tests:   60.312 seconds
Complete requests:      100
Failed requests:        38
   (Connect: 2, Receive: 0, Length: 36, Exceptions: 0)
Write errors:           0
Non-2xx responses:      62
Keep-Alive requests:    38
Total transferred:      90000 bytes
HTML transferred:       70000 bytes
Requests per second:    1.66 [#/sec] (mean)
Time per request:       60312.000 [ms] (mean)
Time per request:       603.120 [ms] (mean, across all concurrent requests)
Transfer rate:          1.46 [Kbytes/sec] received

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    3   1.2      2       7
Processing:   612 30101 9100.2  30301   60301
Waiting:      610 30099 9100.1  30300   60300
Total:        615 30104 9100.3  30304   60305

Percentage of the requests served within a certain time (ms)
  50%  30304
  66%  30310
  99%  60305
 100%  60305 (longest request)
"""
WRK = """\
Running 10m test @ http://127.0.0.1:10000/286
  5 threads and 12 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   890.00us    5.06ms 232.60ms   99.86%
    Req/Sec   574.12    688.49     4.01k    84.17%
  Latency Distribution
     50%  380.00us
     99%    1.20s
  136877 requests in 10.00m, 17.75MB read
  Socket errors: connect 5, read 7, write 0, timeout 3
  Non-2xx or 3xx responses: 9
Requests/sec:    228.10
Transfer/sec:     30.29KB
"""
WRK2 = """\
$ wrk -t2 -c100 -d30s -R2000 --latency http://127.0.0.1:80/index.html
Running 30s test @ http://127.0.0.1:80/index.html
  2 threads and 100 connections
  Thread calibration: mean lat.: 9.747ms, rate sampling interval: 21ms
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     6.46ms    1.93ms  12.34ms   67.66%
    Req/Sec     1.05k     1.12k    2.50k    64.84%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    6.67ms
 99.900%   12.22ms
 99.999%   12.34ms
100.000%   12.34ms

  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       0.921     0.000000            1         1.00
      12.343     1.000000        39500          inf
#[Mean    =        6.460, StdDeviation   =        1.930]
#[Max     =       12.336, Total count    =        39500]
#[Buckets =           27, SubBuckets     =         2048]
----------------------------------------------------------
  60018 requests in 30.00s, 19.81MB read
Requests/sec:   2000.28
Transfer/sec:    676.18KB
"""
HEY = """\
$ hey -z 10s -c 20 http://127.0.0.1:8080/

Summary:
  Total:\t10.0030 secs
  Slowest:\t0.2310 secs
  Fastest:\t0.0001 secs
  Average:\t0.0020 secs
  Requests/sec:\t99.9700

  Total data:\t19400 bytes
  Size/request:\t20 bytes

Response time histogram:
  0.000 [1]\t|
  0.231 [9]\t|∎∎

Latency distribution:
  50%% in 0.0019 secs
  99%% in 0.0100 secs
  0%% in 0.0000 secs

Details (average, fastest, slowest):
  DNS+dialup:\t0.0000 secs, 0.0000 secs, 0.0010 secs

Status code distribution:
  [200]\t900 responses
  [503]\t70 responses

Error distribution:
  [20]\tGet "http://127.0.0.1:8080/": EOF
  [10]\tGet "http://127.0.0.1:8080/": EOF

"""
OHA = """\
Summary:
  Success rate:\t98.00%
  Total:\t10003.0000 ms
  Slowest:\t231.0000 ms
  Fastest:\t0.1000 ms
  Average:\t2.0000 ms
  Requests/sec:\t99.9700

  Total data:\t19.00 KiB
  Size/request:\t20.00 B
  Size/sec:\t1.90 KiB

Response time histogram:
  0.100 ms [1]   |
 231.000 ms [9]  |■■

Response time distribution:
  50.00% in 1.9000 ms
  99.90% in 10.0000 ms

Details (average, fastest, slowest)
  DNS+dialup:\t0.1000 ms, 0.1000 ms, 0.2000 ms

Status code distribution:
  [200] 900 responses
  [500] 70 responses

Error distribution:
  [20] connection closed before message completed
  [10] aborted due to deadline
"""
K6_OLD = """\
     execution: local
        script: script.js
        output: -

     scenarios: (100.00%) 1 scenario, 300 max VUs, 1m0s max duration (incl. graceful stop):
              * constant: 100.00 iterations/s for 30s (maxVUs: 100-300, gracefulStop: 30s)

running (0m30.0s), 000/100 VUs, 3002 complete and 0 interrupted iterations

     ✓ response status 200

     checks.........................: 100.00% ✓ 3002       ✗ 0
     data_received..................: 898 kB  30 kB/s
     dropped_iterations.............: 12      0.4/s
     http_req_duration..............: avg=2.98ms   min=505µs   med=1.61ms max=281.98ms p(90)=2.81ms p(95)=3.37ms
       { expected_response:true }...: avg=2.98ms   min=505µs   med=1.61ms max=281.98ms p(90)=2.81ms p(95)=3.37ms
     http_req_failed................: 0.13%   ✓ 4          ✗ 2998
     http_reqs......................: 3002    100.054887/s
     iteration_duration.............: avg=3.1ms    min=600µs   med=1.8ms  max=282.2ms  p(90)=2.9ms  p(95)=3.5ms
     iterations.....................: 3002    100.054887/s
     vus............................: 100     min=100      max=100
"""
K6 = """\
     execution: local
        script: script.js
        output: -

     scenarios: (100.00%) 1 scenario, 10 max VUs, 40s max duration (incl. graceful stop):
              * default: 10 looping VUs for 10s (gracefulStop: 30s)


  █ TOTAL RESULTS

    checks_total.......: 2400    239.9/s
    checks_succeeded...: 100.00% 2400 out of 2400

    HTTP
    http_req_duration..............: avg=41.5ms   min=6.57ms med=40.2ms   max=2.19s p(90)=44.1ms p(95)=45.2ms
      { expected_response:true }...: avg=41.4ms   min=6.57ms med=40.2ms   max=2.19s p(90)=44.1ms p(95)=45.2ms
    http_req_failed................: 16.66% 400 out of 2400
    http_reqs......................: 2400   239.912345/s

    EXECUTION
    iteration_duration.............: avg=41.7ms   min=6.6ms  med=40.4ms   max=2.2s  p(90)=44.3ms p(95)=45.4ms
    iterations.....................: 2400   239.912345/s
    vus............................: 10     min=10          max=10

    NETWORK
    data_received..................: 1.8 MB 180 kB/s


running (0m10.0s), 00/10 VUs, 2400 complete and 0 interrupted iterations
"""
H2LOAD = """\
starting benchmark...
spawning thread #0: 5 total client(s). 500 total requests
spawning thread #1: 5 total client(s). 500 total requests
TLS Protocol: TLSv1.3
Application protocol: h2
progress: 100% done

finished in 661.88ms, 1359.77 req/s, 16.88KB/s
requests: 1000 total, 1000 started, 1000 done, 900 succeeded, 100 failed, 10 errored, 0 timeout
status codes: 900 2xx, 0 3xx, 90 4xx, 0 5xx
traffic: 11.17KB (11440) total, 2.03KB (2080) headers (space savings 91.68%), 1.00KB (1980) data
                     min         max         mean         sd        +/- sd
time for request:       45us       299us        89us        26us    76.30%
time for connect:    10.28ms    649.25ms    213.57ms    192.17ms    80.00%
time to 1st byte:    10.69ms    649.52ms    213.82ms    192.18ms    80.00%
req/s           :     188.93     5585.94     1239.99     1771.61    80.00%
"""
H2LOAD_NEW = H2LOAD.replace("Application protocol: h2", "Application protocol: http/1.1").replace(
    """\
                     min         max         mean         sd        +/- sd
time for request:       45us       299us        89us        26us    76.30%
""",
    """\
                  min         max         median      p95         p99         mean        sd          +/- sd
request         : 45us        299us       80us        120us       200us       89us        26us        76.30%
""",
)
AUTOCANNON = """\
Running 10s test @ http://127.0.0.1:3000
10 connections with 10 pipelining factor


┌─────────┬──────┬──────┬───────┬───────┬─────────┬─────────┬──────────┐
│ Stat    │ 2.5% │ 50%  │ 97.5% │ 99%   │ Avg     │ Stdev   │ Max      │
├─────────┼──────┼──────┼───────┼───────┼─────────┼─────────┼──────────┤
│ Latency │ 1 ms │ 2 ms │ 5 ms  │ 9 ms  │ 2.53 ms │ 1.03 ms │ 41.75 ms │
└─────────┴──────┴──────┴───────┴───────┴─────────┴─────────┴──────────┘
┌───────────┬─────────┬─────────┬─────────┬─────────┬─────────┬────────┬─────────┐
│ Stat      │ 1%      │ 2.5%    │ 50%     │ 97.5%   │ Avg     │ Stdev  │ Min     │
├───────────┼─────────┼─────────┼─────────┼─────────┼─────────┼────────┼─────────┤
│ Req/Sec   │ 3399    │ 3399    │ 5699    │ 5879    │ 5259    │ 936.69 │ 3399    │
├───────────┼─────────┼─────────┼─────────┼─────────┼─────────┼────────┼─────────┤
│ Bytes/Sec │ 4.78 MB │ 4.78 MB │ 8.02 MB │ 8.27 MB │ 7.4 MB  │ 1 MB   │ 4.78 MB │
└───────────┴─────────┴─────────┴─────────┴─────────┴─────────┴────────┴─────────┘

Req/Bytes counts sampled once per second.
# of samples: 10

47000 2xx responses, 6000 non 2xx responses
53k requests in 10.03s, 74 MB read
1k errors (200 timeouts)
"""
VEGETA = """\
$ echo "GET http://127.0.0.1:8080/" | vegeta attack -rate=100 -duration=5s | vegeta report
Requests      [total, rate, throughput]         500, 100.20, 89.90
Duration      [total, attack, wait]             5.005s, 4.99s, 15.12ms
Latencies     [min, mean, 50, 90, 95, 99, max]  1.1ms, 2.5ms, 2.2ms, 3.1ms, 4.5ms, 9.9ms, 231.4ms
Bytes In      [total, mean]                     9000, 18.00
Bytes Out     [total, mean]                     0, 0.00
Success       [ratio]                           90.00%
Status Codes  [code:count]                      0:20  200:450  503:30
Error Set:
503 Service Unavailable
"""
HYPERFINE = """\
Benchmark 1: sleep 0.1
  Time (mean ± σ):     101.2 ms ±   0.3 ms    [User: 0.9 ms, System: 1.0 ms]
  Range (min … max):   100.8 ms … 102.0 ms    28 runs

Benchmark 2: sleep 1
  Time (abs ≡):        1.002 s               [User: 0.001 s, System: 0.001 s]

Summary
  sleep 0.1 ran
    9.90 times faster than sleep 1
"""
