"""The mutants: which there are of a text, and the command's score on a package with one weak test."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mutation.operators import Mutant, mutants
from mutation.score import Score, listed_mutants, overall, wilson

TESTS = Path(__file__).parent

EVERYTHING = '''
"""A text is left alone."""
if TYPE_CHECKING:
    from chips import Chip
LIMIT: int = 3
MOST = 10_000
MORE = 2**18

@cache(maxsize=64)
def pay(chips: int, of: int = 2) -> int:
    """So is this."""
    if not chips:
        raise ValueError(chips - 1)
    best = max(chips, of)
    for chip in sorted(range(best), key=abs):
        if chip >= 2 and chip in (5,):
            break
        best -= pay(chips[:chip], 0)
    self.best = -best if best is None else [c for c in best if c]
    assert best + 1
    return f"{best + 1:+.2f}" + "chips"

class Pot:
    __slots__ = ("a",)
    def __repr__(self):
        return 1 + 2
'''

MADE = """
LIMIT: int = 4 | LIMIT: int = 2
def pay(chips: int, of: int=3) -> int: | def pay(chips: int, of: int=1) -> int:
pass | if chips: raise ValueError(chips - 1) | pass
best = min(chips, of)
for chip in list(range(best)):
if chip >= 2 or chip in (5,): break | if chip > 2 and chip in (5,): break | if chip < 2 and chip in (5,): break
if chip >= 3 and chip in (5,): break | if chip >= 1 and chip in (5,): break
if chip >= 2 and chip not in (5,): break | if chip >= 2 and chip in (6,): break | if chip >= 2 and chip in (4,): break
pass | continue
pass | best += pay(chips[:chip], 0) | best -= pay(chips[:], 0) | best -= pay(chips[:chip], 1)
best -= pay(chips[:chip], -1) | best -= pay(0, chips[:chip])
pass | self.best = -best | self.best = [c for c in best if c]
self.best = best if best is None else [c for c in best if c]
self.best = -best if best is not None else [c for c in best if c]
self.best = -best if best is None else [c for c in best]
return | return f'{best - 1:+.2f}' + 'chips' | return f'{best + 2:+.2f}' + 'chips' | return f'{best + 0:+.2f}' + 'chips'
"""


def test_what_is_changed_and_what_is_not():
    made = sorted(mutant.after for mutant in mutants("pay.py", EVERYTHING))
    assert made == sorted(text for line in MADE.strip().splitlines() for text in line.split(" | "))


def test_mutants_are_named_by_function_and_compile_where_numba_does():
    source = "class A:\n    @njit(cache=True)\n    def f(self):\n        x = 1\n        return x < 2\n"
    rows = mutants("a.py", source)
    assert {(m.function, m.compiled) for m in rows} == {("A.f", True)}
    assert {(m.line, m.offset) for m in rows} == {(4, 1), (5, 2)}


def test_intervals():
    assert wilson(19, 20) == pytest.approx((0.7639, 0.9911), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    mutant = Mutant("a.py", 1, 0, "", False, False, "x", "y", 0)
    whole = Score("whole", 100, 100, 90, 0, (mutant,) * 10, (mutant,) * 5)
    half = Score("half", 300, 100, 100, 0, (), ())
    assert overall([whole], listed=False) == pytest.approx((0.9, 0.9, 0.9))
    assert overall([whole], listed=True)[0] == pytest.approx(90 / 95)
    share, low, high = overall([whole, half], listed=False)
    assert share == pytest.approx((0.9 * 100 + 300) / 400)
    assert low < share < high


def test_equivalent_mutants_have_reasons(tmp_path):
    reasons = listed_mutants(TESTS / "mutation" / "equivalent.txt")
    assert all(len(reason) > 10 for reason in reasons.values())
    broken = tmp_path / "broken.txt"
    broken.write_text("a.py f\n- x\n+ y\nbecause\n")
    with pytest.raises(SystemExit, match="expected at"):
        listed_mutants(broken)


DRIVER = """
import json, sys
from pathlib import Path
root = Path(sys.argv[1])
sys.path[:0] = [sys.argv[2], str(root / "src")]
from mutants import options, run
from mutation.runs import Group, Laboratory
from mutation.score import report
tests = (root / "tests/test_adding.py",)
group = Group("sums", (root / "src/sums/adding.py",), tests, tests)
lab = Laboratory(root, root / "src/sums", root / "kept", ["numba"], patience=1.0)
scores = run(lab, [group], options([]), {})
print(*report(scores), sep="\\n")
print(json.dumps([score.as_json() for score in scores]))
"""
ADDING = """from numba import njit


def total(a, b):
    return a + b


def unseen(a):
    return a + 0


def until(n):
    while n > 0:
        n -= 1
    return n


@njit
def twice(a):
    return a + a
"""
TEST_ADDING = """from sums.adding import total, twice, unseen, until


def test_total():
    assert total(1, 2) == 3


def test_unseen():
    assert unseen(5) == 5


def test_until():
    assert until(3) == 0


def test_twice():
    assert twice(4) == 8
"""


def test_the_command_tells_survivors_from_the_killed(tmp_path):
    """`a + 0` and `a - 0` are the same; all others are caught, also by hanging, and in what numba compiles."""
    for name, text in {"src/sums/__init__.py": "", "src/sums/adding.py": ADDING, "tests/test_adding.py": TEST_ADDING,
                       "pyproject.toml": "[tool.pytest.ini_options]\n"}.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, tmp_path, TESTS], capture_output=True, text=True, timeout=300, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    (score,) = json.loads(done.stdout.splitlines()[-1])
    made = mutants("adding.py", ADDING)
    assert (score["mutants"], score["tried"], score["killed"]) == (len(made), len(made), len(made) - 1)
    assert score["hangs"] == 3
    (survivor,) = score["survivors"]
    assert survivor == "adding.py:9 unseen: return a + 0  ->  return a - 0"
    assert f"- {survivor}" in done.stdout.splitlines()
    assert (tmp_path / "src/sums/adding.py").read_text() == ADDING


def test_what_is_listed_as_equivalent_is_there():
    source = TESTS.parent / "src" / "pokerlab"
    listed = listed_mutants(TESTS / "mutation" / "equivalent.txt")
    files = {name for name, *_ in listed}
    made = {mutant.key for name in files for mutant in mutants(name, (source / name).read_text())}
    assert set(listed) <= made
