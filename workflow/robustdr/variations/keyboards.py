"""Keyboards by language: what each key types without the shift key, by row, from xkeyboard-config 2.35 (X.Org).

`layouts` in tests/variations/test_keyboards.py names the layout of each language, and compares. A key without a
character of its own is a blank; a dead key is its accent.
"""

KEYBOARDS = {
    "ar": (
        "1234567890-=",
        "ضصثقفغعهخحجد",
        "شسيبلاتنمكط",
        "ئءؤر ىةوزظ",
    ),
    "bg": (
        "1234567890-.",
        ",уеишщксдзц;",
        "ьяаожгтнвмч",
        "юйъэфхпрлб",
    ),
    "bn": (
        "১২৩৪৫৬৭৮৯০-=",
        "ঙযডপটচজহগড়[]",
        "ৃুিব্াকতদ;'",
        "ঁোেরনসম,./",
    ),
    "ca": (
        "1234567890'¡",
        "qwertyuiop`+",
        "asdfghjklñ´",
        "zxcvbnm,.-",
    ),
    "cs": (
        "+ěščřžýáíé=´",
        "qwertzuiopú)",
        "asdfghjklů§",
        "yxcvbnm,.-",
    ),
    "da": (
        "1234567890+´",
        "qwertyuiopå¨",
        "asdfghjklæø",
        "zxcvbnm,.-",
    ),
    "de": (
        "1234567890ß´",
        "qwertzuiopü+",
        "asdfghjklöä",
        "yxcvbnm,.-",
    ),
    "el": (
        "1234567890-=",
        ";ςερτυθιοπ[]",
        "ασδφγηξκλ´'",
        "ζχψωβνμ,./",
    ),
    "es": (
        "1234567890'¡",
        "qwertyuiop`+",
        "asdfghjklñ´",
        "zxcvbnm,.-",
    ),
    "fa": (
        "۱۲۳۴۵۶۷۸۹۰-=",
        "ضصثقفغعهخحجچ",
        "شسیبلاتنمکگ",
        "ظطزرذدپو./",
    ),
    "fi": (
        "1234567890+´",
        "qwertyuiopå¨",
        "asdfghjklöä",
        "zxcvbnm,.-",
    ),
    "fr": (
        "&é\"'(-è_çà)=",
        "azertyuiop^$",
        "qsdfghjklmù",
        "wxcvbn,;:!",
    ),
    "he": (
        "1234567890-=",
        "/'קראטוןםפ][",
        "שדגכעיחלךף,",
        "זסבהנמצתץ.",
    ),
    "hi": (
        "१२३४५६७८९०-ृ",
        "ौैाीूबहगदजड़",
        "ोे्िुपरकतचट",
        "ॆंमनवलस,.य",
    ),
    "hu": (
        "123456789öüó",
        "qwertzuiopőú",
        "asdfghjkléá",
        "yxcvbnm,.-",
    ),
    "it": (
        "1234567890'ì",
        "qwertyuiopè+",
        "asdfghjklòà",
        "zxcvbnm,.-",
    ),
    "no": (
        "1234567890+\\",
        "qwertyuiopå¨",
        "asdfghjkløæ",
        "zxcvbnm,.-",
    ),
    "pl": (
        "1234567890-=",
        "qwertyuiop[]",
        "asdfghjkl;'",
        "zxcvbnm,./",
    ),
    "pt": (
        "1234567890'«",
        "qwertyuiop+´",
        "asdfghjklçº",
        "zxcvbnm,.-",
    ),
    "ro": (
        "1234567890-=",
        "qwertyuiop[]",
        "asdfghjkl;'",
        "zxcvbnm,./",
    ),
    "ru": (
        "1234567890-=",
        "йцукенгшщзхъ",
        "фывапролджэ",
        "ячсмитьбю.",
    ),
    "sv": (
        "1234567890+´",
        "qwertyuiopå¨",
        "asdfghjklöä",
        "zxcvbnm,.-",
    ),
    "te": (
        "౧౨౩౪౫౬౭౮౯౦ఃృ",
        "ౌైాీూబహగదజడఞ",
        "ోే్ిుపరకతచట",
        "ెంమనవలస,.య",
    ),
    "th": (
        "ๅ/-ภถุึคตจขช",
        "ๆไำพะัีรนยบล",
        "ฟหกดเ้่าสวง",
        "ผปแอิืทมใฝ",
    ),
    "tr": (
        "1234567890*-",
        "qwertyuıopğü",
        "asdfghjklşi",
        "zxcvbnmöç.",
    ),
    "uk": (
        "1234567890-=",
        "йцукенгшщзхї",
        "фівапролджє",
        "ячсмитьбю.",
    ),
    "ur": (
        "1234567890-=",
        "قوعرتےءیہپ][",
        "اسدفگحجکل؛'",
        "زشچطبنم،۔/",
    ),
    "yo": (
        "1234567890-=",
        "ẹwertyuiop[]",
        "asdfghjkl;'",
        "zọcṣbnm,./",
    ),
}
