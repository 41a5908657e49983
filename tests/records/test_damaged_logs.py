"""Damaged lines and logs: each is read as it stands, or refused by an error for a person."""

import dataclasses
import random

import pytest

from mutations import damaged
from pokerlab.errors import PokerlabError
from pokerlab.game.catalog import rules_of
from pokerlab.records.log_game import log_header
from pokerlab.records.logs import parse_state_line, read_log
from record_samples import LINES

HOLDEM = rules_of("holdem-nolimit")
LIMIT = rules_of("holdem-limit")
LEDUC = rules_of("leduc")
THREE = dataclasses.replace(HOLDEM, blinds=(50, 100, 0), first=(2, 0, 0, 0), stacks=(20000,) * 3)
_GOOD = {
    HOLDEM: LINES,
    LIMIT: [
        "STATE:1:crc/rc/rrc/rc:6sKs|5dJd/2sTh2h/Qh/8h:90|-90:p2|p1",
        "STATE:3:rrrc/rrf:4s8s|6hJd/QhJs9d:-50|50:p2|p1",
    ],
    LEDUC: ["STATE:5:rrc/rrc:Qh|Ah/Qs:13|-13:a|b", "STATE:6:cc/crf:Kh|As/Ks:1|-1:a|b"],
    rules_of("kuhn-3p"): ["STATE:2:rfc:Ks|Qs|As:-2|-1|3:Bluffer|hyperborean|HITSZ_CS"],
    rules_of("holdem-limit-3p"): [
        "STATE:256:rfrrc/crrc/cc/rrrrc:8cAs|5s6c|AdQd/2c5h4c/3c/6s:-5|2.5|2.5:p2|p3|p1",
        "STATE:5:rrcrcc/crrrrcc/ccrrrrcf/rrrrc:9dQd|8cKh|KsTh/Kd7d3d/3s/6s:380|-140|-240:p3|p1|p2",
    ],
    THREE: ["STATE:0:r300fc/cc/cc/cc:AhKd|AdKh|AcKs/2c3d7s/8h/9c:-50|25|25:a|b|c"],
}


def tried(parse):
    """What a parser made of its input and "", or None and its error for a person; any other error goes through."""
    try:
        return parse(), ""
    except PokerlabError as error:
        return None, str(error)


@pytest.mark.slow
def test_sixty_five_thousand_damaged_lines_give_only_clean_errors():
    rng, read = random.Random(1), 0
    for i in range(65_000):
        rules = list(_GOOD)[i % len(_GOOD)]
        line = damaged(rng, [good.encode() for good in _GOOD[rules]]).decode("latin-1" if i % 2 else "utf-8", "replace")
        record, message = tried(lambda: parse_state_line(rules, line, "x.log:1"))  # noqa: B023
        if record is None:
            assert message.startswith("x.log:1: ")
        else:
            read += 1
            assert record.line() == line
            assert abs(sum(record.payoffs)) <= 0.02
    assert 0 < read < 10_000  # some wounds are only to a name or a number


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pokerlab.errors.PokerlabWarning")
def test_two_thousand_damaged_files_give_only_clean_errors(tmp_path):
    rng, path, read = random.Random(2), tmp_path / "x.log", 0
    for i in range(2_000):
        rules = list(_GOOD)[i % len(_GOOD)]
        text = "\n".join([*log_header(rules), *_GOOD[rules] * 2, "SCORE:1|-1:a|b", ""])
        path.write_bytes(damaged(rng, [text.encode()]))
        records, message = tried(lambda: list(read_log(path, skip_bad=True)))
        assert records is not None or "x.log" in message
        read += len(records or [])
    assert read > 1_000
