"""h2load over HTTP/1.1: it states no percentiles."""

from benches.load import Command, Load, Tool


def cost(load: Load) -> Command:
    body = ["-d", str(load.request_body)] if load.request_bytes else []
    return Command(["h2load", "--h1", "-t1", f"-c{load.connections}", f"-D{load.seconds:g}", *body, load.url])


TOOL = Tool(name="h2load --h1", version_command=["h2load", "--version"], cost=cost, sends_bodies=True)
