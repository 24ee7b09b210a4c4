#include "native/host/other_hosts.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "native/host/host_messages.hpp"

namespace plumb::host {

namespace {

constexpr std::uint64_t asked_ms = 30'000;  // an answer comes when it is stored
constexpr std::uint64_t found_ms = 15'000;  // until somebody drives a run whose host has died
constexpr std::uint64_t look_again_ms = 200;

Error unavailable(std::string message, const std::string& id) {
  return Error{ErrorCode::unavailable, std::move(message), "run " + id, 0, 0};
}

}  // namespace

// Until hear_no_more() nobody is told anything twice, and nothing after it.
void OtherHosts::hear(const std::function<void(const store::RunRow& row)>& take_up) {
  if (sharing_ == nullptr) {
    return;
  }
  const std::weak_ptr<Turns> weak = turns_.self();
  store::Sharing::Heard heard;
  if (settings_.take_up) {
    heard.freed = [weak, take_up](const store::RunRow& row) {
      if (const auto keep = weak.lock()) {
        take_up(row);  // where it cannot be, it is told again
      }
    };
    heard.works_on = [this, weak](const std::string& id) {
      const auto keep = weak.lock();
      return keep == nullptr || works_on(id);
    };
  }
  heard.changed = [this, weak](const std::string& id, std::uint64_t entries, run::State state) {
    if (const auto keep = weak.lock()) {
      changed(id, entries, state);
    }
  };
  heard.claims_changed = [this, weak] {
    if (const auto keep = weak.lock()) {
      claims_.freed();
    }
  };
  heard.asked = [this, weak](const std::string& text, const store::AnswerTo& answer) {
    if (const auto keep = weak.lock()) {
      asked(text, answer);
    }
  };
  sharing_->hear(std::move(heard));
}

void OtherHosts::hear_no_more() {
  if (sharing_ != nullptr) {
    sharing_->hear({});
  }
}

// False also where it was given up, since the store did not take it for long.
bool OtherHosts::works_on(const std::string& id) {
  const RunRef run = runs_.find(id);
  if (run == nullptr) {
    return false;
  }
  const std::lock_guard<std::mutex> lock(run->mutex);
  return !run->phase.is(RunPhase::given_up);
}

void OtherHosts::changed(const std::string& id, std::uint64_t entries, run::State state) {
  watches_.tell_elsewhere(id, entries, state);
  changes_.tell();
  if (state != run::State::waiting) {
    claims_.freed();
    if (runs_.find(id) == nullptr && settings_.ended_elsewhere) {
      settings_.ended_elsewhere(id);
    }
  }
}

bool OtherHosts::wait_for_change(std::uint64_t& seen, std::chrono::steady_clock::time_point until) {
  // A run may be freed without a change of any.
  changes_.wait(seen, std::min(until, std::chrono::steady_clock::now() + std::chrono::milliseconds(look_again_ms)));
  return std::chrono::steady_clock::now() < until;
}

void OtherHosts::watch(const std::string& id, const std::shared_ptr<WatchState>& state) {
  if (sharing_ == nullptr) {
    return;
  }
  watches_.add_elsewhere(id, state);
  // What was stored meanwhile.
  if (const Result<store::RunRow> row = store_.find(id)) {
    changed(id, row.value().entries, row.value().state);
  }
}

std::optional<Error> OtherHosts::take(const LiveRun& run) {
  if (sharing_ == nullptr || run.known == nullptr) {
    return std::nullopt;
  }
  const Result<bool> mine = sharing_->take(run.id);
  if (mine && mine.value()) {
    return std::nullopt;
  }
  return mine ? unavailable("another host has just taken the run; try again", run.id) : mine.error();
}

void OtherHosts::asked(const std::string& text, const store::AnswerTo& answer) {
  Result<RunQuestion> read = read_question(text);
  if (!read) {
    answer(answer_text(read.error()));
    return;
  }
  RunQuestion question = std::move(read).value();
  const Answer to = std::make_shared<Answering>([answer](const Result<bool>& how) { answer(answer_text(how)); });
  const RunRef run = runs_.find(question.run);
  if (run == nullptr) {
    to->set_value(unavailable("this host does not drive the run any more; try again", question.run));
    return;
  }
  question.event.answer = to;
  turns_.post(run, std::move(question.event));
}

Result<bool> OtherHosts::tell(const std::string& id, const Event& event) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(found_ms);
  for (;;) {
    if (!elsewhere(id)) {
      return Error{ErrorCode::not_found, "no other host drives it", "run " + id, 0, 0};
    }
    const Result<std::string> answer = sharing_->ask(id, question_text(id, event), asked_ms);
    if (answer) {
      return read_answer(answer.value(), id);
    }
    // Nobody has heard it: that host has died, and another one is about to take the run.
    if (answer.error().code != ErrorCode::not_found || std::chrono::steady_clock::now() >= until || slots_.closed()) {
      return unavailable(answer.error().message, id);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(look_again_ms));
  }
}

}  // namespace plumb::host
