"""Errors that nobody handled: in place of a traceback, one line says what happened, and what to do or to send in."""

import os
import re
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fairtrial.base.exit_status import INTERRUPTED, REFUTED, UNFORESEEN

FOLDER = "errors"
"""In the cache."""
KEPT_FILES = 20
LONGEST_MESSAGE = 200
LONGEST_DETAILS = 200_000
"""Characters: a recursion without an end has a long traceback."""

SHORTEST_SECRET = 5
"""Characters: the number of a session is in every text."""
NO_SECRETS = ("PWD", "OLDPWD")
"""A shell's folders, whose names look like a password's."""
PASSWORD_IN_URL = re.compile(r"(://[^/\s:@]*):[^/\s@]*@")


@contextmanager
def no_traceback() -> Iterator[None]:
    """Within, what is raised and is no exit of the command becomes a line and an exit status: `UNFORESEEN`, unless the
    machine refused something (`refusal_by_machine`).

    An interrupt exits with `INTERRUPTED`, and so does a question that the user did not answer: 1 would mean *refuted*.
    What another thread raises is told in the same way; the command goes on.
    """
    threads, unraisable = threading.excepthook, sys.unraisablehook
    threading.excepthook = _tell_of
    sys.unraisablehook = _tell_of
    try:
        yield
    except SystemExit as exited:
        if exited.code == REFUTED and _was_given_up(exited.__context__):
            sys.exit(INTERRUPTED)
        raise
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BaseException as error:
        status = _tell(error)
        _forget_output()
        sys.exit(INTERRUPTED if _began_with_interrupt(error) else status)
    finally:
        threading.excepthook, sys.unraisablehook = threads, unraisable
        _no_death_by_interrupt()


def _no_death_by_interrupt() -> None:
    """Have Python end with the status that it is told, whatever an interrupt hit.

    CPython keeps in mind (`unhandled_keyboard_interrupt`) that an interrupt has left a text that was run as a program,
    also where a caller handles it; and `python -m` then dies of SIGINT at its end, unless another text was run since.
    Each dataclass is made by such texts, when its module is loaded.
    """
    exec("")  # noqa: S102


def _was_given_up(error: BaseException | None) -> bool:
    """Whether typer ended because there was no answer to a question, or `no`."""
    from typer import Abort

    return isinstance(error, Abort)


def _began_with_interrupt(error: BaseException) -> bool:
    """Whether it was raised because of an interrupt: some libraries wrap one that comes while they are loaded."""
    visited_ids: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in visited_ids:
        if isinstance(each, KeyboardInterrupt):
            return True
        visited_ids.add(id(each))
        each = each.__cause__ or each.__context__
    return False


def _tell_of(raised: "threading.ExceptHookArgs | sys.UnraisableHookArgs") -> None:
    _tell(raised.exc_value)


def _tell(error: BaseException | None) -> int:
    """Say what happened on standard error, as far as that can be written, and return the exit status for it.

    What the machine refused has a remedy. Of anything else, the details are written to a file.
    """
    if error is None or isinstance(error, KeyboardInterrupt | SystemExit):
        return UNFORESEEN
    with suppress(Exception):
        from fairtrial.base.printable import printable
        from fairtrial.commands.machine_refusals import refusal_by_machine

        refusal = refusal_by_machine(error)
        if refusal is not None:
            words = printable(_without_secrets(refusal.reason), LONGEST_MESSAGE)
            print(f"error: {words}\nremedy: {refusal.remedy}", file=sys.stderr)
            return refusal.exit_status
        words = printable(_without_secrets(f"{type(error).__name__}: {error}"), LONGEST_MESSAGE)
        file = _write_details(error)
        where = "its details could not be written" if file is None else f"its details are in {file}"
        print(f"error: this was not foreseen, and is a fault of Fairtrial: {words}; {where}", file=sys.stderr)
    return UNFORESEEN


def _write_details(error: BaseException) -> Path | None:
    """The file with the details, in the cache, or else among the temporary files; None if neither can be written."""
    from fairtrial.base.locations import cache_folder

    # Without the command line: its words may be secrets.
    details = "".join(traceback.format_exception(error))[-LONGEST_DETAILS:]
    text = f"Fairtrial {_version()}, Python {sys.version}\n{sys.platform}, {' '.join(os.uname())}\n\n{details}"
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-"
    for folder in (cache_folder() / FOLDER, Path(tempfile.gettempdir())):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            descriptor, path = tempfile.mkstemp(dir=folder, prefix=f"fairtrial-error-{name}", suffix=".txt")
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(_without_secrets(text))
            _remove_oldest(folder)
            return Path(path)
    return None


def _remove_oldest(folder: Path) -> None:
    if folder.name == FOLDER:
        for path in sorted(folder.glob("fairtrial-error-*.txt"))[:-KEPT_FILES]:
            path.unlink(missing_ok=True)


def _without_secrets(text: str) -> str:
    """The text without passwords in URLs, what looks like a key, and the values of variables whose names say secret."""
    from fairtrial.base.secret_names import VALUE, is_secret_name
    from fairtrial.experiment.workload_file.secrets import Secrets

    by_name = {
        name: value
        for name, value in os.environ.items()
        if len(value) >= SHORTEST_SECRET and name not in NO_SECRETS and is_secret_name(name, value)
    }
    in_urls = {
        name: match[1] for name, value in os.environ.items() if (match := re.search(r"://[^/\s:@]*:([^/\s@]+)@", value))
    }
    hidden = Secrets(by_name, in_urls).hidden(text)
    return VALUE.sub("(hidden)", PASSWORD_IN_URL.sub(r"\1:(hidden)@", hidden))


def _version() -> str:
    with suppress(Exception):
        from fairtrial import __version__

        return __version__
    return "(unknown version)"


def _forget_output() -> None:
    """Have nothing written at the end to an output that cannot take it: Python would exit with a status of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        except AttributeError:
            pass  # there is none
