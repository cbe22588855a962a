// A disk in memory that forgets what nobody synced. Every file has two contents: the one that
// programs see, and the one that is certainly on the platter; the writes between them are kept in
// order. The same for the directory: a name that was made or removed is durable only after the
// directory was synced.
//
//     write, truncate ---> seen content ---- sync ----> durable content
//                          unsynced list                (list empty)
//
// A power cut makes a new disk of the durable content and a random choice of what was unsynced:
//   1. Writes are cut into sectors of 512 bytes; each sector is kept, lost or torn (its first or its
//      last bytes are old), independently of all others, so that order means nothing.
//   2. A gap that lost writes leave before the end of a file holds zeros or garbage.
//   3. A truncation is kept or lost. If it is lost, later writes beyond its size are lost as well,
//      because file systems give a file new blocks only together with the release of the old ones.
//   4. Of a disk that writes in order, each file keeps its first unsynced sectors up to some point, which
//      may be in the middle of one.
//   5. Changes of one name are kept up to some point; different names are independent.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/prng.h"
#include "os/vfs.h"

namespace godwit::sim {

inline constexpr uint64_t kSectorSize = 512;

struct Inode {
  struct Change {
    bool is_truncation;
    uint64_t offset;  // of a truncation: the new size
    std::vector<uint8_t> bytes;
  };

  ~Inode();
  void write(uint64_t offset, ByteSpan data);
  void truncate(uint64_t size);
  void sync();
  std::vector<uint8_t> after_power_cut(Prng* prng, bool in_order) const;

  uint64_t serial = 0;
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> durable;
  std::vector<Change> unsynced;

  // Database locks. A holder of EXCLUSIVE is counted in `shared` too.
  int shared = 0;
  const File* reserved = nullptr;
  const File* pending = nullptr;
  const File* exclusive = nullptr;
  // Shared memory: a descriptor, so that each File maps it by itself.
  int shm_descriptor = -1;
  int shm_users = 0;
  uint32_t shm_regions = 0;
  int shm_shared[kShmLockCount] = {};
  const File* shm_exclusive[kShmLockCount] = {};
};

using FileImages = std::map<std::string, std::vector<uint8_t>>;

class Disk {
 public:
  // `durable_names`: the directory needs no sync, as on file systems that write it in order.
  // `in_order`: the sectors of a file reach the platter in the order of the writes.
  Disk(bool durable_names, bool in_order) : durable_names_(durable_names), in_order_(in_order) {}

  std::shared_ptr<Inode> find(const std::string& path) const;
  std::shared_ptr<Inode> create(const std::string& path);
  std::shared_ptr<Inode> create_unnamed();
  bool remove(const std::string& path);
  void sync_directory();
  void sync_all();
  uint64_t used_bytes() const;

  // What a power cut now leaves.
  FileImages after_power_cut(Prng* prng) const;
  // What programs see now.
  FileImages images() const;
  // Begins anew with these files, all durable.
  void load(const FileImages& files);

 private:
  using Names = std::map<std::string, std::shared_ptr<Inode>>;
  struct NameChange {
    std::string name;
    std::shared_ptr<Inode> inode;  // null: removed
  };
  void change_name(const std::string& path, std::shared_ptr<Inode> inode);

  bool durable_names_;
  bool in_order_;
  uint64_t last_serial_ = 0;
  Names names_;
  std::vector<std::weak_ptr<Inode>> unnamed_;
  Names durable_;
  std::vector<NameChange> unsynced_;
};

}  // namespace godwit::sim
