// Undoes a transaction from its rollback journal. Every byte of the journal may be damaged: the
// playback stops at the first record that is not certainly whole, because a transaction touches the
// database file only after its journal is whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/vfs.h"

namespace godwit {

class JournalPlayback {
 public:
  JournalPlayback(Vfs* vfs, const std::string& journal_path, File* journal, File* database)
      : vfs_(vfs), journal_path_(journal_path), journal_(journal), database_(database) {}

  // Writes the original pages back and gives the file its former length. Does nothing if the
  // journal names a super-journal that is gone: then the transaction was committed.
  Status run(uint32_t default_page_size, bool sync);
  // Deletes the super-journal unless another database's journal still needs it.
  Status remove_super_journal();

 private:
  struct Segment {
    uint32_t records = 0;
    uint32_t nonce = 0;
    uint32_t page_count = 0;
  };
  // False: no further segment.
  Result<bool> read_segment_header(Segment* segment);
  // False: the journal ends here.
  Result<bool> play_record(const Segment& segment);
  Status restore_length(uint32_t page_count);

  Vfs* vfs_;
  std::string journal_path_;
  File* journal_;
  File* database_;
  std::string super_journal_;
  uint64_t journal_size_ = 0;
  uint64_t position_ = 0;
  uint32_t sector_size_ = 0;
  uint32_t page_size_ = 0;
  uint32_t page_count_ = 0;  // of the database before the transaction
  std::vector<uint8_t> record_;
};

// The super-journal that the journal names; "" if none.
Result<std::string> read_super_journal_name(File* journal);

}  // namespace godwit
