"""Strength of the search by its simulations: `ludens bench strength`."""

from ludens.bench.strength import main

if __name__ == "__main__":
    main()
