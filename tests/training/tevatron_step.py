"""One step of Tevatron (Gao et al., 2022) on a training file, in an environment that has it: prints the two losses.

    python tevatron_step.py data.jsonl MODEL

The model's dropout is off. The second loss is of the same batch after a step of gradient descent.
"""

import sys
from types import SimpleNamespace

import torch
from datasets import load_dataset
from tevatron.arguments import DataArguments
from tevatron.data import QPCollator, TrainDataset
from tevatron.datasets.preprocessor import TrainPreProcessor
from tevatron.modeling import DenseModel
from transformers import BertModel, BertTokenizer

data, folder = sys.argv[1:]
torch.manual_seed(1)
tokenizer = BertTokenizer.from_pretrained(folder)
arguments = DataArguments(q_max_len=8, p_max_len=16, train_n_passages=3)
lines = load_dataset("json", data_files=data, split="train", cache_dir=f"{data}.cache")
tokens = lines.map(TrainPreProcessor(tokenizer, 8, 16, " "), remove_columns=lines.column_names)
trainer = SimpleNamespace(state=SimpleNamespace(epoch=0), args=SimpleNamespace(seed=1))
examples = TrainDataset(arguments, tokens, tokenizer, trainer)
batch = QPCollator(tokenizer, max_q_len=8, max_p_len=16)([examples[number] for number in range(4)])
encoder = BertModel.from_pretrained(folder)
told = SimpleNamespace(negatives_x_device=False, per_device_train_batch_size=4)
model = DenseModel(encoder, encoder, data_args=arguments, train_args=told).train()
optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(2):
    loss = model(*batch).loss
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    print(loss.item())
