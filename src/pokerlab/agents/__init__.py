"""Players: the Agent protocol, simple agents, strategies as agents, and how agents are named."""
