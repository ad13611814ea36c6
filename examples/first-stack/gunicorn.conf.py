"""gunicorn's settings, taken from the variables that every stack gets."""

import os

bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8080')}"
workers = int(os.environ.get("WEB_CONCURRENCY", "1"))
worker_class = "gthread"
threads = int(os.environ.get("MAX_THREADS", "16"))
keepalive = 65  # seconds; gunicorn's default of 2 closes connections that clients still use
graceful_timeout = 3  # seconds; a stack has 5 to end after SIGTERM
