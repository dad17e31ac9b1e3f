"""Memory and speed of the replay window: `ludens bench replay`."""

from ludens.bench.replay import main

if __name__ == "__main__":
    main()
