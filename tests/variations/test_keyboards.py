"""The rows of keyboards are those of xkeyboard-config, read with the library that desktops use."""

import ctypes
from ctypes.util import find_library

import pytest

from robustdr.variations.keyboards import KEYBOARDS

LAYOUTS = {
    "ar": "ara", "bg": "bg", "bn": "bd", "ca": "es:cat", "cs": "cz", "da": "dk", "de": "de", "el": "gr", "es": "es",
    "fa": "ir", "fi": "fi", "fr": "fr", "he": "il", "hi": "in", "hu": "hu", "it": "it", "no": "no", "pl": "pl",
    "pt": "pt", "ro": "ro", "ru": "ru", "sv": "se", "te": "in:tel", "th": "th", "tr": "tr", "uk": "ua", "ur": "pk",
    "yo": "ng:yoruba",
}  # fmt: skip
KEYS = {"AE": 12, "AD": 12, "AC": 11, "AB": 10}  # keys of each row, which begins at its first letter or digit
LIGATURE = "\ufefb"  # of two letters, on one key of the Arabic keyboard
DEAD = dict(zip(("grave", "acute", "circumflex", "diaeresis"), "`´^¨", strict=True))


class Names(ctypes.Structure):
    """struct xkb_rule_names."""

    _fields_ = [(name, ctypes.c_char_p) for name in ("rules", "model", "layout", "variant", "options")]


@pytest.fixture(scope="module")
def xkb():
    if not (path := find_library("xkbcommon")):
        pytest.skip("libxkbcommon is not installed")
    library = ctypes.CDLL(path)
    for function in ("xkb_context_new", "xkb_keymap_new_from_names"):
        getattr(library, function).restype = ctypes.c_void_p
    return library


def row(xkb, keymap, row, keys):
    text = ""
    for number in range(1, keys + 1):
        code = xkb.xkb_keymap_key_by_name(keymap, f"{row}{number:02}".encode())
        symbols, name = ctypes.POINTER(ctypes.c_uint32)(), ctypes.create_string_buffer(64)
        assert xkb.xkb_keymap_key_get_syms_by_level(keymap, code, 0, 0, ctypes.byref(symbols)) == 1
        xkb.xkb_keysym_get_name(symbols[0], name, len(name))
        character = xkb.xkb_keysym_to_utf32(symbols[0])
        text += chr(character) if character else DEAD[name.value.decode().removeprefix("dead_")]
    return text.replace(LIGATURE, " ").rstrip()


@pytest.mark.parametrize("code", KEYBOARDS)
def test_rows_are_those_of_xkeyboard_config(xkb, code):
    layout, _, variant = LAYOUTS[code].partition(":")
    names = Names(None, None, layout.encode(), variant.encode(), None)
    context = ctypes.c_void_p(xkb.xkb_context_new(0))
    keymap = ctypes.c_void_p(xkb.xkb_keymap_new_from_names(context, ctypes.byref(names), 0))
    if not keymap:
        pytest.skip(f"xkeyboard-config has no layout {layout} here")
    assert tuple(row(xkb, keymap, *keys) for keys in KEYS.items()) == KEYBOARDS[code]
