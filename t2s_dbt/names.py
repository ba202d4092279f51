"""How DuckDB compares names."""

_FOLD = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def folded(name: str) -> str:
    """A name as DuckDB compares it: A to Z in lower case, every other letter as it is.

    Python's `lower()` would make the Kelvin sign a `k`, and take one name for another.
    """
    return name.translate(_FOLD)
