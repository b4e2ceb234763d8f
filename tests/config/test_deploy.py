"""The compose file and the image agree with the settings and with each other."""

import re
import shutil
import subprocess
import sys

import pytest
import yaml

from tests import environment

SECRETS = {
    "SITE_HOST": "touchstone.example",
    "SECRET_KEY": "0123456789abcdef" * 4,
    "POSTGRES_PASSWORD": "pw",
}
OURS = ("setup", "web", "worker", "outside-worker", "job-worker", "beat")


@pytest.fixture(scope="module")
def compose() -> dict:
    return yaml.safe_load((environment.ROOT / "docker-compose.yml").read_text())


def expand(value: str) -> str:
    """Replace variables as compose does.

    The forms are `${NAME:?...}`, `${NAME:-default}` and, for an unset NAME, `${NAME:+...}`.
    """
    return re.sub(
        r"\$\{(\w+):(\?|-|\+)([^}]*)\}",
        lambda match: SECRETS.get(match[1], match[3] if match[2] == "-" else ""),
        value,
    )


def settings_of(compose: dict, service: str) -> dict[str, str]:
    values = compose["services"][service]["environment"]
    return {name: expand(value) for name, value in values.items()}


@pytest.mark.parametrize("service", OURS)
def test_container_variables_are_known_settings(compose, service):
    known = environment.settings_variables() | {"WEB_CONCURRENCY"}  # gunicorn reads this variable
    assert set(settings_of(compose, service)) - known == set()


def test_deployment_check_passes_with_the_compose_settings(compose, embedded_site):
    # Django checks only the settings, without the database and the broker.
    env = {**embedded_site, **settings_of(compose, "web"), "VAR_DIR": embedded_site["VAR_DIR"]}
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
    assert re.search(r"timeouts {\nread_header \d+s\nread_body \d+s\n", text)
    limit = re.search(r"\nmax_size (\w+)\n", text)
    buffered = re.search(r"reverse_proxy [^}]*\nrequest_buffers (\w+)\n", text)
    assert limit
    assert buffered
    assert limit[1] == buffered[1]


def test_every_queue_has_a_separate_worker(compose, settings):
    commands = [service.get("command", []) for service in compose["services"].values()]
    served = [command[command.index("-Q") + 1] for command in commands if "-Q" in command]
    assert sorted(served) == sorted(queue.name for queue in settings.CELERY_TASK_QUEUES)


def test_every_lasting_service_has_a_health_check(compose):
    image_has_check = "HEALTHCHECK" in (environment.ROOT / "Dockerfile").read_text()
    unchecked = [
        name
        for name, service in compose["services"].items()
        if name != "setup"
        and "healthcheck" not in service
        and not (image_has_check and service["image"].startswith("touchstone:"))
    ]
    assert unchecked == []


def test_secrets_have_no_default_and_are_in_the_example(compose):
    text = (environment.ROOT / "docker-compose.yml").read_text()
    required = set(re.findall(r"\$\{(\w+):\?", text))
    assert required == set(SECRETS)
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
    assert {".env", ".git", "var", ".venv"} <= set(ignored)


def test_docker_compose_accepts_the_file(tmp_path):
    docker = shutil.which("docker")
    if not docker or subprocess.run([docker, "compose", "version"], check=False).returncode:
        pytest.skip("no docker compose here")
    values = tmp_path / "values.env"
    values.write_text("".join(f"{name}={value}\n" for name, value in SECRETS.items()))
    command = [docker, "compose", "--env-file", str(values), "config", "--quiet"]
    process = subprocess.run(
        command, cwd=environment.ROOT, check=False, capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr
