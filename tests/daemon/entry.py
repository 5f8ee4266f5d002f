"""`gardener --store DIR daemon [--once]` from a checkout that need not be installed, for units under test."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from gardener.daemon.start import once, start
from gardener.errors import GardenerError

if __name__ == "__main__":
    begin = once if "--once" in sys.argv else start
    try:
        sys.exit(begin(Path(sys.argv[sys.argv.index("--store") + 1])))
    except GardenerError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
