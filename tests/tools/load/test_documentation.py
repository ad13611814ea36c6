"""docs/load.md: every command that it shows is run, and every option is in it."""

import re
import shlex
import shutil
from collections.abc import Callable

import pytest

from fairtrial.base.locations import PACKAGE
from tests.command_line import Finished, Lab
from tests.tools.load.conftest import CERTIFICATES, Target

PAGE = (PACKAGE.parents[1] / "docs" / "load.md").read_text()
COMMANDS = [
    line for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE) for line in block.splitlines()
]
LENGTHS_AND_BOUNDS = (
    (r"-d ?\d+[smh]\b", "-d200ms"),
    (r"--warmup \S+", "--warmup 100ms"),
    (r" -t 10 ", " -t 1 "),
    (r":10s\b", ":200ms"),
    (r"<50ms", "<9s"),
    (r"errors<=0.1%", "errors<=50%"),  # of a short run, the few that wait at its end may be more than one in a hundred
    (r">=2,000/s", ">=1/s"),
    (r"--between \S+", "--between 4k:5k"),
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page(
    command: str,
    lab: Lab,
    call: Callable[..., Finished],
    serve: Callable[..., Target],
    target: Target,
    secure_target: Target,
    request: pytest.FixtureRequest,
) -> None:
    (lab.folder / "order.json").write_text("{}")
    (lab.folder / "shop.workload.toml").write_text('[requests.home]\nget = "/"\n')
    for file in CERTIFICATES.iterdir():
        shutil.copy(file, lab.folder)
    if "--connect-to" in command:
        command = command.replace("127.0.0.1:8080", target.address)
    elif "https://" in command:
        command = command.replace("localhost:8443", f"localhost:{secure_target.address.rpartition(':')[2]}")
    elif "--unix" in command:
        serve("--unix", lab.folder / "server.sock", "--body", "hello")
    elif "--http2" in command:
        command = command.replace(":8080", f":{request.getfixturevalue('http2_port')}")
    else:
        command = command.replace("127.0.0.1:8080", target.address)
    shorter = (
        command
        if " -d" in command or " -n" in command or " -t" in command or " --steps" in command
        else f"{command} -d 200ms"
    )
    for long, short in LENGTHS_AND_BOUNDS:
        shorter = re.sub(long, short, shorter)

    words = shlex.split(shorter)
    finished = call(*words[1:])

    assert words[0] == "fairtrial"
    expected = (0, 3) if "--capacity" in command else (0,)  # on a busy machine, it may be that no rate is kept
    assert finished.status in expected, f"{shorter}\n{finished.out}\n{finished.err}"


def test_every_option_is_on_the_page(call: Callable[..., Finished]) -> None:
    options = set(re.findall(r"--[a-z][a-z-]+", call("load", "--help").out))
    long_forms = {"--help", "--connections", "--requests", "--duration", "--rate", "--header", "--method", "--body"}
    assert [option for option in sorted(options - long_forms - {"--file"}) if option not in PAGE] == []
