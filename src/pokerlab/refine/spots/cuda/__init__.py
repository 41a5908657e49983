"""The engine for a device: the same passes as the processor's, all boards of a street in one launch."""
