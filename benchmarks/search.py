"""Speed of search next to mctx, OpenSpiel and trimcts: `ludens bench search`."""

from ludens.bench.search import main

if __name__ == "__main__":
    main()
