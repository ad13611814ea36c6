"""gcannon: it uses io_uring, keeps no rate, and states no percentiles above p99.9 by default."""

from benches.load import Command, Load, Tool


def cost(load: Load) -> Command:
    return Command(["gcannon", load.url, "-c", str(load.connections), "-t", "1", "-d", f"{load.seconds:g}s"])


TOOL = Tool(name="gcannon", version_command=["gcannon", "--version"], cost=cost)
