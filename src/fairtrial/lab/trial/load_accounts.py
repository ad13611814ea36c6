"""The accounts of a trial's services and upstream around its load: counters, keys, rest, durability, and what is
stored."""

from collections.abc import Mapping

from fairtrial.catalog.services.model import Counters
from fairtrial.lab.meters.service import has_processes
from fairtrial.lab.trial.audit import audit_answers, ledger_of_runs
from fairtrial.lab.trial.commit_log import TrialCommitLog
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.durability import durability_since
from fairtrial.lab.trial.keys_read import keys_read, mark_keys
from fairtrial.lab.trial.settle import settle
from fairtrial.lab.trial.state import audit_state
from fairtrial.lab.trial.up import UpContender


class LoadAccounts:
    """The accounts of one contender, which fill its record: made right before its load, then `close`, `settle` and,
    when its stack has stopped, `conclude`."""

    def __init__(self, contender: UpContender) -> None:
        self._contender = contender
        self._marked = mark_keys(self._context)
        self._before = self._context.service.counters()
        self._log = TrialCommitLog(self._context)
        self._at_bell: Counters = {}

    @property
    def _context(self) -> TrialContext:
        return self._contender.context

    def close(self, at_bell: Counters | None = None) -> None:
        """The load has ended. What its answers imply has been done by then: a stack that owes work cannot do it later,
        when nobody measures.

        Args:
            at_bell: the counters when the load had ended; None: they are read now.

        Raises:
            Problem: the upstream gives no account.
        """
        self._at_bell = self._context.service.counters() if at_bell is None else at_bell
        self._log.close()
        self._context.record.keys_read = keys_read(self._context, self._marked)
        self._contender.calls()

    def settle(self) -> None:
        """Wait for a database that was written to, and ask the audits of a workload file.

        The stack is still up: what it stores only when it is told to stop was not stored when it said so.
        """
        context, service = self._context, self._context.service
        if context.plan.workload.writes and has_processes(service):
            with context.stage("settle"):
                writes = service.counters().get("writes")
                context.record.settle = settle(service, writes, context.point.experiment.settle_seconds)
        context.record.own_audits = audit_state(context)

    def conclude(self) -> None:
        """The stack has stopped: the ledger, and what the database holds.

        Raises:
            Problem: the upstream gives no account, or the database cannot be read.
        """
        context, record, service = self._context, self._context.record, self._context.service
        # Databases report what a connection did at the latest when it has ended.
        service.end_sessions()
        record.durability = durability_since(context, self._contender.commits)
        calls: Mapping[str, int] = self._contender.calls()
        after = {**service.counters(), **calls}
        ledger = ledger_of_runs(self._before, after, context.engine_runs, self._at_bell)
        record.ledger = self._log.put_into(ledger)
        with context.stage("audit"):
            record.audit = audit_answers(context)
