// Pragmas about the database file: journal, pages, header fields, checkpoints.
#include <algorithm>

#include "engine/pragma.h"

namespace godwit {

namespace {

const char* journal_mode_name(JournalMode mode) {
  switch (mode) {
    case JournalMode::kDelete: return "delete";
    case JournalMode::kPersist: return "persist";
    case JournalMode::kOff: return "off";
    case JournalMode::kTruncate: return "truncate";
    case JournalMode::kMemory: return "memory";
    case JournalMode::kWal: return "wal";
  }
  return "";
}

bool parse_journal_mode(std::string_view text, JournalMode* mode) {
  for (JournalMode m : {JournalMode::kDelete, JournalMode::kPersist, JournalMode::kOff,
                        JournalMode::kTruncate, JournalMode::kMemory, JournalMode::kWal}) {
    if (names_equal(text, journal_mode_name(m))) {
      *mode = m;
      return true;
    }
  }
  return false;
}

// Without a schema name the mode of every database is set; the answer is that of main.
Status journal_mode(PragmaCall* call) {
  JournalMode wanted;
  if (call->has_argument && parse_journal_mode(call->argument, &wanted)) {
    auto& databases = call->connection->databases();
    for (size_t i = 0; i < databases.size(); ++i) {
      if (databases[i].btree == nullptr) continue;
      if (call->has_schema && static_cast<int>(i) != call->database) continue;
      Pager& pager = databases[i].btree->pager();
      if (pager.is_memory() && wanted == JournalMode::kWal) continue;
      if (pager.is_writing()) continue;
      bool crosses_wal = (wanted == JournalMode::kWal) != (pager.journal_mode() == JournalMode::kWal);
      if (crosses_wal && !call->connection->autocommit()) {
        return Status::error("cannot change into wal mode from within a transaction");
      }
      // An open transaction keeps the journal that it began with.
      if (pager.is_reading()) continue;
      auto changed = pager.set_journal_mode(wanted);
      if (!changed.ok()) return changed.take_status();
    }
  }
  Btree* btree = call->btree();
  if (btree == nullptr) return Status();
  // The mode of a file that was not read yet is not known: WAL says so in its header.
  bool was_reading = btree->pager().is_reading();
  if (!was_reading) GW_TRY(btree->begin_read());
  call->add_text(journal_mode_name(btree->pager().journal_mode()));
  if (!was_reading) btree->end_read();
  return Status();
}

Status synchronous(PragmaCall* call) {
  Btree* btree = call->btree();
  if (btree == nullptr) return Status();
  if (!call->has_argument) {
    int set = call->attached().synchronous;
    int64_t level = call->database == Connection::kTemp ? 0
                    : set >= 0                          ? set
                                                        : static_cast<int>(btree->pager().synchronous());
    call->add_integer(level);
    return Status();
  }
  if (!call->connection->autocommit()) {
    return Status::error("Safety level may not be changed inside a transaction");
  }
  if (call->database == Connection::kTemp) return Status();
  int level = (pragma_level(call->argument, true, 1) + 1) & 7;
  if (level == 0) level = 1;
  call->attached().synchronous = level - 1;
  btree->pager().set_synchronous(static_cast<Synchronous>(std::min(level - 1, 3)));
  return Status();
}

// Temporary databases are always used exclusively.
Status locking_mode(PragmaCall* call) {
  auto& databases = call->connection->databases();
  bool is_exclusive = names_equal(call->argument, "exclusive");
  const bool sets = is_exclusive || names_equal(call->argument, "normal");
  bool& of_connection = call->connection->settings.locking_exclusive;
  if (!sets && !call->has_schema) {
    call->add_text(of_connection ? "exclusive" : "normal");
    return Status();
  }
  if (sets) {
    if (!call->has_schema) of_connection = is_exclusive;
    for (size_t i = 0; i < databases.size(); ++i) {
      if (databases[i].btree == nullptr || i == Connection::kTemp) continue;
      if (call->has_schema && static_cast<int>(i) != call->database) continue;
      databases[i].btree->pager().set_locking_mode(is_exclusive ? LockingMode::kExclusive
                                                                : LockingMode::kNormal);
    }
  }
  Btree* btree = call->btree();
  bool exclusive = btree == nullptr || call->database == Connection::kTemp ||
                   btree->pager().is_memory() ||
                   btree->pager().locking_mode() == LockingMode::kExclusive;
  call->add_text(exclusive ? "exclusive" : "normal");
  return Status();
}

Status max_page_count(PragmaCall* call) {
  Btree* btree = call->btree();
  if (btree == nullptr) return Status();
  bool is_integer = false;
  int64_t wanted = pragma_wide(call->argument, &is_integer);
  if (!call->has_argument || !is_integer || wanted < 0) wanted = 0;
  wanted = std::min<int64_t>(wanted, 0xfffffffe);
  call->add_integer(btree->set_max_page_count(static_cast<uint32_t>(wanted)));
  return Status();
}

Status journal_size_limit(PragmaCall* call) {
  int64_t& limit = call->attached().journal_size_limit;
  if (call->has_argument) {
    bool is_integer = false;
    limit = std::max<int64_t>(pragma_wide(call->argument, &is_integer), -1);
    if (Btree* btree = call->btree()) btree->pager().set_journal_size_limit(limit);
  }
  call->add_integer(limit);
  return Status();
}

Status page_size(PragmaCall* call) {
  Btree* btree = call->btree();
  if (btree == nullptr) return Status();
  if (!call->has_argument) {
    call->add_integer(btree->pager().page_size());
    return Status();
  }
  int64_t size = pragma_integer(call->argument);
  bool valid = size >= 512 && size <= 65536 && (size & (size - 1)) == 0;
  if (!valid) return Status();
  call->connection->settings.next_page_size = static_cast<uint32_t>(size);
  (void)btree->pager().set_page_size(static_cast<uint32_t>(size));
  return Status();
}

Status page_count(PragmaCall* call) {
  if (call->btree() != nullptr) call->add_integer(call->btree()->pager().page_count());
  return Status();
}

Status freelist_count(PragmaCall* call) {
  if (call->btree() == nullptr) return Status();
  GW_ASSIGN(uint32_t count, call->btree()->meta(MetaField::kFreePageCount));
  call->add_integer(count);
  return Status();
}

Status cache_size(PragmaCall* call) {
  AttachedDatabase& db = call->attached();
  if (call->has_argument) {
    db.cache_size = pragma_integer(call->argument);
    if (db.btree != nullptr) db.btree->pager().set_cache_size(db.cache_size);
    return Status();
  }
  call->add_integer(db.cache_size);
  return Status();
}

// The cache size that the file asks for; connections that open it later take it.
Status default_cache_size(PragmaCall* call) {
  Btree* btree = call->btree();
  if (btree == nullptr) return Status();
  if (!call->has_argument) {
    GW_ASSIGN(uint32_t stored, btree->meta(MetaField::kDefaultCacheSize));
    auto size = static_cast<int32_t>(stored);
    call->add_integer(size == 0 ? -2000 : size < 0 ? -int64_t{size} : size);
    return Status();
  }
  int32_t size = pragma_integer(call->argument);
  if (size < 0) size = size == INT32_MIN ? INT32_MAX : -size;
  GW_TRY(btree->set_meta(MetaField::kDefaultCacheSize, static_cast<uint32_t>(size)));
  call->attached().cache_size = size;
  btree->pager().set_cache_size(size);
  return Status();
}

template <MetaField Field>
Status header_field(PragmaCall* call) {
  Btree* btree = call->btree();
  if (btree == nullptr) return Status();
  if (call->has_argument) {
    const auto value = static_cast<uint32_t>(pragma_integer(call->argument));
    GW_TRY(btree->set_meta(Field, value));
    ChangeCapture* capture = call->connection->capture();
    if (capture != nullptr && Field != MetaField::kSchemaCookie) {
      std::string sql = Field == MetaField::kUserVersion ? "PRAGMA user_version = " : "PRAGMA application_id = ";
      sql += std::to_string(static_cast<int32_t>(value));
      capture->schema_changed({call->database, {}, sql, nullptr, nullptr});
    }
    return Status();
  }
  GW_ASSIGN(uint32_t value, btree->meta(Field));
  call->add_integer(static_cast<int32_t>(value));
  return Status();
}

Status data_version(PragmaCall* call) {
  if (call->btree() != nullptr) call->add_integer(call->btree()->pager().data_version());
  return Status();
}

Status encoding(PragmaCall* call) {
  Btree* btree = call->btree();
  if (btree == nullptr) return Status();
  if (!call->has_argument) {
    constexpr const char* kNames[] = {"", "UTF-8", "UTF-16le", "UTF-16be"};
    call->add_text(kNames[static_cast<int>(btree->encoding())]);
    return Status();
  }
  // Only a database without content can change; others keep what they have, without an error.
  if (btree->pager().page_count() > 0) return Status();
  std::string name;
  for (char c : call->argument) {
    if (c != '-') name += c;
  }
  TextEncoding wanted;
  if (names_equal(name, "UTF8")) {
    wanted = TextEncoding::kUtf8;
  } else if (names_equal(name, "UTF16le") || names_equal(name, "UTF16")) {
    wanted = TextEncoding::kUtf16le;
  } else if (names_equal(name, "UTF16be")) {
    wanted = TextEncoding::kUtf16be;
  } else {
    return Status::error("unsupported encoding: " + call->argument);
  }
  GW_TRY(btree->set_encoding(wanted));
  call->attached().schema = nullptr;
  call->connection->invalidate_statements();
  return Status();
}

Status auto_vacuum(PragmaCall* call) {
  Btree* btree = call->btree();
  if (btree == nullptr) return Status();
  if (!call->has_argument) {
    call->add_integer(static_cast<int64_t>(btree->auto_vacuum()));
    return Status();
  }
  constexpr const char* kNames[] = {"none", "full", "incremental"};
  int mode = pragma_integer(call->argument);
  for (int i = 0; i < 3; ++i) {
    if (names_equal(call->argument, kNames[i])) mode = i;
  }
  if (mode < 0 || mode > 2) mode = 0;
  // What cannot be changed now stays as it is until VACUUM.
  call->connection->settings.next_auto_vacuum = static_cast<int>(mode);
  bool has_map = btree->pager().page_count() > 0 && btree->auto_vacuum() != AutoVacuum::kNone;
  auto wanted = static_cast<AutoVacuum>(mode);
  if (!has_map || wanted == AutoVacuum::kNone || wanted == btree->auto_vacuum()) {
    (void)btree->set_auto_vacuum(wanted);
    return Status();
  }
  // From full to incremental or back is a change of the file.
  GW_TRY(call->connection->statement_begin_write(uint64_t{1} << call->database));
  GW_TRY(btree->set_auto_vacuum(wanted));
  return call->connection->autocommit() ? btree->commit() : Status();
}

// As in SQLite there is a row for each page, though it has no columns.
Status incremental_vacuum(PragmaCall* call) {
  Btree* btree = call->btree();
  if (btree == nullptr) return Status();
  int64_t pages = call->has_argument ? pragma_integer(call->argument) : 0;
  GW_ASSIGN(uint32_t before, btree->meta(MetaField::kFreePageCount));
  GW_TRY(btree->incremental_vacuum(static_cast<int>(pages)));
  GW_ASSIGN(uint32_t after, btree->meta(MetaField::kFreePageCount));
  for (; before > after; --before) call->add_row({});
  return Status();
}

// Without a schema name it is set for all databases; the answer is that of main.
Status secure_delete(PragmaCall* call) {
  if (call->has_argument) {
    bool fast = names_equal(call->argument, "fast");
    SecureDelete mode = fast                             ? SecureDelete::kFast
                        : pragma_boolean(call->argument) ? SecureDelete::kOn
                                                         : SecureDelete::kOff;
    auto& databases = call->connection->databases();
    for (size_t i = 0; i < databases.size(); ++i) {
      if (databases[i].btree == nullptr) continue;
      if (call->has_schema && static_cast<int>(i) != call->database) continue;
      databases[i].btree->set_secure_delete(mode);
    }
  }
  if (call->btree() == nullptr) return Status();
  call->add_integer(static_cast<int>(call->btree()->secure_delete()));
  return Status();
}

Status wal_autocheckpoint(PragmaCall* call) {
  if (call->has_argument) {
    call->connection->set_wal_hook(nullptr, nullptr);
    call->connection->set_wal_autocheckpoint(pragma_integer(call->argument));
  }
  call->add_integer(call->connection->wal_autocheckpoint());
  return Status();
}

Status background_checkpoint(PragmaCall* call) {
  if (call->has_argument) {
    call->connection->set_background_checkpoint(pragma_boolean(call->argument));
  }
  call->add_integer(call->connection->background_checkpoint() ? 1 : 0);
  return Status();
}

Status wal_checkpoint(PragmaCall* call) {
  CheckpointMode mode = CheckpointMode::kPassive;
  if (names_equal(call->argument, "full")) mode = CheckpointMode::kFull;
  if (names_equal(call->argument, "restart")) mode = CheckpointMode::kRestart;
  if (names_equal(call->argument, "truncate")) mode = CheckpointMode::kTruncate;
  CheckpointResult result;
  Status status =
      call->connection->checkpoint(call->has_schema ? call->database : -1, mode, &result);
  const bool busy = status.primary() == code::kBusy;
  if (!status.ok() && !busy) return status;
  call->add_row({Value(ValueView::boolean(busy)), Value(ValueView::of(int64_t{result.wal_frames})),
                 Value(ValueView::of(int64_t{result.checkpointed_frames}))});
  return Status();
}

// Which processes keep the WAL from being reused, and how far they are behind. Not in SQLite.
Status wal_readers(PragmaCall* call) {
  Btree* btree = call->btree();
  if (btree == nullptr) return Status();
  GW_ASSIGN(std::vector<WalReader> readers, btree->pager().wal_readers());
  for (const WalReader& reader : readers) {
    call->add_row({Value(ValueView::of(int64_t{reader.frame})),
                   Value(ValueView::of(int64_t{reader.behind})), Value(ValueView::of(reader.process))});
  }
  return Status();
}

}  // namespace

std::vector<PragmaDefinition> storage_pragmas() {
  using N = PragmaNeeds;
  using pragma_table::kPlain;
  using pragma_table::kSchema;
  return {
      {"journal_mode", N::kNothing, journal_mode, {}, false, kSchema},
      {"synchronous", N::kNothing, synchronous, {}, true, kSchema},
      {"locking_mode", N::kNothing, locking_mode, {}, false, kSchema},
      {"max_page_count", N::kRead, max_page_count, {}, false, kSchema},
      {"journal_size_limit", N::kNothing, journal_size_limit, {}, false, kSchema},
      {"page_size", N::kNothing, page_size, {}, true, kSchema},
      {"page_count", N::kRead, page_count, {}, false, kSchema},
      {"freelist_count", N::kRead, freelist_count, {}, false, kPlain},
      {"cache_size", N::kNothing, cache_size, {}, true, kSchema},
      {"default_cache_size", N::kWriteIfArgument, default_cache_size, {"cache_size"}, true, kSchema},
      {"user_version", N::kWriteIfArgument, header_field<MetaField::kUserVersion>, {}, true, kPlain},
      {"application_id", N::kWriteIfArgument, header_field<MetaField::kApplicationId>, {}, true, kPlain},
      {"schema_version", N::kWriteIfArgument, header_field<MetaField::kSchemaCookie>, {}, true, kPlain},
      {"data_version", N::kRead, data_version, {}, false, kPlain},
      {"encoding", N::kRead, encoding, {}, true, kPlain},
      {"auto_vacuum", N::kRead, auto_vacuum, {}, true, kSchema},
      {"incremental_vacuum", N::kWrite, incremental_vacuum, {}, true, pragma_table::kNone, true},
      {"secure_delete", N::kNothing, secure_delete, {}, false, kPlain},
      {"wal_autocheckpoint", N::kNothing, wal_autocheckpoint, {}},
      {"background_checkpoint", N::kNothing, background_checkpoint, {}},
      {"wal_readers", N::kNothing, wal_readers, {"frame", "behind", "process"}},
      {"wal_checkpoint", N::kNothing, wal_checkpoint, {"busy", "log", "checkpointed"}},
  };
}

}  // namespace godwit
