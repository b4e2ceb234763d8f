"""Fail if the port of a URL, or the next one, is in use: `python -m scripts.check_port URL`.

The demo serves requesters' pages on the next port.
"""

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
    first = url.port or 8000
    for port in (first, first + 1):
        if is_taken(url.hostname or "127.0.0.1", port):
            sys.exit(
                f"Port {port} is taken. If a demo is running already, open {sys.argv[1]}; otherwise\n"
                f"stop the program that holds the port, or choose another: make demo PORT={first + 10}"
            )


if __name__ == "__main__":
    main()
