"""Claim: 50 million hands of seven a second and core, a board's holes ranked in 60 us, preflop equity 3 x faster.

Peers in the same run, where installed (extra `bench`): phevaluator, eval7 and poker-equity. All work on the same
random hands and the same pairs of holes; each is the best of three stretches, in processor time. Then what the figures
of the page on cards take.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from _command import FULL, Table, command
from pokerlab.cards import equity, strength
from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import evaluate, ranked_holes
from pokerlab.cards.isomorphism import hole_indices, isomorphism

CLAIMS = {"hands a second": 50e6, "board us": 60.0, "equity ratio": 3.0}
DECK = Deck()
PAIRS = [("AsAh", "KdKc"), ("AsKs", "QhQd"), ("7h2c", "JsTs"), ("5d4d", "AcKh"), ("9s8s", "TcTd"), ("Qc3h", "KsJd")]


def best(work: Callable[[], object], seconds: float) -> float:
    """Processor seconds for one call: the best of three stretches of about `seconds` in all."""
    clock = time.process_time
    work()
    began = clock()
    work()
    count = max(1, int(seconds / 3 / max(clock() - began, 1e-6)))
    least = float("inf")
    for _ in range(3):
        began = clock()
        for _ in range(count):
            work()
        least = min(least, (clock() - began) / count)
    return least


def random_hands(count: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.argpartition(rng.random((count, 52), dtype=np.float32), 7, axis=1)[:, :7].astype(np.uint8)


def hands_a_second(quick: bool) -> dict[str, float]:
    hands = random_hands(100_000 if quick else 1_000_000)
    few = hands[: 2_000 if quick else 100_000].tolist()
    seconds = 0.3 if quick else 3.0
    rates = {"pokerlab": len(hands) / best(lambda: evaluate(hands), seconds)}
    try:
        from phevaluator.evaluator import _pheval  # the C call itself, without the checks of the API

        call = _pheval.evaluate_7cards
        rates["phevaluator"] = len(few) / best(lambda: [call(*hand) for hand in few], seconds)
    except ImportError:
        pass
    try:
        import eval7

        cards = [[eval7.Card(name) for name in _names(hand)] for hand in few]
        rates["eval7"] = len(few) / best(lambda: [eval7.evaluate(hand) for hand in cards], seconds)
    except ImportError:
        pass
    try:
        import poker_equity

        texts = [DECK.text(hand) for hand in few]
        rates["poker-equity"] = len(few) / best(lambda: poker_equity.score_batch("high", texts), seconds)
    except ImportError:
        pass
    return rates


def _names(hand: list[int]) -> list[str]:
    text = DECK.text(hand)
    return [text[i : i + 2] for i in range(0, len(text), 2)]


def preflop_equity(quick: bool) -> dict[str, float]:
    """Seconds for one pair of hands, all 1,712,304 boards; ours without what it remembers of earlier pairs."""
    pairs = PAIRS[:2] if quick else PAIRS

    def ours() -> list[tuple[float, ...]]:
        equity._before_the_flop.cache_clear()
        return [equity.showdown_equity([DECK.cards(a), DECK.cards(b)], (), 5) for a, b in pairs]

    times = {"pokerlab": best(ours, 0.1 if quick else 2.0) / len(pairs)}
    try:
        import poker_equity

        def theirs() -> list[Any]:
            return [poker_equity.exact_from_text("holdem", [a, b]) for a, b in pairs]

        for mine, other in zip(ours(), theirs(), strict=True):
            assert abs(mine[0] - _first_equity(other)) < 1e-9, (mine, other)
        times["poker-equity"] = best(theirs, 0.1 if quick else 3.0) / len(pairs)
    except ImportError:
        pass
    return times


def _first_equity(result: Any) -> float:
    return float(result["players"][0]["equity"])


def forgotten(work: Callable[..., object], *arguments: str) -> object:
    """Without what is remembered of pairs that were asked about before."""
    equity._KNOWN.clear()
    return work(*arguments)


FLOP, TURN, RANGES = "3h 4c Jh", "3h 4c Jh 8d", ("TT+,AK", "22+,A2s+,KQ")
COSTS: dict[str, Callable[[], object]] = {  # the cheap ones first: a quick run does four
    "a hand now: `immediate_strength`": lambda: strength.immediate_strength("AdQc", FLOP),
    "a hand on the flop: E[HS], E[HS²], histogram": lambda: strength.expected_strength("AdQc", FLOP),
    "a hand on the flop: potential, EHS": lambda: strength.effective_strength("AdQc", FLOP),
    "a hand on the turn: E[HS]": lambda: strength.expected_strength("AdQc", TURN),
    "all hands on a flop: E[HS] and E[HS²]": lambda: strength.all_expected(FLOP),
    "all hands on a flop: histograms": lambda: strength.all_histograms(FLOP),
    "all hands on a flop: potential": lambda: strength.all_potentials(FLOP),
    "range against range: turn": lambda: equity.range_equity(*RANGES, TURN),
    "range against range: flop": lambda: equity.range_equity(*RANGES, FLOP),
    "before the flop: AA against KK": lambda: forgotten(equity.range_equity, "AA", "KK"),
    "before the flop: AsKs against any hand": lambda: forgotten(equity.hand_equity, "AsKs", "random"),
    "before the flop: two ranges of whole kinds": lambda: forgotten(equity.range_equity, "20%", "40%"),
    "the same sampled, 10,000 boards": lambda: equity.sampled_range_equity(
        "20%", "40%", "", 10_000, np.random.default_rng(1)
    ),
}


def costs(quick: bool) -> dict[str, float]:
    """Processor seconds of what the page on cards prices; long enumerations use all cores."""
    names = list(COSTS)[:4] if quick else COSTS
    return {name: best(COSTS[name], 0.1 if quick else 1.0) for name in names}


def measure(quick: bool) -> dict[str, Any]:
    rates, equities = hands_a_second(quick), preflop_equity(quick)
    seconds = 0.2 if quick else 1.0
    rivers = random_hands(20_000 if quick else 1_000_000)
    streets = isomorphism((2, 3, 1, 1))
    board = DECK.cards("Qs Jh 2h 4c 7d")
    others = [value for name, value in equities.items() if name != "pokerlab"]
    return {
        "claims": CLAIMS,
        "hands a second": rates,
        "board us": 1e6 * best(lambda: ranked_holes(board), seconds),
        "preflop equity seconds": equities,
        "equity ratio": min(others) / equities["pokerlab"] if others else None,
        "river indices a second": len(rivers) / best(lambda: streets.indices(rivers), seconds),
        "board indices us": 1e6 * best(lambda: hole_indices(board), seconds),
        "costs": costs(quick),
    }


def show(report: dict[str, Any]) -> None:
    rates, equities = report["hands a second"], report["preflop equity seconds"]
    for name, rate in rates.items():
        print(f"{name:<14} {rate / 1e6:8.2f} million seven-card hands/s   ({rates['pokerlab'] / rate:.1f} x)")
    for name, value in equities.items():
        print(f"{name:<14} {1e3 * value:8.2f} ms an exact preflop equity   ({value / equities['pokerlab']:.1f} x)")
    print(f"all holes of a board ranked in {report['board us']:.1f} us, indexed in {report['board indices us']:.1f} us")
    print(f"{report['river indices a second'] / 1e6:.1f} million canonical river indices/s")
    for name, value in report["costs"].items():
        print(f"{name:<60}{spoken(value):>10}")


def spoken(seconds: float) -> str:
    """Two digits and a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size or unit == "us":
            break
    return f"{float(f'{seconds / size:.2g}'):g} {unit}"


def tables(report: dict[str, Any]) -> dict[str, Table]:
    rates, equities, quick = report["hands a second"], report["preflop equity seconds"], report["quick"]
    titles = ("pokerlab", "phevaluator", "poker-equity", "eval7")

    def told(figures: dict[str, float], name: str, form: Callable[[float], str]) -> str:
        return FULL if quick else form(figures[name]) if name in figures else ""

    alone = {
        "all holes of a board ranked": spoken(report["board us"] / 1e6),
        "canonical river indices a second": f"{report['river indices a second'] / 1e6:.0f} million",
    }
    return {
        "cards": [
            ("on one core", *titles),
            ("seven-card hands a second", *(told(rates, name, lambda r: f"{r / 1e6:.2g} million") for name in titles)),
            ("an exact preflop equity", *(told(equities, name, spoken) for name in titles)),
            *((title, FULL if quick else cell, "", "", "") for title, cell in alone.items()),
        ],
        "costs": [("", "takes"), *((name, FULL if quick else spoken(report["costs"][name])) for name in COSTS)],
    }


def failed(report: dict[str, Any]) -> list[str]:
    unmet = []
    if report["hands a second"]["pokerlab"] < CLAIMS["hands a second"]:
        unmet.append(f"{report['hands a second']['pokerlab'] / 1e6:.0f} million hands a second")
    if report["board us"] > CLAIMS["board us"]:
        unmet.append(f"a board's holes ranked in {report['board us']:.0f} us")
    if report["equity ratio"] is None or report["equity ratio"] < CLAIMS["equity ratio"]:
        unmet.append(f"preflop equity {report['equity ratio']} times as fast as poker-equity (extra `bench`)")
    return unmet


if __name__ == "__main__":
    sys.exit(command(__doc__, "short stretches", measure, show, failed, tables))
