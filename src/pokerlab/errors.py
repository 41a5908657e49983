"""Errors meant for a person: each says what was given and what was expected, in one line."""

from __future__ import annotations

_SHOWN = 100  # characters of bad text that a message repeats
_LONGEST = 2000  # characters of a message


def printable(text: str) -> str:
    """Text of a stranger, as a terminal may have it: what is not printable, such as escape codes, is spelled out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def one_line(message: str) -> str:
    """A message as one printable line, not too long, whatever it repeats of names and files."""
    line = printable(" ".join(message.split()))
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "..."


def shown(given: object) -> str:
    """What a stranger gave, as a message repeats it: printable, and not too long."""
    if isinstance(given, str):
        return repr(given if len(given) <= _SHOWN else given[:_SHOWN] + "...")
    try:
        text = repr(given)
    except (ValueError, RecursionError):  # numbers may have more digits than are printed, and lists be too deep
        text = f"{type(given).__name__} of great length"
    return printable(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


COMPLAINT = "pokerlab: "  # begins the line that the command prints of an error


class PokerlabError(ValueError):
    """Base of every error that bad input can cause; the command line prints it and exits with `exit_code`."""

    exit_code = 2

    def __str__(self) -> str:
        return one_line(super().__str__())


class PokerlabWarning(UserWarning):
    """Something that a person should know of and that does not stop the work; the command line prints it in a line."""

    def __str__(self) -> str:
        return one_line(super().__str__())


class UnknownGame(PokerlabError):
    """A name that is neither in the catalogue nor a file."""


class GameDefinitionError(PokerlabError):
    """Game-definition text that cannot be read, with its line."""


class CardError(PokerlabError):
    """Card text outside the deck, or cards dealt twice."""


class RangeError(CardError):
    """A range whose text cannot be read, names the piece; or weights that are none."""


class BetSizeError(PokerlabError):
    """A bet size that cannot be read, or makes no bet."""


class IllegalAction(PokerlabError):
    """An action that the rules do not allow in this state; names the rule that was broken."""


class AbstractionError(PokerlabError):
    """An abstraction that cannot be read, or does not fit the game."""


class ImperfectRecall(AbstractionError):
    """Merged infosets with different pasts where a linear map, and so perfect recall, is needed."""


class GameTooLarge(PokerlabError):
    """A game whose private states would be too many to enumerate."""


class StrategyFileError(PokerlabError):
    """A strategy file that is damaged, of another format, or of another game."""


class SolverError(PokerlabError):
    """A method or parameter that does not exist or does not apply."""


class ProtocolError(PokerlabError):
    """A line that is not of the competition's protocol or does not fit the game, or a dealer that cannot be reached."""


class AgentError(PokerlabError):
    """An agent that cannot be found, made or fielded."""


class AgentFailed(PokerlabError):
    """An agent that raised, exited or answered nonsense while it played: what was asked for was fine."""

    exit_code = 1

    def during(self, what: str) -> AgentFailed:
        """The same, and when it was."""
        return AgentFailed(f"in {what}, {self}")


class WorkerDied(PokerlabError):
    """A process that worked for this one ended in the middle of `task`, where that is known."""

    exit_code = 1

    def __init__(self, message: str, task: object = None) -> None:
        super().__init__(message)
        self.task = task


class LogError(PokerlabError):
    """A hand record that cannot be read, breaks a rule or does not pay as it says; names the file and the line."""


class StoreError(PokerlabError):
    """A hand store that cannot be opened, is of another format, or needs a package that is missing."""


class LedgerError(PokerlabError):
    """A file of the web's tables and hands that cannot be read or written."""


class NoSuchTable(PokerlabError):
    """A table or a hand that is not there."""


class HandMovedOn(PokerlabError):
    """An action, or a deal, for a state that a hand is no longer in: another tab was faster, or it came twice."""


class Crowded(PokerlabError):
    """More than a server takes on at once, or keeps; what was asked for may be asked for later."""


class CaseBaseError(PokerlabError):
    """A case base that cannot be read, learnt or merged, or records that it cannot learn from."""


class TrendsError(PokerlabError):
    """Aggression response trends that cannot be read or learnt."""


class GraftingError(PokerlabError):
    """Infosets that are no grafting partition (Definition 7 of Waugh, Bard and Bowling), or do not fit the base."""


class SubgameError(PokerlabError):
    """A subgame that the game does not have, or a refinement that does not fit it."""


class SpotError(PokerlabError):
    """A hold'em spot that cannot be read, makes no sense, needs too much memory, or a node that it does not have.

    `field` is the key of the spot's file that it is about, where that is one: `pot`, `oop.range`, `bets.turn`.
    """

    def __init__(self, message: str = "", field: str = "") -> None:
        super().__init__(message)
        self.field = field


class DeviceError(PokerlabError):
    """A device such as a GPU that is not there, has no room, fails, or is not for this."""


class ExtensiveGameError(PokerlabError):
    """A game tree that is not a two-player zero-sum game with perfect recall; says where."""


class NotTwoPlayers(ExtensiveGameError):
    """A game tree for another number of players than two."""


class NotZeroSum(ExtensiveGameError):
    """Payoffs of the two players that do not add up to the same at every end of the game."""


class ChanceError(ExtensiveGameError):
    """Chance probabilities that are negative or do not add up to 1."""


class InfosetMismatch(ExtensiveGameError):
    """Nodes of one infoset that do not offer the same actions."""


class ForgottenPast(ExtensiveGameError, ImperfectRecall):
    """An infoset that a player reaches after different moves of its own; names it and two of them."""


class EfgError(ExtensiveGameError):
    """A Gambit file that cannot be read; names the line."""


class OpenSpielError(ExtensiveGameError):
    """An OpenSpiel game that cannot be loaded or walked, or OpenSpiel itself missing."""
