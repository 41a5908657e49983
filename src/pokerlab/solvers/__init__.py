"""Equilibrium finders: linear programming and the regret family."""
