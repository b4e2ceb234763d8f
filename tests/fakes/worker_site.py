"""A fake of a marketplace's workers' site, which frames a task and receives the finished form.

It listens on `localhost`, while the site under test uses `127.0.0.1`. Browsers treat them as two
sites.
"""

import html
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

FRAME = """<!doctype html><html lang="en"><title>Marketplace</title>
<body style="margin:0"><iframe title="The task" sandbox="{sandbox}" src="{src}"
 style="border:0;width:100vw;height:98vh"></iframe></body></html>"""


class WorkerSite:
    """A running server. `submissions` holds each posted form as `{field: value}`, in order."""

    def __init__(self) -> None:
        self.submissions: list[dict[str, str]] = []
        self.sandbox = "allow-scripts allow-forms"
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.origin = f"http://localhost:{self._server.server_address[1]}"
        Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()

    def frame_url(self, task_address: str) -> str:
        return f"{self.origin}/frame?{task_address}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                address = html.escape(urlsplit(self.path).query)
                self._answer(FRAME.format(src=address, sandbox=site.sandbox))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                fields = parse_qs(body, keep_blank_values=True)
                site.submissions.append({name: values[0] for name, values in fields.items()})
                self._answer("<!doctype html><html lang=en><title>Done</title><h1>Thank you</h1>")

            def _answer(self, page: str) -> None:
                data = page.encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: object) -> None:
                """Print nothing. The output of a test is for failures."""

        return Handler
