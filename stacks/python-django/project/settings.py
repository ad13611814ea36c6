"""Django's settings for production, with what the environment says."""

import os
import secrets
from urllib.parse import unquote, urlsplit


def _integer(name: str, default: int) -> int:
    return int(os.environ.get(name) or default)


def _databases(url: str) -> dict[str, dict]:
    """None without a URL. A pool keeps connections open, so that no request has to make one."""
    if not url:
        return {}
    parts = urlsplit(url)
    connections = _integer("DB_POOL", 16)
    return {
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "HOST": parts.hostname,
            "PORT": parts.port,
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "NAME": parts.path.removeprefix("/"),
            "OPTIONS": {"pool": {"min_size": connections, "max_size": connections, "timeout": 10}},
        }
    }


DEBUG = False
SECRET_KEY = os.environ.get("SECRET_KEY") or secrets.token_urlsafe(50)  # nothing is signed with it
ALLOWED_HOSTS = ["*"]  # no answer has the name of the host in it

INSTALLED_APPS = ["api"]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.common.CommonMiddleware",
]
ROOT_URLCONF = "project.urls"
WSGI_APPLICATION = "project.wsgi.application"
APPEND_SLASH = False

DATABASES = _databases(os.environ.get("DATABASE_URL") or "")
HAS_DATABASE = bool(DATABASES)  # Django gives DATABASES a default that is none
USE_TZ = True
TIME_ZONE = "UTC"

DATA_UPLOAD_MAX_MEMORY_SIZE = 65_536
BATCH_SIZE = _integer("BATCH_SIZE", 8)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "loggers": {"django": {"handlers": ["stderr"], "level": "ERROR"}},
}
