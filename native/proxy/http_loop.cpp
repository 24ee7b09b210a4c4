#include "native/proxy/http_loop.hpp"

#include "native/base/memory.hpp"
#include "native/proxy/http_session.hpp"

namespace plumb::proxy {

namespace {

constexpr std::uint64_t code_rest_ms = 30'000;

}  // namespace

void LoopState::adopt(int handle, std::string from) {
  auto session = std::make_shared<Session>(*this, handle, std::move(from));
  if (stop_at != 0 || !session->start()) {
    addresses.remove(session->from);
    return;
  }
  sessions.insert(std::move(session));
  connections = sessions.size();
}

void LoopState::end_round() {
  transport.write_begun();
  // What flushing leads to (the next request of a connection) is written in turn.
  for (std::size_t i = 0; i < written.size(); ++i) {
    const std::shared_ptr<Session> one = std::move(written[i]);
    one->flush_planned = false;
    if (!one->closed) {
      one->flush();
    }
  }
  written.clear();
  transport.write_begun();
  for (std::size_t i = 0; i < done.size(); ++i) {
    std::exchange(done[i], nullptr)->written();
  }
  done.clear();
}

void LoopState::sweep_later() {
  sweeper.expires_after(sweep_every);
  sweeper.async_wait([this](const Failed& failed) {
    if (!failed) {
      sweep();
    }
  });
}

void LoopState::sweep() {
  now_ms = ms_now();
  std::vector<std::shared_ptr<Session>> all(sessions.begin(), sessions.end());
  const bool too_late = stop_at != 0 && now_ms >= stop_at;
  for (const std::shared_ptr<Session>& one : all) {
    if (one->closed) {
      continue;
    }
    if (too_late && !told_to_stop && one->answering && !one->answer_at.is_over()) {
      const std::shared_ptr<Answering> told = one->answering;
      told->gone(Gone::stopping);
      if (!one->closed && !one->answer_at.is_over()) {
        one->cut();
      }
    }
    one->sweep(now_ms);
    // What is still not sent one second later is not waited for.
    if (too_late && !one->closed && (one->step == Session::Step::lingering || now_ms >= stop_at + 1'000)) {
      one->close();
    }
  }
  rest();
  told_to_stop = too_late;
  if (stop_at != 0 && sessions.empty()) {
    transport.end_all();
    poller.stop();
    work.reset();
    return;
  }
  sweep_later();
}

void LoopState::rest() {
  const std::uint64_t now = requests.load(std::memory_order_relaxed);
  if (now != requests_seen) {
    requests_seen = now;
    rest_at = now_ms + rest_ms;
    if (!fresh) {
      code_rest_at = now_ms + code_rest_ms;
    }
  } else if (rest_at != 0 && now_ms >= rest_at) {
    rest_at = 0;
    give_back_memory();
  }
  if (code_rest_at != 0 && now_ms >= code_rest_at) {
    code_rest_at = 0;
    fresh = false;
    give_back_code();
  }
}

void LoopState::stop(std::uint64_t grace_ms) {
  now_ms = ms_now();
  stop_at = now_ms + grace_ms;
  std::vector<std::shared_ptr<Session>> all(sessions.begin(), sessions.end());
  for (const std::shared_ptr<Session>& one : all) {
    if (one->step == Session::Step::head && one->early.empty()) {
      one->close();
    } else {
      one->keep = false;
    }
  }
}

}  // namespace plumb::proxy
