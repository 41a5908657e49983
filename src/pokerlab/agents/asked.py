"""Agents are others' code, and are asked here: whatever goes wrong is one error that names the agent and what it saw.

An agent that raises, calls `sys.exit` or answers what is no distribution over legal actions has failed (`AgentFailed`);
Ctrl-C and a person's end of input are no failure. The cause is chained, for who wants the whole traceback.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeVar

import numpy as np

from pokerlab.agents.agent import Agent, Answers, Distribution, choose
from pokerlab.cards.holes import holes_of
from pokerlab.errors import AgentError, AgentFailed, IllegalAction, PokerlabError, shown
from pokerlab.game.hand import View
from pokerlab.registry import place_of, problem_of

Answer = TypeVar("Answer")

_CLOSE = 1e-6  # how near probabilities must come to 1
_CAUGHT = (Exception, SystemExit)


def action_of(agent: Agent, view: View, uniform: float) -> int:
    """The action that an agent takes, where a uniform number in [0, 1) picks among those that it gives a chance."""
    assert view.legal is not None
    answer: Distribution = {}
    try:
        answer = agent.act(view)
        return choose(answer, view.legal, uniform)
    except _CAUGHT as error:
        raise _failed(agent, _plainer(error, answer), view) from error


def distribution_of(agent: Agent, view: View) -> Distribution:
    """What an agent does at a view: probabilities of legal actions that add up to 1."""
    assert view.legal is not None
    answer = asked(agent, agent.act, view)
    try:
        choose(answer, view.legal, 0.0)
    except _CAUGHT as error:
        raise _failed(agent, _plainer(error, answer), view) from error
    return answer


def answers_of(agent: Agent, view: View, question: Callable[[View], Answers] | None = None) -> Answers:
    """What an agent does with each of the deck's hole cards; `question` is its `answers`, or another such method.

    Probabilities of cards that the agent would not be holding may be missing, and so add up to less than 1.
    """
    answers = asked(agent, question or agent.answers, view)
    alive = _alive(len(view.rules.deck), view.rules.hole_cards, view.board)
    try:
        total = np.zeros(len(alive))
        for action, odds in answers.items():
            if view.legal is not None and action not in view.legal:
                raise IllegalAction(f"it gives a probability to {action!r}, which is not legal")
            if not odds[alive].min(initial=0.0) >= 0:
                raise IllegalAction(f"it gives {action} a probability that is negative or no number")
            total += odds
        if not total[alive].max(initial=0.0) <= 1 + _CLOSE:
            raise IllegalAction(f"its probabilities with some hand add up to {total[alive].max()}, not 1")
    except _CAUGHT as error:
        raise _failed(agent, error, view) from error
    return answers


def asked(agent: Agent, question: Callable[..., Answer], *about: View) -> Answer:
    """What a method of an agent returns."""
    try:
        return question(*about)
    except _CAUGHT as error:
        raise _failed(agent, error, *about) from error


def _plainer(error: BaseException, answer: object) -> BaseException:
    """What is wrong with an answer that has no probabilities at all."""
    if isinstance(answer, Mapping):
        return error
    return IllegalAction(f"an answer is probabilities of actions, as in {{CALL: 1.0}}, not {shown(repr(answer))}")


@lru_cache(maxsize=4096)
def _alive(deck: int, count: int, board: tuple[int, ...]) -> np.ndarray:
    """Which hole cards are none of the board."""
    return np.array([set(board).isdisjoint(hole) for hole in holes_of(deck, count)])


def _failed(agent: Agent, error: BaseException, view: View | None = None) -> PokerlabError:
    """The error of an agent, in one line."""
    if isinstance(error, (AgentError, AgentFailed)):  # it refuses, and says who it is
        return error
    problem = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SystemExit):
        problem = problem_of(error)
    elif isinstance(error, PokerlabError):
        problem = str(error)
    where = place_of(error, type(agent).__module__)
    seen = "" if view is None else f" with {view.cards_text()} after {shown(view.betting_text())}"
    return AgentFailed(f"agent {agent.title!r} failed{seen}: {problem}{where}")
