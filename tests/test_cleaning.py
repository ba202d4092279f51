"""No invisible character gets in; every script that people write does."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from t2s_dbt.cleaning import clean

INVISIBLE = {
    "zero width": "\u200b\u200c\u200d\u2060",
    "invisible operators": "\u2061\u2062\u2063\u2064",
    "byte order mark": "\ufeff",
    "soft hyphen": "\u00ad",
    "bidi marks": "\u200e\u200f\u061c",
    "bidi overrides and embeddings": "\u202a\u202b\u202c\u202d\u202e",
    "bidi isolates": "\u2066\u2067\u2068\u2069",
    "deprecated formats": "\u206a\u206b\u206c\u206d\u206e\u206f",
    "tags": "".join(map(chr, range(0xE0001, 0xE0080))),
    "variation selectors": "".join(map(chr, range(0xFE00, 0xFE10))),
    "more variation selectors": "".join(map(chr, range(0xE0100, 0xE01F0))),
    "Mongolian variation selectors": "\u180b\u180c\u180d\u180e\u180f",
    "Hangul fillers": "\u115f\u1160\u3164\uffa0",
    "Braille blank": "\u2800",
    "grapheme joiner": "\u034f",
    "Khmer vowels": "\u17b4\u17b5",
    "controls": "".join(chr(c) for c in range(0x20) if chr(c) not in "\t\n\v\f\r"),
    "delete": "\x7f",
    "C1": "".join(chr(c) for c in range(0x80, 0xA0) if c != 0x85),
    "private use": "\ue000\uf8ff\U000f0000\U0010fffd",
    "surrogates": "\ud800\udbff\udc00\udfff",
    "unassigned": "\u0378\ufdd0\uffff\U000e1000",
    "interlinear marks": "\ufff9\ufffa\ufffb",
    "musical formats": "\U0001d173\U0001d17a",
    "shorthand formats": "\U0001bca0\U0001bca3",
}


@pytest.mark.parametrize("characters", INVISIBLE.values(), ids=INVISIBLE.keys())
def test_each_invisible_character_is_taken_out(characters: str) -> None:
    for character in characters:
        assert clean(character) == ""
        assert clean(f"re{character}venue") == "revenue"
        assert clean(f"{character}größe{character}") == "größe"
    assert clean("a".join(characters)) == "a" * (len(characters) - 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Total revenue by month, in 2024?",
        "a tab\tand a line\nfeed",
        "Umsatz je Größe: „Straße“ — 5 € ‚ja‘ ‹nein›",
        "Πόσα έσοδα είχαμε τον Μάιο;",
        "كم عدد الطلبات في عام ٢٠٢٤؟",
        "按月份统计收入，包括“退货”。",
        "पिछले महीने की आय कितनी थी?",
        "売上はいくらですか。カタカナ",
        "매출은 얼마입니까?",
        "כמה הכנסות היו בשנה שעברה?",
        "Сколько заказов было в мае?",
        "รายได้เดือนที่แล้ว",
        "x² ≤ 5 · ½ ± ∞ № ™ £¥₹",
        "emoji 🚀 📈 👍🏽 🇩🇪 ☎",
        "e\u0301 n\u0303 combined",
        "no\u00a0break, thin\u2009blank, ideographic\u3000blank",
    ],
)
def test_what_people_write_is_kept(text: str) -> None:
    assert clean(text) == text


def test_a_joined_emoji_comes_apart_and_stays_visible() -> None:
    assert clean("👩‍🔬 ☎️") == "👩🔬 ☎"


@pytest.mark.parametrize(
    "brk", ["\n", "\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"], ids=repr
)
def test_every_line_break_is_a_line_feed(brk: str) -> None:
    assert clean(f"a{brk}b") == "a\nb"
    assert clean(f"ä{brk}{brk}b") == "ä\n\nb"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("\x1b]0;title\x07", "]0;title"),
        ("\x9b2J", "2J"),
        ("abc\u202ecba", "abccba"),
        ("a\x00b\x08c\x7f", "abc"),
        ("\U000e0049\U000e0067\U000e006e\U000e006f\U000e0072\U000e0065", ""),
    ],
)
def test_what_would_act_on_a_terminal_or_speak_unseen_is_harmless(text: str, seen: str) -> None:
    assert clean(text) == seen


@given(st.text(st.characters(exclude_categories=[]), max_size=60))
def test_cleaning_ends_and_never_adds(text: str) -> None:
    seen = clean(text)
    assert clean(seen) == seen
    assert len(seen) <= len(text)
    for character in seen:
        assert character in "\n\t" or unicodedata.category(character) not in (
            "Cc Cf Cs Co Cn Zl Zp".split()
        )
        assert unicodedata.bidirectional(character) not in (
            "LRE RLE LRO RLO PDF LRI RLI FSI PDI BN".split()
        )
    seen.encode("utf-8")


@given(st.text(st.characters(categories=["L", "Nd", "P", "Sc", "Sm"]), max_size=60))
def test_of_letters_digits_and_signs_only_the_blank_ones_go(text: str) -> None:
    gone = {chr(c) for c in (0x115F, 0x1160, 0x3164, 0xFFA0)}
    assert clean(text) == "".join(c for c in text if c not in gone)
