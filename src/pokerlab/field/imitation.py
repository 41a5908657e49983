"""Networks that imitate: what an expert did in its records, learnt by gradient descent (MANZANA; Rubin 2013, 2.5).

    imitate(["match.log"], "expert").save("mine.network")

The records are those that case bases learn from, and so is the part that is held out. Two networks, before the flop
and after it, as MANZANA had; the classifier is scikit-learn's (`pip install 'pokerlab[networks]'`), and playing needs
it not.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pokerlab.bounds import HIDDEN, SEED
from pokerlab.cases.sources import check_expert, survey, wanted_hands
from pokerlab.errors import AgentError, LogError
from pokerlab.field.networks import INPUTS, Network, inputs_of, size_of
from pokerlab.field.player import CALLS, deeds
from pokerlab.game.hand import Hand
from pokerlab.game.rules import Rules

HOLD_OUT = 0.2
NEVER = -50.0  # an output that a softmax makes nothing of


class Score(NamedTuple):
    """How a network tells held-out decisions: how many, how often its likeliest is right, and the log-loss."""

    decisions: int
    right: float
    log_loss: float


def decisions(hand: Hand, seat: int) -> Iterator[tuple[int, np.ndarray, int]]:
    """Round, inputs and kind of what a seat decided, where its cards are known."""
    if not hand.holes or not hand.holes[seat]:
        return
    for count, deed in enumerate(deeds(hand.view(seat))):
        if deed.seat == seat:
            shown = sum(hand.rules.board_cards[: deed.before.round + 1])
            known = hand._replace(betting=deed.before, board=hand.board[:shown], actions=hand.actions[:count])
            yield deed.before.round, inputs_of(known.view(seat)), deed.kind


def imitate(
    paths: Sequence[str | Path],
    expert: str,
    *,
    game: str | Rules | None = None,
    hidden: int = 20,
    seed: int = 0,
    skip_bad: bool = False,
) -> tuple[Network, Score]:
    """Learn from records what an expert does; a fifth of each match is held out for the score."""
    try:
        from sklearn.neural_network import MLPClassifier
    except ImportError:
        raise AgentError("imitation needs scikit-learn: pip install 'pokerlab[networks]'") from None
    HIDDEN.check(hidden, error=AgentError)
    SEED.check(seed, error=AgentError)
    rules, learnt, tested = _collected(paths, expert, game, skip_bad)
    weights = np.empty((2, size_of(hidden)))
    for late, (seen, kinds) in enumerate(learnt):
        if len({*kinds.tolist()}) < 2:
            weights[late] = _always(int(kinds[0]) if len(kinds) else CALLS, hidden)
            continue
        made = MLPClassifier(
            (hidden,), "tanh", max_iter=300, random_state=seed % 2**32, early_stopping=len(kinds) > 500
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it could go on for longer
            made.fit(seen[:, 1:], kinds)
        weights[late] = _flat(made, hidden)
    about = f"imitates {expert}, {len(learnt[0][1]) + len(learnt[1][1])} decisions, seed {seed}"
    network = Network(rules, hidden, weights, about)
    return network, score(network, tested)


Lesson = tuple[np.ndarray, np.ndarray]  # inputs [n, inputs] and kinds [n]


def _collected(
    paths: Sequence[str | Path], expert: str, game: str | Rules | None, skip_bad: bool
) -> tuple[Rules, list[Lesson], list[Lesson]]:
    """The game, and decisions to learn from and to test by: before the flop, and after it."""
    sources = [survey(path, expert, game, HOLD_OUT) for path in paths]
    kept = [survey(path, expert, game, HOLD_OUT, kept=False) for path in paths]
    check_expert(sources, expert)
    rules = sources[0].rules
    if not rules.holdem or any(source.rules != rules for source in sources):
        raise AgentError("imitation learns from records of one game of hold'em")
    both = []
    for some in (sources, kept):
        rows: tuple[list, list] = ([], [])
        for source in some:
            for piece in source.pieces:
                for _, record in wanted_hands(piece, rules, skip_bad):
                    if not isinstance(record, LogError):
                        for seat, name in enumerate(record.hand.names):
                            if name == expert:
                                for round, inputs, kind in decisions(record.hand, seat):
                                    rows[round > 0].append((inputs, kind))
        both.append([
            (np.array([row for row, _ in part]).reshape(-1, len(INPUTS)), np.array([kind for _, kind in part], int))
            for part in rows
        ])  # fmt: skip
    return rules, both[0], both[1]


def _always(kind: int, hidden: int) -> np.ndarray:
    """The weights of who does only this; who never got there calls."""
    weights = np.zeros(size_of(hidden))
    weights[len(INPUTS) * hidden :][:3] = [0.0 if each == kind else NEVER for each in range(3)]
    return weights


def _flat(made: object, hidden: int) -> np.ndarray:
    """A classifier's weights in the order of `networks.answered`; kinds that it never saw are never played."""
    first, second = made.coefs_  # type: ignore[attr-defined]
    bias, last = made.intercepts_  # type: ignore[attr-defined]
    kinds = made.classes_.tolist()  # type: ignore[attr-defined]
    out, constant = np.zeros((hidden, 3)), np.full(3, NEVER)
    if len(kinds) == 2:  # scikit-learn has then one output, for the second
        out[:, kinds[1]], constant[kinds] = second[:, 0], (0.0, last[0])
    else:
        out[:, kinds], constant[kinds] = second, last
    return np.concatenate([bias, first.ravel(), constant, out.ravel()])


def score(network: Network, tested: Sequence[Lesson]) -> Score:
    """How a network tells decisions that it has not seen."""
    from pokerlab.field.networks import answered

    count, right, loss = 0, 0, 0.0
    for late, (seen, kinds) in enumerate(tested):
        for inputs, kind in zip(seen, kinds.tolist(), strict=True):
            odds = answered(network.weights[late], network.hidden, inputs)
            count, right = count + 1, right + (int(np.argmax(odds)) == kind)
            loss -= float(np.log(max(odds[kind], 1e-6)))
    return Score(count, right / max(count, 1), loss / max(count, 1))
