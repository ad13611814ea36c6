"""h2load: it states no percentiles."""

from benches.load import Command, Load, Tool


def cost(load: Load) -> Command:
    body = ["-d", str(load.request_body)] if load.request_bytes else []
    return Command(["h2load", "--h1", "-t1", f"-c{load.connections}", f"-D{load.seconds:g}", *body, load.url])


def http2(load: Load) -> Command:
    streams = f"-m{load.streams}"
    return Command(["h2load", "-t1", f"-c{load.connections}", streams, f"-D{load.seconds:g}", load.url])


TOOL = Tool(name="h2load --h1", version_command=["h2load", "--version"], cost=cost, sends_bodies=True, speaks_tls=True)
HTTP2 = Tool(name="h2load", version_command=["h2load", "--version"], cost=None, http2=http2)
