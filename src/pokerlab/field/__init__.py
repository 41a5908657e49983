"""The field: every kind of player that chapter 2 of Rubin (2013) reviews, a readable file each."""
