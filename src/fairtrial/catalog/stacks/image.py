"""A contender that is a container's image, or a folder with a Dockerfile."""

import hashlib
import os
import time
from pathlib import Path

from fairtrial.base.cache.once import made_once
from fairtrial.base.loopback import LOOPBACK
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.build import run_build_command
from fairtrial.catalog.stacks.container_image import digest_of, pulled
from fairtrial.catalog.stacks.container_program import (
    OPTIONS,
    USER_LABEL,
    container_program,
    further_options,
    new_name,
)
from fairtrial.catalog.stacks.container_run import (
    PROOF,
    GuardedContainer,
    RunningContainer,
    find_processes,
    reached_at,
    removed_on_failure,
    variables_of,
)
from fairtrial.catalog.stacks.requests import BuildRequest, ReadyProgram, StartRequest
from fairtrial.catalog.stacks.run import await_ready
from fairtrial.experiment.origins import ImageOrigin

ID_FILE = "image"
"""Holds the digest, by which the container is run whatever its name means later."""


def ready(request: BuildRequest, origin: ImageOrigin) -> ReadyProgram:
    """Pull the image if it is not there, or build it, and return its digest. Containers of dead labs are removed.

    Its versions are the container program's line, the image's digest, and further options that every container gets.

    Raises:
        Problem: there is no such image, or it cannot be pulled or built.
        BuildCancelled: `cancelled` was set.
    """
    program, options, stack = container_program(), further_options(), request.stack
    program.sweep()
    if origin.image is None:
        context = (stack.folder / (origin.dockerfile or ".")).resolve()
        if not context.is_dir():
            raise Problem(f"dockerfile: there is no folder {context}", "name the folder that holds the Dockerfile")
        request.on_building()
        name = f"fairtrial/{stack.name}"
        run_build_command(request, name, [program.path, "build", "--tag", name, str(context)])
    else:
        name = origin.image
        pulled(program, name, request)
    digest = digest_of(program, name)
    made_from = hashlib.sha256(f"{program.path} {digest}".encode()).hexdigest()
    folder = made_once("images", stack.name, made_from, lambda folder: _keep(folder, digest))
    versions = {"container program": program.version, f"image {name}": f"sha256:{digest}"}
    return ReadyProgram(folder, digest, versions | ({OPTIONS: " ".join(options)} if options else {}))


def start(request: StartRequest, origin: ImageOrigin) -> RunningContainer:
    """Start it in a container of its own, and return it once it is ready. `process.stop()` ends and removes it.

    Errors are those of `start_process`; a container that runs on other processors is a Problem as well.
    """
    stack, cpus = request.stack, request.cpus
    program, name = container_program(), new_name()
    on_host = origin.container_network == "host"
    port, where = reached_at(origin.port, None if on_host else origin.container_port)
    variables, quiet = variables_of(stack, {**request.settings, **where, PROOF: name})
    words = [
        *("run", "--rm", "--pull=never", "--name", name, "--label", f"{USER_LABEL}={os.geteuid()}"),
        *(["--network=host"] if on_host else ["--publish", f"{LOOPBACK}:{port}:{origin.container_port}"]),
        # Podman's containers are bound as what starts them is; to bind them again takes a controller that users lack.
        *([f"--cpuset-cpus={','.join(map(str, cpus))}"] if cpus and not program.is_podman else []),
        *(word for key, value in variables.items() for word in ("--env", key if key in quiet else f"{key}={value}")),
        *(word for name, address in request.places.hosts.items() for word in ("--add-host", f"{name}:{address}")),
        *(word for path, source in request.places.files.items() for word in ("--volume", f"{source}:{path}:ro")),
        *further_options(),
        (request.folder / ID_FILE).read_text(encoding="ascii"),
        *request.command,
    ]
    began = time.monotonic()
    process = GuardedContainer([program.path, *words], lambda: program.remove(name), request, quiet)
    running = RunningContainer(process, port, published=not on_host)
    with removed_on_failure(process):
        running.start_up_seconds = await_ready(running, request) - began
        find_processes(running, program, [name], token=name, cpus=cpus)
    return running


def _keep(folder: Path, sha256: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ID_FILE).write_text(f"sha256:{sha256}", encoding="ascii")
