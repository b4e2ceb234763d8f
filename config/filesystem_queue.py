"""A Celery transport that stores its queue in a folder, for sites without Redis.

kombu writes messages and tables under their final names, so a reader could find half of a file. This
transport renames files once they are complete, and skips damaged messages. No work is lost, because
the next sweep of the database repeats it.
"""

import fcntl
import json
import threading
import uuid
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any

from kombu.transport import filesystem

_binding = threading.Lock()


class Channel(filesystem.Channel):
    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{time_ns():020}_{uuid.uuid4()}.{queue}.msg"
        folder = Path(self.data_folder_out)
        unfinished = folder / f".{name}"
        unfinished.write_text(json.dumps(message), "utf-8")
        unfinished.rename(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        folder = Path(self.data_folder_in)
        for name in sorted(path.name for path in folder.iterdir()):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f".taken.{name}"
            try:
                (folder / name).rename(taken)  # only one reader succeeds
                text = taken.read_text("utf-8")
                taken.unlink()
            except FileNotFoundError:
                continue
            try:
                return json.loads(text)
            except ValueError:
                continue
        raise Empty

    def queue_bind(self, *args: Any, **kwargs: Any) -> None:
        # kombu remembers a binding before it is in the table. Other threads of the process would skip
        # it, and publish to a queue that the table lacks.
        with _binding:
            super().queue_bind(*args, **kwargs)

    def _queue_bind(self, exchange: Any, routing_key: Any, pattern: Any, queue: Any) -> None:
        """Add the queue to the exchange's table. Readers see the old table or the new one."""
        table = self._exchange_file(exchange)  # type: ignore[attr-defined]
        table.parent.mkdir(exist_ok=True)
        binding = [routing_key or "", pattern or "", queue or ""]
        with table.with_name(f"{table.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            bindings = [list(known) for known in self.get_table(exchange)]
            if binding not in bindings:
                unfinished = table.with_name(f"{table.name}.part")
                unfinished.write_text(json.dumps([binding, *bindings]), "utf-8")
                unfinished.replace(table)


class Transport(filesystem.Transport):
    Channel = Channel
