"""The same load as a command line of `fairtrial load`."""

import shlex

from fairtrial.tools.load.plan.options import LoadOptions


def as_ours(options: LoadOptions) -> str:
    """The command line of `fairtrial load` for the same load."""
    words = ["fairtrial", "load", options.url, "-c", str(options.connections)]
    if options.requests is not None:
        words += ["-n", str(options.requests)]
    if options.seconds is not None:
        words += ["-d", f"{options.seconds:g}s"]
    if options.threads is not None:
        words += ["--threads", str(options.threads)]
    if not options.keep_alive:
        words.append("--no-keepalive")
    if options.method is not None:
        words += ["-m", options.method]
    for name, value in options.headers:
        shown = "…" if name.lower() in ("authorization", "cookie") else value
        words += ["-H", f"{name}: {shown}"]
    if options.body is not None:
        words += ["-b", options.body]
    if options.expect_length is not None:
        words += ["--expect-length", str(options.expect_length)]
    words += ["--timeout", f"{options.timeout_seconds:g}s"]
    if options.insecure:
        words.append("--insecure")
    if options.certificate_file is not None:
        words += ["--cert", str(options.certificate_file), "--key", str(options.key_file)]
    return shlex.join(words)
