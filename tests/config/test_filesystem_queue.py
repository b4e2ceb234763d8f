"""The queue in a folder delivers each complete message to one reader, even after killed processes."""

import json
import threading
from pathlib import Path

import pytest
from kombu import Connection

from config.filesystem_queue import Transport


@pytest.fixture
def connect(tmp_path):
    (tmp_path / "queue").mkdir()
    folder = str(tmp_path / "queue")
    options = {
        "data_folder_in": folder,
        "data_folder_out": folder,
        "control_folder": str(tmp_path / "control"),
    }
    opened = []

    def opener() -> Connection:
        opened.append(Connection("filesystem://", transport=Transport, transport_options=options))
        return opened[-1]

    # kombu remembers bindings per process. Each test simulates a new process.
    Transport.global_state.clear()
    yield opener
    for connection in opened:
        connection.release()


def received(connection: Connection) -> list[int]:
    queue = connection.SimpleQueue("work")
    numbers = []
    while True:
        try:
            message = queue.get(block=False)
        except queue.Empty:
            return numbers
        message.ack()
        numbers.append(message.payload["n"])


def test_messages_arrive_in_order_and_once(connect):
    out = connect().SimpleQueue("work")
    for number in range(50):
        out.put({"n": number})
    assert received(connect()) == list(range(50))
    assert received(connect()) == []


def test_truncated_message_is_skipped(connect, tmp_path: Path):
    out = connect().SimpleQueue("work")
    out.put({"n": 1})
    (path,) = (tmp_path / "queue").glob("*.work.msg")
    path.write_text(path.read_text()[:40])
    out.put({"n": 2})
    assert received(connect()) == [2]


def test_table_of_queues_is_replaced_atomically(connect, tmp_path: Path):
    connect().SimpleQueue("work").put({"n": 1})
    (tmp_path / "control" / "work.exchange.part").write_text("[")  # left by a killed process
    Transport.global_state.clear()
    connect().SimpleQueue("work").put({"n": 2})
    assert received(connect()) == [1, 2]
    (table,) = (tmp_path / "control").glob("*.exchange")
    assert json.loads(table.read_text()) == [["work", "", "work"]]


def test_concurrently_bound_queues_are_all_in_the_table(connect, tmp_path: Path):
    channels = [connect().channel() for _ in range(8)]
    start = threading.Barrier(len(channels))

    def bind(number: int) -> None:
        start.wait()
        for queue in ("shared", f"own-{number}"):
            channels[number]._queue_bind("work", queue, "", queue)

    threads = [threading.Thread(target=bind, args=[number]) for number in range(len(channels))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    queues = [entry.queue for entry in channels[0].get_table("work")]
    assert sorted(queues) == [*(f"own-{number}" for number in range(8)), "shared"]


def test_concurrent_readers_and_writers_lose_and_repeat_nothing(connect):
    connections = [connect() for _ in range(6)]
    numbers: list[int] = []

    def write(connection: Connection, start: int) -> None:
        queue = connection.SimpleQueue("work")
        for number in range(start, start + 100):
            queue.put({"n": number})

    def read(connection: Connection) -> None:
        while writing.is_set():
            numbers.extend(received(connection))

    writing = threading.Event()
    writing.set()
    readers = [threading.Thread(target=read, args=[link]) for link in connections[:3]]
    writers = [
        threading.Thread(target=write, args=[link, number * 100])
        for number, link in enumerate(connections[3:])
    ]
    for thread in readers + writers:
        thread.start()
    for thread in writers:
        thread.join()
    writing.clear()
    for thread in readers:
        thread.join()
    numbers.extend(received(connections[0]))
    assert sorted(numbers) == list(range(300))
