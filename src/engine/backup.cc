#include "engine/backup.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "pager/file_header.h"

namespace godwit {

namespace {

constexpr uint32_t kHeaderSchemaCookie = 40;

Result<int> find_backup_database(Connection* connection, std::string_view name) {
  int index = connection->find_database(name);
  if (index == Connection::kTemp) {
    const bool was_open = connection->databases()[Connection::kTemp].btree != nullptr;
    GW_TRY(connection->open_temp());
    if (!was_open) connection->btree(index)->end_read();
  }
  if (index < 0) return Status::error("unknown database " + std::string(name));
  return index;
}

}  // namespace

Result<std::unique_ptr<Backup>> Backup::start(Connection* destination,
                                              std::string_view destination_name,
                                              Connection* source, std::string_view source_name) {
  if (source == destination) return Status::error("source and destination must be distinct");
  GW_ASSIGN(int from, find_backup_database(source, source_name));
  GW_ASSIGN(int to, find_backup_database(destination, destination_name));
  if (destination->btree(to)->pager().is_reading()) {
    return Status::error("destination database is in use");
  }
  std::unique_ptr<Backup> backup(new Backup());
  backup->source_ = source;
  backup->destination_ = destination;
  backup->source_database_ = from;
  backup->destination_database_ = to;
  ++source->databases()[static_cast<size_t>(from)].backups;
  ++destination->databases()[static_cast<size_t>(to)].backups;
  return backup;
}

Backup::~Backup() {
  --source_->databases()[static_cast<size_t>(source_database_)].backups;
  --destination_->databases()[static_cast<size_t>(destination_database_)].backups;
  if (!done_ && destination().pager().is_writing() && !destination().pager().has_changes()) {
    destination().end_read();
  }
}

Result<bool> Backup::step(int pages) {
  if (done_) return true;
  if (!failure_.ok()) return failure_;
  bool opened = !source().pager().is_reading();
  Result<bool> done = advance(pages);
  if (opened && source().pager().is_reading()) source().end_read();
  if (!done.ok()) {
    int primary = done.status().primary();
    if (primary != code::kBusy && primary != code::kLocked) failure_ = done.status();
  }
  return done;
}

Result<bool> Backup::advance(int pages) {
  if (source().pager().is_writing()) return Status(code::kLocked);
  GW_TRY(source().begin_read());
  GW_TRY(lock_destination());
  GW_TRY(follow_source());
  const Pager& from = source().pager();
  const size_t count = from.page_count();
  // Only a file can be given another page size, and only with a rollback journal.
  Pager& to = destination().pager();
  if (to.page_count() > 0 && to.page_size() != page_size_ &&
      (to.is_memory() || to.journal_mode() == JournalMode::kWal)) {
    return Status(code::kReadOnly);
  }
  for (int copied = 0; images_.size() < count && (pages < 0 || copied < pages); ++copied) {
    GW_TRY(take_page(static_cast<PageNumber>(images_.size() + 1)));
  }
  page_count_ = static_cast<int>(count);
  remaining_ = static_cast<int>(count - images_.size());
  if (remaining_ > 0 || (pages == 0 && count > 0)) return false;
  GW_TRY(replace_destination());
  done_ = true;
  return true;
}

// Others must not use the destination from the first step on.
Status Backup::lock_destination() {
  Pager& pager = destination().pager();
  if (pager.is_writing()) return Status();
  GW_TRY(pager.begin_read());
  Status status = pager.begin_write(true);
  if (!status.ok()) destination().end_read();
  return status;
}

// Brings what was copied up to the snapshot that the source has now.
Status Backup::follow_source() {
  Pager& pager = source().pager();
  bool changed = started_ && pager.snapshot_version() != snapshot_version_;
  // As in SQLite the copy of a database in memory starts over whoever changed it.
  bool restarts = !started_ || pager.data_version() != data_version_ ||
                  pager.page_size() != page_size_ || (changed && pager.is_memory());
  started_ = true;
  data_version_ = pager.data_version();
  snapshot_version_ = pager.snapshot_version();
  page_size_ = pager.page_size();
  if (restarts) {
    images_.clear();
  } else if (changed) {
    size_t count = std::min<size_t>(images_.size(), pager.page_count());
    images_.clear();
    while (images_.size() < count) GW_TRY(take_page(static_cast<PageNumber>(images_.size() + 1)));
  }
  return Status();
}

Status Backup::take_page(PageNumber number) {
  PageImageRef image;
  if (!source().pager().is_lock_page(number)) {
    GW_ASSIGN(PageRef page, source().pager().read(number));
    image = PageImageRef(page->image());
  }
  images_.push_back(std::move(image));
  return Status();
}

Status Backup::replace_destination() {
  AttachedDatabase& target = destination_->databases()[static_cast<size_t>(destination_database_)];
  Pager& pager = destination().pager();
  if (pager.has_changes() || target.savepoints > 0) return Status(code::kLocked);
  uint32_t reserved = source().pager().reserved_bytes();
  if (images_.empty()) {
    // Of a source that has no page yet the destination becomes an empty database.
    GW_ASSIGN(auto empty, Pager::open(destination_->vfs(), "", PagerOptions{}));
    (void)empty->set_page_size(page_size_, static_cast<int>(reserved));
    Btree fresh(std::move(empty));
    GW_TRY(fresh.begin_read());
    GW_TRY(fresh.begin_write());
    GW_ASSIGN(PageRef page, fresh.pager().read(1));
    images_.push_back(PageImageRef(page->image()));
  }
  GW_TRY(stamp_first_page());
  auto page_of = [this](PageNumber number) -> Result<PageImageRef> { return images_[number - 1]; };
  GW_TRY(destination().replace_content(page_size_, reserved, static_cast<uint32_t>(images_.size()),
                                       page_of));
  destination().end_read();
  pager.forget_snapshot();
  destination_->forget_schema(destination_database_);
  return Status();
}

// The copy has the journal mode of the file that it goes into, where that is WAL, and a schema that no
// connection has seen before.
Status Backup::stamp_first_page() {
  Pager& pager = destination().pager();
  uint32_t cookie = 0;
  if (pager.page_count() > 0) {
    GW_ASSIGN(PageRef before, pager.read(1));
    cookie = load_be32(before.data() + kHeaderSchemaCookie);
  }
  PageImageRef first = PageImageRef::adopt(PageImage::create(page_size_));
  if (!first) return Status::no_memory();
  std::memcpy(first->data(), images_[0]->data(), page_size_);
  store_be32(first->data() + kHeaderSchemaCookie, cookie + 1);
  if (pager.journal_mode() == JournalMode::kWal) {
    first->data()[kHeaderWriteVersion] = first->data()[kHeaderReadVersion] = kFormatWal;
  }
  images_[0] = std::move(first);
  return Status();
}

}  // namespace godwit
