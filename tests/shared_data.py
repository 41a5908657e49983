"""Where the data lie that the project does not own: `../shared/data`, beside the checkout."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared_data(*parts: str) -> Path:
    """A file or folder of the shared data; skips the test, saying so, on machines without it."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no shared data at {path}")
    return path
