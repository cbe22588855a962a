#include "tests/sim/sim_vfs.h"

#include "pager/read_mark_lock.h"
#include "tests/sim/sim_file.h"

namespace godwit::sim {

void Machine::plan_crash(Crash kind, uint64_t countdown) {
  planned_ = kind;
  countdown_ = countdown;
}

void Machine::power_on(const FileImages& files) {
  disk.load(files);
  power_is_off_ = false;
  planned_ = Crash::kNone;
}

SimProcess::SimProcess(Machine* machine) : machine_(machine) {
  static uint64_t last_number = 0;
  number_ = ++last_number;
  machine_->processes_.insert(this);
}

SimProcess::~SimProcess() { machine_->processes_.erase(this); }

void SimProcess::die() {
  if (dead_) return;
  dead_ = true;
  for (SimFile* file : files_) {
    file->drop_locks();
    file->drop_shm_locks();
    file->isolate_mappings();
  }
}

void SimProcess::release_idle_read_marks(const std::string& database) {
  std::shared_ptr<Inode> inode = machine_->disk.find(database);
  if (inode != nullptr) ReadMarkLock::release_idle({number_, inode->serial});
}

Status SimProcess::enter(Call call, int error) {
  if (dead_) return Status(error);
  Machine& m = *machine_;
  ++m.calls;
  if (call != Call::kRead && m.planned_ != Crash::kNone && --m.countdown_ == 0) {
    bool power_cut = m.planned_ == Crash::kPowerCut;
    m.planned_ = Crash::kNone;
    if (power_cut) {
      m.power_is_off_ = true;
      for (SimProcess* process : m.processes_) process->die();
    } else {
      die();
    }
    return Status(error);
  }
  if (call != Call::kBarrier && m.error_one_in != 0 && m.prng.below(m.error_one_in) == 0) {
    return Status(error);
  }
  return {};
}

Status SimProcess::sync_directory() {
  GW_TRY(enter(Call::kChange, code::kIoErrDirFsync));
  if (machine_->bug != Bug::kNoDirectorySync) machine_->disk.sync_directory();
  return {};
}

Result<std::unique_ptr<File>> SimProcess::open(const std::string& path,
                                               const OpenOptions& options) {
  if (path.empty()) {  // without a name, and therefore gone with its last user
    GW_TRY(enter(Call::kChange, code::kCantOpen));
    return std::unique_ptr<File>(
        new SimFile(this, machine_->disk.create_unnamed(), path, options));
  }
  std::shared_ptr<Inode> inode = machine_->disk.find(path);
  bool creates = inode == nullptr;
  GW_TRY(enter(creates ? Call::kChange : Call::kRead, code::kCantOpen));
  if (creates) {
    if (!options.create || options.read_only) return Status(code::kCantOpen);
    inode = machine_->disk.create(path);
  } else if (options.create && options.exclusive) {
    return Status(code::kCantOpen);
  }
  return std::unique_ptr<File>(new SimFile(this, std::move(inode), path, options));
}

Status SimProcess::remove(const std::string& path, bool sync) {
  GW_TRY(enter(Call::kChange, code::kIoErrDelete));
  if (!machine_->disk.remove(path)) return Status(code::kIoErrDeleteNoEnt);
  return sync ? sync_directory() : Status();
}

Result<bool> SimProcess::exists(const std::string& path) {
  GW_TRY(enter(Call::kRead, code::kIoErrAccess));
  std::shared_ptr<Inode> inode = machine_->disk.find(path);
  return inode != nullptr && !inode->bytes.empty();
}

}  // namespace godwit::sim
