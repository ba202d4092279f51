"""Text from outside (questions, YAML, values) without the characters that nobody sees.

Controls can drive a terminal, bidirectional marks can show a text in another order than it is read
in, and invisible characters can carry words to a language model that no reviewer has seen.
"""

import unicodedata

# Seen as nothing, though Unicode counts them as letters, marks or symbols: fillers, the blank
# Braille pattern, the grapheme joiner, Khmer and Mongolian vowel signs, variation selectors.
_BLANK = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
    | set(range(0x180B, 0x1810))
    | set(range(0xFE00, 0xFE10))
    | set(range(0xE0100, 0xE01F0))
)
# Controls, formats (bidirectional marks, zero-width characters, tags), surrogates, private use,
# and what Unicode has not assigned.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_BREAKS = frozenset("\r\v\f\x85\u2028\u2029")
_KEPT = frozenset("\n\t")


def clean(text: str) -> str:
    """The text with every invisible character taken out; every line break is a line feed."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(filter(None, map(_seen, text.replace("\r\n", "\n"))))


def _seen(character: str) -> str:
    if character in _KEPT:
        return character
    if character in _BREAKS:
        return "\n"
    hidden = ord(character) in _BLANK or unicodedata.category(character) in _UNSEEN
    return "" if hidden else character
