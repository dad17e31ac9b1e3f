"""The command line, for those who say `python -m ludens`."""

from ludens.cli import main

main()
