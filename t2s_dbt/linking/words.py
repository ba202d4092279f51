"""Cuts text in words, and makes words comparable: folded, stemmed, irregular forms included."""

import re
import unicodedata
from functools import cache, lru_cache
from typing import Any

from t2s_dbt.flow import Token

_TOKEN = re.compile(
    r"""
    "[^"]+" | “[^”]+” | (?<!\w)'[^']+'(?!\w)            # quoted text
    | \d{4}-\d{2}(?:-\d{2})?(?!\d) | \d{1,2}/\d{1,2}/\d{2,4}   # dates written with digits
    | (?<![\w-])-?\d+(?:,\d{3})*(?:\.\d+)?(?:%|bn|[kKmMbB])?(?!\w)   # numbers
    | [<>]=? | != | =                                    # comparisons
    | [^\W_]+(?:['’][^\W_]+)*                            # words
    | [,;?!] | (?<=\s)[-–](?=\s) | %                    # marks that part clauses, and percent
    """,
    re.VERBOSE,
)
_QUOTES = "\"“”'"
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAME_PART = re.compile(r"[^\W_]+")

_IRREGULAR = {
    "bought": "buy",
    "children": "child",
    "delivered": "deliver",
    "deliveries": "delivery",
    "did": "do",
    "does": "do",
    "fell": "fall",
    "gave": "give",
    "grew": "grow",
    "grown": "grow",
    "had": "have",
    "has": "have",
    "kept": "keep",
    "left": "leave",
    "made": "make",
    "men": "man",
    "paid": "pay",
    "people": "person",
    "persons": "person",
    "rose": "rise",
    "sent": "send",
    "sold": "sell",
    "spent": "spend",
    "spoke": "speak",
    "taken": "take",
    "took": "take",
    "went": "go",
    "women": "woman",
    "won": "win",
    "wrote": "write",
    "written": "write",
}


def tokenize(text: str) -> tuple[Token, ...]:
    """The words, numbers, quoted texts and marks of a question, with their places."""
    tokens = []
    for found in _TOKEN.finditer(text):
        word = found[0]
        quoted = len(word) > 1 and word[0] in _QUOTES and word[-1] in _QUOTES
        shown = word[1:-1] if quoted else word
        tokens.append(Token(shown, found.start(), found.end(), quoted))
    return tuple(tokens)


@lru_cache(maxsize=50_000)
def fold(text: str) -> str:
    """Text without case, accents and apostrophes."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c) and c not in "'’")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word's stem: `categories` and `category` share one, so do `bought` and `buy`."""
    folded = fold(word.removesuffix("'s").removesuffix("’s"))
    return str(_stemmer().stemWord(_IRREGULAR.get(folded, folded)))


def same_but_number(one: str, other: str) -> bool:
    """Whether two words differ at most in the ending of a regular plural."""
    return one == other or bool(_singulars(one) & _singulars(other))


@lru_cache(maxsize=10_000)
def _singulars(word: str) -> frozenset[str]:
    """A word, and what it may be the plural of: `movies` of movie, or of movy."""
    folded = fold(word.removesuffix("'s").removesuffix("’s"))
    found = {folded}
    if len(folded) > 3 and folded.endswith("s") and not folded.endswith("ss"):
        found.add(folded[:-1])
        if folded.endswith("es"):
            found.add(folded[:-2])
        if folded.endswith("ies"):
            found.add(folded[:-3] + "y")
    return frozenset(found)


def name_words(name: str) -> tuple[str, ...]:
    """The words of a name written in snake case, camel case or plainly."""
    return tuple(
        part.lower() for chunk in _NAME_PART.findall(name) for part in _CAMEL.split(chunk) if part
    )


def value_words(value: str) -> tuple[str, ...]:
    """The folded words by which a value is found in a question."""
    return tuple(fold(token.text) for token in tokenize(value) if token.text not in ",;?!.")


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")
