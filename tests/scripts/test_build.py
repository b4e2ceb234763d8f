"""The wheel that `scripts/build` builds, unpacked as if it were installed."""

import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import PurePosixPath

import pytest
import requests

from tests import environment

pytestmark = [pytest.mark.system, pytest.mark.slow]


def test_wheel_has_one_package_with_everything_that_the_site_reads(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        times = {info.date_time for info in archive.infolist()}
    top = {PurePosixPath(name).parts[0] for name in names}
    [metadata] = [name for name in top if name.endswith(".dist-info")]
    assert top == {"touchstone", metadata}
    tracked = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", "HEAD"],
        cwd=environment.ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    inside = {name.removeprefix("touchstone/_site/") for name in names}
    for folder in ("templates", "static", "schemes", "deploy", "docs", "annotation", "metrics"):
        assert {name for name in tracked if name.startswith(f"{folder}/")} <= inside
    assert [name for name in inside if re.match("tests/|scripts/", name)] == []
    assert [name for name in names if "__pycache__" in name or name.endswith(".pyc")] == []
    static = "touchstone/_site/prepared/static/"
    assert {f"{static}staticfiles.json", f"{static}collected-from"} <= set(names)
    assert any(re.fullmatch(rf"{static}css/tokens\.\w{{8}}\.css\.br", name) for name in names)
    assert "touchstone/_site/prepared/tables.sqlite3" in names
    # Reproducible: the time of the commit, not of the build
    assert len(times) == 1


def test_installed_site_serves_its_first_page(
    installed_package, tmp_path, free_port, embedded_site
):
    env = {
        name: value
        for name, value in embedded_site.items()
        if name not in ("STATIC_ROOT", "VAR_DIR", "SITE_URL")
    }
    env |= {"PYTHONPATH": str(installed_package), "HOME": str(tmp_path)}
    env.pop("XDG_DATA_HOME", None)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    # Modules of the current folder don't hide those of the site.
    for name in ("config", "web", "requests"):
        (folder / f"{name}.py").write_text("raise RuntimeError")
    command = [sys.executable, "-P", "-m", "touchstone", "serve", "--port", str(free_port)]
    process = subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        url = f"http://127.0.0.1:{free_port}"
        page = wait_for(f"{url}/login/")
        assert "<code>touchstone first_account_link</code>" in page
        [style] = re.findall(r'href="(/static/css/tokens\.\w{8}\.css)"', page)
        response = requests.get(url + style, timeout=20)
        assert (response.status_code, response.headers["Content-Encoding"]) == (200, "br")
    finally:
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Touchstone is ready" in output
    data = tmp_path / ".local" / "share" / "touchstone"
    assert f"Its data and logs are in {data}." in output
    assert (data / "touchstone.sqlite3").exists()
    assert {path.suffix for path in folder.iterdir()} == {".py"}
    assert "Traceback" not in (data / "log" / "worker.log").read_text()


def wait_for(url: str) -> str:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            return requests.get(url, timeout=20).text
        except requests.ConnectionError:
            time.sleep(0.1)
    raise TimeoutError(url)
