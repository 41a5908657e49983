"""Hold'em spots: a turn or river (or small flop) solved with every hand, from a file or from a table."""
