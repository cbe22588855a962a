#include "pager/pager.h"
namespace godwit {
Result<JournalMode> Pager::set_journal_mode(JournalMode mode) {
  if (mode == JournalMode::kWal || state_ == State::kWriting) return journal_mode_;
  if (file_ == nullptr && mode != JournalMode::kMemory && mode != JournalMode::kOff) {
    return journal_mode_;
  }
  journal_mode_ = mode;
  return journal_mode_;
}
Result<CheckpointResult> Pager::checkpoint(CheckpointMode) { return CheckpointResult{}; }
}
