"""`python -m deploy.healthcheck web|worker|beat`: exit 0 while that part of a container works."""

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
READY = "/health/ready?parts=database,migrations,broker"
CELERY = [sys.executable, "-m", "celery", "-A", "config"]
# Beat writes its schedule down every three minutes.
BEAT_SILENCE_SECONDS = 600


def web() -> bool:
    """The site answers under its own name and has what it needs to serve pages. The worker is not a
    part of that: it has a container and a check of its own."""
    site = urlsplit(os.environ.get("SITE_URL", "http://127.0.0.1:8000"))
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=8)
    headers = {"Host": site.netloc, "X-Forwarded-Proto": site.scheme}
    try:
        connection.request("GET", READY, headers=headers)
        return connection.getresponse().status == HTTPStatus.OK
    except OSError:
        return False


def worker() -> bool:
    """The worker process of this very container answers over the broker."""
    name = f"celery@{socket.gethostname()}"
    ping = [*CELERY, "inspect", "ping", "--timeout", "8", "--destination", name]
    return subprocess.run(ping, capture_output=True, check=False).returncode == 0


def beat() -> bool:
    files = Path(os.environ["VAR_DIR"]).glob("celerybeat-schedule*")
    newest = max((file.stat().st_mtime for file in files), default=0.0)
    return time.time() - newest < BEAT_SILENCE_SECONDS


if __name__ == "__main__":
    checks = {"web": web, "worker": worker, "beat": beat}
    sys.exit(0 if checks[sys.argv[1]]() else 1)
