"""What `option_cases.py` gives to options: files and texts that make sense, and values that do not."""

from __future__ import annotations

from pokerlab import bounds

SPOT = """board = "Qs Jh 2h 4c 7d"
pot = 200
stacks = 900
rake = 0.05
rake_cap = 30
max_raises = 3
blind = 10
[state]
bets = [0, 100]
[oop]
range = "AA, KQs:0.5, T9s"
[ip]
range = "QQ-99, AKs"
[bets]
bet = "50%, 120c, all-in"
raise = "2.5x, all-in"
[[lock]]
line = ""
play = { call = 0.5 }
"""
PREFLOP = """stack = 600
blinds = [50, 100]
[raises]
limp = true
open = "2x"
limped = "all-in"
3-bet = "all-in"
[boards]
flops = "As Kd 7c"
turns = 1
rivers = 1
seed = 1
[big_blind]
range = "AA, QJs:0.5"
[small_blind]
range = "KK, 98s"
[bets]
bet = "100%"
raise = "all-in"
"""
GAME = """GAMEDEF
nolimit
numPlayers = 2
numRounds = 2
stack = 20 20
blind = 1 1
firstPlayer = 1 1
maxRaises = 2 2
numSuits = 2
numRanks = 3
numHoleCards = 1
numBoardCards = 0 1
ranks = JQK
betSizes = 50 100 allin
END GAMEDEF
"""
LIMIT = GAME.replace("nolimit", "limit").replace("stack = 20 20", "raiseSize = 2 4").replace("betSizes", "# betSizes")
EFG = """EFG 2 R "Pennies" { "A" "B" }
p "" 1 1 "" { "h" "t" } 0
p "" 2 1 "" { "h" "t" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
p "" 2 1 "" { "h" "t" } 0
t "" 3 "" { -1, 1 }
t "" 4 "" { 1, -1 }
"""
BOTS = """
import pokerlab

class Calls(pokerlab.Agent):
    def __init__(self, size=1):
        self.size = size

    def act(self, view):
        return {0: 1.0}
"""

# Texts that make sense, by parameter, or by command and parameter where that is not enough. Parameters of other types
# need none; a new text without a row here is one that the test asks for.
GOOD: dict[str, list[str]] = {
    "game": ["kuhn", "leduc", "limit.game", "leduc:ranks=4,suits=2"],
    "solve game": ["kuhn", "pennies.efg", "small.game", "leduc-nl:stack=3", "openspiel:kuhn_poker"],
    "ingest game": ["kuhn"],
    "evaluate game": ["kuhn"],
    "ask game": ["holdem-limit"],
    "abstraction": ["FULL", "JQ.K-FULL"],
    "evaluate abstraction": ["FULL"],
    "method": ["cfr+", "lp", "dcfr", "fp", "egt", "omd", "double-oracle", "range-of-skill", "external-sampling"],
    "spot method": ["dcfr-spot", "dcfr", "cfr+"],
    "spots method": ["dcfr-spot", "dcfr", "cfr+"],
    "evaluate flops": ["1", "all"],
    "spots flops": ["Qs Jh 2h 4c 7d, As Kd 2c 3c 4c: 2"],
    "lines": ["", "all-in"],
    "device": ["cpu", "auto"],
    "weighting": ["linear", "cfr"],
    "agents": ["call", "raise?size=50", "random", "bots:Calls?size=2", "table:kuhn.strategy"],
    "web agents": ["bots:Calls?size=2"],
    "dealer first": ["call"],
    "dealer more": [],
    "dealer name": ["m"],
    "play_match words": [],
    "agent": ["call", "uniform"],
    "ask agent": ["limit.blueprint", "limit.blueprint?threshold=0.1"],
    "evaluate agent": ["kuhn.strategy", "limit.blueprint", "table:kuhn.strategy"],
    "player": ["call"],
    "score": ["money", "check-call"],
    "ports": ["0,0"],
    "host": ["127.0.0.1"],
    "names": ["Ann,Bob"],
    "hole": ["AsKd"],
    "board": ["", "Qs Jh 2h"],
    "betting": ["", "rc/"],
    "hand": ["AsKd"],
    "spec": ["169/percentile:1/percentile:1/percentile:1"],
    "file_or_spec": ["forgets.buckets", "169/percentile:1/percentile:1/percentile:1"],
    "line": ["", "all-in"],
    "preflop line": ["", "call, check"],
    "preflop board": ["Qs Jh 2h"],
    "preflop method": ["dcfr-spot", "dcfr", "cfr+"],
    "view": ["strategy", "ev", "equity", "range", "loss", "blockers", "ev call"],
    "spot hand": ["AsAd"],
    "like": ["pair", "set, top pair + not air"],
    "train name": ["tiny"],
    "cards": ["169/percentile:1/percentile:1/percentile:1", "made-hands?count=3"],
    "bets": ["cap 1 1 1 1"],
    "expert": ["call"],
    "train game": ["holdem-limit"],
    "strength": ["category"],
    "solutions": ["vector", "single"],
    "opponents": ["call"],
    "trends score": ["aivat"],
    "paper name": ["tiny"],
    "ranges": ["AA", "KQs,77-22:0.5"],
    "text": ["22+,A2s+"],
    "versus": ["QQ+"],
    "against": ["call", "kuhn.strategy"],
    "counter game": ["kuhn"],
    "counter method": ["cfr+", "dcfr", "fp"],
    "counter cards": ["made-hands?count=3"],
    "dead": ["2c"],
    "chips": ["1000"],
    "stacks": ["900/800/700"],
    "blinds": ["200/400"],
    "prizes": ["50/30/20"],
    "jamfold method": ["cfr+", "dcfr"],
    "query": ["select count(*) from hands"],
    "stakes": ["1"],
    "position": ["BTN"],
    "cluster": ["1"],
    "evolve game": ["holdem-limit", "holdem-limit-3p"],
    "selection": ["pareto", "hall-of-fame"],
    "imitate game": ["holdem-limit"],
}  # fmt: skip
FILES: dict[str, list[str]] = {
    "preflop file": ["tiny.toml", "tiny.preflop"],
    "spot file": ["river.toml", "river.solution"],
    "spot compare": ["river.solution"],
    "spots files": ["river.toml"],
    "ingest logs": ["match.log"],
    "train logs": ["holdem.log"],
    "imitate logs": ["holdem.log"],
    "merge files": ["call.cases"],
    "score file": ["call.cases"],
    "score logs": ["holdem.log"],
    "show file": ["call.cases"],
    "show logs": ["holdem.log"],
    "stats store": ["hands.store"],
    "types store": ["hands.store"],
    "types model": ["kuhn.trends"],
    "sql store": ["hands.store"],
    "out": ["new.out"],
    "web ledger": ["new.sqlite"],
    "paper out": ["new"],
    "tournament out": ["new"],
    "evaluate out": ["new"],
    "spots out": ["new"],
}
EXACT = ("flops", "seconds", "out", "seed", "processes", "cluster", "device")  # options of `evaluate --exact`
# What a command needs besides, so that a good value can be told from a bad one.
BESIDES: dict[str, list[str]] = {
    "solve --step-size": ["--method", "omd"],
    "solve --best-response": ["--method", "range-of-skill"],
    "solve --start": ["--method", "double-oracle"],
    "solve --weighting": ["--method", "external-sampling"],
    "solve --threads": ["--method", "external-sampling"],
    "solve --seed": ["--method", "external-sampling"],
    "solve --alpha": ["--method", "dcfr"],
    "solve --beta": ["--method", "dcfr"],
    "buckets build": ["--recall", "imperfect"],
    "buckets show": ["--hand", "AsKd", "--recall", "imperfect"],  # without a hand it looks at all of them
    "cases train": ["--strength=category", "--processes=1"],
    "cases score": ["--processes=1"],
    "tournament": ["--processes", "1"],
    "ask --board": ["--betting", "cc/"],
    "ask --betting": ["--board", "Qs Jh 2h"],
    "dealer": ["--start-seconds", "0.01"],
    "join": ["--game=kuhn"],
    "spot": ["--threads", "1"],
    "spots": ["--processes=1", "--out=new", "--iterations=2"],
    "train": ["--threads", "1"],
    "train --resume": ["--out=warm"],
    "train --game": ["--out=new.out", "--cards=forgets.buckets"],
    "trends": ["--processes=1", "--game=kuhn"],
    "web": ["--ledger=new.sqlite"],
    "counter": ["--method=cfr+"],
    "counter --expert": ["--against", "match.log"],
    "counter --skip-bad": ["--against", "match.log", "--expert=call"],
    "jamfold --stack": ["--method", "cfr+"],
    "jamfold --method": ["--stack=5"],
    "jamfold --chips": ["--blinds", "200/400"],
    "jamfold --stacks": ["--blinds", "100/200", "--draws", "1000"],
    "jamfold --prizes": ["--stacks=2700/2700/2700", "--draws", "1000"],
    "jamfold --iterations": ["--stacks=2700/2700/2700", "--draws", "1000"],
    "jamfold --seed": ["--stacks=2700/2700/2700", "--draws", "1000"],
    "jamfold --draws": ["--stacks=2700/2700/2700"],
    "jamfold --rounds": ["--stacks=1200/1200/1200", "--draws", "1000", "--iterations", "2"],
    "jamfold --blinds": ["--chips=1000"],
    "jamfold --json": ["--stack=5", "--method=cfr+"],
    "solve --resume": ["--out=kuhn.strategy"],
    **{f"evaluate --{one}": ["--exact", "--game=leduc"] for one in EXACT},
    "evaluate --exact": ["--game=leduc"],
    "preflop": ["--threads", "1"],
    "preflop --board": ["--spot=new.toml", "--line=call, check"],
    "preflop --spot": ["--line=call, check", "--board=Qs Jh 2h"],
    "preflop --resume": ["--checkpoint=tiny.checkpoint"],
    "spot --resume": ["--checkpoint=river.checkpoint"],
    "spot --html": ["--runouts"],
    "spot --compare": ["--out=new.out"],
}  # fmt: skip
INSTEAD = {
    "evaluate --response": ["limit.blueprint"],
    **{f"evaluate --{one}": ["call"] for one in ("exact", *EXACT)},
    "train --game": [],
    **{f"spot --{one}": ["turn.solution"] for one in ("runouts", "html")},
    "cases show --expert": ["call.cases", "holdem.log"],
    "counter --cards": ["holdem-limit"],
}  # of the arguments
# They are not for every file.
ONLY_WHEN_TESTED = {"evaluate --response", "evaluate --seconds", "counter --observe", "spot --runouts", "spot --html"}
WARM = [
    "train tiny --seconds 0.1 --threads 1 --out warm",
    "ask limit.blueprint --hand AsKd",
    "buckets show forgets.buckets --hand AsKd --board QsJh2h",
    "evaluate kuhn.strategy",
    "preflop tiny.toml --iterations 2 --threads 1",
    "evaluate limit.blueprint --deals 2 --response 0.05",
    "evaluate call --game leduc --exact",
    "solve kuhn --method range-of-skill --iterations 2",
    "solve kuhn --method external-sampling --iterations 2",
    "counter holdem-limit --against call --observe 20 --iterations 20 --cards made-hands?count=3",
    "jamfold --stacks 900/800/700 --blinds 100/200 --iterations 2 --draws 1000",
    "jamfold --stacks 1200/1200/1200 --rounds 1 --iterations 2 --draws 1000",
    "counter kuhn --against call --kind data-biased --method cfr+ --iterations 2",
    "match call raise --game holdem-limit --hands 20 --log holdem.log",
    "cases train holdem.log --expert call --strength category --processes 1 --out call.cases",
    "trends probe call raise --game kuhn --hands 2 --processes 1 --out kuhn.trends",
    "imitate holdem.log --expert call --out imitated",
    "equity AA KQs --samples 3",
    "range 22+ --versus QQ+",
    "spot turn.solution --runouts --threads 1",
]
FEW = {
    bounds.HANDS: "3", bounds.DEALS: "2", bounds.SAMPLES: "3", bounds.ITERATIONS: "3", bounds.SECONDS: "0.05",
    bounds.WAIT: "0.01", bounds.GENERATIONS: "1",
}  # fmt: skip

NUMBERS = [
    "nan", "-1", str(10**23), "inf", "0", "1e23", str(10**9), "-inf", "1e400", "9" * 5000, "0x10", "1_0",
    "", "x", "½", "1 2",
]  # fmt: skip
ODD = [
    "", "\x1b[31mred\x1b[0m", "\udcff", "a" * 20_000, str(10**23), "folder", "missing", "/dev/zero", "nan",
    "-1", " ", "-", "--", "?", ":", "=", ",", "/", "|", "%s", "{0}", "[bold]", "\x07\x9b", "ψ" * 40,
    "kuhn:stack=" + "9" * 30, ".", "..", "/dev/null", "leduc:ranks=99999,suits=99999", "folder/missing",
    "river.toml/x", "os:system?command=exit", "os:_exit", "random?", "?=", "raise?size=nan", "table:",
    "table:river.toml", "table:/dev/zero", "blueprint:missing", "resolving:", "bots:", "human",
    "bots:Missing", "bots:Calls?speed=1", ".:x", "openspiel:", "openspiel:nothing(", "holdem-nolimit",
    "r" * 300, "AsAs", "1h", "leduc-nl:stack=2147483647", "r99999999999999999999", "🂡🂢",
    "fixed:0/fixed:1/fixed:1/fixed:1", "0.0.0.0", "::1", "a,a",
    "potential:1000000000000/fixed:1/fixed:1/fixed:1", "256.256.256.256", "Ann,Ann", ",,,", "0,99999",
]  # fmt: skip
PROCESSES = ["", "nobody", "\x1b[31mred", "raise?size=nan"]  # each starts an interpreter
PATHS = [
    "", "/dev/null/x", "folder", "missing/deeper", "/proc/version", "river.toml", "noise", "a" * 300,
    "\x1b[31m", "\udcff", "/", "empty", "kuhn.strategy/x", "/dev/full", "river.solution",
]  # fmt: skip
