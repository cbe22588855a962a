#include "tests/sim/sim_disk.h"

#include <unistd.h>

#include <algorithm>

namespace godwit::sim {
namespace {

void put(std::vector<uint8_t>* bytes, uint64_t offset, ByteSpan data) {
  if (data.empty()) return;
  if (bytes->size() < offset + data.size()) bytes->resize(offset + data.size());
  std::memcpy(bytes->data() + offset, data.data(), data.size());
}

// One sector's piece of a write reaches the platter, perhaps torn: of a disk that writes in order the
// head is there then, and nothing after it. Returns whether the sector is whole.
bool put_sector(std::vector<uint8_t>* image, uint64_t offset, ByteSpan piece, bool garbage,
                bool in_order, Prng* prng) {
  if (image->size() < offset) {
    uint64_t gap = image->size();
    image->resize(offset);
    if (garbage) prng->fill(image->data() + gap, offset - gap);
  }
  constexpr uint64_t kTornOneIn = 24;
  if (piece.size() > 1 && prng->below(kTornOneIn) == 0) {
    size_t at = 1 + prng->below(piece.size() - 1);
    bool keeps_head = in_order || prng->below(2) == 0;
    // What is beyond the file's end has no old bytes to keep.
    if (!keeps_head && image->size() >= offset + piece.size()) {
      put(image, offset + at, piece.subspan(at));
      return false;
    }
    put(image, offset, piece.first(at));
    return false;
  }
  put(image, offset, piece);
  return true;
}

}  // namespace

Inode::~Inode() {
  if (shm_descriptor >= 0) close(shm_descriptor);
}

void Inode::write(uint64_t offset, ByteSpan data) {
  put(&bytes, offset, data);
  unsynced.push_back({false, offset, {data.begin(), data.end()}});
}

void Inode::truncate(uint64_t size) {
  bytes.resize(size);
  unsynced.push_back({true, size, {}});
}

void Inode::sync() {
  for (const Change& change : unsynced) {
    if (change.is_truncation) {
      durable.resize(change.offset);
    } else {
      put(&durable, change.offset, change.bytes);
    }
  }
  unsynced.clear();
}

std::vector<uint8_t> Inode::after_power_cut(Prng* prng, bool in_order) const {
  std::vector<uint8_t> image = durable;
  // Of a hundred sectors, how many are kept: from none to all.
  static constexpr uint64_t kKept[] = {0, 10, 50, 90, 97, 100};
  uint64_t kept = kKept[prng->below(std::size(kKept))];
  bool garbage = prng->below(2) == 0;
  uint64_t lost_from = UINT64_MAX;
  bool stopped = false;
  auto keeps = [&] {
    stopped = in_order && (stopped || prng->below(100) >= kept);
    return in_order ? !stopped : prng->below(100) < kept;
  };
  for (const Change& change : unsynced) {
    if (change.is_truncation) {
      if (change.offset < image.size() && !keeps()) {
        lost_from = std::min(lost_from, change.offset);
      } else if (change.offset <= lost_from) {
        image.resize(change.offset);
      }
      continue;
    }
    uint64_t end = change.offset + change.bytes.size();
    for (uint64_t at = change.offset; at < end;) {
      uint64_t next = std::min(end, (at / kSectorSize + 1) * kSectorSize);
      if (next <= lost_from && keeps()) {
        ByteSpan piece(change.bytes.data() + (at - change.offset), next - at);
        const bool whole = put_sector(&image, at, piece, garbage, in_order, prng);
        stopped = stopped || (in_order && !whole);
      }
      at = next;
    }
  }
  return image;
}

std::shared_ptr<Inode> Disk::find(const std::string& path) const {
  auto found = names_.find(path);
  return found == names_.end() ? nullptr : found->second;
}

void Disk::change_name(const std::string& path, std::shared_ptr<Inode> inode) {
  auto apply = [&](Names* names) {
    if (inode == nullptr) {
      names->erase(path);
    } else {
      (*names)[path] = inode;
    }
  };
  apply(&names_);
  if (durable_names_) {
    apply(&durable_);
  } else {
    unsynced_.push_back({path, inode});
  }
}

std::shared_ptr<Inode> Disk::create(const std::string& path) {
  auto inode = std::make_shared<Inode>();
  inode->serial = ++last_serial_;
  change_name(path, inode);
  return inode;
}

// Takes room, but a power cut leaves nothing of it.
std::shared_ptr<Inode> Disk::create_unnamed() {
  auto inode = std::make_shared<Inode>();
  inode->serial = ++last_serial_;
  unnamed_.push_back(inode);
  return inode;
}

bool Disk::remove(const std::string& path) {
  if (names_.count(path) == 0) return false;
  change_name(path, nullptr);
  return true;
}

void Disk::sync_directory() {
  durable_ = names_;
  unsynced_.clear();
}

void Disk::sync_all() {
  sync_directory();
  for (auto& [name, inode] : names_) inode->sync();
}

uint64_t Disk::used_bytes() const {
  uint64_t sum = 0;
  for (const auto& [name, inode] : names_) sum += inode->bytes.size();
  for (const auto& unnamed : unnamed_) {
    if (auto inode = unnamed.lock()) sum += inode->bytes.size();
  }
  return sum;
}

FileImages Disk::after_power_cut(Prng* prng) const {
  Names names = durable_;
  std::map<std::string, bool> stopped;
  for (const NameChange& change : unsynced_) {
    bool& stop = stopped[change.name];
    stop = stop || prng->below(2) == 0;
    if (stop) continue;
    if (change.inode == nullptr) {
      names.erase(change.name);
    } else {
      names[change.name] = change.inode;
    }
  }
  FileImages files;
  for (const auto& [name, inode] : names) files[name] = inode->after_power_cut(prng, in_order_);
  return files;
}

FileImages Disk::images() const {
  FileImages files;
  for (const auto& [name, inode] : names_) files[name] = inode->bytes;
  return files;
}

void Disk::load(const FileImages& files) {
  names_.clear();
  unsynced_.clear();
  for (const auto& [name, bytes] : files) {
    auto inode = std::make_shared<Inode>();
    inode->serial = ++last_serial_;
    inode->bytes = inode->durable = bytes;
    names_[name] = inode;
  }
  durable_ = names_;
}

}  // namespace godwit::sim
