"""The setup requests of a workload file in a trial: once for each start of the stack, before everything else."""

from dataclasses import replace

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.every_stack import EVIDENCE_CHARACTERS
from fairtrial.catalog.workloads.model import ProgramWorkload
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.deployment import Deployment
from fairtrial.record.model import Clause


def with_setup(context: TrialContext, deployment: Deployment) -> tuple[TrialContext, list[Clause]]:
    """Send the setup requests, and give the trial with what they answered, and the clause that they are as expected.

    Without setup requests, the trial as it is and no clause.
    """
    workload = context.plan.workload
    if isinstance(workload, ProgramWorkload) or workload.set_up is None:
        return context, []
    evidence = ""
    try:
        workload = workload.set_up(deployment.url, deployment.host)
        context.set_up_secrets.append(workload.secrets)
        context = replace(context, plan=replace(context.plan, workload=workload))
    except Problem as problem:
        evidence = printable(problem.reason, EVIDENCE_CHARACTERS)
    requirement = "the setup requests are answered as the workload file expects"
    return context, [Clause(name="setup", requirement=requirement, passed=not evidence, evidence=evidence)]
