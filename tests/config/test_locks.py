"""The lock files are complete, hashed and without addresses, and pin all dependencies."""

import json
import re
import subprocess
import tomllib
from importlib.metadata import distribution

import pytest
from packaging.requirements import Requirement

from tests import environment

KINDS = ["base", "hub", "dev", "build", "audit"]
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


@pytest.mark.parametrize("kind", ["hub", "dev"])
def test_larger_lock_has_every_pin_of_the_base_lock(kind):
    base, larger = versions("base"), versions(kind)
    assert {name: pinned for name, pinned in base.items() if larger.get(name) != pinned} == {}


def test_lock_of_the_hub_has_what_its_client_needs():
    pinned, wanted = set(pins("hub")), ["huggingface-hub"]
    for name in wanted:
        assert normalized_name(name) in pinned
        for requirement in distribution(name).requires or ():
            text, _, marker = requirement.partition(";")
            needed = normalized_name(text)
            is_for_here = not marker or Requirement(requirement).marker.evaluate({"extra": ""})
            if is_for_here and needed not in wanted:
                wanted.append(needed)
    assert pins("hub").items() >= pins("base").items()
    assert versions("hub")["huggingface-hub"] == versions("dev")["huggingface-hub"]


def test_locks_have_every_dependency():
    base = {normalized_name(requirement) for requirement in project()["project"]["dependencies"]}
    groups = project()["dependency-groups"]
    build, audit = ({normalized_name(name) for name in groups[kind]} for kind in ("build", "audit"))
    assert groups["dev"][0] == {"include-group": "build"}
    dev = build | {normalized_name(name) for name in groups["dev"][1:]}
    extra = project()["project"]["optional-dependencies"]["hub"]
    assert {normalized_name(name) for name in extra} - set(pins("hub")) == set()
    assert base - set(pins("base")) == set()
    assert dev - set(pins("dev")) == set()
    assert build - set(pins("build")) == set()
    assert audit - set(pins("audit")) == set()


def test_wheels_are_built_with_the_same_versions_everywhere():
    assert pins("build").items() <= pins("dev").items()


@pytest.mark.long
def test_sbom_lists_every_deployed_package():
    subprocess.run(["scripts/audit", "sbom"], cwd=environment.ROOT, check=True)
    parts = json.loads((environment.ROOT / "sbom.json").read_text())["components"]
    assert {part["name"].lower() for part in parts} == set(pins("base"))
    assert all(part["externalReferences"][0]["hashes"] for part in parts)
