"""A health check for one container: `python -m deploy.healthcheck web|worker|beat`.

The exit code is 0 if that process works.
"""

import http.client
import os
import socket
import subprocess
import sys
import time
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

PORT = 8000
READY = "/health/web"
CELERY = [sys.executable, "-m", "celery", "-A", "config"]
# Beat saves its schedule every three minutes.
BEAT_SILENCE_SECONDS = 600


def web() -> bool:
    """Return True if the site can serve pages under its own host name.

    The worker has its own container and health check.
    """
    site = urlsplit(os.environ.get("SITE_URL", "http://127.0.0.1:8000"))
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=8)
    headers = {"Host": site.netloc, "X-Forwarded-Proto": site.scheme}
    try:
        connection.request("GET", READY, headers=headers)
        return connection.getresponse().status == HTTPStatus.OK
    except OSError:
        return False


def worker() -> bool:
    """Return True if this container's worker answers a ping through the broker."""
    name = f"celery@{socket.gethostname()}"
    ping = [*CELERY, "inspect", "ping", "--timeout", "8", "--destination", name]
    return subprocess.run(ping, capture_output=True, check=False).returncode == 0


def beat() -> bool:
    """Return True if beat has saved its schedule recently."""
    files = Path(os.environ["VAR_DIR"]).glob("celerybeat-schedule*")
    newest = max((file.stat().st_mtime for file in files), default=0.0)
    return time.time() - newest < BEAT_SILENCE_SECONDS


if __name__ == "__main__":
    checks = {"web": web, "worker": worker, "beat": beat}
    sys.exit(0 if checks[sys.argv[1]]() else 1)
