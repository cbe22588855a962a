"""A thin Python view of SQLite's C interface in any shared library, by ctypes.

Python's own sqlite3 module is bound to one library; this loads any, so that tests can run the same
statements on Godwit and on reference SQLite in one process.
"""
import ctypes

OK, ROW, DONE = 0, 100, 101
INTEGER, FLOAT, TEXT, BLOB, NULL = 1, 2, 3, 4, 5


class Error(Exception):
    def __init__(self, code, message):
        super().__init__("%s (%d)" % (message, code))
        self.code, self.message = code, message


class Library:
    def __init__(self, path):
        lib = ctypes.CDLL(path, mode=ctypes.RTLD_LOCAL)
        pointer, number, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
        self.path = path

        def bind(name, result, *arguments):
            function = getattr(lib, "sqlite3_" + name)
            function.restype, function.argtypes = result, list(arguments)
            setattr(self, name, function)

        bind("open_v2", number, text, ctypes.POINTER(pointer), number, text)
        bind("close", number, pointer)
        bind("prepare_v2", number, pointer, pointer, number, ctypes.POINTER(pointer),
             ctypes.POINTER(pointer))
        bind("step", number, pointer)
        bind("reset", number, pointer)
        bind("finalize", number, pointer)
        bind("column_count", number, pointer)
        bind("column_name", text, pointer, number)
        bind("column_type", number, pointer, number)
        bind("column_int64", ctypes.c_int64, pointer, number)
        bind("column_double", ctypes.c_double, pointer, number)
        bind("column_text", pointer, pointer, number)
        bind("column_blob", pointer, pointer, number)
        bind("column_bytes", number, pointer, number)
        bind("errmsg", text, pointer)
        bind("extended_errcode", number, pointer)
        bind("extended_result_codes", number, pointer, number)
        bind("changes", number, pointer)
        bind("total_changes", number, pointer)
        bind("last_insert_rowid", ctypes.c_int64, pointer)
        bind("get_autocommit", number, pointer)
        bind("busy_timeout", number, pointer, number)
        bind("libversion", text)

    def connect(self, path=":memory:", flags=6):
        return Connection(self, path, flags)


class Connection:
    def __init__(self, library, path, flags):
        self.library = library
        self.columns = []  # names, of the statement that ran last
        self.handle = ctypes.c_void_p()
        code = library.open_v2(path.encode(), ctypes.byref(self.handle), flags, None)
        if code != OK:
            message = library.errmsg(self.handle).decode()
            library.close(self.handle)
            raise Error(code, message)
        library.extended_result_codes(self.handle, 1)

    def close(self):
        code = self.library.close(self.handle)
        if code != OK:
            self.fail()

    def fail(self):
        raise Error(self.library.extended_errcode(self.handle),
                    self.library.errmsg(self.handle).decode("utf-8", "replace"))

    def value(self, statement, index):
        lib = self.library
        kind = lib.column_type(statement, index)
        if kind == NULL:
            return None
        if kind == INTEGER:
            return lib.column_int64(statement, index)
        if kind == FLOAT:
            return lib.column_double(statement, index)
        get = lib.column_text if kind == TEXT else lib.column_blob
        address = get(statement, index)
        size = lib.column_bytes(statement, index)
        data = ctypes.string_at(address, size) if address and size else b""
        return data.decode("utf-8", "surrogateescape") if kind == TEXT else data

    def execute(self, sql):
        """Runs every statement of `sql`; returns the rows of the last one that has columns."""
        lib, rows = self.library, []
        data = sql.encode("utf-8", "surrogateescape")
        buffer = ctypes.create_string_buffer(data)
        start, end = ctypes.addressof(buffer), ctypes.addressof(buffer) + len(data)
        position = start
        while position < end:
            statement, tail = ctypes.c_void_p(), ctypes.c_void_p()
            code = lib.prepare_v2(self.handle, position, end - position, ctypes.byref(statement),
                                  ctypes.byref(tail))
            if code != OK:
                self.fail()
            if tail.value == position:
                break
            position = tail.value
            if not statement.value:
                continue
            try:
                columns, found = lib.column_count(statement), []
                self.columns = [lib.column_name(statement, i) for i in range(columns)]
                while (code := lib.step(statement)) == ROW:
                    found.append(tuple(self.value(statement, i) for i in range(columns)))
                if code != DONE:
                    self.fail()
                if columns:
                    rows = found
            finally:
                lib.finalize(statement)
        return rows
