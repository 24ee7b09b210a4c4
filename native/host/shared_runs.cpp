// Runs of a store that several hosts share: each is driven by one of them. What the others are asked of it goes to that
// one; when that one is heard of no more, another takes the run.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "native/host/driver.hpp"

namespace plumb::host {

namespace {

constexpr std::uint64_t asked_ms = 30'000;  // an answer comes when it is stored
constexpr std::uint64_t found_ms = 15'000;  // until somebody drives a run whose host has died
constexpr std::uint64_t look_again_ms = 200;
constexpr std::string_view kinds[] = {"reply", "deadline", "cancel", "signal", "answer", "choice", "stop"};
constexpr std::string_view ways[] = {"same", "chosen", "here"};

Error unavailable(std::string message, const std::string& id) {
  return Error{ErrorCode::unavailable, std::move(message), "run " + id, 0, 0};
}

std::string text_of(const std::string& id, const Event& event) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("run", id).member("what", kinds[static_cast<std::size_t>(event.what)]);
  json.member("key", event.key).member("name", event.name).member("with", ways[static_cast<std::size_t>(event.with)]);
  if (event.what == Event::What::signal || event.what == Event::What::answer) {
    json.key("value").raw(event.value.text());
  }
  json.end_object();
  return out;
}

// False: it is none that hosts ask of each other.
bool read_event(const json::Value& value, Event& event) {
  const std::string_view what = json::text_of(value, "what");
  bool known = false;
  for (const Event::What one : {Event::What::cancel, Event::What::signal, Event::What::answer, Event::What::choice}) {
    if (kinds[static_cast<std::size_t>(one)] == what) {
      event.what = one;
      known = true;
    }
  }
  for (const GoOn one : {GoOn::same, GoOn::chosen, GoOn::here}) {
    if (ways[static_cast<std::size_t>(one)] == json::text_of(value, "with")) {
      event.with = one;
    }
  }
  event.key = json::text_of(value, "key");
  event.name = json::text_of(value, "name");
  if (const json::Value* given = value.find("value")) {
    event.value = run::Data::written(json::value_text(*given));
  }
  return known;
}

std::string answer_text(const Result<bool>& answer) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (answer) {
    json.member_boolean("done", answer.value());
  } else {
    json.member("error", answer.error().message).member("code", error_code_name(answer.error().code));
  }
  json.end_object();
  return out;
}

Result<bool> read_answer(const std::string& text, const std::string& id) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(text, arena);
  if (!value) {
    return unavailable("the host that drives it gave an answer that is no JSON", id);
  }
  if (value.value().find("error") == nullptr) {
    return json::flag_of(value.value(), "done");
  }
  Error error = unavailable(std::string(json::text_of(value.value(), "error")), id);
  for (const ErrorCode code : {ErrorCode::invalid_argument, ErrorCode::not_found, ErrorCode::limit}) {
    if (error_code_name(code) == json::text_of(value.value(), "code")) {
      error.code = code;
    }
  }
  return error;
}

}  // namespace

// Until stop() nobody is told anything twice, and nothing after it.
void Driver::share() {
  if (sharing_ == nullptr) {
    return;
  }
  store::Sharing::Heard heard;
  if (settings_.take_up) {
    heard.freed = [weak = weak_from_this()](const store::RunRow& row) {
      if (const auto self = weak.lock()) {
        (void)self->take_up(row);  // where it cannot be, it is told again
      }
    };
    heard.works_on = [weak = weak_from_this()](const std::string& id) {
      const auto self = weak.lock();
      return self == nullptr || self->works_on(id);
    };
  }
  heard.changed = [weak = weak_from_this()](const std::string& id, std::uint64_t entries, run::State state) {
    if (const auto self = weak.lock()) {
      self->changed_elsewhere(id, entries, state);
    }
  };
  heard.claims_changed = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->let_claims();
    }
  };
  heard.asked = [weak = weak_from_this()](const std::string& text, const store::AnswerTo& answer) {
    if (const auto self = weak.lock()) {
      self->asked(text, answer);
    }
  };
  sharing_->hear(std::move(heard));
}

// False also where it was given up, since the store did not take it for long.
bool Driver::works_on(const std::string& id) {
  const RunRef run = find(id);
  if (run == nullptr) {
    return false;
  }
  const std::lock_guard<std::mutex> lock(run->mutex);
  return !(run->over && run->state == run::State::waiting);
}

void Driver::changed_elsewhere(const std::string& id, std::uint64_t entries, run::State state) {
  std::vector<std::shared_ptr<WatchState>> watches;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = watches_elsewhere_.find(id);
    if (found != watches_elsewhere_.end()) {
      for (const std::weak_ptr<WatchState>& one : found->second) {
        if (auto state_of = one.lock()) {
          watches.push_back(std::move(state_of));
        }
      }
      if (watches.empty() || state != run::State::waiting) {
        watches_elsewhere_.erase(found);
      }
    }
  }
  for (const std::shared_ptr<WatchState>& one : watches) {
    if (state == run::State::waiting) {
      one->stored(entries);
    } else {
      one->ended(entries);
    }
  }
  changes_.tell();
  if (state != run::State::waiting) {
    let_claims();
    if (find(id) == nullptr && settings_.ended_elsewhere) {
      settings_.ended_elsewhere(id);
    }
  }
}

bool Driver::wait_for_change(std::uint64_t& seen, std::chrono::steady_clock::time_point until) {
  // A run may be freed without a change of any.
  changes_.wait(seen, std::min(until, std::chrono::steady_clock::now() + std::chrono::milliseconds(look_again_ms)));
  return std::chrono::steady_clock::now() < until;
}

void Driver::watch_elsewhere(const std::string& id, const std::shared_ptr<WatchState>& state) {
  if (sharing_ == nullptr) {
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::weak_ptr<WatchState>>& all = watches_elsewhere_[id];
    all.erase(std::remove_if(all.begin(), all.end(), [](const auto& one) { return one.expired(); }), all.end());
    all.push_back(state);
  }
  // What was stored meanwhile.
  if (const Result<store::RunRow> row = store_.find(id)) {
    changed_elsewhere(id, row.value().entries, row.value().state);
  }
}

// This host begins with the run, where no other has it. False: it has been dropped.
bool Driver::take(const RunRef& run) {
  if (sharing_ == nullptr || run->known == nullptr) {
    return true;
  }
  const Result<bool> mine = sharing_->take(run->id);
  if (mine && mine.value()) {
    return true;
  }
  drop(run, mine ? unavailable("another host has just taken the run; try again", run->id) : mine.error());
  return false;
}

// Another host goes on with it: here it is as if it had never been.
void Driver::drop(const RunRef& run, const Error& error) {
  std::vector<Event> events;
  std::vector<std::shared_ptr<WatchState>> watches;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    run->over = true;
    run->problem = error.message;
    events = std::exchange(run->working, {});
    for (Event& event : std::exchange(run->inbox, {})) {
      events.push_back(std::move(event));
    }
    watches = std::exchange(run->watches, {});
  }
  forget(run);
  run->changed.notify_all();
  refuse(std::move(events), error);
  for (const std::shared_ptr<WatchState>& one : watches) {
    const std::lock_guard<std::mutex> lock(mutex_);
    watches_elsewhere_[run->id].push_back(one);
  }
}

void Driver::asked(const std::string& text, const store::AnswerTo& answer) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(text, arena);
  Event event;
  if (!value || !read_event(value.value(), event)) {
    answer(answer_text(Error{ErrorCode::invalid_argument,
                             "another host, of a later version, asked what this one does not know", "", 0, 0}));
    return;
  }
  const std::string id(json::text_of(value.value(), "run"));
  event.answer = std::make_shared<Answering>([answer](const Result<bool>& how) { answer(answer_text(how)); });
  const RunRef run = find(id);
  if (run == nullptr) {
    event.answer->set_value(unavailable("this host does not drive the run any more; try again", id));
    return;
  }
  post(run, std::move(event));
}

Result<bool> Driver::tell_elsewhere(const std::string& id, const Event& event) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(found_ms);
  for (;;) {
    if (!elsewhere(id)) {
      return Error{ErrorCode::not_found, "no other host drives it", "run " + id, 0, 0};
    }
    const Result<std::string> answer = sharing_->ask(id, text_of(id, event), asked_ms);
    if (answer) {
      return read_answer(answer.value(), id);
    }
    // Nobody has heard it: that host has died, and another one is about to take the run.
    if (answer.error().code != ErrorCode::not_found || std::chrono::steady_clock::now() >= until || stopping()) {
      return unavailable(answer.error().message, id);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(look_again_ms));
  }
}

}  // namespace plumb::host
