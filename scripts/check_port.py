"""Fail if the port of a URL is in use: `python -m scripts.check_port URL`."""

import socket
import sys
from urllib.parse import urlsplit


def is_taken(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return True
    return False


def main() -> None:
    url = urlsplit(sys.argv[1])
    port = url.port or 8000
    if is_taken(url.hostname or "127.0.0.1", port):
        sys.exit(
            f"Port {port} is taken. If a demo is running already, open {sys.argv[1]}; otherwise\n"
            f"stop the program that holds the port, or choose another: make demo PORT={port + 10}"
        )


if __name__ == "__main__":
    main()
