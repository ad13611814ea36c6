"""Exit statuses of all commands. Scripts depend on them."""

ALL_WELL = 0
"""all trials valid and all claims upheld; every clause holds; every request got the right answer"""
REFUTED = 1
"""a claim refuted or equal; an expected figure of a load not met"""
WRONG_USE = 2
"""wrong usage, or an invalid file"""
IN_DOUBT = 3
"""a trial refused or not run, a claim undecided, a clause broken, some requests without the right answer, an
expected figure undecided, no capacity found"""
NOTHING_RAN = 4
"""nothing could run"""
UNFORESEEN = 70
"""an error that nobody foresaw: a fault of Fairtrial. EX_SOFTWARE of sysexits(3)"""
INTERRUPTED = 130
"""128 + SIGINT, as in shells"""
OUTPUT_CLOSED = 141
"""128 + SIGPIPE: the reader of standard output closed it early"""
