"""`make demo`: a poker game solved, measured, and an abstract strategy put to the test, in seconds."""

from __future__ import annotations

import time

import pokerlab
from pokerlab.form.game import bilinear


def main() -> None:
    began = time.perf_counter()
    game = bilinear(pokerlab.compile("leduc"))
    print(f"Leduc hold'em: {game.X.infosets + game.Y.infosets} infosets, {game.A.entries} payoff entries")

    solution = pokerlab.solve(game, "cfr+", exploitability=1e-4)
    print(f"CFR+: {solution.iterations:,} iterations in {1000 * solution.seconds:.0f} ms")
    print(f"  value to player 1  {solution.value:+.6f} chips a hand")
    print(f"  exploitability     {solution.exploitability:.6f} chips a hand")
    exact = pokerlab.solve(game, "lp")
    print(f"linear program: value {exact.value:+.9f}, exploitability {exact.exploitability:.1e}")

    print("Player 1's first action with each card (check, bet):")
    for card in "JQK":
        odds = solution.strategy.at(0, "", card)
        print(f"  {card}  {odds['c']:.3f}  {odds['r']:.3f}")

    print("Exploitability in the full game of equilibria of abstract games, as player 1:")
    for pair, what in (("JQ.K-JQ.K", "both see only {J,Q} or K"), ("J.Q.K-J.Q.K", "both tell J, Q and K apart")):
        abstract = pokerlab.solve(pokerlab.compile("leduc", pair), "lp")
        seats = pokerlab.evaluate_in_full(abstract.strategy, game, exact.value).exploitability
        print(f"  {pair:<12} {1000 * seats[0] / 2:.1f} mb/h   ({what}; then pair or no pair)")
    print("Seeing more made it worse: an abstraction pathology.")
    print(f"done in {time.perf_counter() - began:.1f} s; next: .venv/bin/pokerlab paper waugh2009-pathologies")


if __name__ == "__main__":
    main()
