#include "pager/journal_playback.h"

#include "pager/file_header.h"
#include "pager/journal_format.h"

namespace godwit {

Result<std::string> read_super_journal_name(File* journal) {
  GW_ASSIGN(uint64_t size, journal->size());
  if (size < kSuperJournalTrailer) return std::string();
  uint8_t trailer[kSuperJournalTrailer];
  GW_ASSIGN(size_t n, journal->read(size - kSuperJournalTrailer, trailer));
  if (n < sizeof trailer) return std::string();
  uint32_t length = load_be32(trailer);
  uint32_t expected = load_be32(trailer + 4);
  if (std::memcmp(trailer + 8, kJournalMagic, sizeof kJournalMagic) != 0 || length == 0 ||
      length > kSuperJournalNameMax || length > size - kSuperJournalTrailer) {
    return std::string();
  }
  std::string name(length, '\0');
  GW_ASSIGN(n, journal->read(size - kSuperJournalTrailer - length,
                             {reinterpret_cast<uint8_t*>(name.data()), length}));
  uint32_t sum = 0;
  for (char c : name) sum += static_cast<uint32_t>(static_cast<signed char>(c));
  if (n < length || sum != expected) return std::string();
  return name;
}

Status JournalPlayback::run(uint32_t default_page_size, bool sync) {
  page_size_ = default_page_size;
  sector_size_ = journal_->sector_size();
  GW_ASSIGN(journal_size_, journal_->size());
  GW_ASSIGN(super_journal_, read_super_journal_name(journal_));
  if (!super_journal_.empty()) {
    GW_ASSIGN(bool exists, vfs_->exists(super_journal_));
    if (!exists) {
      super_journal_.clear();
      return {};
    }
  }
  bool more = true;
  while (more) {
    Segment segment;
    GW_ASSIGN(bool found, read_segment_header(&segment));
    if (!found) break;
    for (uint32_t i = 0; more && i < segment.records; ++i) {
      GW_ASSIGN(more, play_record(segment));
    }
  }
  return sync ? database_->sync(SyncMode::kNormal) : Status();
}

Result<bool> JournalPlayback::read_segment_header(Segment* segment) {
  position_ = (position_ + sector_size_ - 1) / sector_size_ * sector_size_;
  if (position_ + sector_size_ > journal_size_) return false;
  uint8_t header[kJournalHeaderSize];
  GW_ASSIGN(size_t n, journal_->read(position_, header));
  if (n < sizeof header || std::memcmp(header, kJournalMagic, sizeof kJournalMagic) != 0) {
    return false;
  }
  segment->records = load_be32(header + kJournalRecordCount);
  segment->nonce = load_be32(header + kJournalNonce);
  segment->page_count = load_be32(header + kJournalPageCount);
  bool first = position_ == 0;
  if (first) {
    uint32_t page_size = load_be32(header + kJournalPageSize);
    uint32_t sector_size = load_be32(header + kJournalSectorSize);
    if (page_size == 0) page_size = page_size_;
    if (!is_page_size(page_size) || sector_size < kSectorSizeMin || sector_size > kSectorSizeMax ||
        (sector_size & (sector_size - 1)) != 0) {
      return false;
    }
    page_size_ = page_size;
    sector_size_ = sector_size;
    page_count_ = segment->page_count;
    record_.resize(page_size + kJournalRecordOverhead);
    GW_TRY(restore_length(page_count_));
  }
  position_ += sector_size_;
  if (segment->records == kJournalRecordsToEnd) {
    uint64_t rest = journal_size_ > position_ ? journal_size_ - position_ : 0;
    segment->records = static_cast<uint32_t>(rest / record_.size());
  }
  return true;
}

Result<bool> JournalPlayback::play_record(const Segment& segment) {
  GW_ASSIGN(size_t n, journal_->read(position_, record_));
  if (n < record_.size()) return false;
  position_ += record_.size();
  PageNumber number = load_be32(record_.data());
  if (number == 0 || is_lock_page(number, page_size_)) return false;
  if (number > page_count_) return true;
  const uint8_t* page = record_.data() + 4;
  if (load_be32(page + page_size_) != journal_checksum(segment.nonce, page, page_size_)) {
    return false;
  }
  GW_TRY(database_->write(uint64_t{number - 1} * page_size_, {page, page_size_}));
  return true;
}

Status JournalPlayback::restore_length(uint32_t page_count) {
  uint64_t wanted = uint64_t{page_count} * page_size_;
  GW_ASSIGN(uint64_t size, database_->size());
  return size == wanted ? Status() : database_->truncate(wanted);
}

Status JournalPlayback::remove_super_journal() {
  if (super_journal_.empty()) return {};
  OpenOptions options;
  options.kind = FileKind::kSuperJournal;
  options.read_only = true;
  auto opened = vfs_->open(super_journal_, options);
  if (!opened.ok()) return {};  // gone: another process was faster
  GW_ASSIGN(uint64_t size, (*opened)->size());
  // It holds the names of the journals of all databases of the transaction, each ended by a zero.
  constexpr uint64_t kSizeMax = 1 << 20;
  if (size > kSizeMax) return {};
  std::string names(size, '\0');
  GW_ASSIGN(size_t n, (*opened)->read(0, {reinterpret_cast<uint8_t*>(names.data()), size}));
  names.resize(n);
  opened->reset();
  for (size_t start = 0; start < names.size();) {
    std::string child = names.c_str() + start;
    start += child.size() + 1;
    if (child.empty() || child == journal_path_) continue;
    GW_ASSIGN(bool exists, vfs_->exists(child));
    if (!exists) continue;
    options.kind = FileKind::kMainJournal;
    GW_ASSIGN(std::unique_ptr<File> journal, vfs_->open(child, options));
    GW_ASSIGN(std::string name, read_super_journal_name(journal.get()));
    if (name == super_journal_) return {};
  }
  Status status = vfs_->remove(super_journal_, false);
  return status.code() == code::kIoErrDeleteNoEnt ? Status() : status;
}

}  // namespace godwit
