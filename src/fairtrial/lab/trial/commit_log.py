"""Commits of a load that wrote something, as the database's own log has them."""

from contextlib import ExitStack, suppress

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import LogsCommits
from fairtrial.lab.trial.context import TrialContext
from fairtrial.record.proof import Ledger


class TrialCommitLog:
    """The log of a trial's database from now on, if the workload writes and the lab can read it."""

    def __init__(self, context: TrialContext) -> None:
        service = context.service
        self._service = service if context.plan.workload.writes and isinstance(service, LogsCommits) else None
        self._retention = ExitStack()
        self._begin = self._end = self._begins()

    def close(self) -> None:
        """The load has ended: what is committed from now on is no work of its answers."""
        self._end = self._now()
        with suppress(Problem):
            self._retention.close()

    def put_into(self, ledger: Ledger | None, lab_commits: int = 0) -> Ledger | None:
        """The ledger with the commits that wrote between the two moments, in place of what the database counts as such;
        as it is, where the log cannot be read.

        Args:
            lab_commits: the lab's own, which are among them.
        """
        if self._service is None or ledger is None or self._begin is None or self._end is None:
            return ledger
        try:
            commits = self._service.commits_in_log(self._begin, self._end)
        except Problem:
            commits = None
        if commits is None:
            return ledger
        return ledger.model_copy(update={"done": {**ledger.done, "writing_commits": commits - lab_commits}})

    def _begins(self) -> str | None:
        """Where the log ends now, and from where on nothing is removed from it; None: that cannot be had."""
        if self._service is None:
            return None
        try:
            self._retention.enter_context(self._service.log_retention())
        except Problem:
            return None
        return self._now()

    def _now(self) -> str | None:
        try:
            return None if self._service is None else self._service.log_end()
        except Problem:  # a database that has died is told by others
            return None
