"""Self-play, the bare network and plain Python: `ludens bench selfplay`."""

from ludens.bench.selfplay import main

if __name__ == "__main__":
    main()
