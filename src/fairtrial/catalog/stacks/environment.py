"""The environment in which stacks are built and run, and the contract's variables in it."""

import os
import re
from collections.abc import Mapping, Sequence
from math import ceil

from fairtrial.base.problem import Problem

LAB_VARIABLES = frozenset({"VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUNBUFFERED"})
"""Variables about the Python that the lab runs on: other programs have their own."""

OF_MAKE = frozenset({"MAKEFLAGS", "MFLAGS", "MAKELEVEL"})
"""Variables of a make that started the lab: they name a jobserver that is closed to others, of which rustc warns."""

AT_ONCE = frozenset({"MAX_CONCURRENCY", "WEB_CONCURRENCY", "MAX_THREADS", "DB_POOL", "UPSTREAM_POOL", "CONCURRENCY"})
"""The contract's variables by which a stack does more at once: where contenders differ in one, `unequal_budgets` says
why."""

LANGUAGE = re.compile(r"LANG|LANGUAGE|LC_[A-Z]+|TZ")
"""Names of variables whose values are no secret and name no user: the record has them."""

PLACES = frozenset(
    [
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR"),
        *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
        *("JAVA_HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE"),
        *(
            "GEM_HOME",
            "GEM_PATH",
            "RBENV_ROOT",
            "RBENV_VERSION",
            "PYENV_ROOT",
            "PYENV_VERSION",
            "NVM_DIR",
            "VOLTA_HOME",
        ),
        *("ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "SDKMAN_DIR", "DOTNET_ROOT", "MAVEN_HOME", "M2_HOME"),
        *("GRADLE_USER_HOME", "COMPOSER_HOME", "MIX_HOME", "HEX_HOME", "GHCUP_INSTALL_BASE_PREFIX", "NIX_PATH"),
        # where the certificates are that machines are trusted by
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"),
    ]
)
"""Names of variables that say where programs, their toolchains and files are, and none of how they run."""

OF_DOWNLOADS = re.compile(
    r"(?:https?|ftp|all|no)_proxy|(?:curl|requests)_ca_bundle|git_ssl_cainfo|npm_config_.+|pip_.+|uv_.+|bundle_.+"
    r"|cargo_(?:http|net|registr)[a-z]*_.+|rustup_(?:dist|update)_.+|rustup_auto_install"
    r"|go(?:proxy|sumdb|private|noproxy|nosumdb|auth|toolchain|vcs)|nuget_.+|maven_(?:args|opts)|netrc",
    re.IGNORECASE,
)
"""Names of variables that say how packages are fetched: builders get them, too."""


def users_environment(settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the user's environment without the lab's own Python and the make around it, plus `settings`.

    It is for what the user would run by hand beside a stack: the container program, the commands of a workload file.
    """
    withheld = LAB_VARIABLES | OF_MAKE
    inherited = {name: value for name, value in os.environ.items() if name not in withheld}
    return inherited | dict(settings or {})


def stack_environment(settings: Mapping[str, str] | None = None, env_from: Sequence[str] = ()) -> dict[str, str]:
    """Return what a stack gets: of the user's environment what says where things are, and `settings`.

    What a shell has set beside it may change figures (NODE_OPTIONS, GOMAXPROCS, MALLOC_ARENA_MAX), and is withheld.

    Args:
        env_from: names of variables that it gets nevertheless.

    Raises:
        Problem: one of them is not set.
    """
    return _inherited(os.environ) | variables_of_user(env_from) | dict(settings or {})


def build_environment(env_from: Sequence[str] = ()) -> dict[str, str]:
    """Return what the commands get that build a stack: as `stack_environment`, and how packages are fetched.

    Raises:
        Problem: a variable of `env_from` is not set.
    """
    fetching = {name: value for name, value in os.environ.items() if OF_DOWNLOADS.fullmatch(name)}
    return fetching | stack_environment(env_from=env_from)


def variables_of_user(env_from: Sequence[str]) -> dict[str, str]:
    """Return the variables of these names.

    Raises:
        Problem: one is not set.
    """
    for name in env_from:
        if name not in os.environ:
            raise Problem(f"env_from: the environment variable {name} is not set", "set it, or take it from `env_from`")
    return {name: os.environ[name] for name in env_from}


def recorded_environment(env_from: Sequence[str] = ()) -> dict[str, str | None]:
    """Return the names of what a stack inherits, each with its value where that is a matter of language or time.

    Other values may hold secrets, or the names of users.
    """
    inherited = _inherited(os.environ)
    names = sorted({*inherited, *(name for name in env_from if name in os.environ)})
    return {name: inherited[name] if LANGUAGE.fullmatch(name) and name in inherited else None for name in names}


def _inherited(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name in PLACES or LANGUAGE.fullmatch(name)}


def stack_settings(
    urls: Mapping[str, str], processors: int, concurrency: int, overrides: Mapping[str, str]
) -> dict[str, str]:
    """Return the contract's variables beside HOST and PORT, with `overrides` in place of the contract's own.

    There is a process for each processor, but no more processes than requests that may be worked on at once. Threads
    and connections are those of one process: `concurrency` is shared out over the processes, rounded up, whoever set
    the number of either.

    Args:
        urls: DATABASE_URL and the like; empty ones are left out.
        processors: those that the stack has to itself.
        concurrency: how many requests it may work on at once, over all its processes.
        overrides: variables that the experiment and the variant set.
    """
    most = _number(overrides, "MAX_CONCURRENCY", concurrency)
    processes = _number(overrides, "WEB_CONCURRENCY", min(processors, most))
    each = str(ceil(most / processes))
    return (
        {name: url for name, url in urls.items() if url}
        | {"MAX_CONCURRENCY": str(most), "WEB_CONCURRENCY": str(processes)}
        | {"MAX_THREADS": each, "DB_POOL": each, "UPSTREAM_POOL": each}
        | dict(overrides)
    )


def shares(total: int, count: int) -> list[int]:
    """Return `total` in `count` whole shares that differ by one at most, each of them at least 1: 5 in 3 is 2, 2, 1."""
    return [max(1, total // count + (place < total % count)) for place in range(count)]


def _number(variables: Mapping[str, str], name: str, default: int) -> int:
    """A variable that may hold anything, as a number of at least 1; otherwise the default."""
    text = variables.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else default
