"""What each choice in learning brings: `ludens bench ablation`."""

from ludens.bench.ablation import main

if __name__ == "__main__":
    main()
