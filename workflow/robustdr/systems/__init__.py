"""Kinds of systems, one file each: the keys of a recipe, the inputs, and the module that ranks."""
