"""Run the stand-in for a trial: `python -m tests.fakes.prolific --port 8200`."""

import argparse
import sys
import threading
from datetime import UTC, datetime

from tests.fakes.prolific.server import FakeProlific

SECONDS = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8200)
    parser.add_argument("--balance", type=int, default=1_000_000, help="in cents")
    parser.add_argument("--participants", type=int, default=5)
    arguments = parser.parse_args()
    server = FakeProlific(
        clock=lambda: datetime.now(UTC), port=arguments.port, balance=arguments.balance
    )
    for _ in range(arguments.participants):
        server.participant()
    stopping = threading.Event()
    threading.Thread(target=_deliver, args=(server, stopping), daemon=True).start()
    lines = (
        f"Participants: {server.url}/",
        f"API: {server.url}/api/v1 with the token {server.token}",
        f"Workspace: {server.workspace.id}, project: {server.project.id}",
        f"Return participants to {server.url}/submissions/complete?cc=CODE",
    )
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        stopping.set()


def _deliver(server: FakeProlific, stopping: threading.Event) -> None:
    """Send webhooks as they become due."""
    while not stopping.wait(SECONDS):
        server.deliver()


if __name__ == "__main__":
    main()
