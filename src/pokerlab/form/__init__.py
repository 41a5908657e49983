"""Games in sequence form: treeplexes, payoff operators, maps, and the compiler from rules."""
