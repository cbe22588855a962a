// Result codes, with SQLite's numbers: they cross the C ABI unchanged.
//
// The low byte is the primary code, the next byte tells variants of it apart (an "extended" code).
// The numbers are part of a public interface and never change. Source: "Result and Error Codes" in
// SQLite's documentation (rescode.html).
#pragma once

namespace godwit::code {

inline constexpr int kOk = 0;
inline constexpr int kError = 1;
inline constexpr int kInternal = 2;
inline constexpr int kPerm = 3;
inline constexpr int kAbort = 4;
inline constexpr int kBusy = 5;
inline constexpr int kLocked = 6;
inline constexpr int kNoMem = 7;
inline constexpr int kReadOnly = 8;
inline constexpr int kInterrupt = 9;
inline constexpr int kIoErr = 10;
inline constexpr int kCorrupt = 11;
inline constexpr int kNotFound = 12;
inline constexpr int kFull = 13;
inline constexpr int kCantOpen = 14;
inline constexpr int kProtocol = 15;
inline constexpr int kEmpty = 16;
inline constexpr int kSchema = 17;
inline constexpr int kTooBig = 18;
inline constexpr int kConstraint = 19;
inline constexpr int kMismatch = 20;
inline constexpr int kMisuse = 21;
inline constexpr int kNoLfs = 22;
inline constexpr int kAuth = 23;
inline constexpr int kFormat = 24;
inline constexpr int kRange = 25;
inline constexpr int kNotADb = 26;
inline constexpr int kNotice = 27;
inline constexpr int kWarning = 28;
inline constexpr int kRow = 100;
inline constexpr int kDone = 101;

constexpr int extended(int primary, int variant) { return primary | (variant << 8); }
constexpr int primary(int any) { return any & 0xff; }

inline constexpr int kErrorMissingCollSeq = extended(kError, 1);
inline constexpr int kErrorRetry = extended(kError, 2);
inline constexpr int kErrorSnapshot = extended(kError, 3);
inline constexpr int kIoErrRead = extended(kIoErr, 1);
inline constexpr int kIoErrShortRead = extended(kIoErr, 2);
inline constexpr int kIoErrWrite = extended(kIoErr, 3);
inline constexpr int kIoErrFsync = extended(kIoErr, 4);
inline constexpr int kIoErrDirFsync = extended(kIoErr, 5);
inline constexpr int kIoErrTruncate = extended(kIoErr, 6);
inline constexpr int kIoErrFstat = extended(kIoErr, 7);
inline constexpr int kIoErrUnlock = extended(kIoErr, 8);
inline constexpr int kIoErrRdLock = extended(kIoErr, 9);
inline constexpr int kIoErrDelete = extended(kIoErr, 10);
inline constexpr int kIoErrNoMem = extended(kIoErr, 12);
inline constexpr int kIoErrAccess = extended(kIoErr, 13);
inline constexpr int kIoErrCheckReservedLock = extended(kIoErr, 14);
inline constexpr int kIoErrLock = extended(kIoErr, 15);
inline constexpr int kIoErrClose = extended(kIoErr, 16);
inline constexpr int kIoErrShmOpen = extended(kIoErr, 18);
inline constexpr int kIoErrShmSize = extended(kIoErr, 19);
inline constexpr int kIoErrShmLock = extended(kIoErr, 20);
inline constexpr int kIoErrShmMap = extended(kIoErr, 21);
inline constexpr int kIoErrSeek = extended(kIoErr, 22);
inline constexpr int kIoErrDeleteNoEnt = extended(kIoErr, 23);
inline constexpr int kIoErrMmap = extended(kIoErr, 24);
inline constexpr int kIoErrGetTempPath = extended(kIoErr, 25);
inline constexpr int kIoErrCorruptFs = extended(kIoErr, 33);
inline constexpr int kBusyRecovery = extended(kBusy, 1);
inline constexpr int kBusySnapshot = extended(kBusy, 2);
inline constexpr int kBusyTimeout = extended(kBusy, 3);
inline constexpr int kLockedSharedCache = extended(kLocked, 1);
inline constexpr int kCantOpenNoTempDir = extended(kCantOpen, 1);
inline constexpr int kCantOpenIsDir = extended(kCantOpen, 2);
inline constexpr int kCantOpenFullPath = extended(kCantOpen, 3);
inline constexpr int kCantOpenSymlink = extended(kCantOpen, 6);
inline constexpr int kCorruptVtab = extended(kCorrupt, 1);
inline constexpr int kCorruptSequence = extended(kCorrupt, 2);
inline constexpr int kCorruptIndex = extended(kCorrupt, 3);
inline constexpr int kReadOnlyRecovery = extended(kReadOnly, 1);
inline constexpr int kReadOnlyCantLock = extended(kReadOnly, 2);
inline constexpr int kReadOnlyRollback = extended(kReadOnly, 3);
inline constexpr int kReadOnlyDbMoved = extended(kReadOnly, 4);
inline constexpr int kReadOnlyCantInit = extended(kReadOnly, 5);
inline constexpr int kReadOnlyDirectory = extended(kReadOnly, 6);
inline constexpr int kAbortRollback = extended(kAbort, 2);
inline constexpr int kConstraintCheck = extended(kConstraint, 1);
inline constexpr int kConstraintCommitHook = extended(kConstraint, 2);
inline constexpr int kConstraintForeignKey = extended(kConstraint, 3);
inline constexpr int kConstraintFunction = extended(kConstraint, 4);
inline constexpr int kConstraintNotNull = extended(kConstraint, 5);
inline constexpr int kConstraintPrimaryKey = extended(kConstraint, 6);
inline constexpr int kConstraintTrigger = extended(kConstraint, 7);
inline constexpr int kConstraintUnique = extended(kConstraint, 8);
inline constexpr int kConstraintVtab = extended(kConstraint, 9);
inline constexpr int kConstraintRowid = extended(kConstraint, 10);
inline constexpr int kConstraintPinned = extended(kConstraint, 11);
inline constexpr int kConstraintDataType = extended(kConstraint, 12);
inline constexpr int kAuthUser = extended(kAuth, 1);

// SQLite's standing text for a code, as sqlite3_errstr() gives it. Never null.
const char* text(int code);

}  // namespace godwit::code
