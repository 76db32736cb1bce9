"""`PYTHONPATH=tests python -m golden.make` writes the golden vectors anew; README.md says what they are."""

import json
from pathlib import Path

from golden import make_encoders, make_losses, make_rankers

FILES = {
    "losses.json": make_losses.golden,
    "rankers.json": make_rankers.golden,
    "encoders.json": make_encoders.golden,
}
HERE = Path(__file__).parent


def text(name: str) -> str:
    return json.dumps(FILES[name](), separators=(",", ":")) + "\n"


if __name__ == "__main__":
    for name in FILES:
        (HERE / name).write_text(text(name), encoding="utf-8")
