"""Case retrieval as the thesis tells it: a scan over all cases, with similarities from text and no table shared."""

from math import exp

from pokerlab.cards.preflop import preflop_tables

MATRIX = """
 1   0   0   0   0   0   0   0   0
 0   1  .8  .7   0   0   0   0   0
 0  .8   1  .7   0   0   0   0   0
 0  .7  .7   1   0   0   0   0   0
 0   0   0   0   1  .8  .7   0  .6
 0   0   0   0  .8   1  .7   0  .5
 0   0   0   0  .7  .7   1  .8  .8
 0   0   0   0   0   0  .8   1  .8
 0   0   0   0  .6  .5  .8  .8   1
"""
TEXTURES = [[float(word) for word in line.split()] for line in MATRIX.strip().splitlines()]


def raises_by_seat(sequence, players):
    """Round by round the raises of each seat, and who is in at the end: seats act in turn, first the button's left."""
    inside, table = set(range(players)), []
    for number, actions in enumerate(sequence.split("-")):
        if players == 2:
            seat = 1 if number == 0 else 0
        else:
            seat = 2 if number == 0 else 0
        counts = [0] * players
        for action in actions:
            while seat not in inside:
                seat = (seat + 1) % players
            if action == "r":
                counts[seat] += 1
            if action == "f":
                inside.remove(seat)
            seat = (seat + 1) % players
        table.append(counts)
    return table, inside


def level(a, b, players):
    """0 to 3, as in sections 3.3.3 and 3.5."""
    if a == b:
        return 0
    (mine, inside), (theirs, others) = raises_by_seat(a, players), raises_by_seat(b, players)
    if a.split("-")[-1] != b.split("-")[-1] or len(mine) != len(theirs) or inside != others:
        return 3
    if all(one[seat] == two[seat] for one, two in zip(mine[:-1], theirs[:-1], strict=True) for seat in inside):
        return 1
    totals = [[sum(counts[seat] for counts in table[:-1]) for seat in sorted(inside)] for table in (mine, theirs)]
    return 2 if totals[0] == totals[1] else 3


def bet_similarity(a, b, how):
    """Equation (3.7), both ways; another shape with the same current round has `same_round`."""

    def alike(x, y):
        return len(x) == len(y) and all((p == q) or (p in "qhipdvt" and q in "qhipdvt") for p, q in zip(x, y))  # noqa: B905

    if not alike(a, b):
        mine, theirs = a.split("-")[-1], b.split("-")[-1]
        return how.same_round * bet_similarity(mine, theirs, how) if alike(mine, theirs) else 0.0
    steps = sum(abs("qhipdvt".index(p) - "qhipdvt".index(q)) for p, q in zip(a, b, strict=True) if p != q)
    value = 1 - how.alpha * steps
    return max(value, 0) if how.clamp else value


def local_similarities(base, number, sequence, cell, other_sequence, other_cell):
    """Of hand, betting, texture and commitment; None for a feature that the round does not have."""
    how, rules, cells = base.similarities[number], base.rules, base.cells[number]
    (hand, look, committed), (hand2, look2, committed2) = cells.split(cell), cells.split(other_cell)
    if rules.holdem and number:
        same = max(1 - how.k * abs(hand - hand2) / base.features.buckets, 0)
    elif rules.holdem and how.holes == "strength" and hand != hand2:
        strength = preflop_tables()[1]
        same = max(1 - how.k * abs(strength[hand] - strength[hand2]), 0)
    else:
        same = float(hand == hand2)
    if rules.limit:
        betting = how.levels[level(sequence, other_sequence, rules.players)]
    else:
        betting = bet_similarity(sequence, other_sequence, how)
    texture = TEXTURES[look][look2] if rules.holdem and number else None
    return same, betting, texture, None if rules.limit else exp(-abs(committed - committed2))


def global_similarity(how, local):
    """Equation (3.1)."""
    there = [(weight, value) for weight, value in zip(how.weights, local, strict=True) if value is not None]
    return sum(weight * value for weight, value in there) / sum(weight for weight, _ in there)


def scan(base, number, sequence, cell):
    """Counts, outcomes, the best and the last similarity of what is retrieved."""
    cases, how = base.rounds[number], base.similarities[number]
    similar = []
    for row, (name, other) in enumerate(cases.rows.tolist()):
        text = cases.sequences[name].decode()
        value = global_similarity(how, local_similarities(base, number, sequence, cell, text, other))
        similar.append((value, other, row))
    best = level_now = max(value for value, _, _ in similar)
    counts, outcomes = [0.0] * len(base.letters), [0.0] * len(base.letters)
    decisions = 0
    while True:
        level_rows = [(other, row) for value, other, row in similar if abs(value - level_now) < 1e-9]
        if how.ties == "weaker":
            least = min(other for other, _ in level_rows)
            level_rows = [(other, row) for other, row in level_rows if other == least]
        weight = exp(-how.fading * (best - level_now))
        for _, row in level_rows:
            for action in range(len(counts)):
                counts[action] += weight * cases.counts[row, action]
                outcomes[action] += weight * cases.outcomes[row, action]
                decisions += cases.counts[row, action]
        below = [value for value, _, _ in similar if value < level_now - 1e-9]
        if decisions >= how.neighbours or not below:
            return counts, outcomes, best, level_now
        level_now = max(below)
