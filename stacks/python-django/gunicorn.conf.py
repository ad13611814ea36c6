"""gunicorn's settings; it reads this file where it is started."""

import os

wsgi_app = "project.wsgi:application"
bind = f"{os.environ.get('HOST') or '127.0.0.1'}:{os.environ.get('PORT') or '8080'}"
backlog = 4096
worker_class = "gthread"
workers = int(os.environ.get("WEB_CONCURRENCY") or "1")
threads = int(os.environ.get("MAX_THREADS") or "16")
worker_connections = 8192  # open ones in each process; far fewer of them have a request at a time
keepalive = 65  # seconds; gunicorn's default of 2 closes connections that clients still use
graceful_timeout = 2  # seconds; a stack has 5 to end after SIGTERM, and idle connections use them up
loglevel = "warning"
worker_tmp_dir = "/dev/shm"  # the workers' heartbeats must not wait for a disk
control_socket_disable = True
