"""What limits a figure, and which verdicts on goodput stand: of records whose truth is known by arithmetic."""

from typing import Any

import pytest

from fairtrial.experiment.why import Why
from fairtrial.judge.judging import judge
from fairtrial.judge.limits import limit_of
from fairtrial.judge.model import ClaimResult, Limit, Result
from fairtrial.record.engine_summary import JourneyAccount
from fairtrial.record.model import ExperimentRecord, ProgramRun, TrialRecord
from fairtrial.record.processes import ServerMeter
from fairtrial.record.proof import ImpliedWork, Ledger
from tests.builders import ExperimentBuilder, TrialBuilder, a_trial, an_experiment, trials_of
from tests.builders.figures import calm_machine, times
from tests.lines import passage

WAIT = 0.010
"""What each answer of `call` waits for at least, in seconds."""


def calling(rate: float, cpu: float, connections: int = 16) -> TrialBuilder:
    """A server each of whose answers contains a wait of 10 ms."""
    return a_trial().but(connections=connections).serving(rate).mixing(call=(1.0, 0.011)).but(server_cpu=cpu)


def judged(
    experiment: ExperimentBuilder, made: dict[str, TrialBuilder], *, wait: float = 0.0, **experiment_keys: Any
) -> Result:
    record = experiment.record()
    if experiment_keys:
        changed = record.experiment.model_copy(update=experiment_keys)
        record = record.model_copy(update={"experiment": changed})
    if wait:
        work = ImpliedWork(per_answer={"reads": 1.0}, least_answer_seconds={"call": wait})
        record = record.model_copy(update={"implied_work": {each.id: work for each in record.conditions}})
    wobble = {block: 1 + (block % 5 - 2) / 300 for block in range(1, 9)}
    trials = trials_of(record, lambda name, block: made[name].serving(made[name].rate * wobble[block]))
    return judge(record, _with_rates(record, [_not_before(wait, each) for each in trials]), interrupted=False)


def _not_before(wait: float, trial: TrialRecord) -> TrialRecord:
    """With no answer that came sooner than its wait."""
    assert trial.engine is not None
    times = trial.engine.response_time
    times = times.model_copy(update={"min_seconds": max(wait, times.min_seconds or 0.0)})
    return trial.model_copy(update={"engine": trial.engine.model_copy(update={"response_time": times})})


def _with_rates(record: ExperimentRecord, trials: list[TrialRecord]) -> list[TrialRecord]:
    """With what an open load says of its arrivals."""
    if record.experiment.load.kind != "open":
        return trials
    return [
        trial.model_copy(update={"engine": trial.engine.model_copy(update={"achieved_over_offered": 1.0})})
        for trial in trials
        if trial.engine is not None
    ]


def limits(result: Result) -> dict[str, Limit]:
    return {each.contender: each.limit for each in result.conditions if each.limit is not None}


def two(connections: int = 16, **claim: Any) -> ExperimentBuilder:
    return an_experiment("a", "b").but(connections=connections).claiming("a", "b", **claim)


class TestWhatLimits:
    @pytest.mark.parametrize(
        ("cpu", "database", "kind"),
        [
            (0.95, 0.0, "stack-processors"),
            (0.10, 0.88, "database-processors"),
            (0.50, 0.40, "shared-processors"),
            (0.50, 0.20, "not-known"),
            (0.84, 0.0, "not-known"),
        ],
    )
    def test_processors(self, cpu: float, database: float, kind: str) -> None:
        record = an_experiment("a").record()
        meter = ServerMeter(
            window_seconds=3.0, cpu_user_seconds=3 * database, cpu_system_seconds=0.0, peak_rss_bytes=0, processes=1
        )
        trials = [
            trial.model_copy(update={"service": meter})
            for trial in trials_of(record, lambda _name, _block: a_trial().but(server_cpu=cpu))
        ]
        limit = limits(judge(record, trials, interrupted=False))["a"]
        assert (limit.kind, limit.is_own) == (kind, kind != "not-known")
        assert "%" in limit.evidence
        assert bool(limit.remedy) is not limit.is_own

    def test_what_others_took_the_contender_could_not_use(self) -> None:
        machine = calm_machine(3.0)
        busy = [each.model_copy(update={"busy_seconds": 2.8}) if each.cpu == 0 else each for each in machine.processors]
        made = a_trial().but(server_cpu=0.5, machine=machine.model_copy(update={"processors": busy}))
        limit = limits(judged(an_experiment("a"), {"a": made}))["a"]
        assert (limit.kind, limit.shared_with) == ("shared-processors", ["other processes"])

    def test_one_sentence_is_about_all_of_whose_processes_nothing_is_known(self) -> None:
        record = two(at_least=1.5).record()
        trials = [
            trial.model_copy(update={"server": None, "not_measured": "it was running already"})
            for trial in trials_of(record, lambda name, _block: a_trial().serving(2000 if name == "a" else 1000))
        ]
        sentence = judge(record, trials, interrupted=False).claims[0].sentence
        assert sentence.count("What limited a and b was not examined.") == 1 == sentence.count("What limited")

    def test_an_upstream_beside_it_is_named(self, snapshot: object) -> None:
        """It is the lab's, answers the stack's calls, and nobody else's processor time has it."""
        machine = calm_machine(3.0)
        busy = [each.model_copy(update={"busy_seconds": 2.8}) if each.cpu == 0 else each for each in machine.processors]
        machine = machine.model_copy(update={"processors": busy, "own_server_cpu_seconds": 2.8})
        ledger = Ledger(done={"calls": 5000}, verified=5000, answers=5000)
        builder = two(at_least=1.5)
        record = builder.record()
        trials = [
            trial.model_copy(update={"ledger": ledger})
            for trial in trials_of(record, lambda _name, _block: a_trial().but(server_cpu=0.5, machine=machine))
        ]
        result = judge(record, trials, interrupted=False)
        limit = limits(result)["a"]
        assert limit.shared_with == ["its upstream"] and limit.evidence.endswith(" and its upstream 43%")
        assert " ".join(result.claims[0].remarks) == snapshot

    def test_interrupts_are_the_stacks(self) -> None:
        machine = calm_machine(3.0)
        busy = [
            each.model_copy(update={"busy_seconds": 2.1, "interrupt_seconds": 0.7}) if each.cpu == 0 else each
            for each in machine.processors
        ]
        made = a_trial().but(server_cpu=0.68, machine=machine.model_copy(update={"processors": busy}))
        assert limits(judged(an_experiment("a"), {"a": made}))["a"].kind == "stack-processors"

    def test_an_engine_without_time_to_spare(self) -> None:
        limit = limits(judged(an_experiment("a"), {"a": a_trial().but(server_cpu=0.3, engine_cpu=0.85)}))["a"]
        assert (limit.kind, limit.is_own) == ("engine", False)

    def test_connections_that_wait(self, snapshot: object) -> None:
        limit = limits(judged(an_experiment("a"), {"a": calling(1500, 0.15)}, wait=WAIT))["a"]
        assert (limit.kind, limit.is_own) == ("load", False)
        assert limit.evidence == snapshot
        assert "`connections = 256` and `concurrency_budget = 256`" in limit.remedy

    def test_a_budget_below_the_connections(self) -> None:
        experiment = an_experiment("a").but(connections=64)
        limit = limits(judged(experiment, {"a": calling(1500, 0.15, 64)}, wait=WAIT, concurrency_budget=16))["a"]
        assert (limit.kind, limit.is_own) == ("budget", False)
        beyond = limits(judged(experiment, {"a": calling(6000, 0.15, 64)}, wait=WAIT, concurrency_budget=16))["a"]
        assert beyond.kind == "load"

    def test_a_server_that_lets_one_request_wait_at_a_time(self) -> None:
        limit = limits(judged(an_experiment("a"), {"a": calling(97, 0.02)}, wait=WAIT))["a"]
        assert (limit.kind, limit.is_own) == ("own-concurrency", True)
        assert limit.at_once == pytest.approx(0.97, rel=0.02)

    def test_one_connection_shows_latency(self) -> None:
        made = a_trial().but(connections=1, server_cpu=0.3)
        assert limits(judged(an_experiment("a").but(connections=1), {"a": made}))["a"].kind == "one-connection"

    def test_nothing_is_said_of_no_trial(self) -> None:
        failing = a_trial().failing("start", "it did not start")
        record = an_experiment("a").record()
        result = judge(record, trials_of(record, lambda _name, _block: failing), interrupted=False)
        assert result.conditions[0].limit is None


class TestVerdicts:
    """Of 16 connections and 10 ms, 1,600 answers a second are the most; a takes 16 µs of processor time each, b 102."""

    A, B = calling(1590, 0.025), calling(1570, 0.16)

    @pytest.mark.parametrize("claim", [{"at_least": 1.5}, {"at_most": 1.5}, {"at_least": 0.9}])
    def test_two_that_the_load_holds_back_are_not_compared(self, claim: dict[str, float]) -> None:
        verdict = judged(two(**claim), {"a": self.A, "b": self.B}, wait=WAIT).claims[0]
        assert verdict.verdict == "undecided"
        # As `a` takes a sixth of the processor time for an answer, `plateau` sees that something holds both back, too.
        assert [(each.check, each.severity) for each in verdict.findings] == [("plateau", "refusal")]

    def test_the_sentence_says_what_limited_which_side_and_what_to_change(self, snapshot: object) -> None:
        # As much cost an answer, so that `plateau` has nothing to say.
        verdict = judged(two(at_least=1.5), {"a": calling(1590, 0.16), "b": self.B}, wait=WAIT).claims[0]
        assert verdict.verdict == "undecided"
        assert verdict.reason is not None and verdict.reason == snapshot
        assert verdict.sentence == snapshot

    @pytest.mark.parametrize(
        ("claim", "verdict"),
        [
            ({"at_least": 2.0}, "upheld"),  # it can only be more
            ({"at_most": 2.0}, "refuted"),
            ({"at_least": 5.0}, "undecided"),
            ({"at_most": 5.0}, "undecided"),
            ({"at_least": 2.0, "at_most": 5.0}, "undecided"),
        ],
    )
    def test_the_faster_one_held_back(self, claim: dict[str, float], verdict: str) -> None:
        made = {"a": self.A, "b": calling(500, 0.95)}
        assert judged(two(**claim), made, wait=WAIT).claims[0].verdict == verdict

    @pytest.mark.parametrize(
        ("claim", "verdict"),
        [
            ({"at_most": 0.5}, "upheld"),  # it can only be less
            ({"at_least": 0.5}, "refuted"),
            ({"at_least": 0.2}, "undecided"),
            ({"at_most": 0.2}, "undecided"),
        ],
    )
    def test_the_other_held_back(self, claim: dict[str, float], verdict: str) -> None:
        made = {"a": calling(500, 0.95), "b": self.A}
        assert judged(two(**claim), made, wait=WAIT).claims[0].verdict == verdict

    def test_two_at_their_processors_are_compared(self) -> None:
        made = {"a": calling(1000, 0.95), "b": calling(500, 0.95)}
        verdict = judged(two(at_least=1.5), made, wait=WAIT).claims[0]
        assert verdict.verdict == "upheld"
        assert "What limited" not in verdict.sentence

    def test_other_metrics_are_no_matter_of_limits(self) -> None:
        claim = {"metric": "server_cpu_per_1000_requests", "at_most": 0.5}
        assert judged(two(**claim), {"a": self.A, "b": self.B}, wait=WAIT).claims[0].verdict == "upheld"

    def test_as_many_at_once_by_setting(self, snapshot: object) -> None:
        """Both wait for four requests at a time: the number is somebody's, and says nothing of either."""
        both = {"a": calling(396, 0.05), "b": calling(392, 0.05)}
        assert judged(two(at_least=0.9), both, wait=WAIT).claims[0].verdict == "undecided"
        one_and_four = {"a": calling(396, 0.05), "b": calling(99, 0.05)}
        verdict = judged(two(at_least=3), one_and_four, wait=WAIT).claims[0]
        assert verdict.verdict == "upheld"
        assert verdict.sentence == snapshot

    @pytest.mark.parametrize(
        ("stated", "faster_by", "is_answered"),
        [
            ("that is what is switched", "more at once", True),
            (None, "more at once", False),
            ("that is what is switched", "nothing", False),  # all are held by one number, which nobody switches
        ],
    )
    def test_how_many_wait_at_once_may_be_what_why_asks(
        self, stated: str | None, faster_by: str, is_answered: bool
    ) -> None:
        one, many = calling(97, 0.02), calling(950, 0.95) if faster_by == "more at once" else calling(98, 0.02)
        factors = {"server": {"env": {"SERVER": "other"}}, "threads": {"env": {"MAX_THREADS": "16"}}}
        why = Why.model_validate({"from": "a", "factors": factors})
        made = {str(each): many if "threads" in str(each) else one for each in why.stacks}
        experiment = an_experiment(*made, blocks=8).but(why={"from": "a", "factors": factors})
        causes = judged(experiment, made, wait=WAIT, unequal_budgets=stated).causes
        assert causes is not None
        assert ("own-limit" not in (causes.reason or "")) == is_answered, causes.reason
        if is_answered:
            assert [part.factors for part in causes.parts if part.ratio > 2] == [["threads"]]

    @pytest.mark.parametrize(
        ("rate", "claim", "verdict"),
        [
            (1000, {"at_least": 1.5}, "undecided"),  # a wait of both may hide any difference
            (1000, {"at_least": 0.95}, "undecided"),
            (4000, {"at_least": 2}, "upheld"),  # and pulls it towards 1
            (4000, {"at_most": 2}, "refuted"),
            (4000, {"at_most": 5}, "undecided"),
            (100, {"at_least": 0.95}, "refuted"),
            (100, {"at_least": 0.05}, "undecided"),
        ],
    )
    def test_idle_for_no_known_reason(self, rate: float, claim: dict[str, float], verdict: str) -> None:
        made = {"a": a_trial().serving(rate).but(server_cpu=0.3), "b": a_trial().serving(1000).but(server_cpu=0.3)}
        assert judged(two(**claim), made).claims[0].verdict == verdict
        made["b"] = made["b"].but(server_cpu=0.95)
        assert judged(two(**claim), made).claims[0].verdict == verdict

    def test_two_versions_of_one_program_are_compared_as_they_are(self, snapshot: object) -> None:
        idle = a_trial().serving(1000).but(server_cpu=0.3)
        experiment = an_experiment("a:old", "a:new").claiming("a:new", "a:old", at_least=0.95)
        verdict = judged(experiment, {"a:old": idle, "a:new": idle.serving(1002)}).claims[0]
        assert verdict.verdict == "upheld"
        assert verdict.sentence == snapshot

    def test_orders_and_equality(self) -> None:
        made = {"a": self.A, "b": calling(500, 0.95), "c": calling(250, 0.95)}
        order = an_experiment(*made).stating("order", order=["a", "b", "c"])
        assert judged(order, made, wait=WAIT).claims[0].verdict == "upheld"
        made["b"] = calling(1400, 0.5)
        assert judged(order, made, wait=WAIT).claims[0].verdict == "undecided"
        equal = an_experiment("a", "b").stating("equal", of="a", to="b", within=0.05)
        assert judged(equal, {"a": calling(1590, 0.16), "b": self.B}, wait=WAIT).claims[0].verdict == "undecided"

    @pytest.mark.parametrize(
        ("bound", "verdict"),
        [({"at_least": "1000/s"}, "upheld"), ({"at_least": "2000/s"}, "undecided"), ({"at_most": "1000/s"}, "refuted")],
    )
    def test_budgets(self, bound: dict[str, str], verdict: str) -> None:
        budget = an_experiment("a").stating("budget", of="a", **bound)
        assert judged(budget, {"a": self.A}, wait=WAIT).claims[0].verdict == verdict


def opened(experiment: ExperimentBuilder, rate_per_second: float) -> ExperimentRecord:
    """Its record, with an open load of this rate."""
    data = experiment.record().model_dump(mode="json")
    for each in (data["experiment"], *data["conditions"]):
        each["load"] = {"kind": "open", "rate_per_second": rate_per_second}
    return ExperimentRecord.model_validate(data)


def test_an_open_load_that_both_keep_up_with_compares_nothing(snapshot: object) -> None:
    record = opened(two(at_least=0.95), 2000.0)

    def verdict(**rates: float) -> ClaimResult:
        trials = trials_of(record, lambda name, _: a_trial().serving(rates[name]).but(server_cpu=rates[name] / 2200))
        return judge(record, _with_rates(record, trials), interrupted=False).claims[0]

    both = verdict(a=2000, b=1998)
    assert both.verdict == "undecided"
    assert both.reason is not None and both.reason == snapshot


@pytest.mark.parametrize(("answers_per_second", "fell_due_per_second"), [(110, 155), (200, 200)])
def test_users_are_served_where_their_steps_are(
    answers_per_second: float, fell_due_per_second: float, snapshot: object
) -> None:
    """Of 100 users a second, who send two requests each."""
    record = opened(an_experiment("a"), 100.0)
    trial = a_trial().serving(answers_per_second).but(server_cpu=0.3).record()
    assert trial.engine is not None
    seconds = trial.engine.window_seconds
    buy = JourneyAccount(
        name="buy", count=300, completed=150, broken_off=0, unfinished=150, journey_time=times(300, 0.1), steps=[]
    )
    changes = {"journeys": [buy], "offered": round(fell_due_per_second * seconds), "achieved_over_offered": 1.0}
    engine = trial.engine.model_copy(update=changes)
    limit = limit_of(record, record.conditions[0], [trial.model_copy(update={"engine": engine})])
    assert limit is not None
    if answers_per_second < fell_due_per_second:
        assert limit.kind == "not-known"
    else:
        assert limit.kind == "rate"
        assert passage(limit.evidence, "it served", "a second") == snapshot


def test_a_program_is_at_its_own_limit_unless_its_job_is_to_wait() -> None:
    record = an_experiment("a").record()
    data = record.model_dump(mode="json")
    data["experiment"]["load"] = data["conditions"][0]["load"] = {"kind": "program"}
    record = ExperimentRecord.model_validate(data)
    run = ProgramRun(operations=20, seconds=2.05, exit_status=0)
    trial = a_trial().record().model_copy(update={"engine": None, "program": run})
    condition = record.conditions[0]
    own = limit_of(record, condition, [trial])
    assert own is not None and (own.kind, own.is_own) == ("program", True)
    work = {condition.id: ImpliedWork(per_answer={}, least_seconds=2.0)}
    job = limit_of(record.model_copy(update={"implied_work": work}), condition, [trial])
    assert job is not None and (job.kind, job.is_own) == ("job", False)


class TestPlateaus:
    """Groups of contenders that differ in cost and not in rate."""

    @staticmethod
    def judged(**rates: tuple[float, float]) -> Result:
        pairs = [("a", "b"), ("c", "d"), ("a", "c"), ("b", "d"), ("a", "e")]
        experiment = an_experiment(*"abcde")
        for of, to in pairs:
            experiment = experiment.claiming(of, to, at_least=0.5)
        return judged(
            experiment, {name: a_trial().serving(rate).but(server_cpu=cpu) for name, (rate, cpu) in rates.items()}
        )

    def test_every_group_is_named_and_its_comparisons_are_withheld(self) -> None:
        result = self.judged(a=(4000, 0.9), b=(4020, 0.5), c=(2000, 0.9), d=(2010, 0.4), e=(900, 0.95))
        warnings = [finding.evidence for finding in result.findings if finding.check == "plateau"]
        assert [evidence.partition(" all ")[0] for evidence in warnings] == ["c, d", "a, b"]
        by_pair = {claim.text: {finding.check for finding in claim.findings} for claim in result.claims}
        assert by_pair["a beats b"] == by_pair["c beats d"] == {"plateau"}
        assert by_pair["a beats c"] == by_pair["a beats e"] == set()

    def test_a_tie_of_equal_cost_is_compared(self) -> None:
        result = self.judged(a=(4000, 0.9), b=(4020, 0.95), c=(2000, 0.9), d=(2010, 0.9), e=(900, 0.95))
        assert all(not claim.findings and claim.verdict == "upheld" for claim in result.claims)
