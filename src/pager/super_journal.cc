#include "pager/super_journal.h"

#include <cstdio>

#include "base/bytes.h"

namespace godwit {

Result<SuperJournal> SuperJournal::create(Vfs* vfs, const std::string& main_path,
                                          std::span<const std::string> journals) {
  // "-mj", six digits, a 9 and two digits: shells and tools know the files by it.
  constexpr int kAttempts = 100;
  OpenOptions options;
  options.kind = FileKind::kSuperJournal;
  options.create = true;
  options.exclusive = true;
  for (int attempt = 0;; ++attempt) {
    uint8_t random[4];
    vfs->randomness(random);
    uint32_t number = load_be32(random);
    char suffix[16];
    std::snprintf(suffix, sizeof suffix, "-mj%06X9%02X", number >> 8, number & 0xff);
    std::string path = main_path + suffix;
    auto file = vfs->open(path, options);
    if (!file.ok()) {
      GW_ASSIGN(bool taken, vfs->exists(path));
      if (taken && attempt < kAttempts) continue;
      return file.take_status();
    }
    SuperJournal super(vfs, std::move(path));
    for (const std::string& journal : journals) super.names_.append(journal).push_back('\0');
    Status status = super.write(file->get());
    if (!status.ok()) {
      file->reset();
      (void)super.remove(false);
      return status;
    }
    return super;
  }
}

Status SuperJournal::write(File* file) {
  GW_TRY(file->write(0, as_bytes(names_)));
  return file->sync(SyncMode::kNormal);
}

Status SuperJournal::remove(bool sync_directory) {
  Status status = vfs_->remove(path_, sync_directory);
  if (status.code() != code::kIoErrDirFsync) return status;
  // The caller will roll back, and if that is interrupted the journals are needed: they count only as
  // long as this file exists.
  OpenOptions options;
  options.kind = FileKind::kSuperJournal;
  options.create = true;
  auto file = vfs_->open(path_, options);
  if (file.ok()) (void)write(file->get());
  return status;
}

}  // namespace godwit
