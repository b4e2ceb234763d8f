"""Child processes that end with their parent."""

import subprocess
import sys

from tests.environment import ROOT

# The child requests the signal after its parent has ended, like a helper process that is slow to start.
SLOW_CHILD = """
import os, signal, sys, time
from jobs.domain.end_with_parent import end_with_parent
parent = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == parent:
    time.sleep(0.01)
end_with_parent(parent, signal.SIGKILL)
print("still running")
"""


def test_child_ends_if_its_parent_ended_before_its_request():
    output = subprocess.check_output(
        [sys.executable, "-c", SLOW_CHILD], cwd=ROOT, text=True, timeout=30
    )
    assert output == ""
