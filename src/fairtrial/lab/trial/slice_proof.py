"""The proof of one condition's work over all of its slices, as a whole trial has it of its window.

Its services are its own while it is up, so all that they counted is its work: from right before its warm-up until its
last slice has ended, for every answer of every run of the engine. Rows change, and clauses of the contract are tried,
at moments that are drawn from the planned slices as though these were one window.
"""

import time

from fairtrial.engine.in_turn import EngineInTurn
from fairtrial.engine.plan import EnginePlan
from fairtrial.engine.windows import PartHandler
from fairtrial.lab.meters.maintenance import MaintenanceWatch
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.freshness import freshness_after_load
from fairtrial.lab.trial.load_accounts import LoadAccounts
from fairtrial.lab.trial.offered_load import (
    WindowHandler,
    common_headers,
    count_connections,
    engine_plan,
    record_comparisons,
    row_changes,
    run_once,
)
from fairtrial.lab.trial.spot_checks import in_part, with_spot_checks
from fairtrial.lab.trial.up import UpContender
from fairtrial.lab.trial.window_books import SliceBooks
from fairtrial.load.request_load import OneRunLoad
from fairtrial.record.engine_summary import EngineSummary

DRAIN_SECONDS = 2.0
"""For so long at most answers are awaited after a slice, as the engine does after the window of an open load: the next
one begins when the server has nothing left to do for this one. They are in no figure of the slice, and are verified."""


class SliceProof:
    """Runs the engine for one condition: `begin`, then `run` as often as it is measured, `end`, and `conclude` when its
    stack has stopped. `release` ends the engine, whatever has failed.

    One engine carries out all runs where it is on this machine: connections stay open, and rest while others are
    measured. A load host has a new one for each.

    Args:
        contender: that keeps its contract.
        seconds: of a slice.
        planned: how many slices there are at least.
    """

    def __init__(self, contender: UpContender, seconds: float, planned: int) -> None:
        self._contender, self._seconds = contender, seconds
        context = contender.context
        self._window = context.condition.load.single_run().lasting(planned * seconds)
        self._books = SliceBooks(context)
        self._maintenance = MaintenanceWatch(server for _, server in context.services)
        self._changes = row_changes(context, self._window)
        self._accounts: LoadAccounts | None = None
        self._engine = EngineInTurn() if context.environment.trial_hosts.has_load_here else None

    @property
    def _context(self) -> TrialContext:
        return self._contender.context

    def begin(self) -> None:
        """The load begins: open the accounts, and change the rows that change before it.

        Raises:
            Problem: the database refused.
        """
        context = self._context
        self._accounts = LoadAccounts(self._contender)
        plan = engine_plan(context, self._contender.deployment, self._window)
        spot_checked = with_spot_checks(plan, context.server_workload, context.point, common_headers(context))
        self._spot_checks = spot_checked.requests[len(plan.requests) :]
        if self._changes is not None:
            self._changes.before_load()

    def run(
        self,
        load: OneRunLoad,
        number: int,
        on_window: WindowHandler,
        on_part: PartHandler | None,
        kept_lead_seconds: float | None = None,
    ) -> EngineSummary:
        """One run of the engine under this load.

        Args:
            number: of the slice, from 1, or of a longer window after them; 0: it is the warm-up.
            on_window: as of `run_once`.
            on_part: likewise.
            kept_lead_seconds: its warm-up where all connections are open already; None: that of the load.

        Raises:
            StackEnded: the stack did, meanwhile.
            Problem: the database, the balancer or the engine failed.
        """
        context, deployment, changes = self._context, self._contender.deployment, self._changes
        since = (number - 1) * self._seconds
        until = since + self._seconds

        def adapted(plan: EnginePlan) -> EnginePlan:
            changed = plan if changes is None else changes.applied_to(plan)
            requests = in_part([*changed.requests, *self._spot_checks], since, until)
            drain = {"drain_seconds": min(DRAIN_SECONDS, plan.timeout_seconds)} if plan.drain_seconds is None else {}
            lead = {"kept_warmup_seconds": kept_lead_seconds}
            return changed.model_copy(update={"requests": requests, **drain, **lead})

        def on_state(state: str) -> None:
            opened = time.monotonic()
            on_window(state)
            if state == "opened" and changes is not None:
                changes.begin(opened, since, until)
            elif state == "closed" and number > 0:
                self._books.ring()
            if state != "opened" or number == 0:
                count_connections(context, deployment)

        if number == 1:
            self._maintenance.open()
        if number > 0:
            self._books.open()
        summary = run_once(
            context,
            deployment,
            load,
            on_state,
            draw=number,
            adapted=adapted,
            changes=changes,
            on_part=on_part,
            engine=self._engine,
        )
        if number > 0:
            self._books.close(summary)
        return summary

    def end(self) -> None:
        """Nothing more is measured: close the accounts, with the stack still up, and change rows back.

        Raises:
            Problem: the database refused a change, or the upstream gives no account.
        """
        self.release()
        context, record = self._context, self._context.record
        assert self._accounts is not None  # it has begun
        self._accounts.close(self._books.at_bell)
        record_comparisons(context)
        record.maintenance = self._maintenance.close()
        record.window_work.append(self._books.result())
        if self._changes is not None:
            self._changes.end()
            record.row_changes = self._changes.result()
        if (probe := context.server_workload.freshness) is not None:
            client, headers = self._contender.deployment.client(), common_headers(context)
            record.freshness = freshness_after_load(probe, context.point.data, headers, client, context.service)
        self._accounts.settle()

    def release(self) -> None:
        """Nothing more is sent: the engine ends, and closes its connections."""
        if self._engine is not None:
            self._engine.end()

    def abandon(self) -> None:
        """Something else failed, which matters more: change no more rows."""
        if self._changes is not None:
            self._changes.abandon()

    def conclude(self) -> None:
        """The stack has stopped: the ledger, and what the database holds.

        Raises:
            Problem: the upstream gives no account, or the database cannot be read.
        """
        if self._accounts is not None and self._context.fault() is None:
            self._accounts.conclude()
