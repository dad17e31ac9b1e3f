"""Weight of the page, click to piece, cost of streaming: `ludens bench web`."""

from ludens.bench.web import main

if __name__ == "__main__":
    main()
