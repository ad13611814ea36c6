"""Does the job that the environment names, and ends. Each job is a module, loaded only if it is the one to be done."""

import os
import sys
from importlib import import_module

JOBS = {
    "query-batch": "queries",
    "transaction-batch": "units",
    "call-batch": "calls",
    "task-creation": "tasks",
    "task-switching": "switches",
}

job = os.environ.get("JOB", "")
if job not in JOBS:
    sys.exit(f"there is no job {job!r}; there are: {', '.join(JOBS)}")
import_module(JOBS[job]).main()
