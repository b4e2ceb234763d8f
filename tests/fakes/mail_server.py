"""A fake mail server that speaks the SMTP a client needs and stores accepted messages.

It can be set to refuse or delay messages, or to hang up before or after accepting them.
"""

import socketserver
import threading
from dataclasses import dataclass, field
from email import message_from_string
from email.message import Message


@dataclass
class Behaviour:
    """Deviations from the usual behaviour.

    `answer_to` maps a command to its replacement answer. After the command `hang_up_after`, the
    connection is closed without an answer.
    """

    answer_to: dict[str, str] = field(default_factory=dict)
    hang_up_after: str = ""


class MailServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.behaviour = Behaviour()
        self.accepted: list[Message] = []
        threading.Thread(target=self.serve_forever, args=[0.02], daemon=True).start()

    @property
    def port(self) -> int:
        return self.server_address[1]


class _Conversation(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._send_line("220 here")
        while line := self.rfile.readline().decode().strip():
            command = line.split(" ", 1)[0].upper()
            answer = self.server.behaviour.answer_to.get(command)
            if command == "DATA" and answer is None:
                answer = self._receive_message()
            if self.server.behaviour.hang_up_after == command:
                return
            self._send_line(answer or ("221 bye" if command == "QUIT" else "250 OK"))
            if command == "QUIT":
                return

    def _receive_message(self) -> str:
        self._send_line("354 go on")
        lines = []
        while (line := self.rfile.readline().decode().rstrip("\r\n")) != ".":
            lines.append(line)
        self.server.accepted.append(message_from_string("\n".join(lines)))
        return "250 taken"

    def _send_line(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())
