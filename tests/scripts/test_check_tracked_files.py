import subprocess
import sys

import pytest

from scripts.check_tracked_files import forbidden, traces
from tests import environment

# Concatenated, so that this file contains no trace itself.
TRACES = [
    "see https://" + "pypi" + ".org/simple",
    "url = https://files." + "pythonhosted" + ".org/x.whl",
    "npm from " + "registry.npmjs" + ".org",
    "mirror http://" + "deb.debian" + ".org/debian",
    "path = /ro" + "ot/touchstone/var",
    "/ho" + "me/ada/touchstone",
    "cd /srv/checkouts/touchstone-7 && make",
    "'/srv/checkouts/touchstone-7/var'",
]
VALID = [
    "SITE_URL=https://touchstone.example",
    "var/touchstone.sqlite3",
    "/srv/checkouts/touchstone-77",
    "GET /rooted/home/page/",
    "chroot/root-cause/",
]


@pytest.mark.parametrize("line", TRACES)
def test_trace_of_a_machine_is_reported_with_its_line(tmp_path, line):
    file = tmp_path / "notes.md"
    file.write_text(f"first line\n{line}\n")
    pattern = forbidden(["/srv/checkouts/touchstone-7"])
    assert [number for number, _ in traces(file, pattern)] == [2]


@pytest.mark.parametrize("line", VALID)
def test_valid_line_passes(tmp_path, line):
    file = tmp_path / "notes.md"
    file.write_text(line)
    assert list(traces(file, forbidden(["/srv/checkouts/touchstone-7"]))) == []


def test_binary_file_is_skipped(tmp_path):
    file = tmp_path / "image"
    file.write_bytes(b"\0/ro" + b"ot/x/")
    assert list(traces(file, forbidden([]))) == []


def test_this_repository_has_no_traces():
    result = subprocess.run(
        [sys.executable, "-m", "scripts.check_tracked_files"],
        cwd=environment.ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert (result.returncode, result.stderr) == (0, "")
