"""Types of names and lists of names in the configuration."""

from typing import Annotated

from pydantic import Field

from robustdr.core.validation import Distinct

Text = Annotated[str, Field(min_length=1)]
Names = Annotated[list[str], Distinct]
SomeNames = Annotated[list[str], Field(min_length=1), Distinct]
Identifier = Annotated[str, Field(pattern="^[a-z][a-z0-9_]*$")]
PartOfPath = Annotated[str, Field(pattern="^[a-z0-9_]+$")]
Mean = Annotated[str, Field(pattern="^[a-z_]+_mean$")]
Table = Annotated[str, Field(pattern="^(table[0-9]+|methods|decomposition|study_[a-z_]+)$")]
Figure = Annotated[str, Field(pattern="^(figure[0-9]+(_[a-z]+)*|methods)$")]
