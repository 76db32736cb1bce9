"""Kinds of systems: one file each says what a recipe of its kind takes, what it is made from, and what ranks."""
