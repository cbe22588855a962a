#include "server/streams.h"

#include <vector>

#include "os/vfs.h"
#include "server/base64.h"
#include "server/database.h"

namespace godwit::server {

std::string random_word(size_t bytes) {
  std::string random(bytes, '\0');
  default_vfs()->randomness({reinterpret_cast<uint8_t*>(random.data()), random.size()});
  std::string word;
  append_base64(random, Base64::kUrlUnpadded, &word);
  return word;
}

std::unique_ptr<Stream> StreamTable::take(std::string_view baton, const Database* database) {
  std::lock_guard guard(mutex_);
  auto found = waiting_.find(std::string(baton));
  if (found == waiting_.end() || found->second->database.get() != database) return nullptr;
  auto stream = std::move(found->second);
  waiting_.erase(found);
  return stream;
}

std::string StreamTable::new_baton() { return random_word(24); }

void StreamTable::keep(const std::string& baton, std::unique_ptr<Stream> stream) {
  stream->last_used = std::chrono::steady_clock::now();
  std::lock_guard guard(mutex_);
  if (waiting_.size() < limit_) waiting_.emplace(baton, std::move(stream));
}

size_t StreamTable::close_idle() {
  auto oldest = std::chrono::steady_clock::now() - idle_timeout_;
  std::vector<std::unique_ptr<Stream>> closed;  // closed without the lock: it may take a while
  std::lock_guard guard(mutex_);
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    if (it->second->last_used > oldest) {
      ++it;
      continue;
    }
    closed.push_back(std::move(it->second));
    it = waiting_.erase(it);
  }
  return closed.size();
}

void StreamTable::close_all() {
  decltype(waiting_) closed;
  std::lock_guard guard(mutex_);
  closed.swap(waiting_);
}

size_t StreamTable::size() const {
  std::lock_guard guard(mutex_);
  return waiting_.size();
}

}  // namespace godwit::server
