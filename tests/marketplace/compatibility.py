"""Clients of the Requester API with a common interface, and the documentation page of their results."""

import io
import json
from collections import defaultdict
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from awscli import clidriver
from botocore import xform_name
from botocore.exceptions import ClientError

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "mturk-compatibility.md"


class Boto3:
    name = "boto3"

    def __init__(self, client: Any) -> None:
        self.client = client

    def __call__(self, operation: str, **parameters: Any) -> dict[str, Any] | str:
        """Return the response, or the error code."""
        try:
            response = getattr(self.client, xform_name(operation))(**parameters)
        except ClientError as error:
            return str(error.response["Error"]["Code"])
        return {name: value for name, value in response.items() if name != "ResponseMetadata"}


class CommandLine:
    """The `aws mturk` command, configured by environment variables."""

    name = "AWS CLI"

    def __init__(self, site: str) -> None:
        self.site = site
        self.driver = clidriver.create_clidriver()

    def __call__(self, operation: str, **parameters: Any) -> dict[str, Any] | str:
        """Return the response, or the text of the error."""
        command = ["mturk", xform_name(operation, "-"), "--output", "json"]
        command += ["--endpoint-url", f"{self.site}/mturk/"]
        for name, value in parameters.items():
            option = f"--{xform_name(name, '-')}"
            if isinstance(value, bool):
                command.append(option if value else option.replace("--", "--no-", 1))
            else:
                command += [option, value if isinstance(value, str) else json.dumps(value)]
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = self.driver.main(command)
        if code:
            return err.getvalue()
        answer: dict[str, Any] = json.loads(out.getvalue() or "{}")
        return answer


class Results:
    """The results of a test run, by client, kind of question and tool."""

    def __init__(self) -> None:
        self.operations: dict[str, set[str]] = defaultdict(set)  # operations by run
        self.refused: set[str] = set()
        self.columns: list[str] = []
        self.tools: dict[str, tuple[str, str, list[str]]] = {}

    def add_run(self, column: str, accepted: set[str], refused: set[str]) -> None:
        self.columns.append(column)
        for operation in accepted:
            self.operations[operation].add(column)
        self.refused |= refused

    def add_tool(self, tool: str, question: str, submission: str, operations: list[str]) -> None:
        self.tools[tool] = (question, submission, operations)

    def page(self) -> str:
        parts = [_INTRODUCTION, *self._operations(), "", _TOOLS, *self._tools()]
        return "\n".join([*parts, ""])

    def _operations(self) -> list[str]:
        columns = sorted(self.columns)
        rows = [_row("operation", *columns), _row(*["---"] * (len(columns) + 1))]
        for operation in sorted({*self.operations, *self.refused}):
            cells = [
                "refused" if operation in self.refused else "yes" if column in passed else "no"
                for passed in [self.operations[operation]]
                for column in columns
            ]
            rows.append(_row(f"`{operation}`", *cells))
        return rows

    def _tools(self) -> list[str]:
        rows = [_row("tool", "question", "submission", "operations"), _row(*["---"] * 4)]
        for tool, (question, submission, operations) in sorted(self.tools.items()):
            names = ", ".join(f"`{operation}`" for operation in operations)
            rows.append(_row(tool, question, submission, names))
        return rows


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


_INTRODUCTION = """\
# MTurk compatibility

The marketplace answers the 39 operations of the MTurk Requester API, version 2017-01-17, and two of
its own: `ListWorkerMessages`, the messages that workers wrote to the requester, and
`UpdateBonusStatus`, which shows a worker that a bonus is in review. The tests in
`tests/marketplace/test_compatibility.py` write the tables on this page. The
[API reference](api.md#marketplace-requester-api) lists the differences from MTurk.

## Operations

In each column all operations are called, and a worker does a HIT. Responses to boto3 are checked
against botocore's service model: names, types, limits, patterns and enumerations.
"""

_TOOLS = """\
## Tools

The tests make the calls and the submission of each tool's main flow, as its public documentation
describes them. The tools themselves are not installed.
"""
