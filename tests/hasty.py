"""Shortens what a lab does for figures that are tested by themselves: it costs each of hundreds of runs seconds.

And what a lab draws by a coin, tests have each time.
"""

import fairtrial.lab.calibrate
import fairtrial.lab.profile.condition
import fairtrial.lab.profile.system_calls
import fairtrial.lab.trial.hold_audit
import fairtrial.lab.trial.whole_window

fairtrial.lab.calibrate.WARM_UP_SECONDS = 0.05
fairtrial.lab.calibrate.LONGEST_WINDOW_SECONDS = fairtrial.lab.calibrate.SHORTEST_WINDOW_SECONDS = 0.1
fairtrial.lab.calibrate.BLOCK_WINDOW_SECONDS = 0.1

fairtrial.lab.profile.condition.PROFILED_SECONDS = (0.5, 0.5)
fairtrial.lab.profile.condition.SECOND_WARMUP_SECONDS = 0.1
fairtrial.lab.profile.system_calls.SECONDS = 0.3
fairtrial.lab.profile.system_calls.NAMES_SECONDS = 0.1
fairtrial.lab.trial.whole_window.LEAD_SECONDS = 0.1

fairtrial.lab.trial.hold_audit.STILL_SHARE = 1.0
