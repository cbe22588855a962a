"""Random queries."""
import window
from expr import Scope, aggregate, expression, operand
from schema import Table, value

JOINS = ["JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "CROSS JOIN", ",", "RIGHT JOIN", "FULL JOIN",
         "NATURAL JOIN", "NATURAL LEFT JOIN", "NATURAL RIGHT JOIN", "NATURAL FULL JOIN", "USING", "USING"]
HINTS = ["", "", "MATERIALIZED ", "NOT MATERIALIZED "]
# Functions that give rows: the call, and the columns that are the same on both sides.
ROW_FUNCTIONS = [("json_each(%s)", ["key", "value", "type", "atom", "fullkey", "path"]),
                 ("json_tree(%s)", ["key", "value", "type", "atom", "fullkey", "path"]),
                 ("pragma_table_info('%s')", ["cid", "name", "type", "dflt_value", "pk"]),
                 ("pragma_table_xinfo('%s')", ["cid", "name", "hidden"]),
                 ("pragma_index_list('%s')", ["seq", "name", "origin", "partial"])]


class QueryMaker:
    def __init__(self, tables):
        self.tables = tables
        self.indexes = {}  # of each table, by its name: for INDEXED BY
        self.alias = 0

    def nested(self, rng, count, depth):
        """A query in FROM, or the body of a common table."""
        query = self.core(rng, Scope([]), count, depth, False, named=True)
        kind = rng.random()
        if kind < 0.12:
            query += " %s %s" % (rng.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]),
                                 self.core(rng, Scope([]), count, depth, False, named=True))
        elif kind < 0.18:
            names = ", ".join("k%d" % i for i in range(count))
            query = "WITH d(%s) AS %s(%s) SELECT * FROM d" % (names, rng.choice(HINTS), query)
        return query

    def row_function(self, rng, alias, columns):
        """A table-valued function, perhaps of columns of the tables before it."""
        call, names = rng.choice(ROW_FUNCTIONS)
        if "json" not in call:
            argument = rng.choice(self.tables).name
        elif columns and rng.random() < 0.5:
            argument = "json_array(1, quote(%s))" % rng.choice(columns)
        else:
            argument = rng.choice(["'[1,[2,\"x\"],{\"a\":3}]'", "'{\"a\":{\"b\":[true,null]},\"c\":1.5}'", "'7'",
                                   "NULL", "'[1,2,{\"k\":[5]}]', '$[2]'", "'{\"a\":[1,2]}', '$.a'"])
        return "%s AS %s" % (call % argument, alias), ["%s.%s" % (alias, n) for n in names]

    def source(self, rng, depth, before=()):
        """A FROM item: its text and its columns, qualified."""
        self.alias += 1
        alias = "s%d" % self.alias
        if depth > 0 and rng.random() < 0.12:
            columns = rng.randint(1, 3)
            query = self.nested(rng, columns, depth - 1)
            return "(%s) AS %s" % (query, alias), ["%s.k%d" % (alias, i) for i in range(columns)]
        if rng.random() < 0.04:
            return self.row_function(rng, alias, list(before))
        table = rng.choice(self.tables)
        text = "%s AS %s" % (table.name, alias)
        if rng.random() < 0.03 and not table.is_view:
            text += " NOT INDEXED"
        elif rng.random() < 0.03 and self.indexes.get(table.name):
            text += " INDEXED BY " + rng.choice(self.indexes[table.name])
        return text, ["%s.%s" % (alias, c) for c in table.names()]

    def using(self, rng, text, item, columns, more):
        """JOIN ... USING, and the columns after it; nothing if no name is common."""
        # Of one table alone: which ambiguity is reported first is no rule.
        names = [c.split(".")[-1] for c in columns if "." in c]
        shared = sorted({n for n in names if names.count(n) == 1} & {m.split(".")[-1] for m in more})
        # Behind a RIGHT or FULL JOIN it takes a USING of all tables before for a name to be of one value.
        if not shared or " RIGHT JOIN " in text or " FULL JOIN " in text or \
                ((" JOIN " in text or "," in text) and rng.random() < 0.7):
            return None
        names = rng.sample(shared, rng.randint(1, min(2, len(shared))))
        join = rng.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
        # Without a table's name the column is that of whichever side has a row.
        return ("%s %s %s USING (%s)" % (text, join, item, ", ".join(names)),
                columns + more + [n for n in names if n not in columns])

    def from_clause(self, rng, outer, depth):
        count = rng.choice([1, 1, 1, 2, 2, 3])
        text, columns = self.source(rng, depth)
        for _ in range(count - 1):
            join = rng.choice(JOINS)
            item, more = self.source(rng, depth, columns if join in ("JOIN", "LEFT JOIN", ",") else ())
            if join == "USING":
                joined = self.using(rng, text, item, columns, more)
                if joined:
                    text, columns = joined
                    continue
                join = "JOIN"
            if "NATURAL" in join and (" JOIN " in text or "," in text or "(" in text or "(" in item):
                join = "LEFT JOIN"
            text += " %s %s" % (join, item) if join != "," else ", " + item
            # What a USING before merged is ambiguous now.
            names = [m.split(".")[1] for m in more]
            columns = [c for c in columns if c not in names] + more
            if join not in (",", "CROSS JOIN") and "NATURAL" not in join:
                scope = Scope(columns, self.subquery, outer)
                if rng.random() < 0.7:
                    condition = "%s = %s" % (rng.choice(columns), rng.choice(more))
                else:
                    condition = expression(rng, scope, 1)
                text += " ON " + condition
        return text, columns

    def where(self, rng, scope, depth):
        if rng.random() < 0.4:
            column = scope.column(rng)
            return "%s %s %s" % (column, rng.choice(["=", "<", ">", ">=", "IS"]), value(rng)) \
                if rng.random() < 0.8 else "%s IS NULL" % column
        return expression(rng, scope, depth)

    def subquery(self, rng, scope, columns, depth, scalar):
        return self.core(rng, scope, columns, depth, scalar)

    def core(self, rng, outer_scope, count, depth, scalar, named=False):
        outer = outer_scope.columns if outer_scope else []
        from_text, columns = self.from_clause(rng, outer, depth)
        scope = Scope(columns, self.subquery if depth > 0 else None, outer)
        group = ""
        # Aggregates of columns of an enclosing query alone would belong to that query.
        inner = Scope(columns, scope.make_query)
        # The order of joined rows is the planner's choice, and group_concat() shows it.
        inner.ordered = len({c.split(".")[0] for c in columns}) == 1 and \
            from_text.split()[0] in [t.name for t in self.tables if not t.is_view]
        grouped = rng.random() < 0.25
        if grouped:
            keys = [operand(rng, scope, 1) if rng.random() < 0.2 else rng.choice(columns)
                    for _ in range(rng.randint(1, 2))]
            # A constant key may be taken for the number of a result column.
            keys = [k for k in keys if any(c in k for c in columns)] or [columns[0]]
            group = " GROUP BY " + ", ".join(keys)
            results = [rng.choice(keys + [aggregate(rng, inner, 1)] * 2) for _ in range(count)]
            if rng.random() < 0.3:
                group += " HAVING %s > %s" % (aggregate(rng, inner, 1), value(rng))
        elif rng.random() < 0.12:
            results = [aggregate(rng, inner, 1) for _ in range(count)]
        else:
            results = [rng.choice(columns) if rng.random() < 0.6 else expression(rng, scope, depth)
                       for _ in range(count)]
        if named:
            results = ["%s AS k%d" % (r, i) for i, r in enumerate(results)]
        # Which of several equal rows DISTINCT keeps inside a FROM clause depends on conditions that
        # the planner pushes into it.
        distinct = "DISTINCT " if rng.random() < 0.12 and not named else ""
        text = "SELECT %s%s FROM %s" % (distinct,
                                        ", ".join(results), from_text)
        if rng.random() < 0.65:
            text += " WHERE " + self.where(rng, scope, depth)
        text += group
        if scalar:
            text += " ORDER BY %s LIMIT 1" % ", ".join(str(i + 1) for i in range(count))
        return text

    def with_tables(self, rng, count):
        """Several common tables, each of which may use those before it: the WITH clause, and a query of them."""
        tables, texts = self.tables, []
        for i in range(rng.randint(1, 3)):
            columns = ["k%d" % n for n in range(rng.randint(1, 3))]
            texts.append("c%d(%s) AS %s(%s)" % (i, ", ".join(columns), rng.choice(HINTS),
                                                self.nested(rng, len(columns), 1)))
            table = Table("c%d" % i, [(c, "") for c in columns], True, None)
            table.is_view = True
            self.tables = self.tables + [table, table]
        text = self.core(rng, None, count, 1, False)
        self.tables = tables
        return "WITH %s " % ", ".join(texts), text

    def query(self, rng):
        """A whole statement."""
        self.alias = 0
        if rng.random() < 0.1:
            return window.query(rng, [t for t in self.tables if not t.is_view])
        count = rng.randint(1, 4)
        text = self.core(rng, None, count, 2, False)
        compound = rng.random() < 0.12
        while compound and rng.random() < 0.7:
            text += " %s %s" % (rng.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]),
                                self.core(rng, None, count, 1, False))
        prefix = ""
        if rng.random() < 0.04:
            values = ", ".join("(%s)" % ", ".join(value(rng) for _ in range(count))
                               for _ in range(rng.randint(1, 4)))
            text += " %s VALUES %s" % (rng.choice(["UNION", "UNION ALL", "EXCEPT"]), values)
            compound = True
        if rng.random() < 0.03:
            limit = rng.randint(3, 9)
            text = "WITH RECURSIVE c(x, y) AS (%s %s SELECT x + 1, %s FROM c WHERE x < %d) " \
                "SELECT x, y, (SELECT count(*) FROM c AS d WHERE d.x <= c.x) FROM c" % (
                    rng.choice(["VALUES (1, 'a')", "SELECT 1, 2", "VALUES (1, 0), (2, NULL)"]),
                    rng.choice(["UNION", "UNION ALL"]),
                    rng.choice(["y || x", "x * 2", "y", "(SELECT max(q.k0) FROM (SELECT 5 AS k0) q)"]),
                    limit)
            count, compound = 3, False
        elif rng.random() < 0.08:
            prefix, text = self.with_tables(rng, count)
            compound = False
        elif rng.random() < 0.06:
            prefix = "WITH cte(k0, k1) AS %s(%s) " % (rng.choice(HINTS), self.nested(rng, 2, 1))
            text = "SELECT * FROM cte UNION ALL SELECT k1, k0 FROM cte" if rng.random() < 0.3 else \
                "SELECT cte.k0, z.k1 FROM cte JOIN cte AS z ON cte.k0 = z.k1"
            count = 2
        if rng.random() < 0.6:
            # Reference SQLite refuses COLLATE there for some compounds ("no such column").
            collate = "" if compound else " COLLATE NOCASE"
            terms = ["%d%s%s" % (i + 1, rng.choice(["", " DESC", collate]),
                                 rng.choice(["", "", " NULLS LAST", " NULLS FIRST"]))
                     for i in rng.sample(range(count), rng.randint(1, count))]
            text += " ORDER BY " + ", ".join(terms)
            if rng.random() < 0.3:
                full = ", ".join(str(i + 1) for i in range(count))
                text += ", " + full + " LIMIT %d" % rng.randint(0, 6)
                if rng.random() < 0.3:
                    text += " OFFSET %d" % rng.randint(0, 3)
        return prefix + text
