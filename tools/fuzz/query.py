"""Random queries."""
import window
from expr import Scope, aggregate, expression, operand
from schema import value

JOINS = ["JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "CROSS JOIN", ",", "RIGHT JOIN", "FULL JOIN",
         "NATURAL JOIN", "NATURAL LEFT JOIN", "USING"]


class QueryMaker:
    def __init__(self, tables):
        self.tables = tables
        self.alias = 0

    def source(self, rng, depth):
        """A FROM item: its text and its columns, qualified."""
        self.alias += 1
        alias = "s%d" % self.alias
        if depth > 0 and rng.random() < 0.12:
            columns = rng.randint(1, 3)
            query = self.core(rng, Scope([]), columns, depth - 1, False, named=True)
            return "(%s) AS %s" % (query, alias), ["%s.k%d" % (alias, i) for i in range(columns)]
        table = rng.choice(self.tables)
        return "%s AS %s" % (table.name, alias), ["%s.%s" % (alias, c) for c in table.names()]

    def from_clause(self, rng, outer, depth):
        count = rng.choice([1, 1, 1, 2, 2, 3])
        text, columns = self.source(rng, depth)
        for _ in range(count - 1):
            item, more = self.source(rng, depth)
            join = rng.choice(JOINS)
            if join == "USING":
                shared = [c.split(".")[1] for c in columns if c.split(".")[1] in
                          [m.split(".")[1] for m in more]]
                if not shared or " JOIN " in text or "," in text:
                    join = "JOIN"
                else:
                    text += " %s %s USING (%s)" % (rng.choice(["JOIN", "LEFT JOIN"]), item, shared[0])
                    columns = columns + more
                    continue
            if "NATURAL" in join and (" JOIN " in text or "," in text or "(" in text or "(" in item):
                join = "LEFT JOIN"
            text += " %s %s" % (join, item) if join != "," else ", " + item
            columns = columns + more
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
        inner.ordered = len({c.split(".")[0] for c in columns}) == 1
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
            prefix = "WITH cte(k0, k1) AS %s(%s) " % (
                rng.choice(["", "", "MATERIALIZED ", "NOT MATERIALIZED "]), self.core(rng, None, 2, 1, False))
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
