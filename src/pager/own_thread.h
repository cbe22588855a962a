// Threads of the library within a process of somebody else.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace godwit {

// Starts a thread that nobody joins. It takes no signals: those of the application are for its own
// threads, which may be waiting to be interrupted by them.
template <typename F>
void start_own_thread(F run) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(std::move(run)).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace godwit
