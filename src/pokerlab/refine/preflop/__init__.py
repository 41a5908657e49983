"""Heads-up no-limit hold'em before the flop: the betting, flops that stand for all of them, and its solution."""
