"""Training of dual encoders by Tevatron (Gao et al., 2022): its data set, collator, model and trainer.

Tevatron 0.1.0 was written for transformers 4. Here it is given our tokenizer, pooling and files, and nothing else. It
draws batches and negatives in its own order. An interrupted training begins again.
"""

import math
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import tevatron.data
import tevatron.trainer
import torch
from tevatron.arguments import DataArguments, DenseTrainingArguments
from tevatron.data import QPCollator
from tevatron.modeling import DenseModel

from robustdr.core.errors import UserError
from robustdr.encoding import hardware
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.encoding.encoder import Encoder
from robustdr.training.card import model_card
from robustdr.training.data import Examples, read_training_data
from robustdr.training.dense import TITLE, USE, encoders_in_training
from robustdr.training.feed import Feed, Files
from robustdr.training.loop import write_course
from robustdr.training.settings import DenseTraining as Settings
from robustdr.training.state import save


class Groups:
    """The examples as Tevatron reads them: a query, its positives and its negatives, as texts."""

    def __init__(self, examples: Examples, queries: str, separator: str):
        self.examples, self.queries, self.separator = examples, queries, separator

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, number: int) -> dict[str, str | list[str]]:
        example = self.examples[number]
        positives, negatives = (
            [passage.read_passage().joined(self.separator) for passage in passages]
            for passages in (example.positives, example.negatives)
        )
        query = example.query if self.queries == "query" else example.variations[0]
        return {"query": query, "positives": positives, "negatives": negatives}


class TrainDataset(tevatron.data.TrainDataset):
    """Tevatron's data set with a tokenizer of transformers 5, which has no `encode_plus`."""

    def create_one_example(self, text_encoding: str, is_query: bool = False) -> Any:
        length = self.data_args.q_max_len if is_query else self.data_args.p_max_len
        return self.tok(
            text_encoding,
            truncation=True,
            max_length=length,
            return_attention_mask=False,
            return_token_type_ids=False,
        )


class Trainer(tevatron.trainer.DenseTrainer):
    """Tevatron's trainer, called as transformers 5 calls it."""

    def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, **_: Any) -> Any:
        loss = super().compute_loss(model, inputs)
        return (loss, None) if return_outputs else loss


class PooledEncoder(torch.nn.Module):
    """A transformer whose first token is the vector of the text: Tevatron takes that token, our pooling may differ."""

    def __init__(self, encoder: Encoder):
        super().__init__()
        self.encoder, self.transformer = encoder, encoder.transformer

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, return_dict: bool = True) -> Any:
        hidden = self.transformer(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state.float()
        return SimpleNamespace(last_hidden_state=self.encoder.pool(hidden, attention_mask).unsqueeze(1))


def dense_model(settings: Settings, initial: Path, batch: int) -> tuple[DenseModel, dict[str, Encoder]]:
    """Return Tevatron's model with one encoder or two, and our encoders behind it, by route."""
    encoders = encoders_in_training(settings, initial)
    models = {route: PooledEncoder(encoder) for route, encoder in encoders.items()}
    model = DenseModel(
        models[QUERY],
        models.get(DOCUMENT, models[QUERY]),
        data_args=data_arguments(settings),
        train_args=SimpleNamespace(negatives_x_device=False, per_device_train_batch_size=batch),
    )
    return model, encoders


def data_arguments(settings: Settings) -> DataArguments:
    return DataArguments(
        q_max_len=settings.query_length, p_max_len=settings.passage_length, train_n_passages=1 + settings.negatives
    )


def train(
    settings: Settings,
    seed: int,
    data: Path,
    initial: Path,
    output: Path,
    cost: Path,
    files: Files,
) -> None:
    """Train one model on one device.

    Args:
        seed: of batches, draws and dropout. data: the training file. initial: the model to start from.
        output: the model directory to write. cost: the file of what it took.
        files: `corpus`, the collection's passages.

    Raises:
        UserError: there are fewer examples than one batch needs, or the loss is not finite.
    """
    hardware.start(settings.threads)
    (corpus,) = files["corpus"]
    examples, size = read_training_data(data, corpus), settings.batch_size
    steps = max(1, round(settings.epochs * Feed(examples, size, settings.negatives, 0.0, seed).per_epoch))
    torch.manual_seed(seed)
    model, encoders = dense_model(settings, initial, size)
    encoder, arguments = encoders[QUERY], data_arguments(settings)
    training = DenseTrainingArguments(
        output_dir=str(output.parent),  # nothing is written there
        per_device_train_batch_size=size,
        max_steps=steps,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="linear" if settings.decay else "constant_with_warmup",
        warmup_steps=math.ceil(settings.warmup * steps),
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.max_gradient_norm or 0.0,
        seed=seed,
        bf16=settings.precision == "bfloat16",
        fp16=settings.precision == "float16",
        use_cpu=encoder.device.type == "cpu",
        save_strategy="no",
        logging_steps=1,
        logging_nan_inf_filter=False,
        report_to=[],
        disable_tqdm=True,
        remove_unused_columns=False,
    )
    groups = Groups(examples, str(settings.loss.get("queries", "query")), encoder.separator)
    dataset = TrainDataset(arguments, groups, encoder.tokenizer)
    collator = QPCollator(encoder.tokenizer, max_q_len=arguments.q_max_len, max_p_len=arguments.p_max_len)
    trainer = Trainer(model=model, args=training, train_dataset=dataset, data_collator=collator)
    dataset.trainer = trainer
    began = time.monotonic()
    trainer.train()
    seconds = time.monotonic() - began
    log = [entry for entry in trainer.state.log_history if "loss" in entry]
    if bad := next((entry for entry in log if not math.isfinite(entry["loss"])), None):
        raise UserError(f"{data}: the loss is not finite at step {bad['step']} of {steps}; try a lower learning_rate")
    card = model_card(f"{TITLE}, trained by Tevatron", USE, settings, seed, steps, steps)
    save(encoders, initial, output, card, settings.encoders == "separate")
    names = {name: name for name in ("step", "epoch", "learning_rate")} | {"grad_norm": "gradient_norm", "loss": "loss"}
    course = [{ours: entry[theirs] for theirs, ours in names.items()} for entry in log]
    write_course(output, cost, course, seconds, encoder.device, 1)
