"""gunicorn's settings for all kinds of workers; `serve.py` says what the kinds have for themselves."""

from settings import Settings

settings = Settings.from_environment()

wsgi_app = "app:create_app()"
bind = f"{settings.host}:{settings.port}"
backlog = 4096
workers = settings.processes
threads = settings.threads
worker_connections = 8192  # open ones in each process; far fewer of them have a request at a time
keepalive = 65  # seconds; gunicorn's default of 2 closes connections that clients still use
graceful_timeout = 2  # seconds; a stack has 5 to end after SIGTERM, and idle connections use them up
loglevel = "warning"
accesslog = "-" if settings.access_log else None
worker_tmp_dir = "/dev/shm"  # the workers' heartbeats must not wait for a disk
control_socket_disable = True
