"""Exports to S3, against a small one of our own that botocore's model vouches for."""

import json

import botocore.session
import pytest
from django.core.management import CommandError, call_command

from tests.consolidation.gold import make_gold_project
from tests.fakes.s3 import OPERATIONS, running_s3

pytestmark = pytest.mark.django_db


@pytest.fixture
def s3(monkeypatch):
    with running_s3("bucket") as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", server.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
        yield server


def export(project, address: str) -> None:
    call_command("export_gold", project.slug, "--format", "qasrl-csv", "--out", address)


def test_fake_speaks_as_the_model_says():
    model = botocore.session.get_session().get_service_model("s3")
    for name, (method, path) in OPERATIONS.items():
        http = model.operation_model(name).http
        assert (http["method"], http["requestUri"].partition("?")[0]) == (method, path)


def test_export_arrives_whole_with_its_manifest_last(s3):
    project = make_gold_project()
    export(project, "s3://bucket/gold/v1")
    manifest = json.loads(s3.objects["bucket", "gold/v1/manifest.json"])
    names = {key for _, key in s3.objects}
    assert names == {f"gold/v1/{name}" for name in [*manifest["files"], "manifest.json"]}
    for name, facts in manifest["files"].items():
        assert len(s3.objects["bucket", f"gold/v1/{name}"]) == facts["bytes"]
    assert s3.requests[-1][1].endswith("manifest.json")


def test_refusal_is_told_and_leaves_no_manifest(s3):
    project = make_gold_project()
    export(project, "s3://bucket/gold")
    s3.puts, s3.refuse_after = 0, 1
    with pytest.raises(CommandError, match=r"s3://bucket/gold: .*AccessDenied") as refused:
        export(project, "s3://bucket/gold")
    assert refused.value.returncode == 2
    assert ("bucket", "gold/manifest.json") not in s3.objects


@pytest.mark.parametrize(
    ("address", "told"), [("s3://other/gold", "NoSuchBucket"), ("s3://", "names no bucket")]
)
def test_bucket_that_is_not_there_is_told(s3, address, told):
    with pytest.raises(CommandError, match=told):
        export(make_gold_project(), address)
    assert s3.objects == {}


def test_missing_keys_are_told(s3, monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("HOME", "/nonexistent")
    with pytest.raises(CommandError, match="Unable to locate credentials"):
        export(make_gold_project(), "s3://bucket/gold")
