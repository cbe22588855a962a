"""Random scripts of schema changes between writes: tables, indexes, views and triggers come, change and
go; VACUUM, REINDEX, ANALYZE; temporary and attached tables."""
from writes import Table, WriteMaker

NAMES = list("abcdefg")
CHECKS = ["PRAGMA integrity_check", "PRAGMA foreign_key_check",
          "SELECT type, name, tbl_name, sql FROM sqlite_schema",
          "SELECT * FROM sqlite_stat1 ORDER BY 1, 2, 3"]


class DdlMaker(WriteMaker):
    def __init__(self, seed, statements):
        super().__init__(seed, statements)
        self.made = 10  # a number for names
        self.views = []
        self.attached = False

    def create_trigger(self, number, table=None):
        # RENAME loses its way in upserts of triggers (docs/compatibility.md).
        self.uses_upserts = False
        sql = super().create_trigger(number, table)
        self.uses_upserts = True
        return sql

    def next(self):
        self.made += 1
        return self.made

    def statement(self):
        if self.rng.random() < 0.6:
            return super().statement()
        rng, kind = self.rng, self.rng.random()
        table = rng.choice(self.tables)
        if kind < 0.12:
            return self.new_table()
        if kind < 0.16:
            return self.drop_table()
        if kind < 0.42:
            return self.alter(table)
        if kind < 0.54:
            return self.create_index(self.next() if rng.random() < 0.8 else self.made)
        if kind < 0.58:
            return "DROP INDEX %si%d" % (rng.choice(["", "IF EXISTS "]), rng.randint(0, self.made))
        if kind < 0.66:
            return self.view()
        if kind < 0.74:
            return self.make_trigger()
        if kind < 0.77:
            return "DROP TRIGGER IF EXISTS g%d" % rng.randint(0, self.made)
        if kind < 0.84:
            return rng.choice(["VACUUM", "REINDEX", "REINDEX %s" % table.name, "ANALYZE",
                               "ANALYZE %s" % table.name, "REINDEX nocase"])
        if kind < 0.88:
            return self.attach()
        return rng.choice(CHECKS)

    def new_table(self):
        rng, kind = self.rng, self.rng.random()
        table = Table("t%d" % self.next())
        if kind < 0.25:
            table.columns = ["a", "b", "c"]
            source = rng.choice(self.tables)
            columns = [rng.choice(source.names()) for _ in table.columns]
            if rng.random() < 0.3:
                columns = [rng.choice([c, "%s + 1" % c, "CAST(%s AS TEXT)" % c]) for c in columns]
            sql = "CREATE TABLE %s AS SELECT %s FROM %s" % (
                table.name, ", ".join("%s AS %s" % pair for pair in zip(columns, table.columns)),
                source.name)
            self.tables.append(table)
            return sql
        self.tables.append(table)
        sql = self.create_table(table)
        if kind < 0.4:
            sql = sql.replace("CREATE TABLE", "CREATE TEMP TABLE", 1)
            table.is_temporary = True
        elif kind < 0.5 and self.attached:
            sql = sql.replace("CREATE TABLE ", "CREATE TABLE aux.", 1)
        return sql

    def drop_table(self):
        rng = self.rng
        table = rng.choice(self.tables)
        if len(self.tables) > 2 or rng.random() < 0.3:
            if len(self.tables) > 1:
                self.tables.remove(table)
            return "DROP TABLE %s" % table.name
        return "DROP TABLE IF EXISTS t%d" % rng.randint(0, self.made)

    def alter(self, table):
        rng, kind = self.rng, self.rng.random()
        start = "ALTER TABLE %s " % table.name
        if kind < 0.2:
            table.name = "t%d" % self.next()
            return start + "RENAME TO " + table.name
        # SQLite does not follow the names into triggers and views of a temporary table.
        if kind < 0.5 and not table.is_temporary:
            return start + self.rename_column(table)
        if kind < 0.75:
            name = rng.choice([n for n in NAMES if n not in table.names()] or NAMES)
            definition = self.column(table, name)
            if rng.random() < 0.2:
                definition = "%s AS (%s)" % (name, rng.choice(table.columns))
                table.generated.append(name)
            else:
                table.columns.append(name)
            return start + "ADD COLUMN " + definition
        if kind < 0.9:
            name = rng.choice(table.names())
            if len(table.columns) > 2 and name in table.columns and name != table.alias:
                if rng.random() < 0.7:
                    table.columns.remove(name)
            return start + "DROP COLUMN " + name
        return start + rng.choice([
            "ALTER COLUMN %s SET NOT NULL" % rng.choice(table.columns),
            "ALTER COLUMN %s DROP NOT NULL" % rng.choice(table.columns),
            "ADD CONSTRAINT ck%d CHECK (%s IS NOT 4)" % (self.next(), rng.choice(table.columns)),
            "DROP CONSTRAINT ck%d" % rng.randint(10, self.made)])

    def rename_column(self, table):
        rng = self.rng
        old = rng.choice(table.names())
        new = rng.choice([n for n in NAMES if n not in table.names()] or NAMES)

        def renamed(name):
            return new if name == old else name
        if rng.random() < 0.9:
            table.columns = [renamed(c) for c in table.columns]
            table.generated = [renamed(c) for c in table.generated]
            table.alias = renamed(table.alias)
            table.keys = [tuple(renamed(c) for c in key) for key in table.keys]
        return "RENAME %s%s TO %s" % (rng.choice(["COLUMN ", ""]), old, new)

    def view(self):
        rng = self.rng
        if self.views and rng.random() < 0.5:
            name = rng.choice(self.views)
            if rng.random() < 0.3:
                return "DROP VIEW IF EXISTS " + name
            return "SELECT * FROM %s ORDER BY 1, 2" % name
        name = "v%d" % self.next()
        self.views.append(name)
        a, b = rng.choice(self.tables), rng.choice(self.tables)
        if rng.random() < 0.4:
            return "CREATE VIEW %s AS SELECT x.%s AS k, y.%s FROM %s AS x JOIN %s AS y ON x.%s = y.%s" % (
                name, rng.choice(a.names()), rng.choice(b.names()), a.name, b.name,
                rng.choice(a.names()), rng.choice(b.names()))
        columns = [rng.choice(a.names()) for _ in range(2)]
        return "CREATE %sVIEW %s%s AS SELECT %s FROM %s WHERE %s" % (
            rng.choice(["", "", "TEMP "]), name, rng.choice(["", "", "(k, l)"]), ", ".join(columns),
            a.name, self.condition(a))

    def make_trigger(self):
        sql = self.create_trigger(self.next())
        if "log" in sql and not self.has_triggers:
            self.has_triggers = True
            return "CREATE TABLE IF NOT EXISTS log(name, x, y)"
        return sql

    def attach(self):
        rng = self.rng
        if self.attached and rng.random() < 0.2:
            self.attached = False
            return "DETACH aux"
        self.attached = True
        return "ATTACH ':memory:' AS aux"
