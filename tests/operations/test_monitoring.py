"""The files for Prometheus and Grafana use only metrics and labels that the site serves."""

import re
import shutil
import subprocess

import pytest
import yaml
from django.utils import timezone
from prometheus_client.core import Metric

from database.limits import TIMEOUTS
from operations.domain.figures import Figures
from operations.requests import SECONDS
from scripts import write_dashboard
from tests import environment

pytestmark = pytest.mark.django_db
FOLDER = environment.ROOT / "deploy" / "monitoring"
SUFFIXES = ("", "_total", "_count", "_bucket", "_sum")
# Labels of Prometheus itself
OWN_LABELS = {"instance", "job", "le"}


def rules() -> list[dict]:
    [group] = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    return group["rules"]


def queries() -> list[str]:
    panels = write_dashboard.dashboard()["panels"]
    drawn = [target["expr"] for panel in panels for target in panel["targets"]]
    return [*drawn, *(rule["expr"] for rule in rules())]


def served() -> dict[str, set[str]]:
    """Return the labels of each metric that the site serves."""
    labels = {
        "touchstone_http_request_seconds": set(SECONDS._labelnames),
        "touchstone_database_timeouts": set(TIMEOUTS._labelnames),
    }
    for metric in Figures(now=timezone.now()).collect():
        labels[metric.name] = labels_of(metric)
    return {name + suffix: names for name, names in labels.items() for suffix in SUFFIXES}


def labels_of(metric: Metric) -> set[str]:
    return set(getattr(metric, "_labelnames", ()))


def test_every_metric_and_label_exists():
    known = served()
    for query in queries():
        names = re.findall(r"\btouchstone_\w+", query)
        assert set(names) <= known.keys(), query
        selected = re.findall(r"\{(.*?)\}", query)
        grouped = re.findall(r"by \((.*?)\)", query)
        labels = {match for text in selected for match in re.findall(r"(\w+)\s*(?:=~|!=|=)", text)}
        labels |= {label.strip() for text in grouped for label in text.split(",")}
        allowed = OWN_LABELS.union(*(known[name] for name in names))
        assert labels <= allowed, query
        assert query.count("(") == query.count(")")


def test_rules_are_complete():
    names = [rule["alert"] for rule in rules()]
    assert len(set(names)) == len(names)
    for rule in rules():
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert rule["annotations"]["summary"].endswith(".")


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not installed")
def test_prometheus_accepts_the_files():
    for command in (["rules", "alerts.yml"], ["config", "--syntax-only", "prometheus.yml"]):
        subprocess.run(["promtool", "check", *command], cwd=FOLDER, check=True)


def test_dashboard_is_up_to_date():
    # Otherwise run: python -m scripts.write_dashboard
    assert write_dashboard.PATH.read_text() == write_dashboard.text()


def test_example_configuration_reads_the_rules():
    example = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    assert example["rule_files"] == ["alerts.yml"]
    [scrape] = example["scrape_configs"]
    assert (scrape["job_name"], scrape["metrics_path"]) == ("touchstone", "/metrics")


def test_metrics_are_documented():
    text = (environment.ROOT / "docs" / "how-to" / "admin.md").read_text()
    names = {metric.name for metric in Figures(now=timezone.now()).collect()}
    names |= {"touchstone_http_request_seconds", "touchstone_database_timeouts"}
    assert {name for name in names if name not in text} == set()
