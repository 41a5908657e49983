"""Dealing, playing, recording and scoring."""
