// Writes the rollback journal of a transaction, and undoes a transaction that died from it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "os/vfs.h"
#include "pager/page_image.h"

namespace godwit {

// A page as it was before the transaction.
struct OriginalPage {
  PageNumber number;
  PageImageRef image;
};

class RollbackJournal {
 public:
  // How the journal ceases to be valid, which is the moment of commit.
  enum class Ending : uint8_t { kDelete, kTruncate, kZeroHeader };

  RollbackJournal(Vfs* vfs, std::string path) : vfs_(vfs), path_(std::move(path)) {}

  // Writes the whole journal. `syncs`: 0: not at all, 1: once; 2: the records before the header
  // counts them, so that a power cut cannot make stale bytes pass for records. `super_journal`: the
  // file that makes this transaction one with those of other databases; "" if none.
  Status write(std::span<const OriginalPage> originals, uint32_t page_size, uint32_t page_count,
               int syncs, const std::string& super_journal);
  // The same in parts, for more pages than fit into memory: start, append until `records` pages have
  // come, finish.
  Status start(uint32_t records, uint32_t page_size, uint32_t page_count, int syncs);
  Status append(std::span<const OriginalPage> originals);
  Status finish(const std::string& super_journal);
  // Undoes the transaction that the journal, which is open and complete, belongs to. The journal stays.
  // An attempt to end it may have damaged its header.
  Status play_back(File* database, bool sync);
  // Requires that the database file is complete (and synced, if it shall be). *ended: the journal has
  // ceased to be valid, even if there is an error then (a sync has failed); else it is what it was, or
  // damaged. `size_limit`: to how many bytes a journal with a zero header is cut; negative: not at all.
  Status end(Ending ending, bool sync, bool* ended, int64_t size_limit = -1);
  bool is_open() const { return file_ != nullptr; }
  void close() { file_.reset(); }
  const std::string& path() const { return path_; }

  // Whether a journal file exists that could be hot: non-empty, and not starting with a zero byte.
  Result<bool> looks_hot();
  // Plays the journal back into `database` and removes it. Requires the EXCLUSIVE lock. A journal
  // that is gone meanwhile is no error.
  Status recover(File* database, bool sync, uint32_t default_page_size);

 private:
  Status open_for_writing();
  Status write_super_journal(uint64_t end, uint32_t page_size, const std::string& super_journal);

  Vfs* vfs_;
  std::string path_;
  std::unique_ptr<File> file_;
  std::vector<uint8_t> header_;  // with the count of records
  uint64_t end_ = 0;             // of what append() has written
  uint32_t page_size_ = 0;
  int syncs_ = 0;
  std::vector<ByteSpan> pieces_;
  std::vector<uint8_t> frame_bytes_;  // page numbers and checksums that stand between the pages
};

}  // namespace godwit
