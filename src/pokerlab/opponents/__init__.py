"""Players who look at whom they play: several strategies in one, choosing among them, adapting, switching games."""
