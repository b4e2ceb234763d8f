"""The runbook has a section for each alert, whose commands, services and units exist."""

import re
from itertools import pairwise

import pytest
import yaml
from django.core.management import get_commands, load_command_class

from dashboard.help import DOCS, titles
from operations.domain.alerts import RUNBOOK, remedy_url
from operations.domain.queues import QUEUES
from operations.enums import AlertKind
from tests.environment import ROOT
from tests.operations.test_monitoring import rules
from web.markdown import heading_id

TEXT = (DOCS / RUNBOOK).read_text("utf-8")
PARTS = ("**Meaning.**", "**What users feel.**", "**What to do", "**Over when**")
HELP = f"{RUNBOOK}#"


def sections() -> dict[str, str]:
    """Return the text of each section by the id of its heading."""
    parts = re.split(r"^## (.+)$", TEXT, flags=re.MULTILINE)[1:]
    return {heading_id(title): text for title, text in list(pairwise(parts))[::2]}


def names_after(keyword: str, text: str) -> list[str]:
    """Return the names in code on the first line that follows a word, such as `workers`."""
    first = text.strip().partition("\n")[0]
    part = next((part for part in first.split(" · ") if part.startswith(keyword)), "")
    return re.findall(r"`([^`]+)`", part)


@pytest.mark.parametrize("kind", AlertKind)
def test_every_alert_of_the_site_has_a_section(kind):
    section = sections()[heading_id(kind.label)]
    assert remedy_url(kind) == f"/help/{RUNBOOK}#{heading_id(kind.label)}"
    keys = names_after("Alert", section)
    assert keys
    assert [key for key in keys if not f"{key} ".startswith(f"{kind} ")] == []


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_every_rule_of_prometheus_has_a_section(rule):
    runbook = rule["annotations"]["runbook"]
    assert runbook.startswith(HELP)
    section = sections()[runbook.removeprefix(HELP)]
    assert rule["alert"] in names_after("Prometheus", section)


def test_sections_name_only_existing_alerts_and_say_what_to_do():
    known = {rule["alert"] for rule in rules()}
    for title, text in sections().items():
        if title != "commands":
            assert set(names_after("Prometheus", text)) <= known, title
            assert [part for part in PARTS if part not in text] == [], title
    assert RUNBOOK in titles()


def commands() -> list[tuple[str, str]]:
    """Return each management command that the runbook names, with its arguments."""
    return re.findall(r"manage\.py ([a-z_]+)([^`\n]*)", TEXT)


def test_commands_and_their_options_exist():
    names = {name for name, _ in commands()}
    assert {"backup", "empty_queues", "recover_hits"} <= names <= get_commands().keys()
    for name, arguments in commands():
        parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
        options = set(re.findall(r"(?<=\s)--[a-z-]+", arguments))
        assert options <= parser._option_string_actions.keys(), name
    named = re.findall(r"manage\.py empty_queues (\w+)", TEXT)
    assert set(named) <= QUEUES.keys()


def test_services_and_units_exist():
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    actions = r"docker compose (?:exec|restart|logs|run|ps)((?: --[\w=-]+)*)((?: [a-z-]+)?)"
    used = {match.strip() for _, match in re.findall(actions, TEXT)} - {""}
    assert {"web", "worker", "redis", "postgres"} <= used <= services.keys()
    units = {path.stem for path in (ROOT / "deploy" / "systemd").glob("*.service")}
    named = set(re.findall(r"touchstone-[a-z]+@?", TEXT))
    assert {"touchstone-web", "touchstone-worker@"} <= named <= units
    assert set(re.findall(r"touchstone-worker@(\w+)", TEXT)) == set(QUEUES)


def test_settings_exist():
    settings = (DOCS / "reference" / "settings.md").read_text("utf-8")
    deployment = [
        (ROOT / "docker-compose.yml").read_text(),
        *(path.read_text() for path in (ROOT / "deploy").rglob("*") if path.suffix == ".service"),
    ]
    known = "\n".join([settings, *deployment])
    named = set(re.findall(r"`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`", TEXT))
    assert {name for name in named if not re.search(rf"\b{name}\b", known)} == set()
