#include "native/proxy/fair_work.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace plumb::proxy {

namespace {

constexpr int niceness = 10;

}  // namespace

void FairWork::give(std::string_view client, std::function<void()> work) {
  std::string name(client);
  {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(name);
    if (found != clients_.end()) {
      found->second.push_back(std::move(work));
      return;
    }
    clients_[name].push_back(std::move(work));
  }
  workers_.give([this, name = std::move(name)] { next(name); });
}

// Does one piece of a client's work. What he has more of goes to the end of the workers' queue.
void FairWork::next(const std::string& client) {
  thread_local const bool behind = ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness) == 0;
  (void)behind;
  std::function<void()> work;
  {
    const std::lock_guard lock(mutex_);
    std::deque<std::function<void()>>& queue = clients_[client];
    work = std::move(queue.front());
    queue.pop_front();
  }
  work();
  work = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(client);
    if (found->second.empty()) {
      clients_.erase(found);
      return;
    }
  }
  workers_.give([this, client] { next(client); });
}

}  // namespace plumb::proxy
