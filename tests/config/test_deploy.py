"""The compose file and the image agree with the settings and with each other."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from config.environment.model import secret_names
from operations.domain.encrypted_file import read_key
from tests import environment

VALUES = {"SITE_HOST": "touchstone.example"}
OURS = ("setup", "web", "worker", "outside-worker", "job-worker", "backup", "beat")


@pytest.fixture(scope="module")
def compose() -> dict:
    return yaml.safe_load((environment.ROOT / "docker-compose.yml").read_text())


def expand(value: str) -> str:
    """Replace variables as compose does.

    The forms are `${NAME:?...}`, `${NAME:-default}` and, for an unset NAME, `${NAME:+...}`.
    """
    return re.sub(
        r"\$\{(\w+):(\?|-|\+)((?:\$\{[^}]*\}|[^}])*)\}",
        lambda match: VALUES.get(match[1], match[3] if match[2] == "-" else ""),
        value,
    )


def settings_of(compose: dict, service: str) -> dict[str, str]:
    values = compose["services"][service]["environment"]
    return {name: expand(value) for name, value in values.items()}


@pytest.mark.parametrize("service", OURS)
def test_container_variables_are_known_settings(compose, service):
    known = environment.settings_variables() | {f"{name}_FILE" for name in secret_names()}
    # gunicorn and boto3 read these variables.
    known |= {"WEB_CONCURRENCY", "AWS_SHARED_CREDENTIALS_FILE"}
    assert set(settings_of(compose, service)) - known == set()


def created_secrets(folder: Path) -> dict[str, str]:
    """Return the secrets that the script creates in a copy of the checkout."""
    (folder / "deploy").mkdir()
    script = shutil.copy(environment.ROOT / "deploy" / "create_secrets", folder / "deploy")
    for _ in range(2):  # the second run changes nothing
        subprocess.run(["sh", script], check=True, capture_output=True)
    return {path.name: path.read_text() for path in (folder / "secrets").iterdir()}


def test_secrets_are_files_that_the_script_creates(compose, tmp_path):
    secrets = created_secrets(tmp_path)
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
    assert secrets.keys() == compose["secrets"].keys()
    assert secrets["postgres_password"].strip() in secrets["database_url"]
    read_key(tmp_path / "secrets" / "backup_key")
    for service in compose["services"].values():
        for name, value in service.get("environment", {}).items():
            path = str(value)
            assert name.endswith("_FILE") == path.startswith("/run/secrets/")
            if name.endswith("_FILE"):
                assert path.removeprefix("/run/secrets/") in service["secrets"]


def test_containers_are_limited(compose):
    for name, service in compose["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["pids_limit"] > 0, name
        assert expand(service["mem_limit"])[-1] in "mg", name
        assert service["logging"]["options"].keys() == {"max-size", "max-file"}, name
    added = {name: set(service.get("cap_add", [])) for name, service in compose["services"].items()}
    prepare = {"CHOWN", "DAC_OVERRIDE", "FOWNER"}
    assert {name: names for name, names in added.items() if names} == {
        "postgres": prepare | {"SETGID", "SETUID"},
        "restore": prepare,
        "proxy": {"NET_BIND_SERVICE"},
    }


def test_images_of_others_have_exact_versions(compose):
    images = {service["image"] for service in compose["services"].values()}
    for image in images - {compose["services"]["web"]["image"]}:
        assert re.search(r":\d+\.\d+(\.\d+)?(-\w+)?(@sha256:[0-9a-f]{64})?$", image), image
    dockerfile = (environment.ROOT / "Dockerfile").read_text()
    assert re.search(r"^ARG PYTHON=\d+\.\d+\.\d+-slim-\w+$", dockerfile, re.MULTILINE)


def test_deployment_check_passes_with_the_compose_settings(compose, embedded_site, tmp_path):
    # Django checks only the settings, without the database and the broker.
    created_secrets(tmp_path)
    in_container = {
        name: value.replace("/run/secrets", str(tmp_path / "secrets"))
        for name, value in settings_of(compose, "web").items()
    }
    env = {**embedded_site, **in_container, "VAR_DIR": embedded_site["VAR_DIR"]}
    process = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=environment.ROOT,
        env=env,
        check=False,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr


def test_only_the_proxy_publishes_ports(compose):
    published = [name for name, service in compose["services"].items() if "ports" in service]
    assert published == ["proxy"]


def caddyfile() -> str:
    """Return the configuration without indentation and comments."""
    text = (environment.ROOT / "deploy" / "Caddyfile").read_text()
    lines = [line.strip() for line in text.splitlines()]
    return "\n".join(line for line in lines if not line.startswith("#"))


def test_proxy_logs_neither_addresses_nor_headers():
    """Both contain tokens, worker ids and password reset links."""
    log = caddyfile().partition("\nlog {")[2]
    assert "format filter {" in log
    for field in ("request>uri", "request>headers", "resp_headers"):
        assert f"\n{field} delete\n" in log


def test_proxy_times_out_slow_clients_and_buffers_requests():
    text = caddyfile()
    assert re.search(r"timeouts {\nread_header \d+s\nread_body \d+m\n", text)
    # All but uploads. See tests/config/test_limits.py.
    limits, buffers = (
        re.findall(r"\nmax_size (\w+)\n", text),
        re.findall(r"request_buffers (\w+)", text),
    )
    assert limits == buffers


def test_caddy_has_the_version_that_the_file_needs(compose):
    version = re.search(
        r"# For Caddy (\d+\.\d+)\.", (environment.ROOT / "deploy/Caddyfile").read_text()
    )
    guide = (environment.ROOT / "docs" / "how-to" / "admin.md").read_text()
    assert version
    assert compose["services"]["proxy"]["image"].startswith(f"caddy:{version[1]}.")
    assert f"Caddy {version[1]} or later" in guide


@pytest.mark.parametrize("content_host", ["", "content.example"])
def test_caddy_accepts_the_file(content_host):
    caddy = shutil.which("caddy")
    if not caddy:
        pytest.skip("no Caddy here")
    env = {**os.environ, **VALUES, "CONTENT_HOST": content_host, "WEB_HOSTS": "web:8000 web2:8000"}
    command = [caddy, "validate", "--config", "deploy/Caddyfile", "--adapter", "caddyfile"]
    process = subprocess.run(
        command, cwd=environment.ROOT, env=env, check=False, capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr


def test_every_queue_has_a_separate_worker(compose, settings):
    commands = [service.get("command", []) for service in compose["services"].values()]
    served = [command[command.index("-Q") + 1] for command in commands if "-Q" in command]
    assert sorted(served) == sorted(queue.name for queue in settings.CELERY_TASK_QUEUES)


def test_every_lasting_service_has_a_health_check(compose):
    image_has_check = "HEALTHCHECK" in (environment.ROOT / "Dockerfile").read_text()
    unchecked = [
        name
        for name, service in compose["services"].items()
        if service["restart"] != "no"
        and "healthcheck" not in service
        and not (image_has_check and service["image"].startswith("touchstone:"))
    ]
    assert unchecked == []


def test_required_values_are_in_the_example(compose):
    text = (environment.ROOT / "docker-compose.yml").read_text()
    required = set(re.findall(r"\$\{(\w+):\?", text))
    assert required == set(VALUES)
    example = (environment.ROOT / "deploy" / "environment.example").read_text()
    assert set(re.findall(r"^(\w+)=", example, re.MULTILINE)) == required


def test_image_runs_as_an_unprivileged_user():
    lines = (environment.ROOT / "Dockerfile").read_text().splitlines()
    last_stage = lines[max(i for i, line in enumerate(lines) if line.startswith("FROM ")) :]
    users = [line for line in last_stage if line.startswith("USER ")]
    assert users == ["USER touchstone"]
    assert last_stage.index(users[0]) < next(
        i for i, line in enumerate(last_stage) if line.startswith("CMD ")
    )


def test_private_files_are_excluded_from_the_image():
    ignored = (environment.ROOT / ".dockerignore").read_text().split()
    assert {".env", ".git", "var", ".venv", "secrets"} <= set(ignored)


def test_docker_compose_accepts_the_file(tmp_path):
    docker = shutil.which("docker")
    if not docker or subprocess.run([docker, "compose", "version"], check=False).returncode:
        pytest.skip("no docker compose here")
    created_secrets(tmp_path)
    values = tmp_path / "values.env"
    values.write_text("".join(f"{name}={value}\n" for name, value in VALUES.items()))
    command = [docker, "compose", "--env-file", str(values), "config", "--quiet"]
    process = subprocess.run(
        command, cwd=environment.ROOT, check=False, capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr
