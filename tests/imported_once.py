"""What the process imports, and sets, from which the tests' commands are forked: `tests.forked_command`."""

import gc
import os

# Threads do not outlive a fork, and numpy's library starts some as it is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import distributed.cli.dask_scheduler
import distributed.cli.dask_worker  # noqa: F401 both for tests.cluster.clusters
import httpcore  # noqa: F401 which httpx imports with its first client
import numpy.ma  # noqa: F401 and NumPy with its first percentile

import fairtrial.base.strict
import fairtrial.catalog.services
import fairtrial.catalog.services.mariadb.server
import fairtrial.catalog.services.memcached.server
import fairtrial.catalog.services.mongodb.server
import fairtrial.catalog.services.postgresql.server
import fairtrial.catalog.services.redis.server
import fairtrial.catalog.workloads
import fairtrial.catalog.workloads.openapi
import fairtrial.commands.carry_out
import fairtrial.commands.examined_design
import fairtrial.commands.whole_study
import fairtrial.experiment.ab_test
import fairtrial.experiment.changes
import fairtrial.experiment.files
import fairtrial.judge.checks
import fairtrial.judge.design.room
import fairtrial.judge.judging
import fairtrial.lab.announce
import fairtrial.lab.conduct
import fairtrial.lab.exclusive
import fairtrial.lab.progress
import fairtrial.plan.make
import fairtrial.plan.selection
import fairtrial.record.read
import fairtrial.report.files
import fairtrial.report.html
import fairtrial.report.outputs
import fairtrial.report.profile.terminal
import fairtrial.report.terminal
import fairtrial.tools.check.contract
import fairtrial.tools.load.offer
import fairtrial.tools.load.report.terminal
import tests.hasty  # noqa: F401 before any of them is forked

fairtrial.catalog.services.services()
fairtrial.catalog.workloads.workloads()
fairtrial.catalog.workloads.openapi.document()
fairtrial.judge.checks.all_checks()
fairtrial.report.html.report_template()


def build_models(above: type[fairtrial.base.strict.Strict]) -> None:
    """Build the models of files and records below this one, which each command else builds as it first uses them."""
    for model in above.__subclasses__():
        model.model_rebuild()
        build_models(model)


build_models(fairtrial.base.strict.Strict)
gc.freeze()  # no command looks through all this for garbage
