#include "pager/rollback_journal.h"

#include "base/assert.h"
#include "pager/file_header.h"
#include "pager/journal_format.h"
#include "pager/journal_playback.h"

namespace godwit {

Status RollbackJournal::write(std::span<const OriginalPage> originals, uint32_t page_size,
                              uint32_t page_count, int syncs,
                              const std::string& super_journal) {
  GW_TRY(start(static_cast<uint32_t>(originals.size()), page_size, page_count, syncs));
  GW_TRY(append(originals));
  return finish(super_journal);
}

Status RollbackJournal::start(uint32_t records, uint32_t page_size, uint32_t page_count, int syncs) {
  if (file_ == nullptr) GW_TRY(open_for_writing());
  uint8_t nonce_bytes[4];
  vfs_->randomness(nonce_bytes);
  header_.assign(file_->sector_size(), 0);
  std::memcpy(header_.data(), kJournalMagic, sizeof kJournalMagic);
  store_be32(&header_[kJournalRecordCount], records);
  std::memcpy(&header_[kJournalNonce], nonce_bytes, sizeof nonce_bytes);
  store_be32(&header_[kJournalPageCount], page_count);
  store_be32(&header_[kJournalSectorSize], file_->sector_size());
  store_be32(&header_[kJournalPageSize], page_size);
  page_size_ = page_size;
  syncs_ = syncs;
  end_ = 0;
  return {};
}

// Pieces: header (once), number of page 1, page 1, checksum of 1 and number of 2, page 2, ...
Status RollbackJournal::append(std::span<const OriginalPage> originals) {
  const uint32_t nonce = load_be32(&header_[kJournalNonce]);
  std::vector<uint8_t> first_header;
  pieces_.clear();
  if (end_ == 0) {
    first_header = header_;
    if (syncs_ == 2) store_be32(&first_header[kJournalRecordCount], 0);
    pieces_.push_back(first_header);
  }
  frame_bytes_.resize(originals.size() * kJournalRecordOverhead + 4);
  uint8_t* between = frame_bytes_.data();
  for (size_t i = 0; i < originals.size(); ++i) {
    const uint8_t* page = originals[i].image->data();
    uint8_t* piece = i == 0 ? between : between - 4;
    store_be32(between, originals[i].number);
    store_be32(between + 4, journal_checksum(nonce, page, page_size_));
    pieces_.emplace_back(piece, static_cast<size_t>(between + 4 - piece));
    pieces_.emplace_back(page, page_size_);
    between += kJournalRecordOverhead;
  }
  if (!originals.empty()) pieces_.emplace_back(between - 4, 4);
  GW_TRY(file_->write_vectored(end_, pieces_));
  end_ += first_header.size() + originals.size() * (page_size_ + kJournalRecordOverhead);
  return {};
}

Status RollbackJournal::finish(const std::string& super_journal) {
  if (!super_journal.empty()) GW_TRY(write_super_journal(end_, page_size_, super_journal));
  if (syncs_ == 0) return {};
  GW_TRY(file_->sync(SyncMode::kDataOnly));
  if (syncs_ == 1) return {};
  GW_TRY(file_->write(kJournalRecordCount, {&header_[kJournalRecordCount], 4}));
  return file_->sync(SyncMode::kDataOnly);
}

Status RollbackJournal::play_back(File* database, bool sync) {
  GW_TRY(file_->write(0, {header_.data(), kJournalHeaderSize}));
  if (sync) GW_TRY(file_->sync(SyncMode::kDataOnly));
  JournalPlayback playback(vfs_, path_, file_.get(), database);
  return playback.run(page_size_, sync);
}

Status RollbackJournal::open_for_writing() {
  OpenOptions options;
  options.kind = FileKind::kMainJournal;
  options.create = true;
  GW_ASSIGN(std::unique_ptr<File> file, vfs_->open(path_, options));
  if (file->is_read_only()) return Status(code::kCantOpen);
  // A journal that was kept may end with the name of a super-journal, which would be taken for this
  // transaction's.
  GW_ASSIGN(std::string super_journal, read_super_journal_name(file.get()));
  if (!super_journal.empty()) GW_TRY(file->truncate(0));
  file_ = std::move(file);
  return {};
}

// The trailer that names the super-journal begins at a sector, and ends the file.
Status RollbackJournal::write_super_journal(uint64_t end, uint32_t page_size,
                                            const std::string& super_journal) {
  uint32_t sector = file_->sector_size();
  uint64_t offset = (end + sector - 1) / sector * sector;
  uint32_t length = static_cast<uint32_t>(super_journal.size());
  std::vector<uint8_t> trailer(4 + length + kSuperJournalTrailer);
  store_be32(trailer.data(), lock_page_number(page_size));
  std::memcpy(&trailer[4], super_journal.data(), length);
  uint32_t sum = 0;
  for (char c : super_journal) sum += static_cast<uint32_t>(static_cast<signed char>(c));
  uint8_t* tail = &trailer[4 + length];
  store_be32(tail, length);
  store_be32(tail + 4, sum);
  std::memcpy(tail + 8, kJournalMagic, sizeof kJournalMagic);
  GW_TRY(file_->write(offset, trailer));
  GW_ASSIGN(uint64_t size, file_->size());
  uint64_t wanted = offset + trailer.size();
  return size > wanted ? file_->truncate(wanted) : Status();
}

Status RollbackJournal::end(Ending ending, bool sync, bool* ended, int64_t size_limit) {
  GW_ASSERT(file_ != nullptr);
  *ended = false;
  if (ending == Ending::kDelete) {
    Status status = vfs_->remove(path_, sync);
    // Somebody else removed it: as good as ours.
    if (status.code() == code::kIoErrDeleteNoEnt) status = Status();
    *ended = status.ok() || status.code() == code::kIoErrDirFsync;
    if (*ended) file_.reset();
    return status;
  }
  if (ending == Ending::kTruncate) {
    GW_TRY(file_->truncate(0));
  } else {
    static constexpr uint8_t kZeros[kJournalHeaderSize] = {};
    GW_TRY(file_->write(0, kZeros));
  }
  *ended = true;
  if (sync) GW_TRY(file_->sync(SyncMode::kDataOnly));
  if (size_limit < 0 || ending != Ending::kZeroHeader) return {};
  // The transaction is committed: that the journal stays long is no error of it.
  auto size = file_->size();
  if (size.ok() && *size > static_cast<uint64_t>(size_limit)) {
    (void)file_->truncate(static_cast<uint64_t>(size_limit));
  }
  return {};
}

Result<bool> RollbackJournal::looks_hot() {
  GW_ASSIGN(bool exists, vfs_->exists(path_));
  if (!exists) return false;
  OpenOptions options;
  options.kind = FileKind::kMainJournal;
  options.read_only = true;
  auto opened = vfs_->open(path_, options);
  // Gone meanwhile: its owner has finished. Otherwise (no permission) assume the worst, so that
  // nobody reads a database that may be half written.
  if (!opened.ok()) {
    GW_ASSIGN(bool still, vfs_->exists(path_));
    if (!still) return false;
    return opened.take_status();
  }
  uint8_t first = 0;
  GW_ASSIGN(size_t n, (*opened)->read(0, {&first, 1}));
  return n == 1 && first != 0;
}

Status RollbackJournal::recover(File* database, bool sync, uint32_t default_page_size) {
  GW_ASSERT(database->lock_level() == LockLevel::kExclusive);
  file_.reset();
  GW_ASSIGN(bool exists, vfs_->exists(path_));
  if (!exists) return {};
  OpenOptions options;
  options.kind = FileKind::kMainJournal;
  GW_ASSIGN(std::unique_ptr<File> journal, vfs_->open(path_, options));
  if (journal->is_read_only()) return Status(code::kCantOpen);
  if (sync) GW_TRY(journal->sync(SyncMode::kNormal));
  JournalPlayback playback(vfs_, path_, journal.get(), database);
  GW_TRY(playback.run(default_page_size, sync));
  journal.reset();
  Status status = vfs_->remove(path_, false);
  if (status.code() == code::kIoErrDeleteNoEnt) status = Status();
  GW_TRY(std::move(status));
  return playback.remove_super_journal();
}

}  // namespace godwit
