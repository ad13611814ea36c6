"""Rust: the program of a Cargo package."""

import re
import tomllib

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import A_LANGUAGE, Project
from fairtrial_init.proposal import StartProposal, paths_in, port_in, prefixes_in

ROUTES = (
    re.compile(r"""\.route\(\s*"(/[^"]*)"\s*,\s*(?:\w+::)*get\("""),
    re.compile(r"""#\[get\("(/[^"]*)\""""),
)


def propose(folder: ProjectFolder) -> StartProposal | None:
    """`cargo build --release`, and the package's first program."""
    if not folder.has("Cargo.toml"):
        return None
    try:
        manifest = tomllib.loads(folder.text("Cargo.toml"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    programs = manifest.get("bin") or [manifest.get("package", {})]
    first = programs[0] if isinstance(programs, list) else None
    name = first.get("name") if isinstance(first, dict) else None
    if not isinstance(name, str):  # a workspace: which of its members serves is not known
        return None
    sources = folder.sources(".rs")
    locked = ("--locked",) if folder.has("Cargo.lock") else ()
    return StartProposal(
        kind="Rust",
        command=(f"target/release/{name}",),
        build=(("cargo", "build", "--release", "--quiet", *locked),),
        port=port_in(sources.values()),
        paths=paths_in(sources.values(), *ROUTES),
        prefixes=prefixes_in(sources.values()),
    )


PROJECT = Project("rust", A_LANGUAGE, propose)
