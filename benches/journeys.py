"""What a step of a journey costs the engine beside a plain request: processor time per answer, in alternating rounds.

`.venv/bin/python -m benches.journeys` needs two processors, and nothing else running meanwhile. Journeys have five
steps; those that take a value take it of a JSON body, and send it in the path of the next step.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from benches.bench import scratch
from benches.load import Command, Load
from benches.processes import Target, run
from benches.tools.engine import cost_us, plan, summary
from fairtrial.engine.binary import engine_binary

GENERATOR_CPU, SERVER_CPU = 0, 1
CONNECTIONS = 64
BODY = json.dumps({"id": "a-1"})
PLAIN = "plain requests"


def steps(*, takes: bool) -> Sequence[Mapping[str, Any]]:
    """The requests of a journey."""
    more: dict[str, Any] = {"template": True, "take": {"id": {"pointer": "/id"}}} if takes else {}
    first = {"path": "/0", "journey": "five", **more}
    later = [{"path": f"/{step}/{{{{var id}}}}", "journey": "five", "template": True} for step in range(1, 5)]
    return [first, *later] if takes else [{"path": f"/{step}", "journey": "five"} for step in range(5)]


KINDS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    PLAIN: [{"path": f"/{step}"} for step in range(5)],
    "steps of journeys": steps(takes=False),
    "steps of journeys with a value": steps(takes=True),
}


def cost(requests: Sequence[Mapping[str, Any]], driver: str, seconds: float) -> float:
    """Microseconds of the engine's processor time per answer."""
    engine = engine_binary()
    with scratch() as folder, Target(engine, SERVER_CPU, ["--body", BODY]) as target:
        load = Load(target.address, CONNECTIONS, seconds, None, folder)
        text = json.dumps({**json.loads(plan(load, driver)), "requests": requests})
        return cost_us(summary(run(Command([str(engine), "run"], text), load, [GENERATOR_CPU]).stdout))


def main() -> None:
    """Print a table of medians: a row for each kind of requests and each driver."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="of each load")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    print(f"| driver | requests | µs per answer | ratio to plain ones of the same round |\n{'| --- ' * 4}|")
    for driver in ("epoll", "io_uring"):
        rounds = [{kind: cost(KINDS[kind], driver, options.seconds) for kind in KINDS} for _ in range(options.rounds)]
        for kind in KINDS:
            ratio = median(each[kind] / each[PLAIN] for each in rounds)
            print(f"| {driver} | {kind} | {median(each[kind] for each in rounds):.2f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
