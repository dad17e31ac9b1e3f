"""The measured strength of the nets that ship: `ludens bench strength`."""

from ludens.bench.strength import main

if __name__ == "__main__":
    main()
