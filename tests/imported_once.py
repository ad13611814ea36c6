"""What the process imports from which the tests' commands are forked: `tests.forked_command`."""

import os

# Threads do not outlive a fork, and numpy's library starts some as it is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import fairtrial.commands.carry_out
import fairtrial.experiment.ab_test
import fairtrial.judge.judging
import fairtrial.lab.conduct
import fairtrial.lab.progress
import fairtrial.plan.make
import fairtrial.report.files
import fairtrial.report.terminal
import fairtrial.tools.check.contract
import fairtrial.tools.load.offer
import fairtrial.tools.load.report.terminal  # noqa: F401
