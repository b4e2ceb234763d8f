import socket
import subprocess
import sys

from tests import environment


def check(port: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scripts.check_port", f"http://127.0.0.1:{port}"],
        cwd=environment.ROOT,
        check=False,
        capture_output=True,
        text=True,
    )


def test_free_port_is_accepted(free_port):
    assert check(free_port).returncode == 0


def test_taken_port_is_reported_with_an_alternative():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        result = check(port)
    assert result.returncode == 1
    assert f"Port {port} is taken" in result.stderr
    assert f"PORT={port + 10}" in result.stderr


def test_taken_port_of_requesters_pages_is_reported(free_port):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", free_port + 1))
        holder.listen()
        result = check(free_port)
    assert f"Port {free_port + 1} is taken" in result.stderr
