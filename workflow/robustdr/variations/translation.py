"""Back-translation to another language and back: by a model, by rule-based translation, or by a stand-in."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from robustdr.core.errors import UserError
from robustdr.variations import reformulation
from robustdr.variations.base import Draw, plain
from robustdr.variations.engines import Engine, Engined

APERTIUM = "apertium-eng-spa"
DATA = Path("/usr/share/apertium", APERTIUM)  # Debian's folder for its dictionaries and rules


@dataclass(frozen=True)
class BackTranslation(Engined):
    """rodr, section 2.1, BACKTRANS, and capot, section 3.1, BT: the query is translated to German and back again.

    `engine`: `marian` takes a pair of models (`model` from English, `back` to English); `m2m100` takes one multilingual
    `model`, with `pivot` as the other language; `apertium` is rule-based translation to Spanish and back (Debian's
    apertium-eng-spa). `rules` is the stand-in for a model: it does not translate, but rewords question phrases,
    articles and words like back-translation (see `reformulation`).
    """

    name = "back_translation"
    listed = 9
    category = "paraphrasing"
    papers: ClassVar[tuple[str, ...]] = ("rodr", "capot")
    needs = "a translation model (stand-in: WordNet 3.0 and inflections)"
    engines: ClassVar[tuple[str, ...]] = ("marian", "m2m100", "apertium")
    stand_in = "rules that reword as a round trip through another language does, no translation"

    back: str = ""
    pivot: str = "de"

    @property
    def models(self) -> dict[str, str]:
        return super().models | ({"back": self.back} if self.engine == "marian" else {})

    @property
    def files(self) -> list[Path]:
        return [DATA] if self.engine == "apertium" else super().files

    def check(self) -> None:
        super().check()
        if self.engine == "apertium" and not (shutil.which("apertium") and DATA.is_dir()):
            raise UserError(f"variation {self.name} needs apertium and {DATA}; run `apt-get install {APERTIUM}`")

    @property
    def resource(self) -> str:
        return f"Debian's {APERTIUM}, English-Spanish" if self.engine == "apertium" else super().resource

    def start(self) -> Engine:
        if self.engine == "apertium":
            return lambda texts: _apertium(_apertium(texts, "eng-spa"), "spa-eng")
        translate = self.generator(self.model)
        if self.engine == "marian":
            back = self.generator(self.back)
            return lambda texts: back(translate(texts))
        return lambda texts: translate(translate(texts, "en", self.pivot), self.pivot, "en")

    def reword(self, text: str, draw: Draw) -> str:
        return reformulation.reword(text, draw)


class BackTranslationM2M(BackTranslation):
    """qvg, section 3.2, BackTransl: M2M100 translates the query to German (`pivot`) and back."""

    name = "back_translation_m2m"
    listed = 22
    papers = ("qvg",)

    def prepare(self, text: str) -> str:
        return plain(text)


def _apertium(texts: Sequence[str], pair: str) -> list[str]:
    """Translate every text; each ends as a sentence, so that it is no context for the next."""
    lines = "".join(f"{' '.join(text.split())} .\n" for text in ["start", *texts])
    done = subprocess.run(["apertium", "-u", pair], input=lines, capture_output=True, text=True, check=False)
    outputs = done.stdout.splitlines()
    if done.returncode or len(outputs) != len(texts) + 1:
        raise UserError(f"apertium {pair} failed: {done.stderr.strip() or 'lines are missing'}; install {APERTIUM}")
    return [output.strip().removesuffix(".").strip() for output in outputs[1:]]
