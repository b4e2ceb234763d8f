"""Draw the sample pictures: `python -m schemes.grounding.samples FOLDER`."""

import sys
from pathlib import Path

from schemes.grounding.samples.draw import draw_samples

if len(sys.argv) != 2:
    sys.exit("usage: python -m schemes.grounding.samples FOLDER")
draw_samples(Path(sys.argv[1]))
