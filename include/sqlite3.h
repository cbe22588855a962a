/*
** The C interface of SQLite 3, as this library provides it.
**
** Names, numbers and meanings are those of SQLite 3.53 (capi3ref.html); programs compiled against
** SQLite's own header run on this library unchanged. Functions that are not declared here are not
** provided yet.
**
** Ownership: connections are closed with sqlite3_close(), statements with sqlite3_finalize(), memory
** that a function hands out with sqlite3_free(). Texts are UTF-8 and end with a NUL.
** Threads: a connection may be used from several threads; calls on it are serialized.
*/
#ifndef SQLITE3_H
#define SQLITE3_H

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef SQLITE_API
#if defined(__GNUC__)
#define SQLITE_API __attribute__((visibility("default")))
#else
#define SQLITE_API
#endif
#endif

#define SQLITE_VERSION "3.53.2"
#define SQLITE_VERSION_NUMBER 3053002

typedef long long int sqlite3_int64;
typedef unsigned long long int sqlite3_uint64;
typedef sqlite3_int64 sqlite_int64;
typedef sqlite3_uint64 sqlite_uint64;

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef struct sqlite3_value sqlite3_value;
typedef struct sqlite3_context sqlite3_context;
typedef struct sqlite3_str sqlite3_str;
typedef struct sqlite3_blob sqlite3_blob;
typedef void (*sqlite3_destructor_type)(void*);

#define SQLITE_STATIC ((sqlite3_destructor_type)0)
#define SQLITE_TRANSIENT ((sqlite3_destructor_type)-1)

/* Result codes: the primary ones, then the extended ones (primary | number << 8). */
#define SQLITE_OK 0
#define SQLITE_ERROR 1
#define SQLITE_INTERNAL 2
#define SQLITE_PERM 3
#define SQLITE_ABORT 4
#define SQLITE_BUSY 5
#define SQLITE_LOCKED 6
#define SQLITE_NOMEM 7
#define SQLITE_READONLY 8
#define SQLITE_INTERRUPT 9
#define SQLITE_IOERR 10
#define SQLITE_CORRUPT 11
#define SQLITE_NOTFOUND 12
#define SQLITE_FULL 13
#define SQLITE_CANTOPEN 14
#define SQLITE_PROTOCOL 15
#define SQLITE_EMPTY 16
#define SQLITE_SCHEMA 17
#define SQLITE_TOOBIG 18
#define SQLITE_CONSTRAINT 19
#define SQLITE_MISMATCH 20
#define SQLITE_MISUSE 21
#define SQLITE_NOLFS 22
#define SQLITE_AUTH 23
#define SQLITE_FORMAT 24
#define SQLITE_RANGE 25
#define SQLITE_NOTADB 26
#define SQLITE_NOTICE 27
#define SQLITE_WARNING 28
#define SQLITE_ROW 100
#define SQLITE_DONE 101

#define SQLITE_ERROR_MISSING_COLLSEQ (SQLITE_ERROR | (1 << 8))
#define SQLITE_ERROR_RETRY (SQLITE_ERROR | (2 << 8))
#define SQLITE_ERROR_SNAPSHOT (SQLITE_ERROR | (3 << 8))
#define SQLITE_ERROR_RESERVESIZE (SQLITE_ERROR | (4 << 8))
#define SQLITE_ERROR_KEY (SQLITE_ERROR | (5 << 8))
#define SQLITE_ERROR_UNABLE (SQLITE_ERROR | (6 << 8))
#define SQLITE_IOERR_READ (SQLITE_IOERR | (1 << 8))
#define SQLITE_IOERR_SHORT_READ (SQLITE_IOERR | (2 << 8))
#define SQLITE_IOERR_WRITE (SQLITE_IOERR | (3 << 8))
#define SQLITE_IOERR_FSYNC (SQLITE_IOERR | (4 << 8))
#define SQLITE_IOERR_DIR_FSYNC (SQLITE_IOERR | (5 << 8))
#define SQLITE_IOERR_TRUNCATE (SQLITE_IOERR | (6 << 8))
#define SQLITE_IOERR_FSTAT (SQLITE_IOERR | (7 << 8))
#define SQLITE_IOERR_UNLOCK (SQLITE_IOERR | (8 << 8))
#define SQLITE_IOERR_RDLOCK (SQLITE_IOERR | (9 << 8))
#define SQLITE_IOERR_DELETE (SQLITE_IOERR | (10 << 8))
#define SQLITE_IOERR_BLOCKED (SQLITE_IOERR | (11 << 8))
#define SQLITE_IOERR_NOMEM (SQLITE_IOERR | (12 << 8))
#define SQLITE_IOERR_ACCESS (SQLITE_IOERR | (13 << 8))
#define SQLITE_IOERR_CHECKRESERVEDLOCK (SQLITE_IOERR | (14 << 8))
#define SQLITE_IOERR_LOCK (SQLITE_IOERR | (15 << 8))
#define SQLITE_IOERR_CLOSE (SQLITE_IOERR | (16 << 8))
#define SQLITE_IOERR_DIR_CLOSE (SQLITE_IOERR | (17 << 8))
#define SQLITE_IOERR_SHMOPEN (SQLITE_IOERR | (18 << 8))
#define SQLITE_IOERR_SHMSIZE (SQLITE_IOERR | (19 << 8))
#define SQLITE_IOERR_SHMLOCK (SQLITE_IOERR | (20 << 8))
#define SQLITE_IOERR_SHMMAP (SQLITE_IOERR | (21 << 8))
#define SQLITE_IOERR_SEEK (SQLITE_IOERR | (22 << 8))
#define SQLITE_IOERR_DELETE_NOENT (SQLITE_IOERR | (23 << 8))
#define SQLITE_IOERR_MMAP (SQLITE_IOERR | (24 << 8))
#define SQLITE_IOERR_GETTEMPPATH (SQLITE_IOERR | (25 << 8))
#define SQLITE_IOERR_CONVPATH (SQLITE_IOERR | (26 << 8))
#define SQLITE_IOERR_VNODE (SQLITE_IOERR | (27 << 8))
#define SQLITE_IOERR_AUTH (SQLITE_IOERR | (28 << 8))
#define SQLITE_IOERR_BEGIN_ATOMIC (SQLITE_IOERR | (29 << 8))
#define SQLITE_IOERR_COMMIT_ATOMIC (SQLITE_IOERR | (30 << 8))
#define SQLITE_IOERR_ROLLBACK_ATOMIC (SQLITE_IOERR | (31 << 8))
#define SQLITE_IOERR_DATA (SQLITE_IOERR | (32 << 8))
#define SQLITE_IOERR_CORRUPTFS (SQLITE_IOERR | (33 << 8))
#define SQLITE_IOERR_IN_PAGE (SQLITE_IOERR | (34 << 8))
#define SQLITE_IOERR_BADKEY (SQLITE_IOERR | (35 << 8))
#define SQLITE_IOERR_CODEC (SQLITE_IOERR | (36 << 8))
#define SQLITE_CANTOPEN_NOTEMPDIR (SQLITE_CANTOPEN | (1 << 8))
#define SQLITE_CANTOPEN_ISDIR (SQLITE_CANTOPEN | (2 << 8))
#define SQLITE_CANTOPEN_FULLPATH (SQLITE_CANTOPEN | (3 << 8))
#define SQLITE_CANTOPEN_CONVPATH (SQLITE_CANTOPEN | (4 << 8))
#define SQLITE_CANTOPEN_DIRTYWAL (SQLITE_CANTOPEN | (5 << 8))
#define SQLITE_CANTOPEN_SYMLINK (SQLITE_CANTOPEN | (6 << 8))
#define SQLITE_CORRUPT_VTAB (SQLITE_CORRUPT | (1 << 8))
#define SQLITE_CORRUPT_SEQUENCE (SQLITE_CORRUPT | (2 << 8))
#define SQLITE_CORRUPT_INDEX (SQLITE_CORRUPT | (3 << 8))
#define SQLITE_READONLY_RECOVERY (SQLITE_READONLY | (1 << 8))
#define SQLITE_READONLY_CANTLOCK (SQLITE_READONLY | (2 << 8))
#define SQLITE_READONLY_ROLLBACK (SQLITE_READONLY | (3 << 8))
#define SQLITE_READONLY_DBMOVED (SQLITE_READONLY | (4 << 8))
#define SQLITE_READONLY_CANTINIT (SQLITE_READONLY | (5 << 8))
#define SQLITE_READONLY_DIRECTORY (SQLITE_READONLY | (6 << 8))
#define SQLITE_ABORT_ROLLBACK (SQLITE_ABORT | (2 << 8))
#define SQLITE_CONSTRAINT_CHECK (SQLITE_CONSTRAINT | (1 << 8))
#define SQLITE_CONSTRAINT_COMMITHOOK (SQLITE_CONSTRAINT | (2 << 8))
#define SQLITE_CONSTRAINT_FOREIGNKEY (SQLITE_CONSTRAINT | (3 << 8))
#define SQLITE_CONSTRAINT_FUNCTION (SQLITE_CONSTRAINT | (4 << 8))
#define SQLITE_CONSTRAINT_NOTNULL (SQLITE_CONSTRAINT | (5 << 8))
#define SQLITE_CONSTRAINT_PRIMARYKEY (SQLITE_CONSTRAINT | (6 << 8))
#define SQLITE_CONSTRAINT_TRIGGER (SQLITE_CONSTRAINT | (7 << 8))
#define SQLITE_CONSTRAINT_UNIQUE (SQLITE_CONSTRAINT | (8 << 8))
#define SQLITE_CONSTRAINT_VTAB (SQLITE_CONSTRAINT | (9 << 8))
#define SQLITE_NOTICE_RECOVER_WAL (SQLITE_NOTICE | (1 << 8))
#define SQLITE_NOTICE_RECOVER_ROLLBACK (SQLITE_NOTICE | (2 << 8))
#define SQLITE_NOTICE_RBU (SQLITE_NOTICE | (3 << 8))
#define SQLITE_WARNING_AUTOINDEX (SQLITE_WARNING | (1 << 8))
#define SQLITE_AUTH_USER (SQLITE_AUTH | (1 << 8))
#define SQLITE_OK_LOAD_PERMANENTLY (SQLITE_OK | (1 << 8))
#define SQLITE_OK_SYMLINK (SQLITE_OK | (2 << 8))

/* Flags of sqlite3_open_v2(). */
#define SQLITE_OPEN_READONLY 0x00000001
#define SQLITE_OPEN_READWRITE 0x00000002
#define SQLITE_OPEN_CREATE 0x00000004
#define SQLITE_OPEN_URI 0x00000040
#define SQLITE_OPEN_MEMORY 0x00000080
#define SQLITE_OPEN_NOMUTEX 0x00008000
#define SQLITE_OPEN_FULLMUTEX 0x00010000
#define SQLITE_OPEN_SHAREDCACHE 0x00020000
#define SQLITE_OPEN_PRIVATECACHE 0x00040000
#define SQLITE_OPEN_NOFOLLOW 0x01000000
#define SQLITE_OPEN_EXRESCODE 0x02000000

/* Types of values. */
#define SQLITE_INTEGER 1
#define SQLITE_FLOAT 2
#define SQLITE_TEXT 3
#define SQLITE3_TEXT 3
#define SQLITE_BLOB 4
#define SQLITE_NULL 5

/* Encodings. */
#define SQLITE_UTF8 1
#define SQLITE_UTF16LE 2
#define SQLITE_UTF16BE 3
#define SQLITE_UTF16 4
#define SQLITE_ANY 5
#define SQLITE_UTF16_ALIGNED 8

/* Properties of functions of the application, or-ed to the encoding. */
#define SQLITE_DETERMINISTIC 0x000000800
#define SQLITE_DIRECTONLY 0x000080000
#define SQLITE_SUBTYPE 0x000100000
#define SQLITE_INNOCUOUS 0x000200000
#define SQLITE_RESULT_SUBTYPE 0x001000000
#define SQLITE_SELFORDER1 0x002000000

#define SQLITE_TRACE_STMT 0x01
#define SQLITE_TRACE_PROFILE 0x02
#define SQLITE_TRACE_ROW 0x04
#define SQLITE_TRACE_CLOSE 0x08

#define SQLITE_TXN_NONE 0
#define SQLITE_TXN_READ 1
#define SQLITE_TXN_WRITE 2

/* Settings of sqlite3_db_config(). */
#define SQLITE_DBCONFIG_MAINDBNAME 1000
#define SQLITE_DBCONFIG_LOOKASIDE 1001
#define SQLITE_DBCONFIG_ENABLE_FKEY 1002
#define SQLITE_DBCONFIG_ENABLE_TRIGGER 1003
#define SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER 1004
#define SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION 1005
#define SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE 1006
#define SQLITE_DBCONFIG_ENABLE_QPSG 1007
#define SQLITE_DBCONFIG_TRIGGER_EQP 1008
#define SQLITE_DBCONFIG_RESET_DATABASE 1009
#define SQLITE_DBCONFIG_DEFENSIVE 1010
#define SQLITE_DBCONFIG_WRITABLE_SCHEMA 1011
#define SQLITE_DBCONFIG_LEGACY_ALTER_TABLE 1012
#define SQLITE_DBCONFIG_DQS_DML 1013
#define SQLITE_DBCONFIG_DQS_DDL 1014
#define SQLITE_DBCONFIG_ENABLE_VIEW 1015
#define SQLITE_DBCONFIG_LEGACY_FILE_FORMAT 1016
#define SQLITE_DBCONFIG_TRUSTED_SCHEMA 1017
#define SQLITE_DBCONFIG_STMT_SCANSTATUS 1018
#define SQLITE_DBCONFIG_REVERSE_SCANORDER 1019

/* Flags of sqlite3_prepare_v3(). */
#define SQLITE_PREPARE_PERSISTENT 0x01
#define SQLITE_PREPARE_NORMALIZE 0x02
#define SQLITE_PREPARE_NO_VTAB 0x04
#define SQLITE_PREPARE_DONT_LOG 0x10

/* Limits of a connection. */
#define SQLITE_LIMIT_LENGTH 0
#define SQLITE_LIMIT_SQL_LENGTH 1
#define SQLITE_LIMIT_COLUMN 2
#define SQLITE_LIMIT_EXPR_DEPTH 3
#define SQLITE_LIMIT_COMPOUND_SELECT 4
#define SQLITE_LIMIT_VDBE_OP 5
#define SQLITE_LIMIT_FUNCTION_ARG 6
#define SQLITE_LIMIT_ATTACHED 7
#define SQLITE_LIMIT_LIKE_PATTERN_LENGTH 8
#define SQLITE_LIMIT_VARIABLE_NUMBER 9
#define SQLITE_LIMIT_TRIGGER_DEPTH 10
#define SQLITE_LIMIT_WORKER_THREADS 11

/* ---- The library ---------------------------------------------------------------------------- */

/* Version texts and number; static memory. */
SQLITE_API extern const char sqlite3_version[];
SQLITE_API const char* sqlite3_libversion(void);
SQLITE_API const char* sqlite3_sourceid(void);
SQLITE_API int sqlite3_libversion_number(void);
/* 1: serialized. */
SQLITE_API int sqlite3_threadsafe(void);
/* Nothing needs to be initialized; both return SQLITE_OK. */
SQLITE_API int sqlite3_initialize(void);
SQLITE_API int sqlite3_shutdown(void);
/* Memory; NULL when there is none left or `bytes` is not positive. */
SQLITE_API void* sqlite3_malloc(int bytes);
SQLITE_API void* sqlite3_malloc64(sqlite3_uint64 bytes);
SQLITE_API void* sqlite3_realloc(void* memory, int bytes);
SQLITE_API void* sqlite3_realloc64(void* memory, sqlite3_uint64 bytes);
SQLITE_API void sqlite3_free(void* memory);
SQLITE_API sqlite3_uint64 sqlite3_msize(void* memory);
/* Random bytes; `bytes` 0 or less does nothing. */
SQLITE_API void sqlite3_randomness(int bytes, void* out);
/* Sleeps; returns the milliseconds slept. */
SQLITE_API int sqlite3_sleep(int milliseconds);

/*
** Formats as the SQL function format(), with the arguments of C: %q, %Q and %w quote, %z is a text that
** is freed. The result is freed with sqlite3_free(). sqlite3_snprintf() writes at most `bytes`, a NUL
** included, and returns `out`.
*/
SQLITE_API char* sqlite3_mprintf(const char* format, ...);
SQLITE_API char* sqlite3_vmprintf(const char* format, va_list arguments);
SQLITE_API char* sqlite3_snprintf(int bytes, char* out, const char* format, ...);
SQLITE_API char* sqlite3_vsnprintf(int bytes, char* out, const char* format, va_list arguments);
/*
** A string under construction. sqlite3_str_finish() frees it and returns the text (sqlite3_free()), or
** NULL if it is empty or an error came up.
*/
SQLITE_API sqlite3_str* sqlite3_str_new(sqlite3* db);
SQLITE_API char* sqlite3_str_finish(sqlite3_str*);
SQLITE_API void sqlite3_str_free(sqlite3_str*);
SQLITE_API void sqlite3_str_appendf(sqlite3_str*, const char* format, ...);
SQLITE_API void sqlite3_str_vappendf(sqlite3_str*, const char* format, va_list arguments);
SQLITE_API void sqlite3_str_append(sqlite3_str*, const char* text, int bytes);
SQLITE_API void sqlite3_str_appendall(sqlite3_str*, const char* text);
SQLITE_API void sqlite3_str_appendchar(sqlite3_str*, int count, char c);
SQLITE_API void sqlite3_str_reset(sqlite3_str*);
SQLITE_API void sqlite3_str_truncate(sqlite3_str*, int bytes);
SQLITE_API int sqlite3_str_errcode(sqlite3_str*);
SQLITE_API int sqlite3_str_length(sqlite3_str*);
SQLITE_API char* sqlite3_str_value(sqlite3_str*);
/* Compare without regard to the case of ASCII letters; 0: equal. */
SQLITE_API int sqlite3_stricmp(const char* a, const char* b);
SQLITE_API int sqlite3_strnicmp(const char* a, const char* b, int bytes);
/* 0: `text` matches. */
SQLITE_API int sqlite3_strglob(const char* pattern, const char* text);
SQLITE_API int sqlite3_strlike(const char* pattern, const char* text, unsigned int escape);
/* SQL keywords. The names do not end with a NUL. */
SQLITE_API int sqlite3_keyword_count(void);
SQLITE_API int sqlite3_keyword_name(int index, const char** name, int* bytes);
SQLITE_API int sqlite3_keyword_check(const char* name, int bytes);
/* Whether `sql` ends with a complete statement. */
SQLITE_API int sqlite3_complete(const char* sql);

/* ---- Connections ---------------------------------------------------------------------------- */

/*
** Opens the database file `filename` (UTF-8; "" and ":memory:" are private databases; a name that
** starts with "file:" is a URI). *db gets a handle also when opening fails (unless memory ran out),
** so that sqlite3_errmsg() can tell why; it must be closed. `vfs`: NULL for the default.
** Returns SQLITE_OK, SQLITE_CANTOPEN, SQLITE_NOMEM, SQLITE_MISUSE.
*/
SQLITE_API int sqlite3_open(const char* filename, sqlite3** db);
SQLITE_API int sqlite3_open_v2(const char* filename, sqlite3** db, int flags, const char* vfs);
/*
** Closes a connection; NULL is allowed. sqlite3_close() refuses with SQLITE_BUSY while statements
** are not finalized; sqlite3_close_v2() then closes when the last one is.
*/
SQLITE_API int sqlite3_close(sqlite3* db);
SQLITE_API int sqlite3_close_v2(sqlite3* db);

/*
** Runs all statements of `sql`. `callback`, if not NULL, is called for each row with the number of
** columns, their texts (NULL for NULL) and names; if it returns non-zero, the run ends with
** SQLITE_ABORT. *error, if wanted, gets the message (free it with sqlite3_free()) or NULL.
*/
SQLITE_API int sqlite3_exec(sqlite3* db, const char* sql,
                            int (*callback)(void*, int, char**, char**), void* context,
                            char** error);

/* The last error of the connection; the text is valid until the next call on it. */
SQLITE_API int sqlite3_errcode(sqlite3* db);
SQLITE_API int sqlite3_extended_errcode(sqlite3* db);
SQLITE_API const char* sqlite3_errmsg(sqlite3* db);
SQLITE_API const char* sqlite3_errstr(int code);
/* Byte of the SQL text where the last error was noticed; -1: unknown. */
SQLITE_API int sqlite3_error_offset(sqlite3* db);
/* Whether functions return extended codes (off by default). */
SQLITE_API int sqlite3_extended_result_codes(sqlite3* db, int on);

SQLITE_API sqlite3_int64 sqlite3_last_insert_rowid(sqlite3* db);
SQLITE_API void sqlite3_set_last_insert_rowid(sqlite3* db, sqlite3_int64 rowid);
/* Rows changed by the last INSERT, UPDATE or DELETE, and by all of them. */
SQLITE_API int sqlite3_changes(sqlite3* db);
SQLITE_API sqlite3_int64 sqlite3_changes64(sqlite3* db);
SQLITE_API int sqlite3_total_changes(sqlite3* db);
SQLITE_API sqlite3_int64 sqlite3_total_changes64(sqlite3* db);
/* 0 inside BEGIN ... COMMIT. */
SQLITE_API int sqlite3_get_autocommit(sqlite3* db);
/* Makes running statements end with SQLITE_INTERRUPT, from any thread. */
SQLITE_API void sqlite3_interrupt(sqlite3* db);
SQLITE_API int sqlite3_is_interrupted(sqlite3* db);
/* Called when a lock is held by another; returns non-zero to try again. NULL: never waits. */
SQLITE_API int sqlite3_busy_handler(sqlite3* db, int (*handler)(void*, int), void* context);
/* Waits up to so many milliseconds for a lock; 0 or less: never. */
SQLITE_API int sqlite3_busy_timeout(sqlite3* db, int milliseconds);
/*
** Hooks; each replaces the one before and returns that one's context. The commit hook makes a rollback of
** the commit by returning non-zero. The progress handler is called now and then while statements run
** (at most once for `steps` of them); non-zero interrupts them.
*/
SQLITE_API void* sqlite3_commit_hook(sqlite3* db, int (*hook)(void*), void* context);
SQLITE_API void* sqlite3_rollback_hook(sqlite3* db, void (*hook)(void*), void* context);
SQLITE_API void sqlite3_progress_handler(sqlite3* db, int steps, int (*handler)(void*),
                                         void* context);
/*
** Calls `trace` with the event, the context, and two pointers: SQLITE_TRACE_STMT (a statement starts:
** the statement, its text), _PROFILE (it ends: the statement, nanoseconds as sqlite3_int64*), _ROW (the
** statement, nothing), _CLOSE (the connection, nothing).
*/
SQLITE_API int sqlite3_trace_v2(sqlite3* db, unsigned mask,
                                int (*trace)(unsigned, void*, void*, void*), void* context);
/* Whether a transaction of the database (NULL: of any) is open: SQLITE_TXN_NONE, _READ or _WRITE. */
SQLITE_API int sqlite3_txn_state(sqlite3* db, const char* name);
/*
** Sets or asks for (second argument negative) a setting; the third argument, int*, gets what is in force.
** SQLITE_DBCONFIG_MAINDBNAME and _LOOKASIDE are not provided: SQLITE_ERROR.
*/
SQLITE_API int sqlite3_db_config(sqlite3* db, int setting, ...);
/* What a column is declared as; each pointer may be NULL. SQLITE_ERROR: there is none. */
SQLITE_API int sqlite3_table_column_metadata(sqlite3* db, const char* database, const char* table,
                                             const char* column, char const** type,
                                             char const** collation, int* not_null,
                                             int* primary_key, int* autoincrement);
/* Rows of all results as texts: names, then row after row; sqlite3_free_table() frees them. */
SQLITE_API int sqlite3_get_table(sqlite3* db, const char* sql, char*** table, int* rows,
                                 int* columns, char** error);
SQLITE_API void sqlite3_free_table(char** table);
/* Sets a limit if `value` is not negative; returns the one before (-1: no such limit). */
SQLITE_API int sqlite3_limit(sqlite3* db, int limit, int value);
/* Path of a database ("main" if NULL); "" for temporary ones, NULL if there is none of the name. */
SQLITE_API const char* sqlite3_db_filename(sqlite3* db, const char* name);
/* 1 read-only, 0 writable, -1 no such database. */
SQLITE_API int sqlite3_db_readonly(sqlite3* db, const char* name);
/* Name of database number `index` (0 main, 1 temp); NULL beyond the last. */
SQLITE_API const char* sqlite3_db_name(sqlite3* db, int index);
/* The statements of a connection one after the other; `after` NULL: the first. */
SQLITE_API sqlite3_stmt* sqlite3_next_stmt(sqlite3* db, sqlite3_stmt* after);

/* ---- Statements ----------------------------------------------------------------------------- */

/*
** Compiles the first statement of `sql` (`bytes` long, or up to its NUL if negative). *stmt gets the
** statement (NULL if the text holds none), *tail, if wanted, where the rest begins.
*/
SQLITE_API int sqlite3_prepare(sqlite3* db, const char* sql, int bytes, sqlite3_stmt** stmt,
                               const char** tail);
SQLITE_API int sqlite3_prepare_v2(sqlite3* db, const char* sql, int bytes, sqlite3_stmt** stmt,
                                  const char** tail);
SQLITE_API int sqlite3_prepare_v3(sqlite3* db, const char* sql, int bytes, unsigned int flags,
                                  sqlite3_stmt** stmt, const char** tail);
/* SQLITE_ROW: a row is ready; SQLITE_DONE: the statement has ended; else an error. */
SQLITE_API int sqlite3_step(sqlite3_stmt* stmt);
/* Ready to be stepped again; bindings stay. Returns the error of the last run, if it failed. */
SQLITE_API int sqlite3_reset(sqlite3_stmt* stmt);
/* As reset, and frees the statement. NULL is allowed. */
SQLITE_API int sqlite3_finalize(sqlite3_stmt* stmt);
SQLITE_API int sqlite3_clear_bindings(sqlite3_stmt* stmt);
SQLITE_API const char* sqlite3_sql(sqlite3_stmt* stmt);
/* The text with the values of its parameters; freed with sqlite3_free(). */
SQLITE_API char* sqlite3_expanded_sql(sqlite3_stmt* stmt);
SQLITE_API sqlite3* sqlite3_db_handle(sqlite3_stmt* stmt);
SQLITE_API int sqlite3_stmt_readonly(sqlite3_stmt* stmt);
/* 1: EXPLAIN, 2: EXPLAIN QUERY PLAN, 0: neither. */
SQLITE_API int sqlite3_stmt_isexplain(sqlite3_stmt* stmt);
SQLITE_API int sqlite3_stmt_busy(sqlite3_stmt* stmt);

/*
** Parameters, numbered from 1. Texts and blobs are copied before the call returns; `destroy` is then
** called, unless it is SQLITE_STATIC or SQLITE_TRANSIENT. A negative length: up to the NUL.
** Return SQLITE_RANGE for a number that is none, SQLITE_MISUSE while the statement runs.
*/
SQLITE_API int sqlite3_bind_blob(sqlite3_stmt*, int, const void*, int, void (*destroy)(void*));
SQLITE_API int sqlite3_bind_blob64(sqlite3_stmt*, int, const void*, sqlite3_uint64,
                                   void (*destroy)(void*));
SQLITE_API int sqlite3_bind_double(sqlite3_stmt*, int, double);
SQLITE_API int sqlite3_bind_int(sqlite3_stmt*, int, int);
SQLITE_API int sqlite3_bind_int64(sqlite3_stmt*, int, sqlite3_int64);
SQLITE_API int sqlite3_bind_null(sqlite3_stmt*, int);
SQLITE_API int sqlite3_bind_text(sqlite3_stmt*, int, const char*, int, void (*destroy)(void*));
SQLITE_API int sqlite3_bind_text64(sqlite3_stmt*, int, const char*, sqlite3_uint64,
                                   void (*destroy)(void*), unsigned char encoding);
SQLITE_API int sqlite3_bind_value(sqlite3_stmt*, int, const sqlite3_value*);
SQLITE_API int sqlite3_bind_zeroblob(sqlite3_stmt*, int, int bytes);
SQLITE_API int sqlite3_bind_zeroblob64(sqlite3_stmt*, int, sqlite3_uint64 bytes);
SQLITE_API int sqlite3_bind_parameter_count(sqlite3_stmt*);
/* NULL for "?" and for numbers that are none. */
SQLITE_API const char* sqlite3_bind_parameter_name(sqlite3_stmt*, int);
/* 0: no parameter of that name. */
SQLITE_API int sqlite3_bind_parameter_index(sqlite3_stmt*, const char* name);

/*
** Results, columns numbered from 0. Pointers are valid until the column is asked for as another type,
** or the statement is stepped, reset or finalized.
*/
SQLITE_API int sqlite3_column_count(sqlite3_stmt*);
/* Columns of the current row: 0 when there is none. */
SQLITE_API int sqlite3_data_count(sqlite3_stmt*);
SQLITE_API const char* sqlite3_column_name(sqlite3_stmt*, int);
SQLITE_API const char* sqlite3_column_decltype(sqlite3_stmt*, int);
SQLITE_API const char* sqlite3_column_database_name(sqlite3_stmt*, int);
SQLITE_API const char* sqlite3_column_table_name(sqlite3_stmt*, int);
SQLITE_API const char* sqlite3_column_origin_name(sqlite3_stmt*, int);
SQLITE_API const void* sqlite3_column_blob(sqlite3_stmt*, int);
SQLITE_API double sqlite3_column_double(sqlite3_stmt*, int);
SQLITE_API int sqlite3_column_int(sqlite3_stmt*, int);
SQLITE_API sqlite3_int64 sqlite3_column_int64(sqlite3_stmt*, int);
SQLITE_API const unsigned char* sqlite3_column_text(sqlite3_stmt*, int);
SQLITE_API sqlite3_value* sqlite3_column_value(sqlite3_stmt*, int);
SQLITE_API int sqlite3_column_bytes(sqlite3_stmt*, int);
SQLITE_API int sqlite3_column_type(sqlite3_stmt*, int);

/* Values, as sqlite3_column_value() gives them and functions of the application get them. */
SQLITE_API const void* sqlite3_value_blob(sqlite3_value*);
SQLITE_API double sqlite3_value_double(sqlite3_value*);
SQLITE_API int sqlite3_value_int(sqlite3_value*);
SQLITE_API sqlite3_int64 sqlite3_value_int64(sqlite3_value*);
SQLITE_API const unsigned char* sqlite3_value_text(sqlite3_value*);
SQLITE_API int sqlite3_value_bytes(sqlite3_value*);
SQLITE_API int sqlite3_value_type(sqlite3_value*);
/* The type that the value has if it is a text that is a number through and through. */
SQLITE_API int sqlite3_value_numeric_type(sqlite3_value*);
SQLITE_API unsigned int sqlite3_value_subtype(sqlite3_value*);
SQLITE_API int sqlite3_value_encoding(sqlite3_value*);
/* UTF-16 in the byte order of the machine, or as named. */
SQLITE_API const void* sqlite3_value_text16(sqlite3_value*);
SQLITE_API const void* sqlite3_value_text16le(sqlite3_value*);
SQLITE_API const void* sqlite3_value_text16be(sqlite3_value*);
SQLITE_API int sqlite3_value_bytes16(sqlite3_value*);
/* A copy that the caller frees with sqlite3_value_free(). */
SQLITE_API sqlite3_value* sqlite3_value_dup(const sqlite3_value*);
SQLITE_API void sqlite3_value_free(sqlite3_value*);

/* ---- UTF-16 ------------------------------------------------------------------------------------ */

/* As the functions of the same name without 16, with texts in UTF-16. Lengths are in bytes. */
SQLITE_API int sqlite3_open16(const void* filename, sqlite3** db);
SQLITE_API int sqlite3_prepare16(sqlite3* db, const void* sql, int bytes, sqlite3_stmt** stmt,
                                 const void** tail);
SQLITE_API int sqlite3_prepare16_v2(sqlite3* db, const void* sql, int bytes, sqlite3_stmt** stmt,
                                    const void** tail);
SQLITE_API int sqlite3_prepare16_v3(sqlite3* db, const void* sql, int bytes, unsigned int flags,
                                    sqlite3_stmt** stmt, const void** tail);
SQLITE_API int sqlite3_complete16(const void* sql);
SQLITE_API const void* sqlite3_errmsg16(sqlite3* db);
SQLITE_API int sqlite3_bind_text16(sqlite3_stmt*, int, const void*, int, void (*destroy)(void*));
SQLITE_API const void* sqlite3_column_text16(sqlite3_stmt*, int);
SQLITE_API int sqlite3_column_bytes16(sqlite3_stmt*, int);
SQLITE_API const void* sqlite3_column_name16(sqlite3_stmt*, int);
SQLITE_API const void* sqlite3_column_decltype16(sqlite3_stmt*, int);
SQLITE_API const void* sqlite3_column_database_name16(sqlite3_stmt*, int);
SQLITE_API const void* sqlite3_column_table_name16(sqlite3_stmt*, int);
SQLITE_API const void* sqlite3_column_origin_name16(sqlite3_stmt*, int);

/* ---- Incremental I/O ------------------------------------------------------------------------ */

/*
** Opens the text or blob in column `column` of row `rowid` for reading, or for writing too (`flags` not
** 0). The handle holds a transaction until it is closed. When the row is changed by something else, the
** handle expires (SQLITE_ABORT). The size of a value cannot be changed: ranges outside it give
** SQLITE_ERROR.
*/
SQLITE_API int sqlite3_blob_open(sqlite3* db, const char* database, const char* table,
                                 const char* column, sqlite3_int64 rowid, int flags,
                                 sqlite3_blob** blob);
/* Moves a handle to another row of the table. */
SQLITE_API int sqlite3_blob_reopen(sqlite3_blob*, sqlite3_int64 rowid);
/* Frees the handle; NULL is allowed. In autocommit mode a commit may fail here. */
SQLITE_API int sqlite3_blob_close(sqlite3_blob*);
SQLITE_API int sqlite3_blob_bytes(sqlite3_blob*);
SQLITE_API int sqlite3_blob_read(sqlite3_blob*, void* out, int bytes, int offset);
SQLITE_API int sqlite3_blob_write(sqlite3_blob*, const void* data, int bytes, int offset);

/* ---- Functions of the application ----------------------------------------------------------- */

/*
** Adds a function to a connection, or replaces the one of the same name and number of arguments
** (-1: any number). A scalar one has `call`, an aggregate has `step` and `final`, a window function
** `inverse` and `value` besides; none of them: the function is removed. `user_data` is what
** sqlite3_user_data() gives; `destroy` is called with it when the function goes, also when adding it
** fails. Texts come as UTF-8 whatever encoding is asked for; ask values for the form you need.
** Return SQLITE_MISUSE for wrong combinations, SQLITE_BUSY while statements run that may use it.
*/
SQLITE_API int sqlite3_create_function(sqlite3* db, const char* name, int arguments, int flags,
                                       void* user_data,
                                       void (*call)(sqlite3_context*, int, sqlite3_value**),
                                       void (*step)(sqlite3_context*, int, sqlite3_value**),
                                       void (*final)(sqlite3_context*));
SQLITE_API int sqlite3_create_function16(sqlite3* db, const void* name, int arguments, int flags,
                                         void* user_data,
                                         void (*call)(sqlite3_context*, int, sqlite3_value**),
                                         void (*step)(sqlite3_context*, int, sqlite3_value**),
                                         void (*final)(sqlite3_context*));
SQLITE_API int sqlite3_create_function_v2(sqlite3* db, const char* name, int arguments, int flags,
                                          void* user_data,
                                          void (*call)(sqlite3_context*, int, sqlite3_value**),
                                          void (*step)(sqlite3_context*, int, sqlite3_value**),
                                          void (*final)(sqlite3_context*),
                                          void (*destroy)(void*));
SQLITE_API int sqlite3_create_window_function(
    sqlite3* db, const char* name, int arguments, int flags, void* user_data,
    void (*step)(sqlite3_context*, int, sqlite3_value**), void (*final)(sqlite3_context*),
    void (*value)(sqlite3_context*), void (*inverse)(sqlite3_context*, int, sqlite3_value**),
    void (*destroy)(void*));
/* Makes a function of that name exist that only fails, unless there is one already. */
SQLITE_API int sqlite3_overload_function(sqlite3* db, const char* name, int arguments);

/* Inside a call. */
SQLITE_API void* sqlite3_user_data(sqlite3_context*);
SQLITE_API sqlite3* sqlite3_context_db_handle(sqlite3_context*);
/*
** Memory of an aggregate for the group at hand, zeroed by the first call in it; NULL if `bytes` is 0 or
** less and there is none yet. Freed after `final`.
*/
SQLITE_API void* sqlite3_aggregate_context(sqlite3_context*, int bytes);
/* What was kept for argument `argument` of this call site, if the argument is still the same. */
SQLITE_API void* sqlite3_get_auxdata(sqlite3_context*, int argument);
SQLITE_API void sqlite3_set_auxdata(sqlite3_context*, int argument, void* data,
                                    void (*destroy)(void*));

/* The result of a call; the last one set counts. Texts and blobs are copied. */
SQLITE_API void sqlite3_result_blob(sqlite3_context*, const void*, int, void (*destroy)(void*));
SQLITE_API void sqlite3_result_blob64(sqlite3_context*, const void*, sqlite3_uint64,
                                      void (*destroy)(void*));
SQLITE_API void sqlite3_result_double(sqlite3_context*, double);
SQLITE_API void sqlite3_result_int(sqlite3_context*, int);
SQLITE_API void sqlite3_result_int64(sqlite3_context*, sqlite3_int64);
SQLITE_API void sqlite3_result_null(sqlite3_context*);
SQLITE_API void sqlite3_result_text(sqlite3_context*, const char*, int, void (*destroy)(void*));
SQLITE_API void sqlite3_result_text64(sqlite3_context*, const char*, sqlite3_uint64,
                                      void (*destroy)(void*), unsigned char encoding);
SQLITE_API void sqlite3_result_text16(sqlite3_context*, const void*, int, void (*destroy)(void*));
SQLITE_API void sqlite3_result_text16le(sqlite3_context*, const void*, int, void (*destroy)(void*));
SQLITE_API void sqlite3_result_text16be(sqlite3_context*, const void*, int, void (*destroy)(void*));
SQLITE_API void sqlite3_result_value(sqlite3_context*, sqlite3_value*);
SQLITE_API void sqlite3_result_zeroblob(sqlite3_context*, int bytes);
SQLITE_API int sqlite3_result_zeroblob64(sqlite3_context*, sqlite3_uint64 bytes);
SQLITE_API void sqlite3_result_subtype(sqlite3_context*, unsigned int);
SQLITE_API void sqlite3_result_error(sqlite3_context*, const char* message, int bytes);
SQLITE_API void sqlite3_result_error16(sqlite3_context*, const void* message, int bytes);
SQLITE_API void sqlite3_result_error_code(sqlite3_context*, int code);
SQLITE_API void sqlite3_result_error_nomem(sqlite3_context*);
SQLITE_API void sqlite3_result_error_toobig(sqlite3_context*);

/*
** Adds a collation, replaces the one of that name, or removes it (`compare` NULL). `compare` gets the
** lengths in bytes, in the encoding asked for (SQLITE_UTF8, SQLITE_UTF16LE, ...).
*/
SQLITE_API int sqlite3_create_collation(sqlite3* db, const char* name, int encoding, void* context,
                                        int (*compare)(void*, int, const void*, int, const void*));
SQLITE_API int sqlite3_create_collation16(sqlite3* db, const void* name, int encoding,
                                          void* context,
                                          int (*compare)(void*, int, const void*, int,
                                                         const void*));
SQLITE_API int sqlite3_create_collation_v2(sqlite3* db, const char* name, int encoding,
                                           void* context,
                                           int (*compare)(void*, int, const void*, int,
                                                          const void*),
                                           void (*destroy)(void*));

#ifdef __cplusplus
}
#endif
#endif
