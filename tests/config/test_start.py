"""The environment with which commands start."""

import pytest

from config.environment.start import StartError, prepare_start
from touchstone.layout import data_folder


def started(*arguments: str, **environment: str) -> dict[str, str]:
    prepare_start(arguments, environment)
    return environment


def test_relative_paths_are_those_of_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    environment = started(
        "check",
        VAR_DIR="data",
        STATIC_ROOT="/srv/static",
        SECRET_KEY_FILE="secrets/key",
        DATABASE_URL="sqlite:///my.sqlite3",
    )
    assert environment == {
        "VAR_DIR": f"{tmp_path}/data",
        "STATIC_ROOT": "/srv/static",
        "SECRET_KEY_FILE": f"{tmp_path}/secrets/key",
        "DATABASE_URL": f"sqlite:///{tmp_path}/my.sqlite3",
    }


@pytest.mark.parametrize(
    "url", ["sqlite:////srv/site.sqlite3", "sqlite:///:memory:", "postgres://u:p@127.0.0.1/name"]
)
def test_other_databases_stay(url):
    assert started("check", DATABASE_URL=url) == {"DATABASE_URL": url}


@pytest.mark.parametrize("arguments", [["--port", "8010"], ["--port=8010"]])
@pytest.mark.parametrize("command", ["demo", "serve"])
def test_port_is_part_of_the_address(command, arguments):
    environment = started(command, *arguments, DEMO="true", SITE_URL="http://127.0.0.1:8000")
    assert environment["SITE_URL"] == "http://127.0.0.1:8010"


def test_port_of_another_command_is_its_own():
    assert started("runserver", "--port", "8010") == {}


@pytest.mark.parametrize("value", ["web", "0", "65535", "-1", ""])
def test_wrong_port_is_refused(value):
    with pytest.raises(StartError, match="is not a port"):
        started("serve", f"--port={value}")


def test_demo_has_data_of_its_own_and_no_services():
    environment = started(
        "demo",
        VAR_DIR="/srv/data",
        DEMO="false",
        DATABASE_URL="postgres://u:p@127.0.0.1/name",
        DATABASE_URL_FILE="/run/secrets/database_url",
        PROLIFIC_TOKEN="secret",
        SITE_URL="http://127.0.0.1:8010",
    )
    assert environment == {
        "VAR_DIR": "/srv/data/demo",
        "DEMO": "true",
        "SITE_URL": "http://127.0.0.1:8010",
    }


def test_demo_is_in_the_default_folder_of_data():
    assert started("demo") == {"VAR_DIR": str(data_folder() / "demo"), "DEMO": "true"}


def test_process_of_a_demo_keeps_its_environment():
    environment = {"VAR_DIR": "/srv/data/demo", "DEMO": "true", "REDIS_URL": "redis://127.0.0.1"}
    assert started("demo", **environment) == environment
