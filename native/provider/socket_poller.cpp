#include "native/provider/socket_poller.hpp"

#include <sys/epoll.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <utility>
#include <vector>

namespace plumb::provider {

namespace asio = boost::asio;
using Failed = boost::system::error_code;

namespace {

constexpr int events_of_round = 64;

int new_epoll() {
  const int handle = ::epoll_create1(EPOLL_CLOEXEC);
  if (handle < 0) {
    throw boost::system::system_error(errno, boost::system::system_category(), "epoll_create1");
  }
  return handle;
}

}  // namespace

struct SocketPollerState {
  explicit SocketPollerState(asio::io_context& loop) : io(loop), epoll(io, new_epoll()) {}

  ~SocketPollerState() {
    for (const Slot& slot : slots) {
      if (slot.who != nullptr) {
        slot.who->poller_ = nullptr;
      }
    }
  }

  // An event names a slot and what generation of it was meant: whoever was watched there before is not called.
  struct Slot {
    PolledSocket* who = nullptr;
    std::uint32_t generation = 0;
  };

  void wait() {
    if (waiting || stopped) {
      return;
    }
    waiting = true;
    epoll.async_wait(asio::posix::stream_descriptor::wait_read, [this](const Failed& failed) {
      waiting = false;
      if (!failed && !stopped) {
        round();
      }
    });
  }

  void round() {
    std::array<epoll_event, events_of_round> events;
    const int count = ::epoll_wait(epoll.native_handle(), events.data(), events_of_round, 0);
    in_round = true;
    for (int i = 0; i < count; ++i) {
      const auto slot = static_cast<std::uint32_t>(events[static_cast<std::size_t>(i)].data.u64);
      const auto generation = static_cast<std::uint32_t>(events[static_cast<std::size_t>(i)].data.u64 >> 32);
      const std::uint32_t what = events[static_cast<std::size_t>(i)].events;
      if (slots[slot].generation != generation) {
        continue;
      }
      PolledSocket& who = *slots[slot].who;
      who.ended_ = who.ended_ || (what & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
      who.readable_ = who.readable_ || who.ended_ || (what & EPOLLIN) != 0;
      who.writable_ = who.writable_ || (what & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0;
      call(slot, generation);
    }
    planned_of_round();
    for (const std::function<void()>& work : at_end) {
      work();
    }
    in_round = false;
    if (count == events_of_round || !planned.empty()) {
      round_later();
    } else {
      wait();
    }
  }

  // Those that had more than they read, or wanted something that was there already; each once, so that nobody waits
  // behind who is planned again and again.
  void planned_of_round() {
    std::vector<std::uint64_t> now;
    now.swap(planned);
    for (const std::uint64_t one : now) {
      const auto slot = static_cast<std::uint32_t>(one);
      const auto generation = static_cast<std::uint32_t>(one >> 32);
      if (slots[slot].generation != generation) {
        continue;
      }
      slots[slot].who->planned_ = false;
      call(slot, generation);
    }
    if (planned.empty()) {
      now.clear();
      planned.swap(now);  // keeps its room
    }
  }

  void call(std::uint32_t slot, std::uint32_t generation) {
    PolledSocket* who = slots[slot].who;
    ++calls;
    if (who->wants_read_ && who->readable_) {
      who->wants_read_ = false;
      who->on_readable();
    }
    if (slots[slot].generation != generation) {
      return;
    }
    if (who->wants_write_ && who->writable_) {
      who->wants_write_ = false;
      who->on_writable();
    }
  }

  void round_later() {
    if (posted || stopped) {
      return;
    }
    posted = true;
    asio::post(io, [this] {
      posted = false;
      if (!stopped) {
        round();
      }
    });
  }

  asio::io_context& io;
  asio::posix::stream_descriptor epoll;
  std::vector<Slot> slots;
  std::vector<std::uint32_t> free;
  std::vector<std::uint64_t> planned;
  std::vector<std::function<void()>> at_end;
  std::uint64_t calls = 0;
  bool in_round = false, waiting = false, posted = false, stopped = false;
};

SocketPoller::SocketPoller(asio::io_context& loop) : state_(std::make_unique<SocketPollerState>(loop)) {}
SocketPoller::~SocketPoller() = default;

bool SocketPoller::in_round() const { return state_->in_round; }

std::uint64_t SocketPoller::calls() const { return state_->calls; }

void SocketPoller::at_round_end(std::function<void()> work) { state_->at_end.push_back(std::move(work)); }

void SocketPoller::stop() {
  state_->stopped = true;
  Failed ignored;
  state_->epoll.cancel(ignored);
}

bool PolledSocket::watch(SocketPoller& poller, int handle) {
  forget();
  SocketPollerState& state = *poller.state_;
  if (state.free.empty()) {
    state.free.push_back(static_cast<std::uint32_t>(state.slots.size()));
    state.slots.emplace_back();
  }
  const std::uint32_t slot = state.free.back();
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = slot | std::uint64_t{state.slots[slot].generation} << 32;
  if (::epoll_ctl(state.epoll.native_handle(), EPOLL_CTL_ADD, handle, &event) != 0) {
    return false;
  }
  state.free.pop_back();
  state.slots[slot].who = this;
  poller_ = &state;
  handle_ = handle;
  slot_ = slot;
  wants_read_ = wants_write_ = readable_ = writable_ = ended_ = planned_ = false;
  state.wait();
  return true;
}

void PolledSocket::forget() {
  if (poller_ == nullptr) {
    return;
  }
  ::epoll_ctl(poller_->epoll.native_handle(), EPOLL_CTL_DEL, handle_, nullptr);
  ++poller_->slots[slot_].generation;
  poller_->slots[slot_].who = nullptr;
  poller_->free.push_back(slot_);
  poller_ = nullptr;
}

void PolledSocket::want_read() {
  wants_read_ = true;
  plan();
}

void PolledSocket::want_write() {
  wants_write_ = true;
  plan();
}

void PolledSocket::plan() {
  if (planned_ || !is_due() || poller_ == nullptr) {
    return;
  }
  planned_ = true;
  poller_->planned.push_back(slot_ | std::uint64_t{poller_->slots[slot_].generation} << 32);
  if (!poller_->in_round) {
    poller_->round_later();
  }
}

}  // namespace plumb::provider
