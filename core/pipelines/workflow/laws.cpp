#include "core/pipelines/workflow/laws.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/budget/risk.hpp"
#include "core/json/arena.hpp"
#include "core/pipelines/workflow/guard.hpp"
#include "core/pipelines/workflow/parts.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::read_gates;
using plumb::workflow::Record;
using plumb::workflow::RecordKind;
using plumb::workflow::WorkflowRecord;

namespace {

using run::Entry;
using run::EntryKind;

std::string_view path_of(std::string_view key) { return key.substr(0, key.rfind(':')); }
std::string_view first_part(std::string_view path) { return path.substr(0, path.find_first_of("/:~")); }
std::string_view last_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  path.remove_prefix(slash == std::string_view::npos ? 0 : slash + 1);
  return path.substr(0, path.find_first_of("~:"));
}

// "task-T1/develop~2/conversation-2/turn~3/call" lies in the developer run "task-T1/develop~2", in its conversation
// "task-T1/develop~2/conversation-2". Nothing of what does not lie in one.
struct Place {
  std::string develop, conversation;
};
std::optional<Place> place_of(std::string_view path) {
  const std::size_t at = path.find("/conversation");
  if (at == std::string_view::npos || last_part(path.substr(0, at)) != "develop") {
    return std::nullopt;
  }
  return Place{std::string(path.substr(0, at)), std::string(path.substr(0, path.find('/', at + 1)))};
}

// What was said in a text, line by line, but what is too short to be told from anything else.
void add_sentences(std::string_view text, std::vector<std::string>& to) {
  constexpr std::size_t sentence_min = 16;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end >= sentence_min) {
      to.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}
void add_sentences(const Value& value, std::vector<std::string>& to) {
  if (value.is(json::Kind::string)) {
    add_sentences(value.str(), to);
  } else if (value.is(json::Kind::array)) {
    for (const Value& one : value.array()) {
      add_sentences(one, to);
    }
  } else if (value.is(json::Kind::object)) {
    for (const json::Member& one : value.object()) {
      add_sentences(one.value, to);
    }
  }
}

// An answer as it stands in the requests after it.
std::string said_of(std::string_view text, const Value& of) {
  std::string out(text);
  for (const Value& one : json::list_of(of, "calls")) {
    out += "\n" + json::value_text(one);
  }
  return out;
}

// What a developer run that converses has come to.
struct Conversing {
  std::string conversation;                 // that is under way
  std::string first;                        // its first request
  std::vector<std::string> replies;         // that were paid for, of its turns
  std::vector<std::string> said, may_stay;  // of all conversations so far
  std::string tree;                         // that its last edit left
  std::set<std::string> changed;
};

// What is known of a task so far.
struct Followed {
  Task task;
  std::string tree;
  TaskState state = TaskState::draft;
  bool begun = false;                // it has had a developer
  std::set<std::string> changed;     // since it was begun
  std::size_t developed = SIZE_MAX;  // its last record of that kind
  std::size_t approved = SIZE_MAX;
};

// A part of the run that is under way.
struct Open {
  std::vector<std::string> claimed, changed;
  std::vector<std::pair<std::string, bool>> gates;  // name and whether it was lost
  bool known = false;                               // they were asked before
};

class Fold {
 public:
  explicit Fold(const run::Journal& journal) : journal_(journal) {
    if (const Value* found = journal.begin().data.value().find("input")) {
      const Input input = json::record_of<Input>(*found);
      if (const Data& gates = input.settings.as<Settings>().gates; !gates.is_null()) {
        if (Result<GateList> read = read_gates(gates.text())) {
          gates_ = std::move(read).value().gates;
        }
      }
      brief_.base_failures = input.base_failures;
      brief_.guards = input.rules >= rules_guards;
      brief_.tests = input.settings.as<Settings>().tests;
    }
    for (const Gate& one : gates_) {
      out_.declared.push_back(one.name);
      if (one.required) {
        out_.required.push_back(one.name);
      }
    }
  }

  WorkflowRecord run() {
    for (const Entry& entry : journal_.entries()) {
      take(entry);
    }
    const Entry& last = journal_.entries().back();
    out_.ended = last.kind == EntryKind::end && last.status != run::Status::failed;
    for (const std::string& task : out_.tasks) {
      out_.waves.push_back({task});
    }
    return std::move(out_);
  }

 private:
  Record& add(RecordKind kind, std::string_view task) {
    out_.records.push_back({});
    out_.records.back().kind = kind;
    out_.records.back().task = task;
    return out_.records.back();
  }

  void know(const Value& task) {
    Result<Task> read = read_task(json::value_text(task));
    const std::string id(text_of(task, "id"));
    if (std::find(out_.tasks.begin(), out_.tasks.end(), id) == out_.tasks.end()) {
      out_.tasks.push_back(id);
    }
    if (read) {
      tasks_[id].task = std::move(read).value();
    }
  }

  // The task in whose part a path lies: "task-T1/develop~2", "merge-T1/gate".
  std::string task_at(std::string_view path) const {
    for (const auto& [id, task] : tasks_) {
      if (first_part(path) == part_name("task-", id) || first_part(path) == part_name("merge-", id)) {
        return id;
      }
    }
    return {};
  }

  void take(const Entry& entry) {
    switch (entry.kind) {
      case EntryKind::note:
        return noted(entry);
      case EntryKind::attempt:
        // An attempt at the same key again is a command that ran twice; models may be asked once more.
        if (entry.name == "command") {
          add(RecordKind::asked, "").key = "begun " + entry.key;
        }
        if (requests_.emplace(entry.key, &entry).second && entry.name == "model") {
          asked(std::string(path_of(entry.key)), entry.data.value());
        }
        return;
      case EntryKind::reply:
        return replied(entry);
      case EntryKind::scope:
        return finished(entry);
      case EntryKind::cancel:
        cancelled_ = true;
        return;
      default:
        return;
    }
  }

  void noted(const Entry& entry) {
    const Value& value = entry.data.value();
    if (entry.name == "plan") {
      const Value* plan = value.find("plan");
      for (const Value& task : plan == nullptr ? std::span<const Value>() : json::list_of(*plan, "tasks")) {
        know(task);
      }
    } else if (entry.name == "task_state") {
      moved(entry.data.as<StateNote>().task, entry.data.as<StateNote>().to);
    } else if (entry.name == "review") {
      const ReviewNote& note = entry.data.as<ReviewNote>();
      Record& one = add(RecordKind::reviewed, note.task);
      one.tree = note.tree_hash;
      one.unverified = note.outcome == ReviewOutcome::approved_unverified;
      one.passed = one.unverified || note.outcome == ReviewOutcome::approved;
    } else if (entry.name == "revised") {
      revised(entry.data.as<RevisedNote>());
    } else if (entry.name == "gates_known") {
      if (const auto known = by_tree_.find(entry.data.as<Gated>().tree_hash); known != by_tree_.end()) {
        Open open;
        for (const GateResult& one : results_of(*known->second)) {
          open.gates.emplace_back(one.gate, one.outcome == GateOutcome::lost);
        }
        open.known = true;
        gates_told(entry.key, *known->second, open);
      }
    } else if (entry.name == "gate_lost") {
      // They are all run again, in a fresh checkout.
      for (auto& [gate, lost] : open_[std::string(path_of(entry.key))].gates) {
        lost = true;
      }
    }
  }

  void moved(const std::string& id, TaskState to) {
    Followed& task = tasks_[id];
    if (cancelled_ && to == TaskState::halted && task.state == TaskState::escalated) {
      add(RecordKind::person, id);  // who cancelled the run
    }
    add(RecordKind::moved, id).state = to;
    task.state = to;
    if (to == TaskState::approved) {
      task.approved = out_.records.size() - 1;
    }
  }

  void replied(const Entry& entry) {
    const auto found = requests_.find(entry.key);
    if (found == requests_.end()) {
      return;
    }
    const std::string& kind = found->second->name;
    if (kind == "model" || kind == "command") {
      add(RecordKind::asked, "").key = entry.key;
    }
    const Value& request = found->second->data.value();
    const std::string path(path_of(entry.key));
    const bool ok = entry.status == run::Status::ok;
    if (kind == "command") {
      const std::string_view command = text_of(request, "command");
      if (command.starts_with("gate.")) {
        const bool lost = entry.status == run::Status::interrupted || entry.status == run::Status::cancelled ||
                          (ok && text_of(entry.data.value(), "end") == "stopped");
        open_[path].gates.emplace_back(command.substr(5), lost);
      }
    } else if (kind == "model" && ok && last_part(path) == "develop") {
      open_[path].claimed = claims_of(text_of(entry.data.value(), "text"));
    } else if (const auto place = place_of(path); kind == "model" && ok && place) {
      const Value& said = entry.data.value();
      if (!text_of(said, "text").empty() || !json::list_of(said, "calls").empty()) {
        conversing_[place->develop].replies.push_back(said_of(text_of(said, "text"), said));
      }
    } else if (kind == "worktree" && ok) {
      worked(path, request, entry.data.as<TreeTaken>());
    } else if (kind == "person" && ok && text_of(request, "signal") == "answer" && text_of(request, "work").empty()) {
      add(RecordKind::person, text_of(request, "task"));
    }
  }

  static std::vector<std::string> claims_of(std::string_view answer) {
    json::Arena arena;
    const Result<Value> read = json::parse(answer, arena);
    return read ? json::record_of<DeveloperSaid>(read.value()).claimed() : std::vector<std::string>();
  }

  void worked(const std::string& path, const Value& request, const TreeTaken& reply) {
    const std::string_view operation = text_of(request, "operation");
    const std::optional<Place> place = place_of(path);
    if (operation == "take" && last_part(path) == "develop" && json::flag_of(request, "publish")) {
      if (const auto talks = conversing_.find(path); talks != conversing_.end()) {
        Record& one = add(RecordKind::checkpoint, task_at(path));
        one.tree = reply.tree_hash;
        one.edited = talks->second.tree;
      }
    } else if (operation == "take" && last_part(path) == "develop") {
      open_[path].changed.clear();
      for (const ChangedFile& one : reply.changed) {
        open_[path].changed.push_back(one.path);
      }
    } else if (operation == "take" && place && !reply.changed.empty()) {
      Conversing& talks = conversing_[place->develop];
      talks.tree = reply.tree_hash;
      for (const ChangedFile& one : reply.changed) {
        talks.changed.insert(one.path);
      }
    } else if (operation == "diff" && !place && reply.changed.empty()) {
      if (const auto task = tasks_.find(task_at(path)); task != tasks_.end() && task->second.developed != SIZE_MAX) {
        out_.records[task->second.developed].empty = true;  // what it left is what it began with
      }
    }
  }

  // A turn of a conversation: what it is sent of the turns before it, and of the conversations.
  void asked(const std::string& path, const Value& request) {
    const std::optional<Place> place = place_of(path);
    if (!place) {
      return;
    }
    const std::string id = task_at(path);
    Conversing& talks = conversing_[place->develop];
    std::string all;
    std::vector<std::string> answers;
    for (const Value& one : json::list_of(request, "messages")) {
      all += text_of(one, "content");
      all += '\n';
      if (text_of(one, "role") == "assistant") {
        answers.push_back(said_of(text_of(one, "content"), one));
      }
    }
    if (talks.conversation != place->conversation) {
      if (!talks.conversation.empty()) {
        add(RecordKind::fresh, id).wrong = stayed(talks, all);
      }
      talks.conversation = place->conversation;
      talks.first = all;
      talks.replies.clear();
    }
    if (answers != talks.replies) {
      add(RecordKind::turn, id).wrong = "a turn of " + place->conversation + " was sent " +
                                        std::to_string(answers.size()) + " answers, and is to have the " +
                                        std::to_string(talks.replies.size()) + " that were paid for";
    }
  }

  static std::string stayed(const Conversing& talks, const std::string& request) {
    for (const std::string& one : talks.said) {
      const bool may = std::any_of(talks.may_stay.begin(), talks.may_stay.end(),
                                   [&](const std::string& other) { return other.find(one) != std::string::npos; });
      if (!may && request.find(one) != std::string::npos && talks.first.find(one) == std::string::npos) {
        return "a fresh conversation is told '" + json::excerpt(one, 80) + "' of the one before it";
      }
    }
    return {};
  }

  // A turn is over: what was said in it, and what of that may be told to a fresh conversation.
  void turned(const Place& place, const Value& turn) {
    Conversing& talks = conversing_[place.develop];
    for (const Value& one : json::list_of(turn, "messages")) {
      add_sentences(one, talks.said);
    }
    for (const Value& one : json::list_of(turn, "calls")) {
      const std::string_view tool = text_of(one, "tool");
      const Value* arguments = one.find("arguments");
      const Value* result = one.find("result");
      if (arguments == nullptr || result == nullptr) {
        continue;
      }
      add_sentences(*arguments, talks.said);
      add_sentences(*result, talks.said);
      if (text_of(*result, "result") != "success") {
        continue;
      }
      if (tool == "note_decision" || tool == "note_met") {
        add_sentences(*arguments, talks.may_stay);
      } else if (tool == "run_gates") {
        for (const std::string& gate : json::texts_of(*result, "gates")) {  // it decides what is met
          add_sentences(gate, talks.may_stay);
        }
      }
    }
    talks.may_stay.insert(talks.may_stay.end(), talks.changed.begin(), talks.changed.end());
    if (text_of(turn, "ended") == "submitted" && turn.find("value") != nullptr) {
      open_[place.develop].claimed = claims_of(json::value_text(*turn.find("value")));
    }
  }

  void revised(const RevisedNote& note) {
    const std::string& is = note.now.as<Task>().id;
    if (is == note.task) {
      know(note.now.value());
    }
    add(RecordKind::revised, note.task).wrong = is == note.task ? "" : "it was revised, and is now called '" + is + "'";
  }

  void cut(const std::string& id, const std::vector<Data>& parts) {
    const Task whole = tasks_[id].task;
    std::vector<std::string> lost;
    std::map<std::string, int> asked_for;
    std::set<std::string> files;
    for (const Data& one : parts) {
      know(one.value());
      const Task& part = tasks_[one.as<Task>().id].task;
      for (const Criterion& criterion : part.acceptance) {
        ++asked_for["criterion " + criterion.text];
      }
      for (const Scenario& scenario : part.scenarios) {
        ++asked_for["scenario " + scenario.given + scenario.when + scenario.then];
      }
      for (const std::string& path : part.touched()) {
        files.insert(path);
      }
    }
    std::map<std::string, int> of_task;
    for (const Criterion& criterion : whole.acceptance) {
      ++of_task["criterion " + criterion.text];
    }
    for (const Scenario& scenario : whole.scenarios) {
      ++of_task["scenario " + scenario.given + scenario.when + scenario.then];
    }
    for (const auto& [what, times] : of_task) {
      if (asked_for[what] != times) {
        lost.push_back(what);
      }
    }
    for (const std::string& path : whole.touched()) {
      if (files.count(path) == 0) {
        lost.push_back("file " + path);
      }
    }
    add(RecordKind::cut, id).wrong =
        lost.empty() ? "" : "its parts do not have " + lost.front() + " as often as it should be";
  }

  void finished(const Entry& entry) {
    const Value& value = entry.data.value();
    const std::string id = task_at(entry.key);
    const std::string_view part = last_part(entry.key);
    const std::optional<Place> place = place_of(entry.key);
    if (part == "turn" && place) {
      turned(*place, value);
    } else if (part == "develop") {
      developed(id, entry, open_[entry.key]);
      conversing_.erase(entry.key);
    } else if (part == "gate") {
      by_tree_[entry.data.as<Gated>().tree_hash] = &value;
      gates_told(entry.key, value, open_[entry.key]);
    } else if (entry.key.find('/') == std::string::npos && first_part(entry.key) == part_name("task-", id)) {
      const Followed& task = tasks_[id];
      if (task.approved != SIZE_MAX) {
        out_.records[task.approved].unverified = !entry.data.as<TaskResult>().unverified.empty();
      }
      if (const std::vector<Data>& parts = entry.data.as<TaskResult>().parts; !parts.empty()) {
        cut(id, parts);
      }
    }
    if (entry.key == part_name("merge-", id) && entry.data.as<Merged>().halted.empty()) {
      if (const auto whole = by_tree_.find(entry.data.as<Merged>().tree_hash); whole != by_tree_.end()) {
        base_ = base_after(std::move(base_), results_of(*whole->second));
      }
    }
    open_.erase(entry.key);
  }

  void developed(const std::string& id, const Entry& entry, const Open& open) {
    const Developed& done = entry.data.as<Developed>();
    if (done.lost) {
      return;  // counts for nobody
    }
    Followed& task = tasks_[id];
    task.tree = done.tree_hash.empty() ? task.tree : done.tree_hash;
    Record& one = add(RecordKind::developed, id);
    task.developed = out_.records.size() - 1;
    one.retry = std::exchange(task.begun, true);
    one.tree = task.tree;
    one.empty = open.changed.empty();
    one.files = open.changed;
    if (const auto talks = conversing_.find(entry.key); talks != conversing_.end() && !cancelled_) {
      one.edited = talks->second.tree;
    }
    task.changed.insert(open.changed.begin(), open.changed.end());
    const bool taken = entry.data.value().find("findings") != nullptr;
    for (const std::string& path : taken ? open.claimed : std::vector<std::string>()) {
      const bool there = std::any_of(open.changed.begin(), open.changed.end(), [&](const std::string& changed) {
        return budget::plain_path(changed) == budget::plain_path(path);
      });
      one.claims_more = one.claims_more || !there;
    }
    const std::vector<std::string> written = task.task.written();
    for (const std::string& path : open.changed) {
      const bool test = brief_.guards && plumb::workflow::is_test_file(path, brief_.tests);  // a new one is free
      const bool may = test || written.empty() ||
                       std::any_of(written.begin(), written.end(),
                                   [&](const std::string& glob) { return budget::path_fits(glob, path); });
      one.claims_more = one.claims_more || !may;
    }
    for (const ToldFinding& finding : done.findings) {
      one.flagged = one.flagged || finding.rule == "no-diff" || finding.rule == "scope";
    }
  }

  // They were asked in a part of the run, or are known there: they are held against what that part begins with.
  void gates_told(std::string_view key, const Value& value, const Open& open) {
    const std::string id = task_at(key);
    const std::optional<Place> place = place_of(key);
    const auto talks = place ? conversing_.find(place->develop) : conversing_.end();
    gated(id, value, open, first_part(key) == part_name("task-", id),
          talks == conversing_.end() ? std::set<std::string>() : talks->second.changed);
  }

  // `more`: what a conversation has changed that is not over.
  void gated(const std::string& id, const Value& value, const Open& open, bool of_task,
             const std::set<std::string>& more) {
    const std::string tree(text_of(value, "tree_hash"));
    std::vector<GateResult> results = results_of(value);
    if (id.empty()) {
      base_ = results;
    }
    Followed* task = id.empty() ? nullptr : &tasks_[id];
    const bool tests_named = task != nullptr && names_tests(task->task, brief_.tests);
    const std::vector<GateResult> held = against_base(task != nullptr && of_task ? task->task : Task(), base_, results,
                                                      held_against(brief_, tests_named));
    for (const auto& [name, lost] : open.gates) {
      const std::string& gate = name;  // clang 14 captures no structured binding
      const auto result =
          std::find_if(held.begin(), held.end(), [&](const GateResult& one) { return one.gate == gate; });
      Record& one = add(RecordKind::gated, id);
      one.tree = tree;
      one.gate = gate;
      one.lost = lost;
      one.known = open.known;
      one.required = result == held.end() || result->required;
      // What was so before any change lets a tree through where the run was told so.
      one.passed = result != held.end() && (result->passed() || !result->required);
    }
    // One that was not asked, as before any change, lets it through, and so does one that nothing calls for.
    for (const GateResult& result : held) {
      const bool asked = std::any_of(open.gates.begin(), open.gates.end(),
                                     [&](const auto& one) { return one.first == result.gate && !one.second; });
      if (!asked && !result.passed() && !result.required) {
        Record& one = add(RecordKind::gated, id);
        one.tree = tree;
        one.gate = result.gate;
        one.known = open.known;
        one.passed = true;
      }
    }
    std::vector<std::string> changed(more.begin(), more.end());
    if (task != nullptr) {
      changed.insert(changed.end(), task->changed.begin(), task->changed.end());
    }
    const std::vector<std::uint32_t> called = gates_for(gates_, changed);
    for (std::uint32_t i = 0; i < gates_.size(); ++i) {
      if (gates_[i].required && std::find(called.begin(), called.end(), i) == called.end()) {
        Record& one = add(RecordKind::gated, id);
        one.tree = tree;
        one.gate = gates_[i].name;
        one.known = open.known;
        one.passed = true;
      }
    }
  }

  const run::Journal& journal_;
  WorkflowRecord out_;
  std::vector<Gate> gates_;
  Brief brief_;  // by what gates are judged
  std::vector<GateResult> base_;
  std::map<std::string_view, const Value*> by_tree_;  // what gates said
  std::map<std::string, Followed> tasks_;
  std::map<std::string, Open> open_;              // by path
  std::map<std::string, Conversing> conversing_;  // by the path of the developer run
  std::map<std::string, const Entry*> requests_;
  bool cancelled_ = false;
};

}  // namespace

WorkflowRecord record_of(const run::Journal& journal) { return Fold(journal).run(); }

}  // namespace plumb::pipelines::workflow
