"""A whole site for the trial: processes of the systemd units, servers, and a proxy if there is one."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import requests
from redis import Redis
from redis.exceptions import RedisError

from tests import environment
from tests.fakes.s3 import FakeS3, running_s3
from tests.operations.cluster import Cluster, new_cluster
from tests.operations.units import Service, command_of
from tests.rehearsal.link import Link

QUEUES = ("celery", "outside", "jobs", "backups")
TOKEN = "a-token-for-the-metrics-of-the-trial"
CADDY = (2, 11)
# Shorter than in production, so that work goes on sooner after a process was killed.
SHORTER = {"SWEEP_SECONDS": "5", "LEASE_SECONDS": "10"}
VAR_MB = 64


class RedisServer:
    """A Redis with an append-only file, which can be stopped, killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, environment.find_free_port()
        self.client = Redis(port=self.port, socket_timeout=2, socket_connect_timeout=2)
        self.service = Service(
            "redis",
            [
                *("redis-server", "--port", str(self.port), "--bind", "127.0.0.1"),
                *("--dir", str(folder), "--save", "", "--appendonly", "yes"),
                *("--maxmemory", "64mb", "--maxmemory-policy", "noeviction"),
            ],
            env={},
            log=folder / "log",
        )

    def start(self) -> None:
        self.service.start()
        wait_until(self._answers, seconds=30)

    def _answers(self) -> bool:
        try:
            return bool(self.client.ping())
        except RedisError:
            return False


class Hosts:
    """The web servers as a careful client sees them, who stays away from one that is about to stop."""

    CHECK_SECONDS = 0.5

    def __init__(self, ports: list[int]) -> None:
        self._is_up = dict.fromkeys(ports, True)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._check, daemon=True)

    def __enter__(self) -> "Hosts":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def entrance(self, port: int) -> Callable[[], str]:
        """Return a function with the address of this host, or of another one if it is down."""

        def address() -> str:
            up = [other for other, is_up in self._is_up.items() if is_up]
            return f"http://127.0.0.1:{port if port in up or not up else up[0]}"

        return address

    def _check(self) -> None:
        while not self._ended.wait(self.CHECK_SECONDS):
            for port in self._is_up:
                self._is_up[port] = _takes_traffic(port)


def _takes_traffic(port: int) -> bool:
    with suppress(requests.RequestException):
        return requests.get(f"http://127.0.0.1:{port}/health/traffic", timeout=5).ok
    return False


class TrialSite:
    """A site with some web servers and workers. `start` and `stop` concern its own processes.

    `workers` is the number of workers of the queue `celery`. Each other queue has one.
    """

    def __init__(
        self, stack: ExitStack, folder: Path, *, web_servers: int = 2, workers: int = 1, **more: str
    ) -> None:
        self.folder, self._stack, self._workers, self._more = folder, stack, workers, more
        self.var, self.has_own_disk = folder / "var", False
        self.cluster: Cluster = stack.enter_context(new_cluster(folder / "record"))
        self.redis = RedisServer(_made(folder / "redis"))
        self.redis.start()
        stack.callback(self.redis.service.stop)
        self.s3: FakeS3 = stack.enter_context(running_s3("trial"))
        self.s3_link = Link("127.0.0.1", self.s3.server_port)
        self.ports = [environment.find_free_port() for _ in range(web_servers)]
        self.caddy = find_caddy()
        self.port = environment.find_free_port() if self.caddy else self.ports[0]
        self._mount_var()
        self.env = self._environment()
        self.services = {service.name: service for service in self._services()}

    def _mount_var(self) -> None:
        """Give the site's folder a small disk of its own, which only root can do."""
        self.var.mkdir()
        size = ["-t", "tmpfs", "-o", f"size={VAR_MB}m,mode=700", "tmpfs", str(self.var)]
        mount = shutil.which("mount")
        if mount and os.geteuid() == 0:
            done = subprocess.run([mount, *size], check=False, capture_output=True)
            self.has_own_disk = done.returncode == 0
        if self.has_own_disk:
            self._stack.callback(subprocess.run, ["umount", "--lazy", str(self.var)], check=False)

    def _environment(self) -> dict[str, str]:
        temporary = _made(self.folder / "tmp")
        backups = _made(self.folder / "backups")
        return {
            **_plain_environment(),
            **SHORTER,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "SITE_URL": f"http://127.0.0.1:{self.port}",
            "SECRET_KEY": "a secret key of the trial that is long enough for anything",
            "DATABASE_URL": self.cluster.url(),
            "REDIS_URL": f"redis://127.0.0.1:{self.redis.port}/0",
            "STORAGE_URL": "s3://trial/site",
            "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{self.s3_link.port}",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
            "ARCHIVE_DIR": str(self.cluster.archive),
            "BACKUP_URL": f"file://{backups}",
            "METRICS_TOKEN": TOKEN,
            "TRUSTED_PROXIES": "127.0.0.1/32",
            "LOG_FORMAT": "json",
            "WEB_CONCURRENCY": "2",
            "STATIC_ROOT": str(self.folder / "static"),
            "VAR_DIR": str(self.var),
            "TMPDIR": str(temporary),
            **self._more,
        }

    def _services(self) -> Iterator[Service]:
        logs = _made(self.folder / "log")

        def service(name: str, command: list[str]) -> Service:
            return Service(name, command, env=self.env, log=logs / f"{name}.log")

        for number, port in enumerate(self.ports, 1):
            command = [
                word.replace("127.0.0.1:8000", f"127.0.0.1:{port}") for word in command_of("web")
            ]
            yield service(f"web {number}", command)
        for queue in QUEUES:
            yield service(queue, command_of("worker@", instance=queue))
        for number in range(2, self._workers + 1):
            command = command_of("worker@", instance="celery")
            # As on another host
            yield service(
                f"celery {number}", [word.replace("@%h", f"@{number}.%h") for word in command]
            )
        yield service("beat", command_of("beat"))

    def manage(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=environment.ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def start(self) -> None:
        for service in self.services.values():
            service.start()
        wait_until(lambda: all(map(_takes_traffic, self.ports)), seconds=120)

    def stop(self) -> None:
        threads = [threading.Thread(target=s.stop) for s in self.services.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def restart_web(self, number: int) -> None:
        self.services[f"web {number}"].restart()
        wait_until(lambda: _takes_traffic(self.ports[number - 1]), seconds=120)

    @contextmanager
    def entrances(self, count: int) -> Iterator[list[Callable[[], str]]]:
        """Yield `count` functions that return the address for the next request."""
        if self.caddy:
            with self._proxy(self.caddy):
                yield [lambda: f"http://127.0.0.1:{self.port}"] * count
            return
        with Hosts(self.ports) as hosts:
            yield [hosts.entrance(self.ports[number % 2]) for number in range(count)]

    @contextmanager
    def _proxy(self, program: str) -> Iterator[None]:
        """Run Caddy with the Caddyfile of deploy/, but without TLS."""
        text = (environment.ROOT / "deploy" / "Caddyfile").read_text()
        address = f"127.0.0.1:{self.port}"
        sites, plain = "{$SITE_HOST} {$CONTENT_HOST} {", f"http://{address} {{"
        assert sites in text
        file = _made(self.folder / "caddy") / "Caddyfile"
        file.write_text(
            text.replace(sites, plain).replace("{\n\tservers", "{\n\tadmin off\n\tservers", 1)
        )
        proxy = Service(
            "proxy",
            [program, "run", "--config", str(file), "--adapter", "caddyfile"],
            env={
                "SITE_HOST": address,
                "WEB_HOSTS": " ".join(f"127.0.0.1:{port}" for port in self.ports),
                "HOME": str(file.parent),
            },
            log=self.folder / "log" / "proxy.log",
        )
        self.services["proxy"] = proxy
        proxy.start()
        wait_until(lambda: _takes_traffic(self.port), seconds=60)
        try:
            yield
        finally:
            proxy.stop()
            del self.services["proxy"]


def find_caddy() -> str | None:
    """Return the path of a Caddy that runs deploy/Caddyfile, or None."""
    program = shutil.which("caddy")
    if program is None:
        return None
    shown = subprocess.run([program, "version"], capture_output=True, text=True, check=False)
    match = re.match(r"v?(\d+)\.(\d+)", shown.stdout)
    is_new = match and (int(match[1]), int(match[2])) >= CADDY
    return program if is_new else None


def wait_until(condition: Callable[[], bool], *, seconds: float, what: str = "") -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s: {what or condition}"
        time.sleep(0.2)


def _plain_environment() -> Mapping[str, str]:
    names = ("PATH", "HOME", "LANG", "VIRTUAL_ENV")
    return {name: os.environ[name] for name in names if name in os.environ}


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def prepared(stack: ExitStack, folder: Path, **size: Any) -> TrialSite:
    """Return the site with its tables and its first base backup, not started yet."""
    site = TrialSite(stack, folder, **size)
    site.manage("manage.py", "migrate", "-v0")
    done = site.cluster.script("base_backup")
    assert done.returncode == 0, done.stderr
    return site
