// What a workflow's run is told as on NATS: entries of its journal, in their order, to subjects and payloads (seed 004:
// ADR-003 and ADR-004; 004-23 to 004-25). A fold: who goes on from a later entry reads those before it too.
//
//   Telling telling(id);
//   for (const run::Entry& entry : journal.entries())
//     for (const ToldEvent& event : telling.next(entry))
//       ...                                     // {"r1.27", "agent.task.development", "{\"run_id\":...}"}
//
//   workflow.events.run.begun               the run has begun
//   workflow.events.plan.approved|rejected  its plan is promoted, or is not
//   workflow.events.task.ready|escalated    a task has come to this state
//   agent.task.development                  a developer begins with it
//   workflow.gate.structural                its gates begin
//   workflow.events.task.validation_passed|validation_failed   what they said
//   agent.task.review                       a reviewer begins with it
//   workflow.review.validate                what the review was and what it is worth
//   workflow.events.task.rejection_categorized                 of a review that rejects: fixable, misscoped, ...
//   workflow.events.task.revised|checkpoint its plan was said anew; a conversation goes on fresh
//   workflow.task.complete                  it is approved
//   workflow.events.task.execution_complete it is landed, or has ended otherwise
//   workflow.events.plan.execution_complete the run has ended
//   agent.monitor.RUN                       a call of a model, or signals that call for something
//   user.signal.escalate|pause|error        a person is asked; an agent, or the run, has failed
//
// Every payload has `run_id`, `entry`, `at` (milliseconds since 1970) and `slug`, those of a task `task_id`. Texts of
// more than 4,000 code points (400 in a list) are cut with an ellipsis, lists after 50 items, so that none has more
// than 512 KB. What models were asked and what they answered is in none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/writer.hpp"
#include "core/run/journal.hpp"

namespace plumb::workflow {
struct Task;
}

namespace plumb::pipelines::workflow {

struct ToldEvent {
  std::string id;       // "RUN.ENTRY", of a second event of the entry "RUN.ENTRY.2"
  std::string subject;  // without white space and wildcards
  std::string body;     // JSON
};

class Telling {
 public:
  explicit Telling(std::string run_id) : run_(std::move(run_id)) {}

  // The next entry of the journal, from the first on.
  std::vector<ToldEvent> next(const run::Entry& entry);
  std::uint64_t entries() const { return entries_; }  // that it was given

 private:
  struct GatesSaid {
    std::string tree, gates, failing;  // the latter as JSON: lists
  };
  struct Task {
    std::uint64_t iteration = 0;           // runs of its developer that have come to an end
    std::string files, written, findings;  // as JSON: lists
    GatesSaid gated = {};                  // that is not told yet
  };

  void take_task(const plumb::workflow::Task& task);
  void note(const run::Entry& entry);
  void moved(const run::Entry& entry);
  void monitored(const run::Entry& entry, const std::string& task, bool signals);
  void reviewed(const run::Entry& entry, const std::string& task);
  void escalated(const run::Entry& entry);
  void scope(const run::Entry& entry);
  void gated(const run::Entry& entry, const std::string& task);
  void ended(const run::Entry& entry);
  std::string task_of(std::string_view key) const;
  // An event with the members that all have; `task` may be empty.
  json::Writer begin(ToldEvent& event, std::string_view subject, const run::Entry& entry,
                     const std::string& task) const;
  void end(ToldEvent& event, json::Writer& json);

  std::string run_;
  std::string slug_;
  std::uint64_t entries_ = 0;
  bool settled_ = false;  // whether the plan was promoted is told
  bool cancelled_ = false;
  std::map<std::string, Task, std::less<>> tasks_;
  std::map<std::string, std::string, std::less<>> parts_;  // "task-T1" to "T1"
  std::map<std::string, GatesSaid, std::less<>> trees_;    // by hash
  std::vector<ToldEvent> out_;
};

}  // namespace plumb::pipelines::workflow
