// Events of a run, and the callers that wait until they are stored. Internal to native/host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "core/run/effect.hpp"
#include "native/host/asked_of.hpp"

namespace plumb::host {

// A caller that waits until something is stored. Answered exactly once.
class Answering {
 public:
  explicit Answering(std::function<void(const Result<bool>&)> told) : told_(std::move(told)) {}
  void set_value(const Result<bool>& how) const { told_(how); }

 private:
  std::function<void(const Result<bool>&)> told_;
};
using Answer = std::shared_ptr<const Answering>;

struct Event {
  enum class What : std::uint8_t { reply, deadline, cancel, signal, answer, choice, stop };
  What what = What::reply;
  std::string key;         // reply, deadline, answer
  std::string name;        // signal; cancel: the reason; choice: who made it
  GoOn with = GoOn::same;  // choice
  std::uint64_t call = 0;  // reply, deadline: the call's number
  run::Reply reply;
  run::Data value;
  Answer answer;  // may be empty
};

inline Event reply_event(std::string key, std::uint64_t call, run::Reply reply) {
  Event event;
  event.what = Event::What::reply;
  event.key = std::move(key);
  event.call = call;
  event.reply = std::move(reply);
  return event;
}

// True if the value has the form that a `person` effect promises.
inline bool is_decision(const run::Data& value) { return value.value().find("decision") != nullptr; }

// Answers all callers with an error, because their events have no effect.
inline void refuse(const std::vector<Event>& events, const Error& error) {
  for (const Event& event : events) {
    if (event.answer) {
      event.answer->set_value(error);
    }
  }
}

// Answers the callers; `answered` has the answer for each.
inline void tell(const std::vector<Answer>& answers, const std::vector<bool>& answered) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    answers[i]->set_value(static_cast<bool>(answered[i]));
  }
}

}  // namespace plumb::host
