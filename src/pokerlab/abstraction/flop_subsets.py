"""Some flops that stand for all of them: a subset of any size, with weights, by clustering what hands are worth there.

    flops_of("subset:49")     the flops and how many each stands for
    flops_of("all"), flops_of("monotone ace-high"), flops_of("As Kd 2c, 7h 7d 2s: 2")

A flop is described by how strong each of the 169 kinds of hands is on it, now and after one more card, and by how
strong hands are in order, whichever they are; beside that by its texture. Flops with the same suits, and with a pair or
without, are clustered among themselves by k-means, and one of each cluster is taken, whose weight is that of its
cluster. Which one: those whose distances from their clusters' middles cancel, so that the weighted mean of the
description is that of all flops, while each is close to its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from math import comb

import numpy as np

from pokerlab.abstraction.clustering import cluster
from pokerlab.cache import keep, recalled_table
from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import tables
from pokerlab.cards.flops import KINDS, PAIRS, Cards, Flops, every_flop, flops_with, texture_of
from pokerlab.cards.holes import COUNT, HOLES, classes, possible
from pokerlab.cards.showdown_kernels import range_showdowns
from pokerlab.errors import CardError, PokerlabError, shown
from pokerlab.files import write_arrays
from pokerlab.progress import announced
from pokerlab.reading import Damage, Header, is_file, of_kind, read_text
from pokerlab.threads import in_pieces

SIZES = (25, 49, 95, 184)  # the usual ones; any other does as well
_DECK = Deck()
FORMAT, VERSION = "pokerlab flops", 1
_RESTARTS = 4
_AXES = 40  # along which descriptions are told apart; the rest is 3 % of their variance
_STRATIFIED = 15  # flops from which on suits and pairs are as common as among all
_SWAPS = 20  # rounds of better choices
_LONGEST = 1 << 20  # bytes of a list
_BINS = 20  # of hands in order of strength


def flops_of(text: str) -> Flops:
    """What a text names: `all`, `subset:49` or just `49`, words of texture, boards parted by commas (each with a weight
    after a colon, if that is not 1), or a file with such boards.
    """
    words = text.strip()
    if words == "all":
        return every_flop()
    subset = re.fullmatch(r"(?:subset:\s*)?([0-9]{1,4})", words)
    if subset:
        return flop_subset(int(subset[1]))
    if words.startswith("subset"):
        raise CardError(f"a subset of flops has a size, as in subset:49, not {shown(words)}")
    if any(word in known for word in re.split("[ ,]+", words) for known in KINDS.values()):
        return flops_with(words)
    if is_file(words):
        return _listed(read_text(words, most=_LONGEST, error=CardError), words)
    return _listed(words, f"{shown(words)} is no file, number, all, subset:49, word of texture or list of boards")


def _listed(text: str, what: str) -> Flops:
    """The boards of a text, `#` before remarks; an error over what is no board begins with `what`."""
    boards, weights = list[Cards](), list[float]()
    for entry in filter(None, (part.strip() for part in re.split("[,;\n]", re.sub("#.*", "", text)))):
        cards, colon, weight = entry.partition(":")
        try:
            board = _DECK.cards(cards)
        except CardError as error:
            raise CardError(f"{what}: {error}") from None
        if not 3 <= len(board) <= 5:
            raise CardError(f"a board has three to five cards, not {shown(entry)}")
        if {*board} in ({*other} for other in boards):
            raise CardError(f"the board {cards.strip()} is there twice")
        boards.append(board)
        try:
            weights.append(float(weight) if colon else 1.0)
        except ValueError:
            raise CardError(f"a board's weight is a number, as in As Kd 2c: 2, not {shown(weight)}") from None
        if not 0 < weights[-1] < np.inf:
            raise CardError(f"a board's weight is above 0, not {shown(weight)}")
    if not boards:
        raise CardError("no flops: name all, subset:49, words such as monotone, or boards such as As Kd 2c, 7h 7d 2s")
    return Flops(tuple(boards), np.array(weights), alike=False)


@lru_cache(maxsize=8)
def flop_subset(size: int) -> Flops:
    """So many flops that stand for all 1,755; the same every time."""
    every = every_flop()
    if not 1 <= size <= len(every.boards):
        raise CardError(f"a subset has 1 to {len(every.boards):,} flops, not {size:,}")
    if size == len(every.boards):
        return every
    name = f"flops-{size}-{VERSION}.npz"
    kept = recalled_table(name, FORMAT, VERSION, 1 << 20, partial(_whole, size))
    chosen, weights = kept or _chosen(size)
    if kept is None:
        header, arrays = {"format": FORMAT, "version": VERSION}, {"flops": chosen, "weights": weights}
        keep(name, lambda path: write_arrays(path, header, arrays, error=PokerlabError))
    return Flops(tuple(every.boards[flop] for flop in chosen), weights)


def _whole(size: int, _: Header, arrays: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """A kept subset, if it is one."""
    every = every_flop()
    chosen, weights = of_kind(arrays, "flops", np.int64, size), of_kind(arrays, "weights", np.float64, size)
    if len({*chosen.tolist()} & {*range(len(every.boards))}) < size:
        raise Damage("its flops are not different ones")
    if not (weights > 0).all() or weights.sum() != every.weights.sum():
        raise Damage("its weights do not add up to all flops")
    return chosen, weights


def _chosen(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of flops, and how many each stands for."""
    times = every_flop().weights
    with announced(f"choosing {size} flops"):
        described, labels, taken = descriptions(), np.zeros(len(times), np.int64), 0
        strata = _strata() if size >= _STRATIFIED else np.zeros(len(times), np.int64)
        for stratum, count in enumerate(_allotted(np.bincount(strata, times), np.bincount(strata), size)):
            mine = strata == stratum
            labels[mine] = taken + cluster(described[mine], count, times[mine], restarts=_RESTARTS).labels
            taken += count
        return representatives(described, times, labels), np.bincount(labels, times)


def _strata() -> np.ndarray:
    """The stratum of each flop: its suits, and whether it has a pair."""
    words = [texture_of(board) for board in every_flop().boards]
    return np.unique([f"{each.suits} {each.pairs == PAIRS[0]}" for each in words], return_inverse=True)[1].ravel()


def _allotted(weights: np.ndarray, most: np.ndarray, size: int) -> list[int]:
    """So many in all, by weight, at least one each and at most as many as there are: what is left over goes to who is
    most below its part, and has more.
    """
    parts = size * weights / weights.sum()
    counts = np.clip(np.floor(parts).astype(np.int64), 1, most)
    while counts.sum() < size:
        counts[np.where(counts < most, parts - counts, -np.inf).argmax()] += 1
    while counts.sum() > size:
        counts[np.where(counts > 1, parts - counts, np.inf).argmin()] -= 1
    return [int(count) for count in counts]


def representatives(points: np.ndarray, weights: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """A point of each cluster: together they make |sum of w r|^2 + sum of w^2 |r|^2 small, where r is how far one is
    from its cluster's middle and w the cluster's weight.

    The first part is how far their mean is from that of all points; the second what is to be expected of anything
    that the points do not tell, which errs in each cluster for itself.
    """
    shares = np.bincount(labels, weights) / weights.sum()
    members = [np.flatnonzero(labels == label) for label in range(len(shares))]
    middles = [np.average(points[some], axis=0, weights=weights[some]) for some in members]
    away = [share * (points[some] - middle) for share, some, middle in zip(shares, members, middles, strict=True)]
    costs = [(rows**2).sum(axis=1) for rows in away]
    chosen = [int(cost.argmin()) for cost in costs]
    total = np.sum([rows[one] for rows, one in zip(away, chosen, strict=True)], axis=0)
    for _ in range(_SWAPS):
        before = list(chosen)
        for label, (rows, cost) in enumerate(zip(away, costs, strict=True)):
            others = total - rows[chosen[label]]
            chosen[label] = int((((others + rows) ** 2).sum(axis=1) + cost).argmin())
            total = others + rows[chosen[label]]
        if chosen == before:
            break
    return np.array([some[one] for some, one in zip(members, chosen, strict=True)])


@lru_cache(maxsize=1)
def descriptions() -> np.ndarray:
    """(1,755, axes) of all flops: parts of equal variance each, along their main axes."""
    boards = every_flop().boards
    by_piece = in_pieces(
        lambda first, last: np.stack([_strengths(board) for board in boards[first:last]]), len(boards), 64, "flops"
    )
    strengths = np.concatenate(by_piece)  # (flops, now and then, hands)
    parts = [_scaled(part) for part in (*_by_kind(strengths), _in_order(strengths), _textures(boards))]
    whole = np.concatenate(parts, axis=1)
    _, _, axes = np.linalg.svd(whole * np.sqrt(every_flop().shares)[:, None], full_matrices=False)
    return np.asarray(whole @ axes[:_AXES].T)


def _strengths(board: Cards) -> np.ndarray:
    """(2, 1,326) how much of all other hands each hand beats, now and on the mean turn; nan where a card is gone."""
    any_hand, shown_now = np.ones(COUNT), np.array([board], np.uint8)
    turns = np.array([(*board, card) for card in range(52) if card not in board], np.uint8)
    rows = []
    for shown_then in (shown_now, turns):
        count, size = shown_then.shape
        (beaten, matched), _ = range_showdowns(tables(), shown_then, np.ones(count), HOLES, any_hand, any_hand)
        rows.append((beaten + matched) / 2 / comb(50 - size, 2) / (1 if size == 3 else 47))
    return np.stack(rows) + np.where(possible(board), 0.0, np.nan)


def _by_kind(strengths: np.ndarray) -> list[np.ndarray]:
    """Mean strengths of the 169 kinds of hands, now and then; each counts for its hands."""
    kinds = classes()
    held = np.stack([np.bincount(kinds, ~np.isnan(row), 169) for row in strengths[:, 0]])
    much = np.sqrt(np.bincount(kinds, minlength=169))
    sums = [np.stack([np.bincount(kinds, np.nan_to_num(row), 169) for row in strengths[:, when]]) for when in range(2)]
    # A kind of which nothing is left (a pair of what the board has three of) is as good as the best hand.
    return [np.divide(total, held, out=np.ones_like(total), where=held > 0) * much for total in sums]


def _in_order(strengths: np.ndarray) -> np.ndarray:
    """Strengths after one more card less those now, of hands in order of the former: what may still change."""
    then = np.sort(strengths[:, 1], axis=1)[:, : COUNT - 150]  # 1,176 hands are left
    change = np.sort(strengths[:, 1] - strengths[:, 0], axis=1)[:, : COUNT - 150]
    cut = [part.mean(axis=1) for array in (then, change) for part in np.array_split(array, _BINS, axis=1)]
    return np.stack(cut, axis=1)


def _textures(boards: Sequence[Cards]) -> np.ndarray:
    """Words as 0 and 1, and the ranks."""
    words = [word for known in KINDS.values() for word in known]
    told = np.array([[word in texture_of(board) for word in words] for board in boards], float)
    ranks = np.sort(np.array(boards) // 4, axis=1) / 12
    return np.concatenate([told, 2 * ranks], axis=1)


def _scaled(part: np.ndarray) -> np.ndarray:
    """With a mean of 0 and a total variance of 1 over all flops."""
    weights = every_flop().shares
    centred = part - weights @ part
    return np.asarray(centred / np.sqrt((weights @ centred**2).sum()))
