"""The one exception that reaches the user: what is wrong, and what to do about it."""

from fairtrial.base.exit_status import WRONG_USE


class Problem(Exception):
    """Something the user can mend.

    Args:
        reason: what is wrong, with the file, key or command it concerns; one line or a short paragraph.
        remedy: what to do, as an instruction; may be empty where the reason says it all.
        exit_status: what the command ends with if this ends it: one of `fairtrial.base.exit_status`.
    """

    def __init__(self, reason: str, remedy: str = "", exit_status: int = WRONG_USE) -> None:
        super().__init__(reason)
        self.exit_status = exit_status
        self.reason = reason
        self.remedy = remedy
