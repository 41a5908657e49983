"""Exact best responses on the public tree, board by board, for limit games of two players."""
