"""Random triggers and RETURNING clauses.

All triggers log what they see in the table `log`, and stop when it is full, so that scripts end
whatever triggers do to each other.
"""
import schema
from expr import Scope, expression

ACTIONS = ["", "", "", "OR IGNORE ", "OR REPLACE ", "OR ABORT ", "OR FAIL "]
LOG = "CREATE TABLE log(name, x, y)"
LOG_ROWS = 60


def returning(rng, table, chance):
    """A RETURNING clause, or nothing."""
    if rng.random() >= chance:
        return ""
    if rng.random() < 0.3:
        return " RETURNING *"
    results = []
    for _ in range(rng.randint(1, 3)):
        column = rng.choice(table.names())
        results.append(rng.choice(["%s", "%s", "typeof(%s)", "%s AS r", "quote(%s) || 'x'"]) % column)
    if rng.random() < 0.2 and not table.is_view:
        results.append("(SELECT count(*) FROM %s)" % table.name)
    return " RETURNING " + ", ".join(results)


def rows_of(event):
    return {"INSERT": ["new"], "DELETE": ["old"], "UPDATE": ["old", "new"]}[event]


def seen_columns(rng, table, event):
    names = ["%s.%s" % (row, c) for row in rows_of(event) for c in table.names()]
    if not table.without_rowid and not table.is_view:
        names += ["%s.rowid" % row for row in rows_of(event)]
    return names


def step(rng, tables, seen):
    kind = rng.random()
    target = rng.choice(tables)
    column = rng.choice(target.stored_names())
    scope = Scope(seen)
    if kind < 0.30:
        values = [rng.choice(seen) if rng.random() < 0.6 else schema.value(rng)
                  for _ in target.stored_names()]
        if target.rowid_alias:
            values[target.stored_names().index(target.rowid_alias)] = rng.choice(
                ["NULL", str(rng.randint(1, 60))])
        return "INSERT %sINTO %s VALUES(%s)" % (rng.choice(ACTIONS), target.name, ", ".join(values))
    if kind < 0.40:
        return "INSERT %sINTO %s SELECT * FROM %s ORDER BY 1 LIMIT 1" % (
            rng.choice(ACTIONS[3:]), target.name, target.name)
    if kind < 0.65:
        value = rng.choice([rng.choice(seen), schema.value(rng), expression(rng, scope, 1)])
        return "UPDATE %s%s SET %s = %s WHERE %s %s %s" % (
            rng.choice(ACTIONS), target.name, column, value, column, rng.choice(["=", "<", "IS"]),
            rng.choice(seen))
    if kind < 0.78:
        return "DELETE FROM %s WHERE %s = %s" % (target.name, column, rng.choice(seen))
    if kind < 0.90:
        action = rng.choice(["IGNORE", "IGNORE", "ABORT, 'no ' || %s" % rng.choice(seen),
                             "FAIL, 'failed'", "ROLLBACK, 'back'"])
        return "SELECT RAISE(%s) WHERE %s" % (action, expression(rng, scope, 1))
    return "INSERT INTO log SELECT 'c', changes(), last_insert_rowid()"


def create(rng, number, table, tables):
    """CREATE TRIGGER on `table`, whose body writes to `tables`."""
    event = rng.choice(["INSERT", "UPDATE", "DELETE"])
    time = "INSTEAD OF" if table.is_view else rng.choice(["BEFORE", "AFTER", "AFTER", ""])
    seen = seen_columns(rng, table, event)
    of = ""
    if event == "UPDATE" and rng.random() < 0.3:
        of = " OF " + ", ".join(rng.sample(table.names(), rng.randint(1, len(table.columns))))
    when = "(SELECT count(*) FROM log) < %d" % LOG_ROWS
    if rng.random() < 0.3:
        when += " AND " + expression(rng, Scope(seen), 1)
    body = ["INSERT INTO log VALUES('g%d', %s, %s)" % (number, rng.choice(seen), rng.choice(seen))]
    for _ in range(rng.randint(0, 2)):
        body.append(step(rng, tables, seen))
    return "CREATE %sTRIGGER g%d %s %s%s ON %s %sWHEN %s BEGIN %s; END" % (
        "TEMP " if rng.random() < 0.15 else "", number, time, event, of, table.name,
        rng.choice(["", "FOR EACH ROW "]), when, "; ".join(body))


def view_change(rng, view):
    """A statement on a view, which needs INSTEAD OF triggers."""
    kind = rng.random()
    names = view.names()
    if kind < 0.4:
        return "INSERT INTO %s VALUES(%s)%s" % (
            view.name, ", ".join(schema.value(rng) for _ in names), returning(rng, view, 0.3))
    if kind < 0.8:
        return "UPDATE %s SET %s = %s WHERE %s%s" % (
            view.name, rng.choice(names), schema.value(rng), expression(rng, Scope(names), 1),
            returning(rng, view, 0.3))
    return "DELETE FROM %s WHERE %s%s" % (view.name, expression(rng, Scope(names), 1),
                                          returning(rng, view, 0.3))
