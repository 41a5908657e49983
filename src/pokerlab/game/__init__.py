"""Rules, betting, hands and the catalogue of games."""
