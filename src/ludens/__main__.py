"""The command `ludens`, which is `python -m ludens`, too."""

import os
import sys

try:
    from ludens import signals
except KeyboardInterrupt:  # so soon that nobody hears signals yet
    os._exit(130)


def main() -> None:
    """Run the command line; signals are heard before it is loaded."""
    signals.hear()
    from ludens.cli import run

    code = run()
    if code > 128:
        signals.leave(code)
    signals.end_at_once()
    sys.exit(code)


if __name__ == "__main__":
    main()
