"""The console command `fairtrial`, and `python -m fairtrial`."""

import os
import signal
from typing import NoReturn

from fairtrial.base.exit_status import INTERRUPTED


def main() -> NoReturn:
    """Run the command line. An interrupt while it is still being loaded ends the process at once and in silence."""
    loads_interruptibly = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if loads_interruptibly:  # not where it is ignored, as behind nohup
        # An exception within an import would leave modules half made, and its traceback wherever Python drops it.
        signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(INTERRUPTED))
    from fairtrial.commands import main as run_command_line  # noqa: PLC0415

    if loads_interruptibly:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run_command_line()


if __name__ == "__main__":
    main()
