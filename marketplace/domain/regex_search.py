"""A program that searches regular expressions with limits on its time and memory.

It reads a JSON list of [pattern, ignores_case, text] from standard input, and writes a JSON list of
booleans. `answer_format` runs it, because a requester's expression could occupy a server process.
"""

import json
import re
import resource
import sys
import warnings

CPU_SECONDS = 1
MEMORY_BYTES = 512 * 2**20


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    warnings.simplefilter("ignore")
    matches = [
        re.search(pattern, text, re.ASCII | (re.IGNORECASE if ignores_case else 0)) is not None
        for pattern, ignores_case, text in json.load(sys.stdin)
    ]
    json.dump(matches, sys.stdout)


if __name__ == "__main__":
    main()
