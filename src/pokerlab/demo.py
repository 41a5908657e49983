"""`make demo`: a poker game solved, measured, and an abstract strategy put to the test, in seconds."""

from __future__ import annotations

import time

import pokerlab
from pokerlab.solve.full import evaluate_in_full


def main() -> None:
    began = time.perf_counter()
    game = pokerlab.compile("leduc")
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

    print("Both players unable to tell J from Q, and pairs only from no pairs (JQ.K-JQ.K):")
    coarse = pokerlab.solve(pokerlab.compile("leduc", "JQ.K"), "lp")
    full = evaluate_in_full(coarse.strategy, game, exact.value)
    finer = pokerlab.solve(pokerlab.compile("leduc", "J.Q.K"), "lp")
    pathological = evaluate_in_full(finer.strategy, game, exact.value)
    print(
        f"  in its own game it is an equilibrium; in the full game {1000 * full.exploitability[0] / 2:.1f} mb/h exploitable"
    )
    print(f"  told apart J, Q and K (J.Q.K-J.Q.K), it gets worse: {1000 * pathological.exploitability[0] / 2:.1f} mb/h")
    print(f"done in {time.perf_counter() - began:.1f} s; next: .venv/bin/pokerlab paper waugh2009-pathologies")


if __name__ == "__main__":
    main()
