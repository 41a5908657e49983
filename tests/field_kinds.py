"""The kinds of players of the field, as they are asked for, and the games that each plays."""

LIMIT, THREE, NO_LIMIT = "holdem-limit", "holdem-limit-3p", "holdem-nolimit"
EVERY_GAME = (LIMIT, THREE, NO_LIMIT)

KINDS = {
    "rules": EVERY_GAME,
    "rules?size=50": (NO_LIMIT,),
    "formula": EVERY_GAME,
    "formula?tight=0.9&aggressive=0.1": EVERY_GAME,
    "rollout": EVERY_GAME,
    "loki": EVERY_GAME,
    "loki?trials=60&size=50": (NO_LIMIT,),
    "poki": EVERY_GAME,
    "aki": EVERY_GAME,
    "mcts": EVERY_GAME,
    "vexbot": (LIMIT, NO_LIMIT),
    "vexbot?mix=0.3": (LIMIT, NO_LIMIT),
    "brplayer": (LIMIT, NO_LIMIT),
    "brennus": (LIMIT, NO_LIMIT),
    "bpp": (LIMIT, NO_LIMIT),
    "network:FILE": EVERY_GAME,
}
PAIRS = [(spec, game) for spec, games in KINDS.items() for game in games]
