"""Calls of printf() with formats of every kind, of LIKE and GLOB with patterns and ESCAPE, and of the functions of
text and numbers that are rarer than those in expr.py."""

STRINGS = ["'abc'", "'ABC'", "'é'", "'aéb'", "'日本語'", "'😀x'", "''", "'a%b_c'", "'it''s'", "'a\\b'", "'100%'",
           "' pad '", "'Straße'", "char(0xe9, 0x65e5, 0x1f600)", "'[a]'", "'a*c?'", "'x'", "'\"q\"'"]
NUMBERS = ["0", "1", "-1", "42", "123456789", "-9223372036854775808", "9223372036854775807", "0.5", "-2.5", "1e15",
           "1e16", "123456.789", "1e-5", "9.995", "1e100", "-0.0", "9e999", "2147483648", "0.1", "3.0", "99999.5"]
PATTERNS = ["'a%'", "'%b%'", "'_b_'", "'%'", "'ABC'", "'a!%b!_c'", "'%!%'", "'a\\%%'", "'é%'", "'_'", "'%é_'", "'!!'",
            "'!'", "'%_%'", "'a%b%c'", "'日_語'", "'%😀%'", "''"]
GLOBS = ["'a*'", "'*b*'", "'[a-c]*'", "'?'", "'[^a]*'", "'[]a]*'", "'[a'", "'*[0-9]*'", "'[^]-]'", "'é?'", "'[é-日]*'",
         "'**?'", "'[a-]'", "'\\*'", "'[[]*'", "''"]
SCALARS = [("substr", 3), ("substring", 2), ("instr", 2), ("replace", 3), ("trim", 2), ("rtrim", 2), ("unicode", 1),
           ("upper", 1), ("lower", 1), ("length", 1), ("octet_length", 1), ("quote", 1), ("concat", 3),
           ("concat_ws", 4), ("round", 2), ("char", 3), ("hex", 1), ("unhex", 2), ("typeof", 1), ("iif", 2), ("if", 3),
           ("iif", 5), ("max", 3), ("min", 3), ("coalesce", 4), ("unistr", 1), ("unistr_quote", 1), ("nullif", 2),
           ("likelihood", 1), ("acos", 1), ("asin", 1), ("atan", 1), ("atan2", 2), ("ceiling", 1), ("cos", 1),
           ("cosh", 1), ("degrees", 1), ("exp", 1), ("floor", 1), ("ln", 1), ("log", 1), ("log", 2), ("log10", 1),
           ("log2", 1), ("mod", 2), ("pi", 0), ("pow", 2), ("power", 2), ("radians", 1), ("sign", 1), ("sin", 1),
           ("sinh", 1), ("sqrt", 1), ("tan", 1), ("tanh", 1), ("trunc", 1), ("acosh", 1), ("asinh", 1), ("atanh", 1),
           ("abs", 1), ("subtype", 1), ("glob", 2), ("like", 2), ("like", 3)]

_blobs = True


def use_blobs(on):
    global _blobs
    _blobs = on


def string(rng, operand):
    return rng.choice(STRINGS) if rng.random() < 0.5 else operand()


def number(rng, operand):
    return rng.choice(NUMBERS) if rng.random() < 0.6 else operand()


def conversion(rng):
    """One conversion: its text, and how many arguments it takes."""
    flags = "".join(sorted(set(rng.choice("-+ 0,#!") for _ in range(rng.choice([0, 0, 1, 1, 2])))))
    arguments = 1
    width = rng.choice(["", "", "", "1", "5", "12", "30", "*"])
    precision = rng.choice(["", "", "", ".0", ".1", ".3", ".10", ".25", ".", ".*"])
    arguments += (width == "*") + (precision == ".*")
    letter = rng.choice("ddifeEgGxXousszcqQwdfgs")
    if letter in "qQw" and rng.random() < 0.7:
        precision = precision if precision != ".*" else ""
        arguments = 1 + (width == "*")
    size = rng.choice(["", "", "", "l", "ll"]) if letter in "dixXou" else ""
    if rng.random() < 0.02:
        letter, flags, width, precision, size, arguments = rng.choice("%nyp"), "", "", "", "", 0
    return "%" + flags + width + precision + size + letter, arguments, letter


def printf_call(rng, operand):
    text, values = "", []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        piece, count, letter = conversion(rng)
        if letter in "szcqQw":
            # No zeros before text; and in a UTF-16 database no pieces of characters.
            piece = piece.replace("0", "")
            if not _blobs and "!" not in piece:
                piece = piece.replace("%", "%!")
        text += piece + rng.choice(["", "|", " ", "%%", "é"])
        for _ in range(count - 1):
            values.append(str(rng.randint(-12, 20)))
        if count:
            values.append(string(rng, operand) if letter in "szcqQw" else number(rng, operand))
    if values and rng.random() < 0.05:
        values.pop()
    return "%s('%s'%s)" % (rng.choice(["printf", "format"]), text, "".join(", " + v for v in values))


def pattern_match(rng, operand):
    if rng.random() < 0.35:
        return "(%s %sGLOB %s)" % (string(rng, operand), rng.choice(["", "NOT "]),
                                   rng.choice(GLOBS) if rng.random() < 0.9 else operand())
    pattern = rng.choice(PATTERNS) if rng.random() < 0.9 else operand()
    escape = rng.choice(["", "", " ESCAPE '!'", " ESCAPE '!'", " ESCAPE '\\'", " ESCAPE 'é'", " ESCAPE '%'",
                         " ESCAPE 'a'"])
    return "(%s %sLIKE %s%s)" % (string(rng, operand), rng.choice(["", "NOT "]), pattern, escape)


def scalar_call(rng, operand):
    name, count = rng.choice(SCALARS)
    if name in ("hex", "unhex") and not _blobs:
        name, count = "length", 1
    if name == "unistr":
        return "unistr(%s)" % rng.choice(["'a\\u00e9'", "'\\\\'", "'\\+01f600'", "'x'", "'\\00e9z'", "'\\U0001F600'"])
    if name == "likelihood":
        return "likelihood(%s, 0.25)" % operand()
    if name == "like" and count == 3:
        return "like(%s, %s, '!')" % (rng.choice(PATTERNS), string(rng, operand))
    if name == "char":
        return "char(%s)" % ", ".join(str(rng.choice([65, 233, 0x65e5, 0x1f600, 97, 32])) for _ in range(count))
    arguments = [string(rng, operand) for _ in range(count)]
    if name in ("substr", "substring"):
        arguments[1:] = [rng.choice(["0", "1", "2", "-1", "-3", "100", "NULL", operand()]) for _ in arguments[1:]]
    elif name not in ("quote", "max", "min", "typeof") and count in (1, 2) and rng.random() < 0.5:
        arguments = [number(rng, operand) for _ in range(count)]
    return "%s(%s)" % (name, ", ".join(arguments))


def text_call(rng, operand):
    """`operand()` makes an expression."""
    kind = rng.random()
    if kind < 0.35:
        return printf_call(rng, operand)
    return pattern_match(rng, operand) if kind < 0.6 else scalar_call(rng, operand)
