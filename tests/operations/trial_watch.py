"""What monitoring sees during the trial, and the table of it."""

import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

import requests
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests import environment
from tests.operations.trial_site import TOKEN, wait_until
from tests.operations.trial_workers import Records

LOOK_SECONDS = 2.0
# The limit of the time from a fault to an alert.
ALERT_SECONDS = 300
RULES = environment.ROOT / "deploy" / "monitoring" / "alerts.yml"
UNITS = {"s": 1, "m": 60, "h": 3600}
DOWN = "no answer"
Metrics = dict[tuple[str, frozenset[tuple[str, str]]], float]


@dataclass(frozen=True, slots=True)
class Look:
    """The answers of one host. `failing` has the failing checks, `metrics` is None without metrics."""

    at: float
    port: int
    failing: dict[str, str]
    metrics: Metrics | None

    def alerts(self) -> set[str]:
        names = [labels for (name, labels) in self.metrics or {} if name == "touchstone_alert"]
        return {value for labels in names for key, value in labels if key == "alert"}

    def value(self, name: str, **labels: str) -> float | None:
        return (self.metrics or {}).get((name, frozenset(labels.items())))


class Watch:
    """A context manager that looks at /health/ready and /metrics of each host every two seconds."""

    def __init__(self, ports: Sequence[int]) -> None:
        self.looks: list[Look] = []
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=[port], daemon=True) for port in ports
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def since(self, at: float) -> list[Look]:
        return [look for look in list(self.looks) if look.at >= at]

    def first(self, condition: Callable[[Look], bool], *, since: float) -> Look | None:
        return next((look for look in self.since(since) if condition(look)), None)

    def is_well(self, *, since: float) -> bool:
        """Return True if the last look at each host, later than a time, found nothing."""
        last = {look.port: look for look in self.since(since)}
        return len(last) == len(self._threads) and not any(
            look.failing or look.metrics is None for look in last.values()
        )

    def _run(self, port: int) -> None:
        session = requests.Session()
        session.trust_env = False
        while not self._ended.is_set():
            at = time.monotonic()
            self.looks.append(Look(at, port, _failing(session, port), _metrics(session, port)))
            self._ended.wait(max(0.0, LOOK_SECONDS - (time.monotonic() - at)))


def _failing(session: requests.Session, port: int) -> dict[str, str]:
    try:
        response = session.get(f"http://127.0.0.1:{port}/health/ready", timeout=20)
        checks: dict[str, str] = response.json()
    except (requests.RequestException, ValueError):
        return {DOWN: ""}
    if response.status_code == 200:
        return {}
    fine = {"OK", "on hold. Run manage.py recover_hits"}
    return {name: text for name, text in checks.items() if text not in fine}


def _metrics(session: requests.Session, port: int) -> Metrics | None:
    header = {"Authorization": f"Bearer {TOKEN}"}
    try:
        response = session.get(f"http://127.0.0.1:{port}/metrics", headers=header, timeout=10)
    except requests.RequestException:
        return None
    if response.status_code != 200:
        return None
    wanted = "\n".join(
        line for line in response.text.splitlines() if "touchstone_http_request" not in line
    )
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(wanted)
        for sample in family.samples
    }


def seconds_of_rule(name: str) -> int:
    """Return how long Prometheus waits before the alert fires."""
    [group] = yaml.safe_load(RULES.read_text())["groups"]
    [rule] = [rule for rule in group["rules"] if rule["alert"] == name]
    match = re.fullmatch(r"(\d+)([smh])", rule.get("for", "0s"))
    assert match
    return int(match[1]) * UNITS[match[2]]


@dataclass
class Episode:
    """A fault and what was seen of it, in seconds since its start, or since its end for `recovered`."""

    name: str
    watch: Watch
    records: Records
    started: float
    ended: float = 0.0
    repaired: float | None = None
    health: str = ""
    alert: str = ""
    alert_seconds: float | None = None
    recovered: float | None = None
    lost: int = 0
    posts: int = 0
    failed: int = 0
    note: str = ""

    def expect_health(self, check: str, *, within: float = 30) -> None:
        """Wait until a host reports the check, or doesn't answer if it is `DOWN`."""
        look = self._wait(lambda look: check in look.failing, within, f"health: {check}")
        said = f"`{check}`" if check != DOWN else check
        self.health = _joined(self.health, f"{said} after {look.at - self.started:.0f} s")

    def expect_alert(self, key: str, *, within: float = ALERT_SECONDS) -> None:
        """Wait until the site's own alert is open, as `touchstone_alert` says."""
        look = self._wait(lambda look: key in look.alerts(), within, f"alert {key}")
        self._alerted(f"`{key}`", look.at - self.started)

    def expect_rule(
        self, rule: str, condition: Callable[[Look], bool], *, within: float = ALERT_SECONDS
    ) -> None:
        """Wait until the metrics fulfil a rule of Prometheus, and add the time that it must last."""
        look = self._wait(condition, within, f"Prometheus: {rule}")
        seconds = look.at - self.started + seconds_of_rule(rule)
        self._alerted(f"{rule} (Prometheus)", seconds)
        assert seconds <= ALERT_SECONDS, f"{rule} fires after {seconds:.0f} s"

    def repair(self) -> None:
        """Note that the fault ends now."""
        self.repaired = time.monotonic()

    def expect_recovery(self, *, within: float = 240) -> None:
        """Wait until both hosts find nothing and work is accepted again."""
        assert self.repaired is not None
        at = self.repaired

        def is_over() -> bool:
            return self.watch.is_well(since=at + LOOK_SECONDS) and any(
                when > at for when in list(self.records.accepted.values())
            )

        try:
            wait_until(is_over, seconds=within, what=f"recovery of {self.name}")
        except AssertionError:
            last = {look.port: look for look in self.watch.since(at)}
            raise AssertionError(
                f"{self.name}: not over after {within:.0f} s: "
                f"{[(look.failing, look.metrics is None) for look in last.values()]}"
            ) from None
        self.recovered = time.monotonic() - at

    def failures(self, start: float | None = None) -> list[str]:
        """Return the POST requests that failed, as step and problem."""
        posts = self.records.posts(start or self.started, time.monotonic())
        return [f"{post.step}: {post.problem}" for post in posts if post.problem]

    def close(self) -> None:
        self.ended = time.monotonic()
        posts = self.records.posts(self.started, self.ended)
        self.posts, self.failed = len(posts), sum(bool(post.problem) for post in posts)

    def _alerted(self, what: str, seconds: float) -> None:
        self.alert = _joined(self.alert, f"{what} after {seconds:.0f} s")
        self.alert_seconds = seconds

    def _wait(self, condition: Callable[[Look], bool], within: float, what: str) -> Look:
        end = self.started + within
        while (look := self.watch.first(condition, since=self.started)) is None:
            if time.monotonic() > end:
                seen = sorted(
                    {name for look in self.watch.since(self.started) for name in look.failing}
                )
                alerts = sorted(
                    {key for look in self.watch.since(self.started) for key in look.alerts()}
                )
                raise AssertionError(
                    f"{self.name}: no {what} within {within:.0f} s. Health: {seen}. Alerts: {alerts}"
                )
            time.sleep(0.2)
        return look


def _joined(*parts: str) -> str:
    return ", ".join(filter(None, parts))


HEADINGS = (
    "Fault",
    "`/health/ready`",
    "Alert",
    "Recovered after",
    "POST requests",
    "Failed, then repeated",
    "Lost",
)


@dataclass
class Report:
    """The episodes in their order, and sentences about the set-up and the accounts."""

    episodes: list[Episode] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def table(self) -> str:
        rows = [list(HEADINGS), ["---"] * 3 + ["---:"] * 4]
        for episode in self.episodes:
            recovered = "" if episode.recovered is None else f"{episode.recovered:.0f} s"
            numbers = [episode.posts, episode.failed, episode.lost]
            rows.append(
                [
                    f"{episode.name}{f' ({episode.note})' if episode.note else ''}",
                    episode.health or "fine",
                    episode.alert or "none",
                    recovered,
                    *map(str, numbers),
                ]
            )
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([*lines, "", *(f"- {note}" for note in self.notes), ""])
