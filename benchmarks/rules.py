"""Speed of the rules next to OpenSpiel, pgx and trianglengin: `ludens bench rules`."""

from ludens.bench.rules import main

if __name__ == "__main__":
    main()
