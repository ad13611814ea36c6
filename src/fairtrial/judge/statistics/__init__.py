"""From one value a block to an estimate with an interval, and the tests behind the checks. See docs/statistics.md."""
