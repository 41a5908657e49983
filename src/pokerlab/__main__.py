"""`python -m pokerlab` is the `pokerlab` command."""

from pokerlab.cli import main

main()
