"""What keys remember of code and packages within a process."""

from robustdr.keys import provenance


def forget():
    """Read code and lock file anew at the next key; what a test put in place of one of these has no cache."""
    read = provenance._file, provenance._module, provenance._reached, provenance._made_of, provenance.lock
    for cached in read:
        getattr(cached, "cache_clear", bool)()
