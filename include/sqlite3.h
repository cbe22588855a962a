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
typedef struct sqlite3_backup sqlite3_backup;
typedef struct sqlite3_mutex sqlite3_mutex;
typedef struct sqlite3_vfs sqlite3_vfs;
typedef struct sqlite3_file sqlite3_file;
typedef int (*sqlite3_callback)(void*, int, char**, char**);
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

/* More extended result codes. */
#define SQLITE_LOCKED_SHAREDCACHE (SQLITE_LOCKED | (1<<8))
#define SQLITE_LOCKED_VTAB (SQLITE_LOCKED | (2<<8))
#define SQLITE_BUSY_RECOVERY (SQLITE_BUSY | (1<<8))
#define SQLITE_BUSY_SNAPSHOT (SQLITE_BUSY | (2<<8))
#define SQLITE_BUSY_TIMEOUT (SQLITE_BUSY | (3<<8))
#define SQLITE_CONSTRAINT_ROWID (SQLITE_CONSTRAINT |(10<<8))
#define SQLITE_CONSTRAINT_PINNED (SQLITE_CONSTRAINT |(11<<8))
#define SQLITE_CONSTRAINT_DATATYPE (SQLITE_CONSTRAINT |(12<<8))

/* More flags of sqlite3_open_v2() and of the files that a VFS opens. */
#define SQLITE_OPEN_DELETEONCLOSE 0x00000008
#define SQLITE_OPEN_EXCLUSIVE 0x00000010
#define SQLITE_OPEN_AUTOPROXY 0x00000020
#define SQLITE_OPEN_MAIN_DB 0x00000100
#define SQLITE_OPEN_TEMP_DB 0x00000200
#define SQLITE_OPEN_TRANSIENT_DB 0x00000400
#define SQLITE_OPEN_MAIN_JOURNAL 0x00000800
#define SQLITE_OPEN_TEMP_JOURNAL 0x00001000
#define SQLITE_OPEN_SUBJOURNAL 0x00002000
#define SQLITE_OPEN_SUPER_JOURNAL 0x00004000
#define SQLITE_OPEN_WAL 0x00080000
#define SQLITE_OPEN_MASTER_JOURNAL 0x00004000

/* What a device guarantees, locks, syncs, and the other parts of the VFS interface. */
#define SQLITE_IOCAP_ATOMIC 0x00000001
#define SQLITE_IOCAP_ATOMIC512 0x00000002
#define SQLITE_IOCAP_ATOMIC1K 0x00000004
#define SQLITE_IOCAP_ATOMIC2K 0x00000008
#define SQLITE_IOCAP_ATOMIC4K 0x00000010
#define SQLITE_IOCAP_ATOMIC8K 0x00000020
#define SQLITE_IOCAP_ATOMIC16K 0x00000040
#define SQLITE_IOCAP_ATOMIC32K 0x00000080
#define SQLITE_IOCAP_ATOMIC64K 0x00000100
#define SQLITE_IOCAP_SAFE_APPEND 0x00000200
#define SQLITE_IOCAP_SEQUENTIAL 0x00000400
#define SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN 0x00000800
#define SQLITE_IOCAP_POWERSAFE_OVERWRITE 0x00001000
#define SQLITE_IOCAP_IMMUTABLE 0x00002000
#define SQLITE_IOCAP_BATCH_ATOMIC 0x00004000
#define SQLITE_IOCAP_SUBPAGE_READ 0x00008000
#define SQLITE_LOCK_NONE 0
#define SQLITE_LOCK_SHARED 1
#define SQLITE_LOCK_RESERVED 2
#define SQLITE_LOCK_PENDING 3
#define SQLITE_LOCK_EXCLUSIVE 4
#define SQLITE_SYNC_NORMAL 0x00002
#define SQLITE_SYNC_FULL 0x00003
#define SQLITE_SYNC_DATAONLY 0x00010
#define SQLITE_ACCESS_EXISTS 0
#define SQLITE_ACCESS_READWRITE 1
#define SQLITE_ACCESS_READ 2
#define SQLITE_SHM_UNLOCK 1
#define SQLITE_SHM_LOCK 2
#define SQLITE_SHM_SHARED 4
#define SQLITE_SHM_EXCLUSIVE 8
#define SQLITE_SHM_NLOCK 8

/* Operations of sqlite3_file_control(). */
#define SQLITE_FCNTL_LOCKSTATE 1
#define SQLITE_FCNTL_GET_LOCKPROXYFILE 2
#define SQLITE_FCNTL_SET_LOCKPROXYFILE 3
#define SQLITE_FCNTL_LAST_ERRNO 4
#define SQLITE_FCNTL_SIZE_HINT 5
#define SQLITE_FCNTL_CHUNK_SIZE 6
#define SQLITE_FCNTL_FILE_POINTER 7
#define SQLITE_FCNTL_SYNC_OMITTED 8
#define SQLITE_FCNTL_WIN32_AV_RETRY 9
#define SQLITE_FCNTL_PERSIST_WAL 10
#define SQLITE_FCNTL_OVERWRITE 11
#define SQLITE_FCNTL_VFSNAME 12
#define SQLITE_FCNTL_POWERSAFE_OVERWRITE 13
#define SQLITE_FCNTL_PRAGMA 14
#define SQLITE_FCNTL_BUSYHANDLER 15
#define SQLITE_FCNTL_TEMPFILENAME 16
#define SQLITE_FCNTL_MMAP_SIZE 18
#define SQLITE_FCNTL_TRACE 19
#define SQLITE_FCNTL_HAS_MOVED 20
#define SQLITE_FCNTL_SYNC 21
#define SQLITE_FCNTL_COMMIT_PHASETWO 22
#define SQLITE_FCNTL_WIN32_SET_HANDLE 23
#define SQLITE_FCNTL_WAL_BLOCK 24
#define SQLITE_FCNTL_ZIPVFS 25
#define SQLITE_FCNTL_RBU 26
#define SQLITE_FCNTL_VFS_POINTER 27
#define SQLITE_FCNTL_JOURNAL_POINTER 28
#define SQLITE_FCNTL_WIN32_GET_HANDLE 29
#define SQLITE_FCNTL_PDB 30
#define SQLITE_FCNTL_BEGIN_ATOMIC_WRITE 31
#define SQLITE_FCNTL_COMMIT_ATOMIC_WRITE 32
#define SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE 33
#define SQLITE_FCNTL_LOCK_TIMEOUT 34
#define SQLITE_FCNTL_DATA_VERSION 35
#define SQLITE_FCNTL_SIZE_LIMIT 36
#define SQLITE_FCNTL_CKPT_DONE 37
#define SQLITE_FCNTL_RESERVE_BYTES 38
#define SQLITE_FCNTL_CKPT_START 39
#define SQLITE_FCNTL_EXTERNAL_READER 40
#define SQLITE_FCNTL_CKSM_FILE 41
#define SQLITE_FCNTL_RESET_CACHE 42
#define SQLITE_FCNTL_NULL_IO 43
#define SQLITE_FCNTL_BLOCK_ON_CONNECT 44
#define SQLITE_FCNTL_FILESTAT 45
#define SQLITE_GET_LOCKPROXYFILE SQLITE_FCNTL_GET_LOCKPROXYFILE
#define SQLITE_SET_LOCKPROXYFILE SQLITE_FCNTL_SET_LOCKPROXYFILE
#define SQLITE_LAST_ERRNO SQLITE_FCNTL_LAST_ERRNO

/* Settings of sqlite3_config(). */
#define SQLITE_CONFIG_SINGLETHREAD 1
#define SQLITE_CONFIG_MULTITHREAD 2
#define SQLITE_CONFIG_SERIALIZED 3
#define SQLITE_CONFIG_MALLOC 4
#define SQLITE_CONFIG_GETMALLOC 5
#define SQLITE_CONFIG_SCRATCH 6
#define SQLITE_CONFIG_PAGECACHE 7
#define SQLITE_CONFIG_HEAP 8
#define SQLITE_CONFIG_MEMSTATUS 9
#define SQLITE_CONFIG_MUTEX 10
#define SQLITE_CONFIG_GETMUTEX 11
#define SQLITE_CONFIG_LOOKASIDE 13
#define SQLITE_CONFIG_PCACHE 14
#define SQLITE_CONFIG_GETPCACHE 15
#define SQLITE_CONFIG_LOG 16
#define SQLITE_CONFIG_URI 17
#define SQLITE_CONFIG_PCACHE2 18
#define SQLITE_CONFIG_GETPCACHE2 19
#define SQLITE_CONFIG_COVERING_INDEX_SCAN 20
#define SQLITE_CONFIG_SQLLOG 21
#define SQLITE_CONFIG_MMAP_SIZE 22
#define SQLITE_CONFIG_WIN32_HEAPSIZE 23
#define SQLITE_CONFIG_PCACHE_HDRSZ 24
#define SQLITE_CONFIG_PMASZ 25
#define SQLITE_CONFIG_STMTJRNL_SPILL 26
#define SQLITE_CONFIG_SMALL_MALLOC 27
#define SQLITE_CONFIG_SORTERREF_SIZE 28
#define SQLITE_CONFIG_MEMDB_MAXSIZE 29
#define SQLITE_CONFIG_ROWID_IN_VIEW 30

/* More settings of sqlite3_db_config(). */
#define SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE 1020
#define SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE 1021
#define SQLITE_DBCONFIG_ENABLE_COMMENTS 1022
#define SQLITE_DBCONFIG_FP_DIGITS 1023
#define SQLITE_DBCONFIG_MAX 1023

/* Flags of sqlite3_setlk_timeout(). */
#define SQLITE_SETLK_BLOCK_ON_CONNECT 0x01

/* Answers and actions of an authorizer. */
#define SQLITE_DENY 1
#define SQLITE_IGNORE 2
#define SQLITE_CREATE_INDEX 1
#define SQLITE_CREATE_TABLE 2
#define SQLITE_CREATE_TEMP_INDEX 3
#define SQLITE_CREATE_TEMP_TABLE 4
#define SQLITE_CREATE_TEMP_TRIGGER 5
#define SQLITE_CREATE_TEMP_VIEW 6
#define SQLITE_CREATE_TRIGGER 7
#define SQLITE_CREATE_VIEW 8
#define SQLITE_DELETE 9
#define SQLITE_DROP_INDEX 10
#define SQLITE_DROP_TABLE 11
#define SQLITE_DROP_TEMP_INDEX 12
#define SQLITE_DROP_TEMP_TABLE 13
#define SQLITE_DROP_TEMP_TRIGGER 14
#define SQLITE_DROP_TEMP_VIEW 15
#define SQLITE_DROP_TRIGGER 16
#define SQLITE_DROP_VIEW 17
#define SQLITE_INSERT 18
#define SQLITE_PRAGMA 19
#define SQLITE_READ 20
#define SQLITE_SELECT 21
#define SQLITE_TRANSACTION 22
#define SQLITE_UPDATE 23
#define SQLITE_ATTACH 24
#define SQLITE_DETACH 25
#define SQLITE_ALTER_TABLE 26
#define SQLITE_REINDEX 27
#define SQLITE_ANALYZE 28
#define SQLITE_CREATE_VTABLE 29
#define SQLITE_DROP_VTABLE 30
#define SQLITE_FUNCTION 31
#define SQLITE_SAVEPOINT 32
#define SQLITE_COPY 0
#define SQLITE_RECURSIVE 33

/* Another limit, prepare flag and encoding. */
#define SQLITE_LIMIT_PARSER_DEPTH 12
#define SQLITE_PREPARE_FROM_DDL 0x20
#define SQLITE_UTF8_ZT 16

/* Directories that only Windows has. */
#define SQLITE_WIN32_DATA_DIRECTORY_TYPE 1
#define SQLITE_WIN32_TEMP_DIRECTORY_TYPE 2

/* Virtual tables. */
#define SQLITE_INDEX_SCAN_UNIQUE 0x00000001
#define SQLITE_INDEX_SCAN_HEX 0x00000002
#define SQLITE_INDEX_CONSTRAINT_EQ 2
#define SQLITE_INDEX_CONSTRAINT_GT 4
#define SQLITE_INDEX_CONSTRAINT_LE 8
#define SQLITE_INDEX_CONSTRAINT_LT 16
#define SQLITE_INDEX_CONSTRAINT_GE 32
#define SQLITE_INDEX_CONSTRAINT_MATCH 64
#define SQLITE_INDEX_CONSTRAINT_LIKE 65
#define SQLITE_INDEX_CONSTRAINT_GLOB 66
#define SQLITE_INDEX_CONSTRAINT_REGEXP 67
#define SQLITE_INDEX_CONSTRAINT_NE 68
#define SQLITE_INDEX_CONSTRAINT_ISNOT 69
#define SQLITE_INDEX_CONSTRAINT_ISNOTNULL 70
#define SQLITE_INDEX_CONSTRAINT_ISNULL 71
#define SQLITE_INDEX_CONSTRAINT_IS 72
#define SQLITE_INDEX_CONSTRAINT_LIMIT 73
#define SQLITE_INDEX_CONSTRAINT_OFFSET 74
#define SQLITE_INDEX_CONSTRAINT_FUNCTION 150
#define SQLITE_VTAB_CONSTRAINT_SUPPORT 1
#define SQLITE_VTAB_INNOCUOUS 2
#define SQLITE_VTAB_DIRECTONLY 3
#define SQLITE_VTAB_USES_ALL_SCHEMAS 4
#define SQLITE_ROLLBACK 1
#define SQLITE_FAIL 3
#define SQLITE_REPLACE 5

/* Kinds of mutexes. */
#define SQLITE_MUTEX_FAST 0
#define SQLITE_MUTEX_RECURSIVE 1
#define SQLITE_MUTEX_STATIC_MAIN 2
#define SQLITE_MUTEX_STATIC_MEM 3
#define SQLITE_MUTEX_STATIC_MEM2 4
#define SQLITE_MUTEX_STATIC_OPEN 4
#define SQLITE_MUTEX_STATIC_PRNG 5
#define SQLITE_MUTEX_STATIC_LRU 6
#define SQLITE_MUTEX_STATIC_LRU2 7
#define SQLITE_MUTEX_STATIC_PMEM 7
#define SQLITE_MUTEX_STATIC_APP1 8
#define SQLITE_MUTEX_STATIC_APP2 9
#define SQLITE_MUTEX_STATIC_APP3 10
#define SQLITE_MUTEX_STATIC_VFS1 11
#define SQLITE_MUTEX_STATIC_VFS2 12
#define SQLITE_MUTEX_STATIC_VFS3 13
#define SQLITE_MUTEX_STATIC_MASTER 2

/* Operations of sqlite3_test_control(). */
#define SQLITE_TESTCTRL_FIRST 5
#define SQLITE_TESTCTRL_PRNG_SAVE 5
#define SQLITE_TESTCTRL_PRNG_RESTORE 6
#define SQLITE_TESTCTRL_PRNG_RESET 7
#define SQLITE_TESTCTRL_FK_NO_ACTION 7
#define SQLITE_TESTCTRL_BITVEC_TEST 8
#define SQLITE_TESTCTRL_FAULT_INSTALL 9
#define SQLITE_TESTCTRL_BENIGN_MALLOC_HOOKS 10
#define SQLITE_TESTCTRL_PENDING_BYTE 11
#define SQLITE_TESTCTRL_ASSERT 12
#define SQLITE_TESTCTRL_ALWAYS 13
#define SQLITE_TESTCTRL_RESERVE 14
#define SQLITE_TESTCTRL_JSON_SELFCHECK 14
#define SQLITE_TESTCTRL_OPTIMIZATIONS 15
#define SQLITE_TESTCTRL_ISKEYWORD 16
#define SQLITE_TESTCTRL_GETOPT 16
#define SQLITE_TESTCTRL_SCRATCHMALLOC 17
#define SQLITE_TESTCTRL_INTERNAL_FUNCTIONS 17
#define SQLITE_TESTCTRL_LOCALTIME_FAULT 18
#define SQLITE_TESTCTRL_EXPLAIN_STMT 19
#define SQLITE_TESTCTRL_ONCE_RESET_THRESHOLD 19
#define SQLITE_TESTCTRL_NEVER_CORRUPT 20
#define SQLITE_TESTCTRL_VDBE_COVERAGE 21
#define SQLITE_TESTCTRL_BYTEORDER 22
#define SQLITE_TESTCTRL_ISINIT 23
#define SQLITE_TESTCTRL_SORTER_MMAP 24
#define SQLITE_TESTCTRL_IMPOSTER 25
#define SQLITE_TESTCTRL_PARSER_COVERAGE 26
#define SQLITE_TESTCTRL_RESULT_INTREAL 27
#define SQLITE_TESTCTRL_PRNG_SEED 28
#define SQLITE_TESTCTRL_EXTRA_SCHEMA_CHECKS 29
#define SQLITE_TESTCTRL_SEEK_COUNT 30
#define SQLITE_TESTCTRL_TRACEFLAGS 31
#define SQLITE_TESTCTRL_TUNE 32
#define SQLITE_TESTCTRL_LOGEST 33
#define SQLITE_TESTCTRL_USELONGDOUBLE 34
#define SQLITE_TESTCTRL_ATOF 34
#define SQLITE_TESTCTRL_LAST 34

/* Figures of sqlite3_status(), sqlite3_db_status(), sqlite3_stmt_status() and sqlite3_stmt_scanstatus(). */
#define SQLITE_STATUS_MEMORY_USED 0
#define SQLITE_STATUS_PAGECACHE_USED 1
#define SQLITE_STATUS_PAGECACHE_OVERFLOW 2
#define SQLITE_STATUS_SCRATCH_USED 3
#define SQLITE_STATUS_SCRATCH_OVERFLOW 4
#define SQLITE_STATUS_MALLOC_SIZE 5
#define SQLITE_STATUS_PARSER_STACK 6
#define SQLITE_STATUS_PAGECACHE_SIZE 7
#define SQLITE_STATUS_SCRATCH_SIZE 8
#define SQLITE_STATUS_MALLOC_COUNT 9
#define SQLITE_DBSTATUS_LOOKASIDE_USED 0
#define SQLITE_DBSTATUS_CACHE_USED 1
#define SQLITE_DBSTATUS_SCHEMA_USED 2
#define SQLITE_DBSTATUS_STMT_USED 3
#define SQLITE_DBSTATUS_LOOKASIDE_HIT 4
#define SQLITE_DBSTATUS_LOOKASIDE_MISS_SIZE 5
#define SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL 6
#define SQLITE_DBSTATUS_CACHE_HIT 7
#define SQLITE_DBSTATUS_CACHE_MISS 8
#define SQLITE_DBSTATUS_CACHE_WRITE 9
#define SQLITE_DBSTATUS_DEFERRED_FKS 10
#define SQLITE_DBSTATUS_CACHE_USED_SHARED 11
#define SQLITE_DBSTATUS_CACHE_SPILL 12
#define SQLITE_DBSTATUS_TEMPBUF_SPILL 13
#define SQLITE_DBSTATUS_MAX 13
#define SQLITE_STMTSTATUS_FULLSCAN_STEP 1
#define SQLITE_STMTSTATUS_SORT 2
#define SQLITE_STMTSTATUS_AUTOINDEX 3
#define SQLITE_STMTSTATUS_VM_STEP 4
#define SQLITE_STMTSTATUS_REPREPARE 5
#define SQLITE_STMTSTATUS_RUN 6
#define SQLITE_STMTSTATUS_FILTER_MISS 7
#define SQLITE_STMTSTATUS_FILTER_HIT 8
#define SQLITE_STMTSTATUS_MEMUSED 99
#define SQLITE_SCANSTAT_NLOOP 0
#define SQLITE_SCANSTAT_NVISIT 1
#define SQLITE_SCANSTAT_EST 2
#define SQLITE_SCANSTAT_NAME 3
#define SQLITE_SCANSTAT_EXPLAIN 4
#define SQLITE_SCANSTAT_SELECTID 5
#define SQLITE_SCANSTAT_PARENTID 6
#define SQLITE_SCANSTAT_NCYCLE 7
#define SQLITE_SCANSTAT_COMPLEX 0x0001

/* Modes of a checkpoint. */
#define SQLITE_CHECKPOINT_NOOP -1
#define SQLITE_CHECKPOINT_PASSIVE 0
#define SQLITE_CHECKPOINT_FULL 1
#define SQLITE_CHECKPOINT_RESTART 2
#define SQLITE_CHECKPOINT_TRUNCATE 3

/* Flags of sqlite3_serialize() and sqlite3_deserialize(). */
#define SQLITE_SERIALIZE_NOCOPY 0x001
#define SQLITE_DESERIALIZE_FREEONCLOSE 1
#define SQLITE_DESERIALIZE_RESIZEABLE 2
#define SQLITE_DESERIALIZE_READONLY 4

/* Element types of the carray() table. */
#define SQLITE_CARRAY_INT32 0
#define SQLITE_CARRAY_INT64 1
#define SQLITE_CARRAY_DOUBLE 2
#define SQLITE_CARRAY_TEXT 3
#define SQLITE_CARRAY_BLOB 4

/* Sessions and changesets. */
#define SQLITE_SESSION_OBJCONFIG_SIZE 1
#define SQLITE_SESSION_OBJCONFIG_ROWID 2
#define SQLITE_CHANGESETSTART_INVERT 0x0002
#define SQLITE_CHANGESETAPPLY_NOSAVEPOINT 0x0001
#define SQLITE_CHANGESETAPPLY_INVERT 0x0002
#define SQLITE_CHANGESETAPPLY_IGNORENOOP 0x0004
#define SQLITE_CHANGESETAPPLY_FKNOACTION 0x0008
#define SQLITE_CHANGESETAPPLY_NOUPDATELOOP 0x0010
#define SQLITE_CHANGESET_DATA 1
#define SQLITE_CHANGESET_NOTFOUND 2
#define SQLITE_CHANGESET_CONFLICT 3
#define SQLITE_CHANGESET_CONSTRAINT 4
#define SQLITE_CHANGESET_FOREIGN_KEY 5
#define SQLITE_CHANGESET_OMIT 0
#define SQLITE_CHANGESET_REPLACE 1
#define SQLITE_CHANGESET_ABORT 2
#define SQLITE_SESSION_CONFIG_STRMSIZE 1
#define SQLITE_CHANGEGROUP_CONFIG_PATCHSET 1

/* ---- The library ---------------------------------------------------------------------------- */

/* Version texts and number; static memory. */
SQLITE_API extern const char sqlite3_version[];
SQLITE_API const char* sqlite3_libversion(void);
SQLITE_API const char* sqlite3_sourceid(void);
SQLITE_API int sqlite3_libversion_number(void);
/* 1: serialized. */
SQLITE_API int sqlite3_threadsafe(void);
/* Nothing needs to be initialized; all return SQLITE_OK. */
SQLITE_API int sqlite3_initialize(void);
SQLITE_API int sqlite3_shutdown(void);
SQLITE_API int sqlite3_os_init(void);
SQLITE_API int sqlite3_os_end(void);
/* How the library was built: whether with an option ("SQLITE_" may be left out), and option number n. */
SQLITE_API int sqlite3_compileoption_used(const char* name);
SQLITE_API const char* sqlite3_compileoption_get(int number);

/* An allocator and mutexes, as sqlite3_config() takes and gives them. */
typedef struct sqlite3_mem_methods {
  void* (*xMalloc)(int);
  void (*xFree)(void*);
  void* (*xRealloc)(void*, int);
  int (*xSize)(void*);
  int (*xRoundup)(int);
  int (*xInit)(void*);
  void (*xShutdown)(void*);
  void* pAppData;
} sqlite3_mem_methods;
typedef struct sqlite3_mutex_methods {
  int (*xMutexInit)(void);
  int (*xMutexEnd)(void);
  sqlite3_mutex* (*xMutexAlloc)(int);
  void (*xMutexFree)(sqlite3_mutex*);
  void (*xMutexEnter)(sqlite3_mutex*);
  int (*xMutexTry)(sqlite3_mutex*);
  void (*xMutexLeave)(sqlite3_mutex*);
  int (*xMutexHeld)(sqlite3_mutex*);
  int (*xMutexNotheld)(sqlite3_mutex*);
} sqlite3_mutex_methods;

/*
** Settings of the whole library (SQLITE_CONFIG_), before the first connection is opened: later most give
** SQLITE_MISUSE. The allocator serves sqlite3_malloc() and its kin.
*/
SQLITE_API int sqlite3_config(int option, ...);
/* Writes to the error log that SQLITE_CONFIG_LOG has set. */
SQLITE_API void sqlite3_log(int code, const char* format, ...);
/* For tests of SQLite itself; most operations do nothing. */
SQLITE_API int sqlite3_test_control(int operation, ...);
/* Directories for temporary and other files; not used here. */
SQLITE_API extern char* sqlite3_temp_directory;
SQLITE_API extern char* sqlite3_data_directory;
/* Memory; NULL when there is none left or `bytes` is not positive. */
SQLITE_API void* sqlite3_malloc(int bytes);
SQLITE_API void* sqlite3_malloc64(sqlite3_uint64 bytes);
SQLITE_API void* sqlite3_realloc(void* memory, int bytes);
SQLITE_API void* sqlite3_realloc64(void* memory, sqlite3_uint64 bytes);
SQLITE_API void sqlite3_free(void* memory);
SQLITE_API sqlite3_uint64 sqlite3_msize(void* memory);
/* Bytes of it in use, and the most there ever were (`reset` not 0: counted anew from now on). */
SQLITE_API sqlite3_int64 sqlite3_memory_used(void);
SQLITE_API sqlite3_int64 sqlite3_memory_highwater(int reset);
/* Limits on it; negative: only asks. Return the limit before. Beyond the hard one allocations fail. */
SQLITE_API sqlite3_int64 sqlite3_soft_heap_limit64(sqlite3_int64 bytes);
SQLITE_API sqlite3_int64 sqlite3_hard_heap_limit64(sqlite3_int64 bytes);
SQLITE_API void sqlite3_soft_heap_limit(int bytes);
/* Frees what it can of caches; returns the bytes. */
SQLITE_API int sqlite3_release_memory(int bytes);
SQLITE_API int sqlite3_memory_alarm(void (*alarm)(void*, sqlite3_int64, int), void* context,
                                    sqlite3_int64 threshold);
/* A figure of the library (SQLITE_STATUS_) and its highest value. */
SQLITE_API int sqlite3_status(int figure, int* now, int* highwater, int reset);
SQLITE_API int sqlite3_status64(int figure, sqlite3_int64* now, sqlite3_int64* highwater, int reset);

/* Mutexes: SQLITE_MUTEX_FAST and _RECURSIVE are made, the static ones are shared. */
SQLITE_API sqlite3_mutex* sqlite3_mutex_alloc(int type);
SQLITE_API void sqlite3_mutex_free(sqlite3_mutex*);
SQLITE_API void sqlite3_mutex_enter(sqlite3_mutex*);
SQLITE_API int sqlite3_mutex_try(sqlite3_mutex*);
SQLITE_API void sqlite3_mutex_leave(sqlite3_mutex*);
/* The one that serializes all calls on a connection. */
SQLITE_API sqlite3_mutex* sqlite3_db_mutex(sqlite3* db);
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

/* ---- Hooks ------------------------------------------------------------------------------------- */

/*
** Is asked, while a statement is compiled, about each thing that it would do: the action, two names that
** depend on it, the database, and the innermost trigger or view that wants it. SQLITE_DENY makes an
** error of it, SQLITE_IGNORE leaves it out (a column becomes NULL).
*/
SQLITE_API int sqlite3_set_authorizer(sqlite3* db,
                                      int (*ask)(void*, int, const char*, const char*, const char*,
                                                 const char*),
                                      void* context);
/*
** Are told of each row that is inserted, updated or deleted (SQLITE_INSERT, ...): the update hook after
** the change, with database, table and rowid, not for tables without rowids; the pre-update hook before
** it, with the rowids before and after. Return the context of the hook before.
*/
SQLITE_API void* sqlite3_update_hook(sqlite3* db,
                                     void (*hook)(void*, int, char const*, char const*,
                                                  sqlite3_int64),
                                     void* context);
SQLITE_API void* sqlite3_preupdate_hook(sqlite3* db,
                                        void (*hook)(void*, sqlite3*, int, char const*,
                                                     char const*, sqlite3_int64, sqlite3_int64),
                                        void* context);
/* Within the pre-update hook: the row before and after, its columns, the depth of triggers, and the
** column that incremental I/O writes (-1: none). */
SQLITE_API int sqlite3_preupdate_old(sqlite3* db, int column, sqlite3_value** value);
SQLITE_API int sqlite3_preupdate_new(sqlite3* db, int column, sqlite3_value** value);
SQLITE_API int sqlite3_preupdate_count(sqlite3* db);
SQLITE_API int sqlite3_preupdate_depth(sqlite3* db);
SQLITE_API int sqlite3_preupdate_blobwrite(sqlite3* db);
/* Is asked at a commit how many of the free pages full auto-vacuum shall give back. */
SQLITE_API int sqlite3_autovacuum_pages(sqlite3* db,
                                        unsigned int (*pages)(void*, const char*, unsigned int,
                                                              unsigned int, unsigned int),
                                        void* context, void (*destroy)(void*));
/* Calls back when the database that a call found locked is unlocked: at once. */
SQLITE_API int sqlite3_unlock_notify(sqlite3* db, void (*notify)(void**, int), void* context);
/* Superseded by sqlite3_trace_v2(). */
SQLITE_API void* sqlite3_trace(sqlite3* db, void (*trace)(void*, const char*), void* context);
SQLITE_API void* sqlite3_profile(sqlite3* db, void (*profile)(void*, const char*, sqlite3_uint64),
                                 void* context);

/* ---- WAL -------------------------------------------------------------------------------------- */

/*
** The hook is called after each commit to a WAL, with the frames that it holds then; it takes the place
** of automatic checkpoints, and these take its place.
*/
SQLITE_API void* sqlite3_wal_hook(sqlite3* db, int (*hook)(void*, sqlite3*, const char*, int),
                                  void* context);
SQLITE_API int sqlite3_wal_autocheckpoint(sqlite3* db, int frames);
SQLITE_API int sqlite3_wal_checkpoint(sqlite3* db, const char* database);
/* `mode`: SQLITE_CHECKPOINT_. `database` NULL: all. The figures are -1 where there is no WAL. */
SQLITE_API int sqlite3_wal_checkpoint_v2(sqlite3* db, const char* database, int mode,
                                         int* log_frames, int* checkpointed);

/* ---- Backup, serialization -------------------------------------------------------------------- */

/*
** Copies database `source_name` over `destination_name` of another connection, `pages` at a time
** (negative: all). Both may be used in between; the copy starts over when another connection changes
** the source. step: SQLITE_OK (more to do), SQLITE_DONE, SQLITE_BUSY and SQLITE_LOCKED (try again).
*/
SQLITE_API sqlite3_backup* sqlite3_backup_init(sqlite3* destination, const char* destination_name,
                                               sqlite3* source, const char* source_name);
SQLITE_API int sqlite3_backup_step(sqlite3_backup*, int pages);
SQLITE_API int sqlite3_backup_finish(sqlite3_backup*);
SQLITE_API int sqlite3_backup_remaining(sqlite3_backup*);
SQLITE_API int sqlite3_backup_pagecount(sqlite3_backup*);
/*
** A database as one piece of memory (sqlite3_free()); with SQLITE_SERIALIZE_NOCOPY the memory that
** sqlite3_deserialize() was given, or NULL.
*/
SQLITE_API unsigned char* sqlite3_serialize(sqlite3* db, const char* schema, sqlite3_int64* size,
                                            unsigned int flags);
/* Makes a piece of memory, of which `size` bytes are a database, the database `schema`. */
SQLITE_API int sqlite3_deserialize(sqlite3* db, const char* schema, unsigned char* data,
                                   sqlite3_int64 size, sqlite3_int64 capacity, unsigned flags);

/* ---- More about connections and statements ---------------------------------------------------- */

/* Data of the application, by name; freed by `destroy` when it is replaced or the connection closes. */
SQLITE_API void* sqlite3_get_clientdata(sqlite3* db, const char* name);
SQLITE_API int sqlite3_set_clientdata(sqlite3* db, const char* name, void* data,
                                      void (*destroy)(void*));
/* What sqlite3_errcode() and sqlite3_errmsg() say from now on. */
SQLITE_API int sqlite3_set_errmsg(sqlite3* db, int code, const char* message);
SQLITE_API int sqlite3_system_errno(sqlite3* db);
/* Asks the file of a database (SQLITE_FCNTL_). */
SQLITE_API int sqlite3_file_control(sqlite3* db, const char* database, int operation,
                                    void* argument);
SQLITE_API int sqlite3_setlk_timeout(sqlite3* db, int milliseconds, int flags);
SQLITE_API int sqlite3_db_cacheflush(sqlite3* db);
SQLITE_API int sqlite3_db_release_memory(sqlite3* db);
/* Figures of a connection (SQLITE_DBSTATUS_) and of a statement (SQLITE_STMTSTATUS_). */
SQLITE_API int sqlite3_db_status(sqlite3* db, int figure, int* now, int* highwater, int reset);
SQLITE_API int sqlite3_db_status64(sqlite3* db, int figure, sqlite3_int64* now,
                                   sqlite3_int64* highwater, int reset);
SQLITE_API int sqlite3_stmt_status(sqlite3_stmt*, int figure, int reset);
/* 0: the statement as it is; 1: EXPLAIN; 2: EXPLAIN QUERY PLAN. */
SQLITE_API int sqlite3_stmt_explain(sqlite3_stmt*, int mode);
/* Is called for a collation that is not known, to add it. */
SQLITE_API int sqlite3_collation_needed(sqlite3* db, void* context,
                                        void (*needed)(void*, sqlite3*, int, const char*));
SQLITE_API int sqlite3_collation_needed16(sqlite3* db, void* context,
                                          void (*needed)(void*, sqlite3*, int, const void*));
/* Accepted; caches are shared anyway, without SQLite's table locks. */
SQLITE_API int sqlite3_enable_shared_cache(int on);

/* Names as sqlite3_db_filename() and VFSes have them: parameters of the URI, and names beside them. */
typedef const char* sqlite3_filename;
SQLITE_API const char* sqlite3_uri_parameter(sqlite3_filename, const char* name);
SQLITE_API int sqlite3_uri_boolean(sqlite3_filename, const char* name, int otherwise);
SQLITE_API sqlite3_int64 sqlite3_uri_int64(sqlite3_filename, const char* name,
                                           sqlite3_int64 otherwise);
SQLITE_API const char* sqlite3_uri_key(sqlite3_filename, int number);
SQLITE_API const char* sqlite3_filename_database(sqlite3_filename);
SQLITE_API const char* sqlite3_filename_journal(sqlite3_filename);
SQLITE_API const char* sqlite3_filename_wal(sqlite3_filename);
SQLITE_API sqlite3_filename sqlite3_create_filename(const char* database, const char* journal,
                                                    const char* wal, int parameters,
                                                    const char** texts);
SQLITE_API void sqlite3_free_filename(sqlite3_filename);

/* Pointers from one piece of application code to another; SQL sees NULL. `type` is compared as text. */
SQLITE_API int sqlite3_bind_pointer(sqlite3_stmt*, int, void* pointer, const char* type,
                                    void (*destroy)(void*));
SQLITE_API void sqlite3_result_pointer(sqlite3_context*, void* pointer, const char* type,
                                       void (*destroy)(void*));
SQLITE_API void* sqlite3_value_pointer(sqlite3_value*, const char* type);
/* Whether the value is that of a parameter. */
SQLITE_API int sqlite3_value_frombind(sqlite3_value*);

/* Of older programs. */
SQLITE_API int sqlite3_aggregate_count(sqlite3_context*);
SQLITE_API int sqlite3_expired(sqlite3_stmt*);
SQLITE_API int sqlite3_transfer_bindings(sqlite3_stmt* from, sqlite3_stmt* to);
SQLITE_API int sqlite3_global_recover(void);
SQLITE_API void sqlite3_thread_cleanup(void);

/* ---- Sessions and changesets ------------------------------------------------------------------- */

typedef struct sqlite3_session sqlite3_session;
typedef struct sqlite3_changeset_iter sqlite3_changeset_iter;
typedef struct sqlite3_changegroup sqlite3_changegroup;

/*
** A session records which rows of a database the connection changes, in the tables that are attached to
** it (NULL: all that the filter lets through). Tables need a declared primary key, or
** SQLITE_SESSION_OBJCONFIG_ROWID. Sessions must be
** deleted before their connection is closed. enable, indirect: negative only asks.
*/
SQLITE_API int sqlite3session_create(sqlite3* db, const char* database, sqlite3_session** session);
SQLITE_API void sqlite3session_delete(sqlite3_session*);
SQLITE_API int sqlite3session_attach(sqlite3_session*, const char* table);
SQLITE_API void sqlite3session_table_filter(sqlite3_session*, int (*filter)(void*, const char*),
                                            void* context);
SQLITE_API int sqlite3session_enable(sqlite3_session*, int enable);
SQLITE_API int sqlite3session_indirect(sqlite3_session*, int indirect);
SQLITE_API int sqlite3session_isempty(sqlite3_session*);
SQLITE_API sqlite3_int64 sqlite3session_memory_used(sqlite3_session*);
SQLITE_API int sqlite3session_object_config(sqlite3_session*, int option, void* argument);
SQLITE_API int sqlite3session_config(int option, void* argument);
/* Records what would make a table of database `from` equal to that of the session. */
SQLITE_API int sqlite3session_diff(sqlite3_session*, const char* from, const char* table,
                                   char** error);
/* The changes so far (sqlite3_free()). A patchset has no values of before but for the keys. */
SQLITE_API int sqlite3session_changeset(sqlite3_session*, int* size, void** data);
SQLITE_API int sqlite3session_patchset(sqlite3_session*, int* size, void** data);
SQLITE_API int sqlite3session_changeset_strm(sqlite3_session*,
                                             int (*output)(void*, const void*, int),
                                             void* context);
SQLITE_API int sqlite3session_patchset_strm(sqlite3_session*,
                                            int (*output)(void*, const void*, int), void* context);
SQLITE_API sqlite3_int64 sqlite3session_changeset_size(sqlite3_session*);

/* Reads a changeset, change by change: next gives SQLITE_ROW, SQLITE_DONE or SQLITE_CORRUPT. */
SQLITE_API int sqlite3changeset_start(sqlite3_changeset_iter** iter, int size, void* data);
SQLITE_API int sqlite3changeset_start_v2(sqlite3_changeset_iter** iter, int size, void* data,
                                         int flags);
SQLITE_API int sqlite3changeset_start_strm(sqlite3_changeset_iter** iter,
                                           int (*input)(void*, void*, int*), void* context);
SQLITE_API int sqlite3changeset_start_v2_strm(sqlite3_changeset_iter** iter,
                                              int (*input)(void*, void*, int*), void* context,
                                              int flags);
SQLITE_API int sqlite3changeset_next(sqlite3_changeset_iter*);
SQLITE_API int sqlite3changeset_op(sqlite3_changeset_iter*, const char** table, int* columns,
                                   int* op, int* indirect);
SQLITE_API int sqlite3changeset_pk(sqlite3_changeset_iter*, unsigned char** key, int* columns);
/* Values before and after; *value is NULL where the change does not have it. */
SQLITE_API int sqlite3changeset_old(sqlite3_changeset_iter*, int column, sqlite3_value** value);
SQLITE_API int sqlite3changeset_new(sqlite3_changeset_iter*, int column, sqlite3_value** value);
SQLITE_API int sqlite3changeset_conflict(sqlite3_changeset_iter*, int column,
                                         sqlite3_value** value);
SQLITE_API int sqlite3changeset_fk_conflicts(sqlite3_changeset_iter*, int* count);
SQLITE_API int sqlite3changeset_finalize(sqlite3_changeset_iter*);
/* The changeset that undoes another, and the one that does what two do one after the other. */
SQLITE_API int sqlite3changeset_invert(int size, const void* data, int* out_size, void** out);
SQLITE_API int sqlite3changeset_invert_strm(int (*input)(void*, void*, int*), void* input_context,
                                            int (*output)(void*, const void*, int),
                                            void* output_context);
SQLITE_API int sqlite3changeset_concat(int size_a, void* a, int size_b, void* b, int* out_size,
                                       void** out);
SQLITE_API int sqlite3changeset_concat_strm(int (*input_a)(void*, void*, int*), void* context_a,
                                            int (*input_b)(void*, void*, int*), void* context_b,
                                            int (*output)(void*, const void*, int),
                                            void* output_context);
SQLITE_API int sqlite3changegroup_new(sqlite3_changegroup** group);
SQLITE_API int sqlite3changegroup_add(sqlite3_changegroup*, int size, void* data);
SQLITE_API int sqlite3changegroup_add_strm(sqlite3_changegroup*, int (*input)(void*, void*, int*),
                                           void* context);
SQLITE_API int sqlite3changegroup_output(sqlite3_changegroup*, int* size, void** data);
SQLITE_API int sqlite3changegroup_output_strm(sqlite3_changegroup*,
                                              int (*output)(void*, const void*, int),
                                              void* context);
SQLITE_API void sqlite3changegroup_delete(sqlite3_changegroup*);
/* The change at which an iterator is. */
SQLITE_API int sqlite3changegroup_add_change(sqlite3_changegroup*, sqlite3_changeset_iter*);
/*
** What is added must fit the tables of a database; changes of tables with less columns get the
** defaults of the others.
*/
SQLITE_API int sqlite3changegroup_schema(sqlite3_changegroup*, sqlite3* db, const char* database);
/* SQLITE_CHANGEGROUP_CONFIG_PATCHSET: an int that says whether patchsets are made; negative: only asks. */
#define SQLITE_CHANGEGROUP_CONFIG_PATCHSET 1
SQLITE_API int sqlite3changegroup_config(sqlite3_changegroup*, int option, void* argument);
/*
** Adds a change field by field, of a table that was added before or is in the schema: begin, the values of
** the old row (is_new: 0) and the new one, finish. An error's text is to be freed with sqlite3_free().
*/
SQLITE_API int sqlite3changegroup_change_begin(sqlite3_changegroup*, int op, const char* table,
                                               int indirect, char** error);
SQLITE_API int sqlite3changegroup_change_int64(sqlite3_changegroup*, int is_new, int column,
                                               sqlite3_int64 value);
SQLITE_API int sqlite3changegroup_change_null(sqlite3_changegroup*, int is_new, int column);
SQLITE_API int sqlite3changegroup_change_double(sqlite3_changegroup*, int is_new, int column,
                                                double value);
SQLITE_API int sqlite3changegroup_change_text(sqlite3_changegroup*, int is_new, int column,
                                              const char* text, int size);
SQLITE_API int sqlite3changegroup_change_blob(sqlite3_changegroup*, int is_new, int column,
                                              const void* blob, int size);
SQLITE_API int sqlite3changegroup_change_finish(sqlite3_changegroup*, int discard, char** error);

/*
** Makes of local changesets ones that can follow remote changesets which were applied here: configured
** with what sqlite3changeset_apply_v2() decided about each, in their order.
*/
typedef struct sqlite3_rebaser sqlite3_rebaser;
SQLITE_API int sqlite3rebaser_create(sqlite3_rebaser** rebaser);
SQLITE_API int sqlite3rebaser_configure(sqlite3_rebaser*, int size, const void* data);
SQLITE_API int sqlite3rebaser_rebase(sqlite3_rebaser*, int size, const void* data, int* out_size,
                                     void** out);
SQLITE_API int sqlite3rebaser_rebase_strm(sqlite3_rebaser*, int (*input)(void*, void*, int*),
                                          void* input_context,
                                          int (*output)(void*, const void*, int),
                                          void* output_context);
SQLITE_API void sqlite3rebaser_delete(sqlite3_rebaser*);

/*
** Makes the changes of a changeset in database main, all or none. `filter` chooses the tables (NULL:
** all). `conflict` is asked about each change that cannot be made as it is (SQLITE_CHANGESET_DATA, ...)
** and answers SQLITE_CHANGESET_OMIT, _REPLACE or _ABORT.
*/
SQLITE_API int sqlite3changeset_apply(sqlite3* db, int size, void* data,
                                      int (*filter)(void*, const char*),
                                      int (*conflict)(void*, int, sqlite3_changeset_iter*),
                                      void* context);
SQLITE_API int sqlite3changeset_apply_strm(sqlite3* db, int (*input)(void*, void*, int*),
                                           void* input_context,
                                           int (*filter)(void*, const char*),
                                           int (*conflict)(void*, int, sqlite3_changeset_iter*),
                                           void* context);
/*
** With flags (SQLITE_CHANGESETAPPLY_); the filter of v3 chooses changes. `rebase` gets the decisions about
** conflicts, for sqlite3rebaser_configure(), if there were any; to be freed with sqlite3_free().
*/
SQLITE_API int sqlite3changeset_apply_v2(sqlite3* db, int size, void* data,
                                         int (*filter)(void*, const char*),
                                         int (*conflict)(void*, int, sqlite3_changeset_iter*),
                                         void* context, void** rebase, int* rebase_size, int flags);
SQLITE_API int sqlite3changeset_apply_v3(sqlite3* db, int size, void* data,
                                         int (*filter)(void*, sqlite3_changeset_iter*),
                                         int (*conflict)(void*, int, sqlite3_changeset_iter*),
                                         void* context, void** rebase, int* rebase_size, int flags);
SQLITE_API int sqlite3changeset_apply_v2_strm(
    sqlite3* db, int (*input)(void*, void*, int*), void* input_context,
    int (*filter)(void*, const char*), int (*conflict)(void*, int, sqlite3_changeset_iter*),
    void* context, void** rebase, int* rebase_size, int flags);
SQLITE_API int sqlite3changeset_apply_v3_strm(
    sqlite3* db, int (*input)(void*, void*, int*), void* input_context,
    int (*filter)(void*, sqlite3_changeset_iter*),
    int (*conflict)(void*, int, sqlite3_changeset_iter*), void* context, void** rebase,
    int* rebase_size, int flags);

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

/* ---- Virtual file systems --------------------------------------------------------------------- */

/* A file that a VFS opened; the VFS puts what it needs behind pMethods. */
struct sqlite3_file {
  const struct sqlite3_io_methods* pMethods; /* NULL: it is not open */
};

/*
** What can be done with an open file. Shared memory (WAL) from version 2, mapped pages from version 3;
** pages are never fetched by this library.
*/
typedef struct sqlite3_io_methods sqlite3_io_methods;
struct sqlite3_io_methods {
  int iVersion;
  int (*xClose)(sqlite3_file*);
  /* Short reads fill with zeros and give SQLITE_IOERR_SHORT_READ. */
  int (*xRead)(sqlite3_file*, void*, int iAmt, sqlite3_int64 iOfst);
  int (*xWrite)(sqlite3_file*, const void*, int iAmt, sqlite3_int64 iOfst);
  int (*xTruncate)(sqlite3_file*, sqlite3_int64 size);
  int (*xSync)(sqlite3_file*, int flags);
  int (*xFileSize)(sqlite3_file*, sqlite3_int64* pSize);
  int (*xLock)(sqlite3_file*, int);
  int (*xUnlock)(sqlite3_file*, int);
  int (*xCheckReservedLock)(sqlite3_file*, int* pResOut);
  int (*xFileControl)(sqlite3_file*, int op, void* pArg);
  int (*xSectorSize)(sqlite3_file*);
  int (*xDeviceCharacteristics)(sqlite3_file*);
  int (*xShmMap)(sqlite3_file*, int iPg, int pgsz, int, void volatile**);
  int (*xShmLock)(sqlite3_file*, int offset, int n, int flags);
  void (*xShmBarrier)(sqlite3_file*);
  int (*xShmUnmap)(sqlite3_file*, int deleteFlag);
  int (*xFetch)(sqlite3_file*, sqlite3_int64 iOfst, int iAmt, void** pp);
  int (*xUnfetch)(sqlite3_file*, sqlite3_int64 iOfst, void* p);
};

/* A VFS: where files are, and the rest of the operating system. */
typedef void (*sqlite3_syscall_ptr)(void);
struct sqlite3_vfs {
  int iVersion;
  int szOsFile; /* bytes of a file object, sqlite3_file first */
  int mxPathname;
  sqlite3_vfs* pNext; /* of the library */
  const char* zName;
  void* pAppData;
  /* zName NULL: a temporary file. */
  int (*xOpen)(sqlite3_vfs*, sqlite3_filename zName, sqlite3_file*, int flags, int* pOutFlags);
  int (*xDelete)(sqlite3_vfs*, const char* zName, int syncDir);
  int (*xAccess)(sqlite3_vfs*, const char* zName, int flags, int* pResOut);
  int (*xFullPathname)(sqlite3_vfs*, const char* zName, int nOut, char* zOut);
  void* (*xDlOpen)(sqlite3_vfs*, const char* zFilename);
  void (*xDlError)(sqlite3_vfs*, int nByte, char* zErrMsg);
  void (*(*xDlSym)(sqlite3_vfs*, void*, const char* zSymbol))(void);
  void (*xDlClose)(sqlite3_vfs*, void*);
  int (*xRandomness)(sqlite3_vfs*, int nByte, char* zOut);
  int (*xSleep)(sqlite3_vfs*, int microseconds);
  int (*xCurrentTime)(sqlite3_vfs*, double*);
  int (*xGetLastError)(sqlite3_vfs*, int, char*);
  int (*xCurrentTimeInt64)(sqlite3_vfs*, sqlite3_int64*);
  int (*xSetSystemCall)(sqlite3_vfs*, const char* zName, sqlite3_syscall_ptr);
  sqlite3_syscall_ptr (*xGetSystemCall)(sqlite3_vfs*, const char* zName);
  const char* (*xNextSystemCall)(sqlite3_vfs*, const char* zName);
};

/* The VFS of that name; NULL: the default one. NULL if there is none. */
SQLITE_API sqlite3_vfs* sqlite3_vfs_find(const char* name);
/* Adds a VFS, which must stay until it is unregistered and its files are closed. */
SQLITE_API int sqlite3_vfs_register(sqlite3_vfs* vfs, int make_default);
SQLITE_API int sqlite3_vfs_unregister(sqlite3_vfs* vfs);

/* ---- Loadable extensions ---------------------------------------------------------------------- */

/*
** Loads the shared library `file` (or `file`.so) and calls its function `entry`; NULL: sqlite3_extension_init,
** or sqlite3_NAME_init for [lib]NAME.so; see sqlite3ext.h. *error, if wanted, gets the message, to be freed
** with sqlite3_free(). Must be allowed before: for this function by SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
** for the SQL function load_extension() too by sqlite3_enable_load_extension().
*/
SQLITE_API int sqlite3_load_extension(sqlite3* db, const char* file, const char* entry,
                                      char** error);
SQLITE_API int sqlite3_enable_load_extension(sqlite3* db, int on);
/* `entry`, in truth an sqlite3_loadext_entry, is called for each connection that is opened from now on. */
SQLITE_API int sqlite3_auto_extension(void (*entry)(void));
/* 1: it was among them. */
SQLITE_API int sqlite3_cancel_auto_extension(void (*entry)(void));
SQLITE_API void sqlite3_reset_auto_extension(void);

/* ---- Virtual tables ------------------------------------------------------------------------- */

typedef struct sqlite3_vtab sqlite3_vtab;
typedef struct sqlite3_index_info sqlite3_index_info;
typedef struct sqlite3_vtab_cursor sqlite3_vtab_cursor;
typedef struct sqlite3_module sqlite3_module;

/*
** What a module can do; see vtab.html. Methods from xSavepoint on are looked at from version 2, xShadowName
** from 3, xIntegrity from 4. xCreate NULL: the module is a table under its own name only; the same as
** xConnect: it is that too.
*/
struct sqlite3_module {
  int iVersion;
  int (*xCreate)(sqlite3*, void* pAux, int argc, const char* const* argv, sqlite3_vtab** ppVTab,
                 char** pzErr);
  int (*xConnect)(sqlite3*, void* pAux, int argc, const char* const* argv, sqlite3_vtab** ppVTab,
                  char** pzErr);
  int (*xBestIndex)(sqlite3_vtab* pVTab, sqlite3_index_info*);
  int (*xDisconnect)(sqlite3_vtab* pVTab);
  int (*xDestroy)(sqlite3_vtab* pVTab);
  int (*xOpen)(sqlite3_vtab* pVTab, sqlite3_vtab_cursor** ppCursor);
  int (*xClose)(sqlite3_vtab_cursor*);
  int (*xFilter)(sqlite3_vtab_cursor*, int idxNum, const char* idxStr, int argc,
                 sqlite3_value** argv);
  int (*xNext)(sqlite3_vtab_cursor*);
  int (*xEof)(sqlite3_vtab_cursor*);
  int (*xColumn)(sqlite3_vtab_cursor*, sqlite3_context*, int);
  int (*xRowid)(sqlite3_vtab_cursor*, sqlite3_int64* pRowid);
  int (*xUpdate)(sqlite3_vtab*, int, sqlite3_value**, sqlite3_int64*);
  int (*xBegin)(sqlite3_vtab* pVTab);
  int (*xSync)(sqlite3_vtab* pVTab);
  int (*xCommit)(sqlite3_vtab* pVTab);
  int (*xRollback)(sqlite3_vtab* pVTab);
  int (*xFindFunction)(sqlite3_vtab* pVtab, int nArg, const char* zName,
                       void (**pxFunc)(sqlite3_context*, int, sqlite3_value**), void** ppArg);
  int (*xRename)(sqlite3_vtab* pVtab, const char* zNew);
  int (*xSavepoint)(sqlite3_vtab* pVTab, int);
  int (*xRelease)(sqlite3_vtab* pVTab, int);
  int (*xRollbackTo)(sqlite3_vtab* pVTab, int);
  int (*xShadowName)(const char*);
  int (*xIntegrity)(sqlite3_vtab* pVTab, const char* zSchema, const char* zTabName, int mFlags,
                    char** pzErr);
};

/* The base of a module's tables and of their cursors. zErrMsg, from sqlite3_mprintf(), tells why a
** method failed. */
struct sqlite3_vtab {
  const sqlite3_module* pModule;
  int nRef; /* of the library: how many cursors are open */
  char* zErrMsg;
};
struct sqlite3_vtab_cursor {
  sqlite3_vtab* pVtab;
};

/* The question of xBestIndex, and its answer. */
struct sqlite3_index_info {
  int nConstraint;
  struct sqlite3_index_constraint {
    int iColumn; /* -1: the rowid */
    unsigned char op;
    unsigned char usable;
    int iTermOffset;
  }* aConstraint;
  int nOrderBy;
  struct sqlite3_index_orderby {
    int iColumn;
    unsigned char desc;
  }* aOrderBy;
  /* The answer. */
  struct sqlite3_index_constraint_usage {
    int argvIndex;      /* > 0: xFilter gets the value as argv[argvIndex - 1] */
    unsigned char omit; /* the table sees to it that the constraint holds */
  }* aConstraintUsage;
  int idxNum;
  char* idxStr;
  int needToFreeIdxStr; /* idxStr is freed with sqlite3_free() */
  int orderByConsumed;
  double estimatedCost;
  sqlite3_int64 estimatedRows;
  int idxFlags;
  sqlite3_uint64 colUsed; /* of the question; bit 63: column 63 or any beyond */
};

/*
** Adds a module to a connection, or replaces the one of that name. `destroy` is called with `context`
** when the module goes, also when adding it fails. `module` must stay.
*/
SQLITE_API int sqlite3_create_module(sqlite3* db, const char* name, const sqlite3_module* module,
                                     void* context);
SQLITE_API int sqlite3_create_module_v2(sqlite3* db, const char* name,
                                        const sqlite3_module* module, void* context,
                                        void (*destroy)(void*));
/* Removes all modules but those in `keep`, whose last entry is NULL; NULL: all. */
SQLITE_API int sqlite3_drop_modules(sqlite3* db, const char** keep);

/* In xCreate and xConnect: the columns of the table, and what is true of it. */
SQLITE_API int sqlite3_declare_vtab(sqlite3* db, const char* sql);
SQLITE_API int sqlite3_vtab_config(sqlite3* db, int option, ...);

/* In xUpdate: the OR clause. */
SQLITE_API int sqlite3_vtab_on_conflict(sqlite3* db);
/* In xColumn: the value will not be looked at but by xUpdate, where sqlite3_value_nochange() is true if no
** result was given. */
SQLITE_API int sqlite3_vtab_nochange(sqlite3_context*);
SQLITE_API int sqlite3_value_nochange(sqlite3_value*);

/* In xBestIndex. The collation of a constraint; what the order is for (0 sorted, 1 grouped, 2 distinct,
** 3 both); whether a constraint is IN, whose values xFilter can get at once; and its right side, if
** that is known (else SQLITE_NOTFOUND). */
SQLITE_API const char* sqlite3_vtab_collation(sqlite3_index_info*, int constraint);
SQLITE_API int sqlite3_vtab_distinct(sqlite3_index_info*);
SQLITE_API int sqlite3_vtab_in(sqlite3_index_info*, int constraint, int all_at_once);
SQLITE_API int sqlite3_vtab_rhs_value(sqlite3_index_info*, int constraint, sqlite3_value** value);
/* In xFilter: the values of such an IN. SQLITE_DONE: there are no more. */
SQLITE_API int sqlite3_vtab_in_first(sqlite3_value* set, sqlite3_value** value);
SQLITE_API int sqlite3_vtab_in_next(sqlite3_value* set, sqlite3_value** value);

/* ---- R-Tree ------------------------------------------------------------------------------------ */

/* Functions for MATCH on R-Tree tables. The module is not there yet: both return SQLITE_ERROR. */
/*
** Geometries of applications for R-Trees: `column MATCH name(parameter, ...)`. A geometry callback says
** whether something of a box is in the geometry; a query callback also how much, and which is looked at
** first: that of the lowest score.
*/
#define NOT_WITHIN 0
#define PARTLY_WITHIN 1
#define FULLY_WITHIN 2
typedef struct sqlite3_rtree_geometry sqlite3_rtree_geometry;
typedef struct sqlite3_rtree_query_info sqlite3_rtree_query_info;
typedef double sqlite3_rtree_dbl;
struct sqlite3_rtree_geometry {
  void* pContext; /* of the registration */
  int nParam;
  sqlite3_rtree_dbl* aParam;
  void* pUser; /* for the callback's own use, until xDelUser takes it */
  void (*xDelUser)(void*);
};
struct sqlite3_rtree_query_info {
  void* pContext;
  int nParam;
  sqlite3_rtree_dbl* aParam;
  void* pUser;
  void (*xDelUser)(void*);
  sqlite3_rtree_dbl* aCoord; /* the box */
  unsigned int* anQueue;     /* what waits to be looked at, by level */
  int nCoord;
  int iLevel; /* 0: a row */
  int mxLevel;
  sqlite3_int64 iRowid; /* of a row */
  sqlite3_rtree_dbl rParentScore;
  int eParentWithin;
  /* The answer. */
  int eWithin;
  sqlite3_rtree_dbl rScore;
  sqlite3_value** apSqlParam; /* the parameters as they were given */
};
SQLITE_API int sqlite3_rtree_geometry_callback(sqlite3* db, const char* name,
                                               int (*geometry)(sqlite3_rtree_geometry*, int,
                                                               sqlite3_rtree_dbl*, int*),
                                               void* context);
SQLITE_API int sqlite3_rtree_query_callback(sqlite3* db, const char* name,
                                            int (*query)(sqlite3_rtree_query_info*), void* context,
                                            void (*destroy)(void*));

/*
** Extending FTS5: SELECT fts5(?1), with ?1 bound as a pointer of type "fts5_api_ptr" to a variable of type
** fts5_api*, sets this variable.
*/
typedef struct Fts5ExtensionApi Fts5ExtensionApi;
typedef struct Fts5Context Fts5Context;
typedef struct Fts5PhraseIter Fts5PhraseIter;

/* An auxiliary function, which looks at the row where a full-text query is. */
typedef void (*fts5_extension_function)(const Fts5ExtensionApi* api, Fts5Context* fts,
                                        sqlite3_context* context, int count, sqlite3_value** values);

struct Fts5PhraseIter {
  const unsigned char* a;
  const unsigned char* b;
};

/* Columns, phrases and instances of phrases are counted from 0. */
struct Fts5ExtensionApi {
  int iVersion; /* 4 */
  void* (*xUserData)(Fts5Context*);
  int (*xColumnCount)(Fts5Context*);
  int (*xRowCount)(Fts5Context*, sqlite3_int64* rows);
  /* A negative column stands for all. */
  int (*xColumnTotalSize)(Fts5Context*, int column, sqlite3_int64* tokens);
  int (*xTokenize)(Fts5Context*, const char* text, int size, void* context,
                   int (*token)(void*, int, const char*, int, int, int));
  int (*xPhraseCount)(Fts5Context*);
  int (*xPhraseSize)(Fts5Context*, int phrase);
  int (*xInstCount)(Fts5Context*, int* instances);
  int (*xInst)(Fts5Context*, int instance, int* phrase, int* column, int* offset);
  sqlite3_int64 (*xRowid)(Fts5Context*);
  int (*xColumnText)(Fts5Context*, int column, const char** text, int* size);
  int (*xColumnSize)(Fts5Context*, int column, int* tokens);
  /* Calls back for each row with the phrase. */
  int (*xQueryPhrase)(Fts5Context*, int phrase, void* context,
                      int (*row)(const Fts5ExtensionApi*, Fts5Context*, void*));
  int (*xSetAuxdata)(Fts5Context*, void* data, void (*destroy)(void*));
  void* (*xGetAuxdata)(Fts5Context*, int clear);
  int (*xPhraseFirst)(Fts5Context*, int phrase, Fts5PhraseIter*, int* column, int* offset);
  void (*xPhraseNext)(Fts5Context*, Fts5PhraseIter*, int* column, int* offset);
  int (*xPhraseFirstColumn)(Fts5Context*, int phrase, Fts5PhraseIter*, int* column);
  void (*xPhraseNextColumn)(Fts5Context*, Fts5PhraseIter*, int* column);
  int (*xQueryToken)(Fts5Context*, int phrase, int token, const char** text, int* size);
  int (*xInstToken)(Fts5Context*, int instance, int token, const char** text, int* size);
  int (*xColumnLocale)(Fts5Context*, int column, const char** locale, int* size);
  int (*xTokenize_v2)(Fts5Context*, const char* text, int size, const char* locale,
                      int locale_size, void* context,
                      int (*token)(void*, int, const char*, int, int, int));
};

/* Why a text is divided into tokens. */
#define FTS5_TOKENIZE_QUERY 0x0001
#define FTS5_TOKENIZE_PREFIX 0x0002
#define FTS5_TOKENIZE_DOCUMENT 0x0004
#define FTS5_TOKENIZE_AUX 0x0008
/* Of a token: it has the position of the one before. */
#define FTS5_TOKEN_COLOCATED 0x0001

typedef struct Fts5Tokenizer Fts5Tokenizer;
typedef struct fts5_tokenizer fts5_tokenizer;
typedef struct fts5_tokenizer_v2 fts5_tokenizer_v2;

/* xToken gets flags, the token, and where it is in the text. */
struct fts5_tokenizer {
  int (*xCreate)(void* context, const char** arguments, int count, Fts5Tokenizer** out);
  void (*xDelete)(Fts5Tokenizer*);
  int (*xTokenize)(Fts5Tokenizer*, void* context, int flags, const char* text, int size,
                   int (*xToken)(void* context, int flags, const char* token, int size, int start,
                                 int end));
};
struct fts5_tokenizer_v2 {
  int iVersion; /* 2 */
  int (*xCreate)(void* context, const char** arguments, int count, Fts5Tokenizer** out);
  void (*xDelete)(Fts5Tokenizer*);
  int (*xTokenize)(Fts5Tokenizer*, void* context, int flags, const char* text, int size,
                   const char* locale, int locale_size,
                   int (*xToken)(void* context, int flags, const char* token, int size, int start,
                                 int end));
};

typedef struct fts5_api fts5_api;
struct fts5_api {
  int iVersion; /* 3 */
  int (*xCreateTokenizer)(fts5_api*, const char* name, void* context, fts5_tokenizer*,
                          void (*destroy)(void*));
  int (*xFindTokenizer)(fts5_api*, const char* name, void** context, fts5_tokenizer*);
  int (*xCreateFunction)(fts5_api*, const char* name, void* context, fts5_extension_function,
                         void (*destroy)(void*));
  int (*xCreateTokenizer_v2)(fts5_api*, const char* name, void* context, fts5_tokenizer_v2*,
                             void (*destroy)(void*));
  int (*xFindTokenizer_v2)(fts5_api*, const char* name, void** context, fts5_tokenizer_v2**);
};

#ifdef __cplusplus
}
#endif
#endif
