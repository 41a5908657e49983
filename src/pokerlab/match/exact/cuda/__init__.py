"""Best responses on boards for a GPU: the kernels, and the engine that launches them."""
