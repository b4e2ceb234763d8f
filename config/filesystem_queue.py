"""A Celery transport that stores its queue in a folder, for sites without Redis.

kombu writes messages under their final names, so a reader could find half of a message and crash.
This transport renames a message once it is complete, and skips damaged messages. No work is lost,
because the next sweep of the database repeats it.
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

    def _queue_bind(self, exchange: Any, routing_key: Any, pattern: Any, queue: Any) -> None:
        try:
            super()._queue_bind(exchange, routing_key, pattern, queue)
        except ValueError:  # the writer was killed while writing the table
            (Path(self.control_folder) / f"{exchange}.exchange").unlink(missing_ok=True)
            super()._queue_bind(exchange, routing_key, pattern, queue)


class Transport(filesystem.Transport):
    Channel = Channel
