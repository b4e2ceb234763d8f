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


def filled_in(value: str) -> str:
    """What compose makes of `${NAME:?...}`, `${NAME:-default}` and, without NAME, of `${NAME:+...}`."""
    return re.sub(
        r"\$\{(\w+):(\?|-|\+)([^}]*)\}",
        lambda found: SECRETS.get(found[1], found[3] if found[2] == "-" else ""),
        value,
    )


def settings_of(compose: dict, service: str) -> dict[str, str]:
    values = compose["services"][service]["environment"]
    return {name: filled_in(value) for name, value in values.items()}


@pytest.mark.parametrize("service", OURS)
def test_container_gets_only_variables_that_the_settings_read(compose, service):
    read = environment.settings_variables() | {"WEB_CONCURRENCY"}  # gunicorn's own
    assert set(settings_of(compose, service)) - read == set()


def test_deployment_check_is_clean_under_the_compose_settings(compose, embedded_site):
    # Django looks at settings only: neither database nor broker is reached.
    env = {**embedded_site, **settings_of(compose, "web"), "VAR_DIR": embedded_site["VAR_DIR"]}
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=environment.ROOT,
        env=env,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_only_the_proxy_can_be_reached_from_outside(compose):
    published = [name for name, service in compose["services"].items() if "ports" in service]
    assert published == ["proxy"]


def caddyfile() -> str:
    """The configuration without indentation and comments."""
    text = (environment.ROOT / "deploy" / "Caddyfile").read_text()
    lines = [line.strip() for line in text.splitlines()]
    return "\n".join(line for line in lines if not line.startswith("#"))


def test_proxy_logs_neither_addresses_nor_headers():
    """Both contain tokens, ids of workers and links to reset passwords."""
    log = caddyfile().partition("\nlog {")[2]
    assert "format filter {" in log
    for field in ("request>uri", "request>headers", "resp_headers"):
        assert f"\n{field} delete\n" in log


def test_proxy_gives_up_on_slow_clients_and_sends_whole_requests():
    text = caddyfile()
    assert re.search(r"timeouts {\nread_header \d+s\nread_body \d+s\n", text)
    limit = re.search(r"\nmax_size (\w+)\n", text)
    buffered = re.search(r"reverse_proxy [^}]*\nrequest_buffers (\w+)\n", text)
    assert limit
    assert buffered
    assert limit[1] == buffered[1]


def test_every_queue_has_a_worker_and_money_has_its_own(compose, settings):
    commands = [service.get("command", []) for service in compose["services"].values()]
    served = [command[command.index("-Q") + 1] for command in commands if "-Q" in command]
    assert sorted(served) == sorted(queue.name for queue in settings.CELERY_TASK_QUEUES)


def test_every_lasting_service_says_whether_it_works(compose):
    image_has_one = "HEALTHCHECK" in (environment.ROOT / "Dockerfile").read_text()
    silent = [
        name
        for name, service in compose["services"].items()
        if name != "setup"
        and "healthcheck" not in service
        and not (image_has_one and service["image"].startswith("touchstone:"))
    ]
    assert silent == []


def test_secrets_have_no_default_and_are_in_the_example(compose):
    text = (environment.ROOT / "docker-compose.yml").read_text()
    required = set(re.findall(r"\$\{(\w+):\?", text))
    assert required == set(SECRETS)
    example = (environment.ROOT / "deploy" / "environment.example").read_text()
    assert set(re.findall(r"^(\w+)=", example, re.MULTILINE)) == required


def test_image_runs_as_an_ordinary_user():
    lines = (environment.ROOT / "Dockerfile").read_text().splitlines()
    last_stage = lines[max(i for i, line in enumerate(lines) if line.startswith("FROM ")) :]
    users = [line for line in last_stage if line.startswith("USER ")]
    assert users == ["USER touchstone"]
    assert last_stage.index(users[0]) < next(
        i for i, line in enumerate(last_stage) if line.startswith("CMD ")
    )


def test_nothing_private_goes_into_the_image():
    ignored = (environment.ROOT / ".dockerignore").read_text().split()
    assert {".env", ".git", "var", ".venv"} <= set(ignored)


def test_compose_itself_accepts_the_file(tmp_path):
    docker = shutil.which("docker")
    if not docker or subprocess.run([docker, "compose", "version"], check=False).returncode:
        pytest.skip("no docker compose here")
    values = tmp_path / "values.env"
    values.write_text("".join(f"{name}={value}\n" for name, value in SECRETS.items()))
    command = [docker, "compose", "--env-file", str(values), "config", "--quiet"]
    done = subprocess.run(
        command, cwd=environment.ROOT, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
