"""How a misspelled query differs from its original: one slip of the keyboard, by its kind, or more than one."""

NEIGHBOUR, OTHER, CASE = "neighbouring key", "another character", "letter case"
INSERTED, DELETED, SWAPPED, MORE = "inserted", "deleted", "swapped", "more than one"
SLIPS = (NEIGHBOUR, OTHER, CASE, INSERTED, DELETED, SWAPPED, MORE)
# A US keyboard, row by row, without and with the shift key.
_ROWS = ("`1234567890-=", " qwertyuiop[]\\", " asdfghjkl;'", " zxcvbnm,./")
_SHIFTED = ("~!@#$%^&*()_+", " QWERTYUIOP{}|", ' ASDFGHJKL:"', " ZXCVBNM<>?")
_PLACES = {
    key: (row, column)
    for rows in (_ROWS, _SHIFTED)
    for row, keys in enumerate(rows)
    for column, key in enumerate(keys)
    if key != " "
}


def are_neighbours(one: str, other: str) -> bool:
    """Whether two characters are typed with keys next to each other, at most a row and a column apart."""
    if one not in _PLACES or other not in _PLACES:
        return False
    (row, column), (below, beside) = _PLACES[one], _PLACES[other]
    return max(abs(row - below), abs(column - beside)) == 1


def slip(original: str, typed: str) -> str:
    """The kind of the one slip between two texts that differ, blanks aside; `MORE` if there are several."""
    a, b = ("".join(text.split()) for text in (original, typed))
    start = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    was, now = a[start : len(a) - end], b[start : len(b) - end]
    match len(was), len(now):
        case 1, 1:
            return CASE if was.lower() == now.lower() else NEIGHBOUR if are_neighbours(was, now) else OTHER
        case 0, 1:
            return INSERTED
        case 1, 0:
            return DELETED
        case 2, 2 if was == now[::-1]:
            return SWAPPED
    return MORE
