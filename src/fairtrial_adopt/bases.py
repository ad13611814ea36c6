"""Commands on this machine that stand for a base image: those of its language."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from fairtrial.base.problem import Problem

NOTHING: tuple[str, ...] = ()
BASES: Sequence[tuple[str, tuple[str, ...]]] = (
    (r"scratch|busybox|alpine|debian|ubuntu|fedora|bitnami/minideb|buildpack-deps", NOTHING),
    (r"(gcr\.io/distroless|cgr\.dev/chainguard)/(static|base|cc|base-nossl|glibc-dynamic)(-debian\d+)?", NOTHING),
    (r"python", ("python3",)),
    (r"pypy", ("pypy3",)),
    (r"node", ("node", "npm")),
    (r"oven/bun", ("bun",)),
    (r"denoland/deno(-\w+)?", ("deno",)),
    (r"golang", ("go",)),
    (r"rust|rustlang/rust|messense/rust-musl-cross", ("cargo",)),
    (r"ruby", ("ruby", "bundle")),
    (r"perl", ("perl", "cpanm")),
    (r"php", ("php",)),
    (r"gcc|conanio/gcc\d+", ("gcc",)),
    (r"(arm64v8/)?maven", ("mvn", "java")),
    (r"gradle", ("gradle", "java")),
    (r"openjdk|eclipse-temurin|amazoncorretto|azul/zulu-openjdk(-\w+)?|bellsoft/liberica-\w+", ("java",)),
    (r"sbtscala/scala-sbt|mozilla/sbt|hseeberger/scala-sbt", ("sbt", "java")),
    (r"clojure", ("clojure", "java")),
    (r"mcr\.microsoft\.com/dotnet/[\w/-]+", ("dotnet",)),
    (r"(hexpm/)?elixir", ("mix",)),
    (r"erlang", ("erl",)),
    (r"swift", ("swift",)),
    (r"dart|google/dart", ("dart",)),
    (r"crystallang/crystal|84codes/crystal", ("crystal",)),
    (r"nimlang/nim", ("nim",)),
    (r"julia", ("julia",)),
    (r"haskell|fpco/stack-build", ("stack",)),
    (r"ocaml/opam|ocurrent/opam", ("opam",)),
    (r"r-base|rocker/r-ver|rstudio/r-base", ("R",)),
    (r"nginx", ("nginx",)),
    (r"openresty/openresty", ("openresty",)),
    (r"tclsh|efrecon/tcl", ("tclsh",)),
)
"""By the name of an image, as a regular expression without registry `docker.io`, tag and digest, what it brings."""

FROM_DOCKER = re.compile(r"^(?:docker\.io/)?(?:library/)?")
TAG = re.compile(r"(?::[^/]*)?(?:@sha256:[0-9a-f]+)?$")

OF_ALPINE = {
    "build-base": "build-essential",
    "libffi-dev": "libffi-dev",
    "linux-headers": "linux-libc-dev",
    "musl-dev": "libc6-dev",
    "openssl-dev": "libssl-dev",
    "postgresql-dev": "libpq-dev",
    "zlib-dev": "zlib1g-dev",
}
"""Debian's packages for those of Alpine that have another name."""

JVMS = Path("/usr/lib/jvm")
LOOK_WITHIN_SECONDS = 20


def commands_of(image: str) -> tuple[str, ...]:
    """The commands that an image brings; this machine has all of them.

    Raises:
        Problem: nobody knows what the image brings, or this machine lacks a command.
    """
    name = TAG.sub("", FROM_DOCKER.sub("", image))
    commands = next((commands for pattern, commands in BASES if re.fullmatch(pattern, name)), None)
    if commands is None:
        raise Problem(f"FROM {image}: not known what this base brings", "adopt it as a container: --as container")
    for command in commands:
        if shutil.which(command) is None:
            raise Problem(
                f"FROM {image}: there is no `{command}` here", f"install {command}, or adopt it as a container"
            )
    return commands


def java_home(image: str) -> str | None:
    """Where Java of the version that an image's name says lies on this machine; None: only the usual one is there."""
    version = re.search(r"(?:temurin|jdk|corretto|openjdk)[:-]?(\d+)", image)
    homes = sorted(JVMS.glob(f"*-{version[1]}-*/bin/java")) if version else []
    return str(homes[0].parents[1]) if homes else None


def missing_packages(names: Sequence[str]) -> list[str]:
    """Those of these packages of Debian or Alpine that this machine has neither as a package nor as a command."""
    plain = [name.partition("=")[0] for name in names]
    return [each for each in plain if shutil.which(each) is None and not _installed(OF_ALPINE.get(each, each))]


def _installed(package: str) -> bool:
    try:
        answer = subprocess.run(
            ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LOOK_WITHIN_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and answer.stdout == b"installed"
