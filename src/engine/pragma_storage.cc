// Pragmas about the database file: journal, pages, header fields, checkpoints.
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
      bool crosses_wal = (wanted == JournalMode::kWal) != (pager.journal_mode() == JournalMode::kWal);
      if (crosses_wal && !call->connection->autocommit()) {
        return Status::error("cannot change into wal mode from within a transaction");
      }
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
    call->add_integer(static_cast<int64_t>(btree->pager().synchronous()));
    return Status();
  }
  if (!call->connection->autocommit()) {
    return Status::error("Safety level may not be changed inside a transaction");
  }
  constexpr const char* kNames[] = {"off", "normal", "full", "extra"};
  int64_t level = pragma_integer(call->argument) & 3;
  if (pragma_boolean(call->argument) && level == 0) level = 1;
  for (int i = 0; i < 4; ++i) {
    if (names_equal(call->argument, kNames[i])) level = i;
  }
  btree->pager().set_synchronous(static_cast<Synchronous>(level));
  return Status();
}

Status locking_mode(PragmaCall* call) {
  Btree* btree = call->btree();
  if (btree == nullptr) return Status();
  if (names_equal(call->argument, "exclusive")) {
    btree->pager().set_locking_mode(LockingMode::kExclusive);
  } else if (names_equal(call->argument, "normal")) {
    btree->pager().set_locking_mode(LockingMode::kNormal);
  }
  bool exclusive = btree->pager().locking_mode() == LockingMode::kExclusive;
  call->add_text(exclusive ? "exclusive" : "normal");
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
  if (valid) (void)btree->pager().set_page_size(static_cast<uint32_t>(size));
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
    db.cache_size = static_cast<int>(pragma_integer(call->argument));
    if (db.btree != nullptr) db.btree->pager().set_cache_size(db.cache_size);
    return Status();
  }
  call->add_integer(db.cache_size);
  return Status();
}

template <MetaField Field>
Status header_field(PragmaCall* call) {
  Btree* btree = call->btree();
  if (btree == nullptr) return Status();
  if (call->has_argument) {
    return btree->set_meta(Field, static_cast<uint32_t>(pragma_integer(call->argument)));
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
  // Only a database without content can change; others keep what they have, without an error.
  if (btree->pager().page_count() > 0) return Status();
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
  int64_t mode = pragma_integer(call->argument);
  for (int i = 0; i < 3; ++i) {
    if (names_equal(call->argument, kNames[i])) mode = i;
  }
  if (mode < 0 || mode > 2) mode = 0;
  // Like SQLite: what cannot be changed now stays as it is.
  (void)btree->set_auto_vacuum(static_cast<AutoVacuum>(mode));
  return Status();
}

Status incremental_vacuum(PragmaCall* call) {
  if (call->btree() == nullptr) return Status();
  int64_t pages = call->has_argument ? pragma_integer(call->argument) : 0;
  return call->btree()->incremental_vacuum(static_cast<int>(pages));
}

Status wal_autocheckpoint(PragmaCall* call) {
  Btree* btree = call->connection->btree(Connection::kMain);
  if (call->has_argument) {
    btree->pager().set_wal_autocheckpoint(static_cast<int>(pragma_integer(call->argument)));
  }
  call->add_integer(btree->pager().wal_autocheckpoint());
  return Status();
}

Status wal_checkpoint(PragmaCall* call) {
  CheckpointMode mode = CheckpointMode::kPassive;
  if (names_equal(call->argument, "full")) mode = CheckpointMode::kFull;
  if (names_equal(call->argument, "restart")) mode = CheckpointMode::kRestart;
  if (names_equal(call->argument, "truncate")) mode = CheckpointMode::kTruncate;
  auto& databases = call->connection->databases();
  CheckpointResult result;
  bool busy = false;
  for (size_t i = 0; i < databases.size(); ++i) {
    if (databases[i].btree == nullptr) continue;
    if (call->has_schema && static_cast<int>(i) != call->database) continue;
    auto done = databases[i].btree->pager().checkpoint(mode);
    if (!done.ok() && done.status().primary() != code::kBusy) return done.take_status();
    if (!done.ok()) {
      busy = true;
    } else if (static_cast<int>(i) == call->database) {
      result = *done;
    }
  }
  call->add_row({Value(ValueView::boolean(busy)), Value(ValueView::of(int64_t{result.wal_frames})),
                 Value(ValueView::of(int64_t{result.checkpointed_frames}))});
  return Status();
}

}  // namespace

std::vector<PragmaDefinition> storage_pragmas() {
  using N = PragmaNeeds;
  return {
      {"journal_mode", N::kNothing, journal_mode, {}},
      {"synchronous", N::kNothing, synchronous, {}, true},
      {"locking_mode", N::kNothing, locking_mode, {}},
      {"page_size", N::kNothing, page_size, {}, true},
      {"page_count", N::kRead, page_count, {}},
      {"freelist_count", N::kRead, freelist_count, {}},
      {"cache_size", N::kNothing, cache_size, {}, true},
      {"user_version", N::kWriteIfArgument, header_field<MetaField::kUserVersion>, {}, true},
      {"application_id", N::kWriteIfArgument, header_field<MetaField::kApplicationId>, {}, true},
      {"schema_version", N::kWriteIfArgument, header_field<MetaField::kSchemaCookie>, {}, true},
      {"data_version", N::kRead, data_version, {}},
      {"encoding", N::kRead, encoding, {}, true},
      {"auto_vacuum", N::kRead, auto_vacuum, {}, true},
      {"incremental_vacuum", N::kWrite, incremental_vacuum, {}, true},
      {"wal_autocheckpoint", N::kNothing, wal_autocheckpoint, {}},
      {"wal_checkpoint", N::kNothing, wal_checkpoint, {"busy", "log", "checkpointed"}},
  };
}

}  // namespace godwit
