"""Training of a T5 that writes a TREC topic's title from its description (qvg, section 3.2, T5DescToTitle).

The authors' model is on no hub. This is their training: AdamW, a learning rate that falls to 0, descriptions of 128 and
titles of 64 tokens at most, after the prompt that `T5DescriptionToTitle` gives the model.
"""

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from robustdr.collections.irds import load
from robustdr.core.errors import UserError
from robustdr.core.files import atomic
from robustdr.core.seeds import generator
from robustdr.encoding import loading
from robustdr.encoding.allowed import INDEX, PICKLES
from robustdr.encoding.directory import WEIGHTS
from robustdr.variations.paraphrase import T5DescriptionToTitle

DESCRIPTION, TITLE = 128, 64  # tokens
WEIGHT_DECAY = 0.01
IGNORED = -100  # the target that transformers leaves out of the loss


def topics(datasets: Iterable[str]) -> list[tuple[str, str]]:
    """Return (description, title) of each topic of data sets of ir_datasets, repeated ones once.

    Raises:
        UserError: a data set that is unknown, or whose topics lack one of the two.
    """
    topic_texts: dict[tuple[str, str], None] = {}
    for name in datasets:
        for topic in load(name, "queries").queries_iter():
            if not hasattr(topic, "title") or not hasattr(topic, "description"):
                raise UserError(f"train-titles: {name}: its topics have no title and description")
            topic_texts[_plain(topic.description), _plain(topic.title)] = None
    return list(topic_texts)


def _plain(text: str) -> str:
    return " ".join(text.replace('"', "").split())


def train_titles(
    initial: Path, output: Path, pairs: Sequence[tuple[str, str]], epochs: int, batch: int, rate: float, seed: int
) -> float:
    """Train a T5 and write its folder, with the tokenizer that it had.

    Args:
        initial: folder of a T5 in safetensors. output: folder to write. pairs: descriptions and titles.
        rate: the first learning rate; it falls to 0. seed: of the order and of dropout.

    Returns:
        The mean loss of the last epoch, per token of a title.

    Raises:
        UserError: `initial` holds no such model.
    """
    import torch
    from transformers import AutoModelForSeq2SeqLM

    from robustdr.encoding import hardware

    torch.manual_seed(seed)
    device = hardware.device()
    try:
        tokenizer = loading.tokenizer(initial)
        model = loading.transformer(AutoModelForSeq2SeqLM, initial, dtype=torch.float32).to(device).train()
    except (OSError, ValueError) as error:
        raise UserError(f"train-titles: {initial}: no sequence-to-sequence model ({error})") from error
    steps = epochs * -(-len(pairs) // batch)
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=WEIGHT_DECAY)
    falling = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / steps)
    for epoch in range(epochs):
        order, losses = list(pairs), []
        generator("titles", seed, epoch).shuffle(order)
        for start in range(0, len(order), batch):
            descriptions, titles = zip(*order[start : start + batch], strict=True)
            encoded = tokenizer(
                [T5DescriptionToTitle.prompt.format(text) for text in descriptions],
                padding=True, truncation=True, max_length=DESCRIPTION, return_tensors="pt",
            ).to(device)  # fmt: skip
            target = tokenizer(list(titles), padding=True, truncation=True, max_length=TITLE, return_tensors="pt")
            labels = target["input_ids"].masked_fill(target["attention_mask"] == 0, IGNORED).to(device)
            loss = model(input_ids=encoded["input_ids"], attention_mask=encoded["attention_mask"], labels=labels).loss
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            falling.step()
            losses.append(loss.item())
    with atomic(output) as temporary:
        shutil.copytree(initial, temporary, ignore=shutil.ignore_patterns(WEIGHTS, INDEX, *PICKLES, ".*"))
        model.save_pretrained(temporary, safe_serialization=True)
    return sum(losses) / len(losses)
