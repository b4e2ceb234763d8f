"""Requests to endpoints that speak OpenAI's chat-completions protocol, and to local commands.

vLLM, Ollama, llama.cpp's server and most vendors speak it. The operator lists the hosts that may be
called in MODEL_HOSTS, because the addresses come from requesters. Commands come from the operator.
"""

import json
import shlex
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

import requests
from django.conf import settings
from requests.adapters import HTTPAdapter
from urllib3 import Retry

from audit.errors import TouchstoneError
from model_annotators.models import ModelAnnotator
from projects.domain.sealed_text import unseal
from schemes.contract.values import Json
from web.outgoing import DEFAULT_PORTS, allowed_hosts

KEY_PURPOSE = "model_annotators.key"
CONNECT_SECONDS, READ_SECONDS = 10, 120
# For the whole answer, because the limit of a read starts again with each byte.
DEADLINE_SECONDS = 300
MAX_BYTES = 4 * 2**20
MAX_TOKENS = 8192
# A broken read is not repeated, because the answer may have been computed and billed.
RETRIES = Retry(
    total=4,
    read=0,
    status_forcelist=[429, 502, 503, 504],
    allowed_methods=None,
    backoff_factor=1,
    backoff_max=30,
    retry_after_max=60,
    raise_on_status=False,
)


class EndpointError(TouchstoneError):
    """The endpoint may not be called, does not answer, or refuses the request."""


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer of a model with the numbers of tokens that it is billed for."""

    text: str
    input_tokens: int
    output_tokens: int


def check_address(address: str) -> None:
    """Raise EndpointError unless the operator allows requests to the address."""
    try:
        url = urlsplit(address)
        port = _port(url)
    except (ValueError, KeyError):
        raise EndpointError(f"{address!r} is not the address of an http or https server.") from None
    if "@" in url.netloc or url.query or url.fragment or not url.hostname:
        raise EndpointError(
            "The address must consist of a host and a path, such as https://models.example/v1."
        )
    if (url.hostname, port) not in allowed_hosts(settings.MODEL_HOSTS):
        raise EndpointError(
            f"This site may not call {url.netloc}. Its operator can allow the host with MODEL_HOSTS."
        )


def complete(
    annotator: ModelAnnotator, messages: Sequence[Json], *, name: str, schema: Json
) -> Completion:
    """Return the model's answer to the messages, which should fit the JSON Schema.

    Endpoints that don't bind answers to schemas answer freely. Raise EndpointError and
    UnreadableTextError.
    """
    body = request_body(annotator, messages, name=name, schema=schema)
    if annotator.command:
        return _run_command(annotator.command, body)
    check_address(annotator.url)
    headers = {}
    if annotator.sealed_key:
        headers["Authorization"] = f"Bearer {unseal(annotator.sealed_key, purpose=KEY_PURPOSE)}"
    with requests.Session() as session:
        # Proxies and passwords of the server's environment are not for this request.
        session.trust_env = False
        for scheme in DEFAULT_PORTS:
            session.mount(f"{scheme}://", HTTPAdapter(max_retries=RETRIES))
        try:
            with session.post(
                f"{annotator.url.rstrip('/')}/chat/completions",
                json=body,
                headers=headers,
                timeout=(CONNECT_SECONDS, READ_SECONDS),
                allow_redirects=False,
                stream=True,
            ) as response:
                answer = _read(response)
        except requests.RequestException as error:
            # The error's text may have the address only, never the key.
            raise EndpointError(f"The model did not answer: {type(error).__name__}.") from error
    if response.status_code != requests.codes.ok:
        raise EndpointError(f"The model refused the request: {_refusal(response, answer)}")
    return _completion(answer)


def _run_command(command: str, body: Json) -> Completion:
    """Return what the command writes to its standard output. It reads the request as JSON.

    Raise EndpointError.
    """
    try:
        done = subprocess.run(  # noqa: S603 - the operator's command
            shlex.split(command),
            input=json.dumps(body).encode(),
            capture_output=True,
            timeout=DEADLINE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EndpointError(f"The command took more than {DEADLINE_SECONDS} seconds.") from None
    except (OSError, ValueError) as error:
        raise EndpointError(f"The command can't be run: {error}") from error
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip()[-300:]
        raise EndpointError(f"The command ended with status {done.returncode}. {last}".rstrip())
    if len(done.stdout) > MAX_BYTES:
        raise EndpointError(f"The answer has more than {MAX_BYTES // 2**20} MiB.")
    return Completion(done.stdout.decode(errors="replace"), 0, 0)


def request_body(
    annotator: ModelAnnotator, messages: Sequence[Json], *, name: str, schema: Json
) -> Json:
    """Return the body of a request."""
    return {
        "model": annotator.model,
        "temperature": annotator.temperature,
        "max_tokens": MAX_TOKENS,
        "messages": list(messages),
        "response_format": {"type": "json_schema", "json_schema": {"name": name, "schema": schema}},
    }


def _port(url: SplitResult) -> int:
    """Return the port. Raise KeyError for other schemes than http and https."""
    default = DEFAULT_PORTS[url.scheme]
    return url.port or default


def _read(response: requests.Response) -> bytes:
    """Return the body. Raise EndpointError if it is too long or takes too long."""
    end = time.monotonic() + DEADLINE_SECONDS
    body = bytearray()
    for chunk in response.iter_content(8192):
        body += chunk
        if len(body) > MAX_BYTES:
            raise EndpointError(f"The answer has more than {MAX_BYTES // 2**20} MiB.")
        if time.monotonic() > end:
            raise EndpointError(f"The answer took more than {DEADLINE_SECONDS} seconds.")
    return bytes(body)


def _refusal(response: requests.Response, body: bytes) -> str:
    try:
        message = json.loads(body)["error"]["message"]
    except (ValueError, TypeError, KeyError, RecursionError):
        message = ""
    return f"HTTP {response.status_code}. {str(message)[:300]}".rstrip()


def _completion(body: bytes) -> Completion:
    try:
        answer: Any = json.loads(body)
        text = answer["choices"][0]["message"]["content"]
        usage = answer.get("usage") or {}
        tokens = [int(usage.get(key, 0)) for key in ("prompt_tokens", "completion_tokens")]
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise EndpointError("The answer does not follow the chat-completions protocol.") from error
    if not isinstance(text, str) or not all(0 <= count < 2**31 for count in tokens):
        raise EndpointError("The answer does not follow the chat-completions protocol.")
    return Completion(text, *tokens)
