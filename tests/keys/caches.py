"""What keys remember of code and packages within a process."""

from robustdr.keys import provenance

READ = (
    provenance._file, provenance._module, provenance._reached, provenance._made_of, provenance.lock,
)  # fmt: skip


def forget():
    """Read code and lock file anew at the next key; what a test put in place of one of these has no cache."""
    for cached in READ:
        getattr(cached, "cache_clear", bool)()
