"""Findings, outcomes, figures and verdicts, as a pure function of the record: `judging.judge`."""
