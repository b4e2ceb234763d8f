"""A local fake of SQS and SNS that receives messages from boto3 and checks signatures.

`test_aws_messaging.py` checks its protocols and errors against botocore's models.
"""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl
from uuid import uuid4
from xml.sax.saxutils import escape

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

KEY_ID, SECRET, REGION = "AKIAFAKE", "a secret of the operator", "us-east-1"
ACCOUNT = "123456789012"
#: Error codes with their status. SQS sends JSON and SNS sends XML.
SQS_ERRORS = {"QueueDoesNotExist": 400, "InvalidMessageContents": 400, "RequestThrottled": 403}
SNS_ERRORS = {"NotFound": 404, "InvalidParameter": 400, "Throttled": 429}
SNS_NAMESPACE = "http://sns.amazonaws.com/doc/2010-03-31/"


class FakeMessaging(ThreadingHTTPServer):
    """A server with messages in `queues` by URL and in `topics` by ARN.

    `failures` lists the errors of the next requests.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.queues: dict[str, list[str]] = {}
        self.topics: dict[str, list[str]] = {}
        self.failures: list[str] = []
        self.targets: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def add_queue(self, name: str) -> str:
        url = f"{self.url}/{ACCOUNT}/{name}"
        self.queues[url] = []
        return url

    def add_topic(self, name: str) -> str:
        arn = f"arn:aws:sns:{REGION}:{ACCOUNT}:{name}"
        self.topics[arn] = []
        return arn


@contextmanager
def running_messaging() -> Iterator[FakeMessaging]:
    server = FakeMessaging()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FakeMessaging

    def log_message(self, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        target = self.headers.get("X-Amz-Target", "")
        service = "sqs" if target.startswith("AmazonSQS.") else "sns"
        self.server.targets.append(self.path)
        failure = self.server.failures.pop(0) if self.server.failures else ""
        if not self._is_signed(service, body):
            self._fail(service, "InvalidClientTokenId", 403)
        elif failure:
            errors = SQS_ERRORS if service == "sqs" else SNS_ERRORS
            self._fail(service, failure, errors.get(failure, 500))
        elif service == "sqs":
            self._sqs(target.partition(".")[2], json.loads(body))
        else:
            self._sns(dict(parse_qsl(body.decode(), keep_blank_values=True)))

    def _is_signed(self, service: str, body: bytes) -> bool:
        authorization = self.headers.get("Authorization", "")
        fields = dict(
            part.strip().split("=", 1) for part in authorization.partition(" ")[2].split(",")
        )
        names = fields.get("SignedHeaders", "").split(";")
        headers = {name: self.headers[name] for name in names if name in self.headers}
        request = AWSRequest("POST", f"{self.server.url}{self.path}", headers, body)
        request.context["timestamp"] = self.headers.get("X-Amz-Date", "")
        auth = SigV4Auth(Credentials(KEY_ID, SECRET), service, REGION)
        text = auth.string_to_sign(request, auth.canonical_request(request))
        scope = f"{KEY_ID}/{request.context['timestamp'][:8]}/{REGION}/{service}/aws4_request"
        is_right = fields.get("Signature") == auth.signature(text, request)
        return is_right and fields.get("Credential") == scope

    def _sqs(self, operation: str, params: dict[str, str]) -> None:
        messages = self.server.queues.get(params["QueueUrl"])
        if messages is None:
            self._fail("sqs", "QueueDoesNotExist", 400)
        elif operation == "SendMessage":
            messages.append(params["MessageBody"])
            digest = hashlib.md5(params["MessageBody"].encode(), usedforsecurity=False).hexdigest()
            self._json(200, {"MessageId": str(uuid4()), "MD5OfMessageBody": digest})
        else:
            received = [{"MessageId": str(uuid4()), "Body": body} for body in messages]
            self._json(200, {"Messages": received})

    def _sns(self, params: dict[str, str]) -> None:
        assert params["Action"] == "Publish"
        assert params["Version"] == "2010-03-31"
        messages = self.server.topics.get(params["TopicArn"])
        if messages is None:
            self._fail("sns", "NotFound", 404)
            return
        messages.append(params["Message"])
        result = f"<PublishResult><MessageId>{uuid4()}</MessageId></PublishResult>"
        self._xml(200, "PublishResponse", result)

    def _fail(self, service: str, code: str, status: int) -> None:
        if service == "sqs":
            self._json(status, {"__type": f"com.amazonaws.sqs#{code}", "message": f"{code}!"})
        else:
            error = f"<Type>Sender</Type><Code>{escape(code)}</Code><Message>{code}!</Message>"
            self._xml(status, "ErrorResponse", f"<Error>{error}</Error>")

    def _json(self, status: int, body: dict[str, object]) -> None:
        self._reply(status, "application/x-amz-json-1.0", json.dumps(body))

    def _xml(self, status: int, root: str, body: str) -> None:
        metadata = f"<ResponseMetadata><RequestId>{uuid4()}</RequestId></ResponseMetadata>"
        text = f'<{root} xmlns="{SNS_NAMESPACE}">{body}{metadata}</{root}>'
        self._reply(status, "text/xml", text)

    def _reply(self, status: int, content_type: str, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())
