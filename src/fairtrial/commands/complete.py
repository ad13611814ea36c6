"""The names that a shell completes: from the names of files, as a shell waits, and models take a second to load."""

from collections.abc import Iterator
from pathlib import Path

from fairtrial.base.locations import PACKAGE, shipped


def experiment_names(incomplete: str) -> list[str]:
    """Names of shipped experiments that begin so. A shell completes files where there is none."""
    return _beginning(incomplete, (path.stem for path in shipped("experiments").glob("*.toml")))


def stack_names(incomplete: str) -> list[str]:
    """Names of shipped stacks that begin so, without their variants: to most shells, a colon ends a word."""
    return _beginning(incomplete, (path.parent.name for path in shipped("stacks").glob("*/stack.toml")))


def workload_names(incomplete: str) -> list[str]:
    """Names of workloads that begin so."""
    return _beginning(incomplete, _defining("WORKLOAD", "workloads"))


def service_names(incomplete: str) -> list[str]:
    """Names of databases, caches and balancers that begin so."""
    return _beginning(incomplete, [*_defining("SERVICE", "services"), *_defining("BALANCER", "balancers")])


def explained_names(incomplete: str) -> list[str]:
    """Names that `fairtrial explain` knows and that begin so, in one word each."""
    from fairtrial.tools.explain import key_of, known_keys

    return _beginning(key_of(incomplete), known_keys())


def _beginning(incomplete: str, names: Iterator[str] | list[str] | set[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))


def _defining(attribute: str, package: str) -> Iterator[str]:
    """The names of what a package of the catalog has a module or a package for."""
    for path in Path(PACKAGE, "catalog", package).iterdir():
        module = path / "__init__.py" if path.is_dir() else path
        if module.suffix == ".py" and module.is_file() and f"\n{attribute} = " in module.read_text(encoding="utf-8"):
            yield path.stem.replace("_", "-")
