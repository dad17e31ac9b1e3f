"""Time to solve positions exactly: `ludens bench solver`."""

from ludens.bench.solver import main

if __name__ == "__main__":
    main()
