"""Celery's queue in a folder, for a site without Redis: kombu's, made safe against a killed writer.

kombu writes a message straight under its final name, so that a reader, or the next one after a
`kill -9`, may find half of it and stop its worker for good. Here a message takes its name when it is
whole, and a torn one is left out: tasks are sweeps of the database, the next one does the same work.
"""

import json
import uuid
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any

from kombu.transport import filesystem


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
                (folder / name).rename(taken)  # one reader wins
                text = taken.read_text("utf-8")
                taken.unlink()
            except FileNotFoundError:
                continue
            try:
                return json.loads(text)
            except ValueError:
                continue
        raise Empty

    def _queue_bind(self, exchange: Any, routing_key: Any, pattern: Any, queue: Any) -> None:
        try:
            super()._queue_bind(exchange, routing_key, pattern, queue)
        except ValueError:  # the table was being written when its writer was killed
            (Path(self.control_folder) / f"{exchange}.exchange").unlink(missing_ok=True)
            super()._queue_bind(exchange, routing_key, pattern, queue)


class Transport(filesystem.Transport):
    Channel = Channel
