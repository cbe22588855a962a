"""Calls of JSON functions, over well-formed documents: which errors a query comes across depends on what
it evaluates, so that errors are left to scripts."""

DOCUMENTS = [
    "'{\"a\":1,\"b\":[1,2.5,\"x\"],\"c\":{\"d\":null}}'", "'[1,[2,3],{\"a\":\"b\"}]'", "'{}'", "'[]'", "'5'",
    "'\"text\"'", "'null'", "'[true,false,null]'", "'{a:0x1F,\"b\":.5,}'", "'{\"a\":{\"a\":{\"a\":1}}}'",
    "'{\"a\":1e400}'", "'{\"\\u0061\":\"\\u00e9\\n\"}'", "'[\"it''s\",\"q\"]'",
    "jsonb('{\"a\":[1,2,3]}')", "jsonb('[0,1]')", "x'2b1331'", "json_array(1,'a',NULL)",
    "json_object('a',1,'b','x')",
]
PATHS = ["'$'", "'$.a'", "'$.b'", "'$.c.d'", "'$[0]'", "'$[1]'", "'$[#-1]'", "'$[#]'", "'$.a[0]'", "'$.b[#-1]'",
         "'$.a.b'", "'$.\"a\"'", "'$.x'", "'$[1][0]'", "NULL"]
SHORT_PATHS = ["'a'", "'b'", "0", "1", "-1", "'[0]'", "'$.a'", "'$[1]'", "'c'", "NULL"]
READERS = ["json_extract", "json_type", "json_array_length", "json_remove", "jsonb_extract", "jsonb_remove"]
WHOLE = ["json", "json_valid", "json_type", "json_array_length", "json_error_position", "json_pretty", "jsonb",
         "json_quote"]
EDITORS = ["json_set", "json_insert", "json_replace", "json_array_insert", "jsonb_set", "jsonb_insert", "jsonb_replace"]
# json_array_insert() wants an element of an array.
ELEMENTS = [p for p in PATHS if p.endswith("]'")]


def document(rng, operand):
    kind = rng.random()
    if kind < 0.65:
        return rng.choice(DOCUMENTS)
    if kind < 0.85:
        return "json_array(%s, %s)" % (operand(), operand())
    return "json_object('a', %s, 'b', %s)" % (operand(), operand())


def value(rng, operand):
    kind = rng.random()
    if kind < 0.3:
        return "json(%s)" % rng.choice(DOCUMENTS)
    return rng.choice(DOCUMENTS) if kind < 0.4 else operand()


def json_call(rng, make_operand):
    """`make_operand()` makes an expression. What may be a BLOB is not put into JSON."""
    def operand():
        return rng.choice(["CAST(%s AS TEXT)", "CAST(%s AS NUMERIC)", "length(%s)", "quote(%s)"]) % make_operand()

    kind = rng.random()
    if kind < 0.2:
        return "(%s %s %s)" % (document(rng, operand), rng.choice(["->", "->>"]), rng.choice(SHORT_PATHS))
    if kind < 0.4:
        paths = ", ".join(rng.choice(PATHS) for _ in range(rng.choice([1, 1, 1, 2])))
        name = rng.choice(READERS)
        if name in ("json_type", "json_array_length"):
            paths = rng.choice(PATHS)
        return "%s(%s, %s)" % (name, document(rng, operand), paths)
    if kind < 0.6:
        return "%s(%s)" % (rng.choice(WHOLE), document(rng, operand))
    if kind < 0.75:
        name = rng.choice(EDITORS)
        paths = ELEMENTS if name == "json_array_insert" else PATHS
        return "%s(%s, %s, %s)" % (name, document(rng, operand), rng.choice(paths), value(rng, operand))
    if kind < 0.85:
        return "json_patch(%s, %s)" % (document(rng, operand), document(rng, operand))
    if kind < 0.93:
        items = ", ".join(value(rng, operand) for _ in range(rng.randint(0, 3)))
        return "%s(%s)" % (rng.choice(["json_array", "jsonb_array"]), items)
    return "json_object(%s, %s)" % (rng.choice(["'k'", "'a\"b'"]), value(rng, operand))
