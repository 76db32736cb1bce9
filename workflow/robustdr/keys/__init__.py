"""Keys: what made an artifact; and the records that prove it is whole."""
