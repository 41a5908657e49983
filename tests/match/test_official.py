"""The official dealer's command line: every option, in the words of ours, and matches started with it."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from acpc_players import PlainPlayer
from pokerlab.cli import main
from pokerlab.cli.acpc import dealer
from pokerlab.cli.official import in_our_words, is_official
from pokerlab.errors import PokerlabError
from pokerlab.records.logs import read_log

MATCH = ["m", "leduc.game", "100", "1", "A", "B"]
OURS = ["--name=m", "--game=leduc.game", "--hands=100", "--seed=1"]


@pytest.mark.parametrize(
    ("official", "ours"),
    [
        ([], ["--log=m.log"]),
        (["-l"], []),
        (["-l", "-L"], ["--log=m.log"]),
        (["-L", "-l"], []),
        (["-T"], ["--log=m.log", "--transactions=m.tlog"]),
        (["-T", "-t"], ["--log=m.log"]),
        (["-q"], ["--log=m.log"]),
        (["-lTq"], ["--transactions=m.tlog"]),
        (["-f"], ["--fixed-seats", "--log=m.log"]),
        (["-a", "-S"], ["--append", "--show-folded", "--log=m.log"]),
        (["-p", "1001,1002", "-l"], ["--ports=1001,1002"]),
        (["-l", "--t_response", "500"], ["--response-seconds=0.5"]),
        (["-l", "--t_response=600000", "--t_hand", "1"], ["--response-seconds=600", "--hand-seconds=0.001"]),
        (["-l", "--t_per_hand", "7000"], ["--match-seconds-a-hand=7"]),
        (["-l", "--start_timeout", "10000"], ["--start-seconds=10"]),
        (["-l", "--start_timeout", "-1"], ["--start-seconds=100000000"]),
        (["-l", "--json", "--host", "0.0.0.0"], ["--json", "--host=0.0.0.0"]),
        (["--log", "x.log"], ["--log=x.log"]),
    ],
)
def test_options(official, ours):
    for words in ([*MATCH, *official], [*official, *MATCH], [*MATCH[:2], *official, *MATCH[2:]]):
        assert in_our_words(words, dealer.params) == [*OURS, "--names=A,B", *ours]
    programs = [*MATCH[:5], "./a.sh", "B", "b.sh", *official]
    said = [*OURS, "--agents=program:./a.sh", "--agents=program:b.sh", "--names=A,B", *ours]
    assert in_our_words(programs, dealer.params, with_programs=True) == said


def test_which_command_lines_are_official():
    for words in (MATCH, ["-f", *MATCH], ["--t_hand", "5", *MATCH], ["--t_hand=5", *MATCH], ["-l"]):
        assert is_official(words)
    for words in ([], ["-h"], ["--help"], ["--agents", "call"], ["--json", *MATCH]):
        assert not is_official(words)
    assert in_our_words([*MATCH, "--help"], dealer.params) == ["--help"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (MATCH[:4], "NAME GAME HANDS SEED PLAYER... are expected, not 'm leduc.game 100 1'"),
        ([*MATCH, "-x"], "option -x not recognized: the official dealer's options are -p -f -a -S -l -L -t -T -q and"),
        ([*MATCH, "--t_round", "5"], "option --t_round not recognized"),
        ([*MATCH, "--t_hand", "soon"], "--t_hand: milliseconds are expected, not 'soon'"),
        ([*MATCH, "-p"], "option -p requires argument"),
    ],
)
def test_mistakes(words, complaint):
    with pytest.raises(PokerlabError) as error:
        in_our_words(words, dealer.params)
    assert complaint in str(error.value)


@pytest.mark.parametrize("words", [MATCH[:5], [*MATCH, "./b.sh"]])
def test_every_player_has_a_program(words):
    with pytest.raises(PokerlabError, match="NAME GAME HANDS SEED PLAYER PROGRAM"):
        in_our_words(words, dealer.params, with_programs=True)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["dealer", "m", "nothing", "9", "1", "A", "B"], "no game"),
        (["dealer", "m", "leduc", "0", "1", "A", "B"], "a whole number from 1 to 10^8 is needed, not 0"),
        (["dealer", "m", "leduc", "9", "1", "A"], "2 different names of players are needed"),
        (["dealer", "m", "leduc", "9", "1", "A", "B", "--t_hand", "0"], "a number above 0"),
        (
            ["play_match", "m", "leduc", "9", "1", "A", "./no.sh", "B", "./no.sh"],
            "cannot start program:./no.sh: No such",
        ),
        (["play_match", "m", "leduc", "9", "1", "A", "B"], "2 different names of players are needed, got A"),
        (["play_match", "m"], "are expected, not 'm'"),
    ],
)
def test_mistakes_are_one_line(words, complaint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == 2
    assert complaint in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_match_as_its_users_start_it(tmp_path):
    """The first line of standard output has the ports, the last the score; the log is named after the match."""
    (tmp_path / "kuhn.game").write_text(
        "GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = 1\nblind = 1 1\nraiseSize = 1\nfirstPlayer = 1\nmaxRaises = 1\n"
        "numSuits = 1\nnumRanks = 3\nnumHoleCards = 1\nnumBoardCards = 0\nEND GAMEDEF\n"
    )
    command = [sys.executable, "-m", "pokerlab", "dealer", "m", "kuhn.game", "30", "1", "A", "B", "-f", "-T"]
    with subprocess.Popen(
        [*command, "--t_response", "5000", "--start_timeout", "30000"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as process:
        ports = [int(port) for port in process.stdout.readline().split()]

        def answer(line, turn):
            return f"{line}:{'cr'[turn % 2]}\r\n".encode()

        players = [PlainPlayer(port, 2, answer) for port in ports]
        for player in players:
            player.start()
        score = process.communicate(timeout=60)[0]
    assert process.returncode == 0
    assert score.startswith("SCORE:")
    assert score.endswith(":A|B\n")
    lines = (tmp_path / "m.log").read_text().splitlines()
    assert lines[:4] == [
        "# name/game/hands/seed m kuhn.game 30 1", "#--t_response 5000", "#--t_hand 600000", "#--t_per_hand 7000",
    ]  # fmt: skip
    assert lines[-1] == score.strip()
    records = list(read_log(tmp_path / "m.log"))
    assert (len(records), {record.names for record in records}) == (30, {("A", "B")})
    assert (tmp_path / "m.tlog").read_text().endswith(score)
