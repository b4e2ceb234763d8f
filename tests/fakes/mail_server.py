"""A mail server on a socket: it speaks as much SMTP as a client needs, keeps what it accepts, and can be
told to refuse, to put off, or to break off before or after it has accepted."""

import socketserver
import threading
from dataclasses import dataclass, field
from email import message_from_string
from email.message import Message


@dataclass
class Behaviour:
    """`answer_to` maps a command to the answer given instead of the usual one; `hang_up_after` names
    the command after whose handling the connection is cut without an answer."""

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
        self._say("220 here")
        while line := self.rfile.readline().decode().strip():
            command = line.split(" ", 1)[0].upper()
            answer = self.server.behaviour.answer_to.get(command)
            if command == "DATA" and answer is None:
                answer = self._take()
            if self.server.behaviour.hang_up_after == command:
                return
            self._say(answer or ("221 bye" if command == "QUIT" else "250 OK"))
            if command == "QUIT":
                return

    def _take(self) -> str:
        self._say("354 go on")
        lines = []
        while (line := self.rfile.readline().decode().rstrip("\r\n")) != ".":
            lines.append(line)
        self.server.accepted.append(message_from_string("\n".join(lines)))
        return "250 taken"

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())
