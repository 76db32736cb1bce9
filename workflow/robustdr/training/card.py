"""Model cards."""

from dataclasses import asdict

import yaml

from robustdr.core.settings import deciding
from robustdr.training.settings import LoopSettings

CARD = """---
library_name: sentence-transformers
tags: [information-retrieval, robustness, robustdr]
---
# {system}

{title}, trained by robustdr (seed {seed}, step {step} of {steps}). {use}

Recipe:

```yaml
{recipe}```
"""


def model_card(title: str, use: str, settings: LoopSettings, seed: int, steps: int, step: int) -> str:
    """The text of a trained model's README.md: what it is (`title`), how to `use` it, and its recipe."""
    recipe = yaml.safe_dump(deciding(settings), allow_unicode=True)
    card_fields = {**asdict(settings), "title": title, "use": use.format(**asdict(settings)), "recipe": recipe}
    return CARD.format(**card_fields, seed=seed, steps=steps, step=step)
