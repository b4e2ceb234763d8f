"""The lock files are complete, hashed and without addresses, and pin all dependencies."""

import json
import re
import subprocess
import tomllib

import pytest

from tests import environment

KINDS = ["base", "dev", "audit"]
PIN = re.compile(r"^([a-z0-9._-]+)(?:\[[a-z0-9,_-]+\])?==(\S+)(?: ; ([^\\]+?))? \\$", re.I | re.M)


def pins(kind: str) -> dict[str, set[tuple[str, str]]]:
    """Return version and environment marker by name. A name can be pinned once per marker."""
    pinned: dict[str, set[tuple[str, str]]] = {}
    for name, version, marker in PIN.findall(lock(kind)):
        pinned.setdefault(name.lower(), set()).add((version, marker))
    return pinned


def versions(kind: str) -> dict[str, set[str]]:
    return {name: {version for version, _ in pinned} for name, pinned in pins(kind).items()}


def lock(kind: str) -> str:
    return (environment.ROOT / "requirements" / f"{kind}.txt").read_text()


def normalized_name(requirement: str) -> str:
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name
    return re.sub(r"[-_.]+", "-", name.group()).lower()


def project() -> dict:
    return tomllib.loads((environment.ROOT / "pyproject.toml").read_text())


@pytest.mark.parametrize("kind", KINDS)
def test_every_pin_has_a_hash(kind):
    entries = re.split(r"^(?=[a-zA-Z0-9])", lock(kind), flags=re.MULTILINE)[1:]
    assert len(entries) == sum(map(len, pins(kind).values()))
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("kind", KINDS)
def test_lock_contains_no_address(kind):
    assert re.findall(r"\S*://\S*|--(?:index|extra-index|find-links)\S*", lock(kind)) == []


def test_development_lock_has_every_pin_of_the_base_lock():
    base, dev = versions("base"), versions("dev")
    assert {name: pinned for name, pinned in base.items() if dev.get(name) != pinned} == {}


def test_locks_have_every_dependency():
    base = {normalized_name(requirement) for requirement in project()["project"]["dependencies"]}
    groups = project()["dependency-groups"]
    dev, audit = ({normalized_name(name) for name in groups[kind]} for kind in ("dev", "audit"))
    assert base - set(pins("base")) == set()
    assert dev - set(pins("dev")) == set()
    assert audit - set(pins("audit")) == set()


@pytest.mark.long
def test_sbom_lists_every_deployed_package():
    subprocess.run(["scripts/audit", "sbom"], cwd=environment.ROOT, check=True)
    parts = json.loads((environment.ROOT / "sbom.json").read_text())["components"]
    assert {part["name"].lower() for part in parts} == set(pins("base"))
    assert all(part["externalReferences"][0]["hashes"] for part in parts)
