"""A function called by a process of its own in a user namespace, where this process has to stay outside.

Only a process with a single thread can enter one, and no way leads back.
"""

import multiprocessing
import pickle
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.base.user_namespace import enter_user_namespace

Result = TypeVar("Result")


def called_within(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function of some module in a user namespace: its value, or its error. An interrupt ends its process, too.

    Args:
        arguments: what pickle takes, as the result must be.

    Raises:
        Problem: the kernel forbids such a namespace, or the process ended early.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    # As bytes: what is imported for them may start threads, and is to be imported within.
    process = context.Process(target=_call, args=(pickle.dumps((function, arguments)), sender))
    process.start()
    sender.close()
    try:
        result, error = receiver.recv()
    except EOFError:
        result, error = None, Problem("the process in a user namespace ended early", "", NOTHING_RAN)
    finally:
        process.terminate()  # it has ended, or is not to go on: its guards then end what they started
        process.join()
        receiver.close()
    if error is not None:
        raise error
    returned: Result = result
    return returned


def _call(call: bytes, sender: Connection) -> None:
    outcome: tuple[Any, BaseException | None]
    try:
        enter_user_namespace()
        function, arguments = pickle.loads(call)  # noqa: S301  # this program wrote it
        outcome = function(*arguments), None
    except OSError as error:
        outcome = None, Problem(f"a user namespace: {error.strerror}", "", NOTHING_RAN)
    except (Problem, KeyboardInterrupt) as error:
        outcome = None, error
    sender.send(outcome)
    sender.close()
