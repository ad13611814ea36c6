"""Formats of access logs: what a line of each looks like. A format is a row of a table.

Each is taken from the documentation or the source of the server that writes it.
"""

import re
from dataclasses import dataclass

METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND REPORT PURGE QUERY".split())  # noqa: SIM905
METHOD = rf"(?P<method>{'|'.join(sorted(METHODS))})"
TARGET = r"(?P<target>(?:https?:/)?/[^\s\"]*)"
STATUS = r"(?P<status>[1-5]\d\d)"
REQUEST = r'"(?P<request>[A-Za-z]{3,20} (?:[^"\\]|\\.)*)"'
END = r"(?=[\s,;|)\]]|$)"
FORMATS = tuple(
    re.compile(pattern)
    for pattern in (
        # Common and combined (Apache, nginx, Tomcat, Jetty, Undertow, gunicorn, Puma, WEBrick, Go's gorilla, morgan),
        # uvicorn, hypercorn, werkzeug, Django, aiohttp, actix-web, Envoy, Istio, Traefik, S3, Vert.x.
        rf"{REQUEST}[\s,:|-]{{1,3}}{STATUS}{END}",
        # chi
        rf"{REQUEST} from \S+ - {STATUS}{END}",
        # AWS load balancers: three times, the balancer's status, the target's, two sizes
        rf"(?<= )(?:-?\d+(?:\.\d+)? ){{3}}{STATUS} (?:\d{{3}}|-) \d+ \d+ {REQUEST}",
        # HAProxy: five times, the status, the size; a long request is cut off without its quote
        rf'(?<= )(?:[+-]?\d+/){{4}}[+-]?\d+ {STATUS} \+?\d+ .*?"(?P<request>[A-Z]{{3,20}} [^"]*)(?:"|$)',
        # Squid's own
        rf"(?<= )[A-Z_]+/{STATUS} \d+ {METHOD} {TARGET}",
        # gin, fiber, negroni, beego: columns between bars
        rf'\|\s*{STATUS}\s*\|(?:[^|]*\|){{1,4}}\s*{METHOD}[\s|]+"?{TARGET}',
        # fiber, second and third version
        rf"(?<=\s){STATUS} -\s+\S+ {METHOD}\s+{TARGET}",
        # morgan's dev, short and tiny, koa, hono, Nest.js, Next.js, Sanic, Serilog, ASP.NET Core from version 5, and
        # columns between bars
        rf"(?:^|(?<=[\s\]>:|])){METHOD}\s+{TARGET}(?: HTTP/[\d.]+)?[\s|:,-]+(?:[=-]> ?|responded )?{STATUS}{END}",
        # uWSGI
        rf"\] {METHOD} {TARGET} => generated \d+ bytes in \d+ \w+ \(HTTP/[\d.]+ {STATUS}\)",
        # nginx and Apache with the status before the request
        rf"(?:^|(?<=[\s|])){STATUS}[\s|-]+{REQUEST}",
        # Tornado, Ktor, PHP's own server
        rf"(?:^|(?<=[\s\[])){STATUS}\]?(?: [A-Z][A-Za-z ]*)?:? {METHOD} (?:- )?{TARGET}",
        # Hanami
        rf"{METHOD} {STATUS} \S+ \S+ {TARGET}",
        # IIS: its default columns, where the line that names them is missing, and its own format
        rf"^\S+ \d\d:\d\d:\d\d \S+ {METHOD} (?P<target>/\S*) (?P<query>\S+) \d+ (?:\S+ ){{4}}{STATUS} \d+ \d+ \d+",
        rf"^(?:[^,]*, ){{4}}\w+, (?:[^,]*, ){{5}}{STATUS}, \d+, {METHOD}, (?P<target>/[^,]*), (?P<query>[^,]*)",
    )
)
"""Groups: `request` (or `method` and `target`, perhaps `query`) and `status`. The first that is found counts."""


@dataclass(frozen=True)
class LinePair:
    """A request of two lines: the first has the request, the second the status; `id` where both have one."""

    start: re.Pattern[str]
    end: re.Pattern[str]


PAIRS = (
    LinePair(  # Rails
        re.compile(r'(?:\[(?P<id>[\w-]{8,80})\] )?Started (?P<method>[A-Z]+) "(?P<target>[^"]*)" for '),
        re.compile(rf"(?:\[(?P<id>[\w-]{{8,80}})\] )?Completed {STATUS} "),
    ),
    LinePair(  # Rocket
        re.compile(rf"(?P<id>(?!))?^[\s>]*{METHOD} {TARGET}(?: [\w*+./-]+)?:$"),
        re.compile(rf"(?P<id>(?!))?Outcome: \w+ ?\({STATUS} "),
    ),
    LinePair(  # Phoenix
        re.compile(rf"(?:request_id=(?P<id>\S{{1,80}}) )?\[\w+\] +{METHOD} {TARGET}$"),
        re.compile(rf"(?:request_id=(?P<id>\S{{1,80}}) )?\[\w+\] +Sent {STATUS} in "),
    ),
)
ANNOUNCEMENT = re.compile(rf"(?:Request starting HTTP/\S+|<--)\s+{METHOD} |started processing request")
"""ASP.NET Core, koa, hono and tower-http write a line before the one that has all."""

ROLES = {
    "method": ("method", "verb"),
    "target": (
        "original request uri with args", "client request uri", "request uri", "http target", "original url",
        "url original", "uri", "request url", "url", "uri stem", "request path", "url path", "client request path",
        "envoy original path", "origin path", "path", "target",
    ),
    "status": (
        "downstream status", "edge response status", "sc status", "response status code", "response code",
        "status code", "http status", "response status", "status", "resp", "code",
    ),
    "query": (
        "request query", "uri query", "query string", "querystring", "url query", "query str", "query", "args",
        "query params",
    ),
    "id": ("req id", "request id", "correlation", "correlation id", "trace id"),
}  # fmt: skip
"""Words at the end of a key (`ClientRequestURI`, `cs-uri-stem`, `http.request.method`), the surest first: of JSON
lines, of `key=value` lines, and of columns. nginx, Caddy, Traefik, Envoy, pino, Bunyan, echo, tower-http, lograge,
Heroku, W3C (IIS, CloudFront), Google Cloud, Cloudflare, Azure, Akamai, the Elastic Common Schema, OpenTelemetry."""
OTHER_WORDS = frozenset(
    "referer referrer upstream redirect route router template pattern resource service file header headers grpc "  # noqa: SIM905
    "backend exit error websocket".split()
)
"""Words of keys that belong to something else."""
WRAPPERS = frozenset("log message msg properties MESSAGE textPayload line @message _raw original".split())  # noqa: SIM905
"""Keys under which Docker, journald, and collectors of logs put the line itself."""

CRI = re.compile(r"^\d{4}-\d\d-\d\dT\S+ (?P<stream>stdout|stderr) (?P<tag>[FP])(?::\S*)? (?P<line>.*)$", re.DOTALL)
"""Kubernetes' container runtimes: P marks a part of a line."""
COLOUR = re.compile(r"(?:\x1b|\^\[|#033|\\x1b|\\u001b|\\033)\[[0-9;]*m")
DIRECTIVE = re.compile(r"#\s?(?P<name>[A-Za-z-]+):?\s+(?P<value>\S.*)")
"""A line of an extended log (W3C) about the log; `Fields` names the columns. Zeek has them, too."""
WORD = re.compile(r"""(?:^|[\s{,])([\w.@:-]+)=("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'(?=[\s,}]|$)|[^\s,}"]*)""")
"""`key=value`, as logfmt, Rust's tracing and structlog have it."""

OTHER_SOURCES = (
    ("nginx's error log", r"^\d{4}/\d\d/\d\d \S+ \[\w+\] \d+#\d+:", "give its access log"),
    ("Apache's error log", r"^\[\w{3} \w{3} \d\d \S+ \d{4}\] \[[\w:-]+\] \[pid", "give its access log"),
    ("a log of Spring Boot", r"--- \[.*\] [\w.$]+ +: ", "set server.tomcat.accesslog.enabled=true, and give that log"),
    ("pino's log, made readable", r"^\[\d\d:\d\d:\d\d\.\d+\S*\].* \w+ \(\d+", "give its JSON lines"),
    ("a real-time log of CloudFront", r"^\d{10}\.\d{3}\t[\da-f.:]+\t", "give a standard log, which names its columns"),
    ("a capture of packets", r"\A(?:\ufffd\xf2\ufffd|\ufffd{4}|\n\r\r\n)", "record with a browser, and export HAR"),
    ("a packed archive", r"\APK\x03\x04", "unpack it, and give a file of it"),
    ("a flow of mitmproxy", r"^\d+:\d+:(?:type|version|certificate)", "mitmdump -nr FLOWS --set hardump=FLOWS.har"),
    ("a session of Charles", r'^\s*\[\s*\{\s*"status"\s*:\s*"[A-Z]+"\s*,\s*"method"', "export it as HAR"),
    ("a command of PowerShell", r"(?i)^[^#\n]*\b(?:Invoke-(?:WebRequest|RestMethod)|irm) ", "copy it as cURL (bash)"),
    ("a call of fetch", r"^\s*(?:await )?fetch\(", "copy it as cURL (bash)"),
    ("a test plan of JMeter", r"<jmeterTestPlan", "record it with a browser, and export HAR"),
    ("a script of k6", r"""from ['"]k6/http['"]""", "import the recording or the document that it was made of"),
    ("a script of locust", r"^(?:from locust import|import locust)", "import the recording that it was made of"),
)  # fmt: skip
"""What else people give: its name, how its beginning is told, and what to do."""


def known_in_words(head: str) -> tuple[str, str] | None:
    """The name of a source that is known and not read, and what to do instead; None if it is not known."""
    matches = (row for row in OTHER_SOURCES if re.search(row[1], head[:4096], re.MULTILINE))
    return next(((name, remedy) for name, _, remedy in matches), None)
