// Online backup: copies the pages of one database over another, in parts, while both connections are
// used in between.
//
// The pages that were copied so far are held as images, so that nothing of the destination changes
// before the last part. When the source changes in between, the copy goes on if its own connection
// made the change (the pages are taken anew), and starts over if another one did.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engine/connection.h"
#include "pager/page_image.h"

namespace godwit {

class Backup {
 public:
  // Errors: kError for unknown databases and a destination that is in use.
  static Result<std::unique_ptr<Backup>> start(Connection* destination,
                                               std::string_view destination_name,
                                               Connection* source, std::string_view source_name);
  ~Backup();
  Backup(const Backup&) = delete;
  Backup& operator=(const Backup&) = delete;

  // Copies up to `pages` more (negative: all). True: the copy is complete and committed. After
  // kBusy and kLocked it may be tried again; other errors stay.
  Result<bool> step(int pages);
  // Of the source, as of the last step.
  int page_count() const { return page_count_; }
  int remaining() const { return remaining_; }

 private:
  Backup() = default;
  Result<bool> advance(int pages);
  Status lock_destination();
  Status follow_source();
  Status take_page(PageNumber number);
  Status replace_destination();
  Status stamp_first_page();
  Btree& btree(Connection* connection, int database) const {
    return *connection->databases()[static_cast<size_t>(database)].btree;
  }
  Btree& source() const { return btree(source_, source_database_); }
  Btree& destination() const { return btree(destination_, destination_database_); }

  Connection* source_ = nullptr;
  Connection* destination_ = nullptr;
  int source_database_ = 0;
  int destination_database_ = 0;
  std::vector<PageImageRef> images_;  // of pages 1, 2, ...
  uint32_t page_size_ = 0;
  uint32_t data_version_ = 0;
  uint64_t snapshot_version_ = 0;
  bool started_ = false;
  bool done_ = false;
  Status failure_;
  int page_count_ = 0;
  int remaining_ = 0;
};

}  // namespace godwit
