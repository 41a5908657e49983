"""What a player sees and may bet: partitions of cards, subsets of bets, translation of real bets."""
