"""What keys remember of code and packages within a process."""

from robustdr.keys import provenance


def forget():
    """Read code and lock file anew at the next key; what a test put in place of one of these has no cache."""
    forget_texts()
    for cached in (provenance._file, provenance.lock):
        getattr(cached, "cache_clear", bool)()


def forget_texts():
    """Read modules anew at the next key; which modules and packages there are stays known."""
    for cached in (provenance._module, provenance._reached, provenance._made_of):
        cached.cache_clear()
