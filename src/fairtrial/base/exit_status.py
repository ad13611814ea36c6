"""Exit statuses of every command: others script against them."""

ALL_WELL = 0
"""all trials valid and all claims upheld; every clause holds; every request was answered well"""
REFUTED = 1
"""a claim refuted"""
WRONG_USE = 2
"""wrong usage, or a broken file"""
IN_DOUBT = 3
"""a trial refused or not run, a claim undecided, a clause broken, some requests not answered well"""
NOTHING_RAN = 4
"""nothing could run"""
INTERRUPTED = 130
"""128 + SIGINT, as shells have it"""
OUTPUT_CLOSED = 141
"""128 + SIGPIPE: nobody read standard output to its end"""
