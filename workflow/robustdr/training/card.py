"""Model cards."""

from dataclasses import asdict

import yaml

from robustdr.settings import deciding
from robustdr.training.settings import TrainSettings

CARD = """---
library_name: sentence-transformers
tags: [dense-retrieval, robustness, robustdr]
---
# {system}

A dual encoder trained by robustdr (seed {seed}, step {step} of {steps}). Score: dot product of the query vector (at
most {query_length} tokens) and the passage vector (at most {passage_length} tokens).

```python
from sentence_transformers import SentenceTransformer
model = SentenceTransformer("path/to/this/directory")
scores = model.encode_query(["what is photosynthesis"]) @ model.encode_document(["…"]).T
```

Recipe:

```yaml
{recipe}```

Key: {key}
"""


def model_card(settings: TrainSettings, seed: int, key: str, steps: int, step: int) -> str:
    """The README.md of a trained model: what it is, how to load it, its recipe and its key."""
    recipe = yaml.safe_dump(deciding(settings), allow_unicode=True)
    return CARD.format(**asdict(settings), seed=seed, key=key, steps=steps, step=step, recipe=recipe)
