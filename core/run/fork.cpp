#include "core/run/fork.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/writer.hpp"
#include "core/run/fork_source.hpp"
#include "core/run/reasons.hpp"
#include "core/run/run_state.hpp"

namespace plumb::run {

namespace {

bool within(std::string_view path, std::string_view scope) {
  return path.starts_with(scope) && (path.size() == scope.size() || path[scope.size()] == '/');
}

// A scope's own path; for other entries, the path of the part around them.
std::string_view path_of(const Entry& entry) {
  const std::string_view key = entry.key;
  return entry.kind == EntryKind::scope || entry.kind == EntryKind::version ? key : key.substr(0, key.rfind(':'));
}

Error refused(std::string message, std::string where = {}) {
  Error error;
  error.message = std::move(message);
  error.where = std::move(where);
  return error;
}

}  // namespace

ForkSource::ForkSource(const ForkOf& of, std::uint64_t pipeline_version)
    : entries_(of.journal->entries()), without_(of.without), limit_(entries_.size()) {
  if (of.at > 0) {
    limit_ = std::min(limit_, static_cast<std::size_t>(of.at));
  }
  const json::Value* version = entries_.front().data.value().find("version");
  taken_.resize(entries_.size());
  same_version_ = version != nullptr && version->str() == std::to_string(pipeline_version);
  read();
}

bool ForkSource::cut(std::string_view path) const {
  return std::any_of(without_.begin(), without_.end(), [&](const std::string& scope) {
    return within(path, scope) || within(scope, path);  // a part around one that is cut is not kept whole
  });
}

void ForkSource::read() {
  for (std::size_t i = 1; i < limit_; ++i) {
    if (entries_[i].kind == EntryKind::cancel) {
      limit_ = i;  // whatever ended after that ended because of it
    } else if (entries_[i].kind == EntryKind::scope && !cut(entries_[i].key)) {
      finished_.emplace(entries_[i].key, false);
    }
  }
  std::unordered_map<std::string, std::size_t> attempts;
  for (std::size_t i = 1; i < limit_; ++i) {
    const Entry& entry = entries_[i];
    switch (entry.kind) {
      case EntryKind::signal:
        signals_.push_back(i);
        continue;
      case EntryKind::begin:
      case EntryKind::cancel:
      case EntryKind::end:
      case EntryKind::handover:
        continue;
      default:
        break;
    }
    if (const std::string_view owner = owner_of(path_of(entry)); !owner.empty()) {
      owned_[std::string(owner)].push_back(i);
    } else if (entry.kind == EntryKind::version) {
      ways_.emplace(entry.key + "\n" + entry.name, i);
    } else if (entry.kind == EntryKind::note) {
      notes_.emplace(entry.key, i);
    } else if (entry.kind == EntryKind::attempt) {
      attempts.emplace(entry.key, i);
    } else if (entry.kind == EntryKind::reply && entry.status != Status::cancelled && !cut(path_of(entry))) {
      const auto attempt = attempts.find(entry.key);
      if (attempt != attempts.end()) {
        answered_.emplace(entry.key, Answered{attempt->second, i});
      }
    }
  }
}

// The outermost kept part around a path; empty if there is none.
std::string_view ForkSource::owner_of(std::string_view path) const {
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const std::string_view part = path.substr(0, end);
    if (finished_.find(std::string(part)) != finished_.end()) {
      return part;
    }
    if (end == std::string_view::npos) {
      return {};
    }
  }
}

// Copies an entry, and first the signals that came before it.
void ForkSource::copy(MachineState& run, std::size_t number) {
  while (signals_taken_ < signals_.size() && signals_[signals_taken_] < number) {
    copy(run, signals_[signals_taken_++]);
  }
  Entry entry = entries_[number];
  if (!entry.data.is_null()) {
    entry.data = entry.data.deep_copy();
  }
  const EntryKind kind = entry.kind;
  const std::string name = entry.name;
  const Data data = entry.data;
  const std::uint64_t position = run.append(std::move(entry));
  if (kind == EntryKind::note) {
    run.notes_by_kind[name].push_back(position);
  }
  if (kind == EntryKind::signal) {
    run.signals.push_back({name, position, data});
  }
  taken_[number] = true;
}

void ForkSource::take_scope(MachineState& run, ScopeState& scope) {
  const auto found = finished_.find(scope.path);
  if (found == finished_.end() || found->second) {
    return;
  }
  found->second = true;
  for (const std::size_t number : owned_[scope.path]) {
    copy(run, number);
  }
  const std::uint64_t last = run.journal.entries().size() - 1;
  const Entry& entry = run.journal.entries()[static_cast<std::size_t>(last)];
  scope.finished = true;
  scope.result = entry.data;
  scope.signals = entry.signals;
  scope.position = last;
}

void ForkSource::take_effect(MachineState& run, Slot& slot) {
  const auto found = answered_.find(slot.key);
  // Not taken over: a name is claimed by one run, and a tree belongs to one run.
  if (found == answered_.end() || slot.kind == EffectKind::claim || slot.kind == EffectKind::worktree) {
    return;
  }
  const Entry& attempt = entries_[found->second.attempt];
  const EffectType* type = effect_type(attempt.name);
  if (type == nullptr || type->kind != slot.kind || attempt.hash != slot.request.hash()) {
    return;
  }
  copy(run, found->second.attempt);
  copy(run, found->second.reply);
  const std::uint64_t last = run.journal.entries().size() - 1;
  const Entry& entry = run.journal.entries()[static_cast<std::size_t>(last)];
  Reply reply;
  reply.status = entry.status;
  reply.value = entry.data;
  reply.error = entry.error;
  slot.hash = attempt.hash;
  slot.attempts = attempt.count;
  slot.verified = true;
  run.set_reply(slot, std::move(reply), last);
}

std::uint64_t ForkSource::way(std::string_view path, std::string_view change, std::uint64_t current) {
  const auto found = ways_.find(std::string(path) + "\n" + std::string(change));
  if (found == ways_.end()) {
    return same_version_ ? current : 0;
  }
  taken_[found->second] = true;
  return entries_[found->second].count;
}

void ForkSource::take_note(const Entry& note) {
  const auto found = notes_.find(note.key);
  if (found == notes_.end()) {
    return;
  }
  const Entry& was = entries_[found->second];
  const std::string_view stored = was.data.text();
  if (was.name == note.name &&
      (stored == note.data.text() || stored == without_reasons(std::string(note.data.text())))) {
    taken_[found->second] = true;
  }
}

bool ForkSource::take_signal(MachineState& run, std::string_view name) {
  while (signals_taken_ < signals_.size()) {
    const std::size_t number = signals_[signals_taken_++];
    copy(run, number);
    if (entries_[number].name == name) {
      return true;
    }
  }
  return false;
}

// The taken entries, with the signals that came before the last of them, or before the cut.
std::vector<std::size_t> ForkSource::chosen() const {
  std::size_t last = without_.empty() ? limit_ : 0;
  for (std::size_t i = 1; i < limit_; ++i) {
    last = taken_[i] ? std::max(last, i) : last;
  }
  std::vector<std::size_t> out;
  for (std::size_t i = 1; i < limit_; ++i) {
    if (taken_[i] || (entries_[i].kind == EntryKind::signal && i <= last)) {
      out.push_back(i);
    }
  }
  return out;
}

Journal ForkSource::journal(Entry begin) const {
  const std::uint64_t now_ms = begin.at_ms;
  Journal out;
  out.append(std::move(begin));
  for (const std::size_t number : chosen()) {
    Entry entry = entries_[number];
    if (!entry.data.is_null()) {
      entry.data = entry.data.deep_copy();
    }
    entry.at_ms = now_ms;
    out.append(std::move(entry));
  }
  return out;
}

std::vector<std::string> ForkSource::left() const {
  std::vector<std::string> out;
  for (std::size_t i = 1; i < limit_; ++i) {
    const Entry& entry = entries_[i];
    const auto found = entry.kind == EntryKind::scope ? finished_.find(entry.key) : finished_.end();
    if (found != finished_.end() && !found->second && owner_of(entry.key) == entry.key) {
      out.push_back(entry.key);
    }
  }
  return out;
}

std::string forked_from(const Journal& journal) {
  const json::Value* fork = journal.begin().data.value().find("fork");
  const json::Value* run = fork == nullptr ? nullptr : fork->find("run");
  return run == nullptr ? std::string() : std::string(run->str());
}

std::uint64_t taken_over(const Journal& journal) {
  const json::Value* fork = journal.begin().data.value().find("fork");
  const json::Value* taken = fork == nullptr ? nullptr : fork->find("taken");
  std::uint64_t count = 0;
  for (const char c : taken == nullptr ? std::string_view() : taken->str()) {
    count =
        ascii::is_digit(c) && count < journal.entries().size() ? count * 10 + static_cast<std::uint64_t>(c - '0') : 0;
  }
  return std::min<std::uint64_t>(count, journal.entries().size() - 1);
}

Result<Forked> fork(const Pipeline& pipeline, std::string id, const Data& input, const Pins& pins, const ForkOf& of,
                    const MachineOptions& options, std::uint64_t now_ms) {
  const std::vector<Entry>& entries = of.journal->entries();
  if (of.at > entries.size()) {
    return refused("the run has " + std::to_string(entries.size()) + " entries; it cannot be cut at entry " +
                   std::to_string(of.at));
  }
  for (const std::string& scope : of.without) {
    const bool there = std::any_of(entries.begin() + 1, entries.end(), [&](const Entry& entry) {
      return entry.kind != EntryKind::signal && entry.kind != EntryKind::end && within(path_of(entry), scope);
    });
    if (scope.empty() || !there) {
      return refused("the run has no part '" + scope + "'", scope);
    }
  }
  return Machine::fork(pipeline, std::move(id), input, pins, of, options, now_ms);
}

Result<Forked> Machine::fork(const Pipeline& pipeline, std::string id, const Data& input, const Pins& pins,
                             const ForkOf& of, const MachineOptions& options, std::uint64_t now_ms) {
  const Entry& was = of.journal->begin();
  if (was.name != pipeline.name) {
    return refused("the run is of the pipeline '" + was.name + "', not of '" + std::string(pipeline.name) + "'");
  }
  const json::Value& told = was.data.value();
  const json::Value* run = told.find("run");
  const json::Value* seed = told.find("fork") == nullptr ? nullptr : told.find("fork")->find("seed");
  const auto origin = [&](std::uint64_t taken) {
    std::string text;
    json::Writer json(text);
    json.begin_object().member("run", run == nullptr ? "" : run->str());
    json.member("seed", seed != nullptr ? seed->str() : (run == nullptr ? "" : run->str()));
    if (of.at > 0) {
      json.member_uint("at", of.at);
    }
    json.key("without").begin_array();
    for (const std::string& scope : of.without) {
      json.string(scope);
    }
    json.end_array().member_uint("taken", taken).end_object();
    return text;
  };
  Machine passing = begin(pipeline, id, input, pins, origin(0), options, now_ms);
  ForkSource source(of, pipeline.version);
  passing.state_->source = &source;
  if (passing.step(now_ms) == State::failed) {
    return refused("the fork would end at once: " + passing.error().message);
  }
  const std::uint64_t taken = source.taken();
  const Machine first = begin(pipeline, std::move(id), input, pins, origin(taken), options, now_ms);
  Journal journal = source.journal(first.journal().begin());
  const std::size_t entries = journal.entries().size();
  Result<Machine> machine = resume(pipeline, std::move(journal), options, now_ms);
  if (!machine) {
    return machine.error();
  }
  const State state = machine.value().step(now_ms);
  if (state == State::failed) {
    return refused("the fork would end at once: " + machine.value().error().message);
  }
  if (state != State::waiting) {
    // The new run asks for nothing. If parts are made again that emit notes of their own, its host runs them.
    // Otherwise it would be the old run again.
    const std::vector<Entry>& now = machine.value().journal().entries();
    const bool made = std::any_of(now.begin() + static_cast<std::ptrdiff_t>(entries), now.end(),
                                  [](const Entry& entry) { return entry.kind == EntryKind::note; });
    machine = made ? resume(pipeline, source.journal(first.journal().begin()), options, now_ms)
                   : Result<Machine>(refused("the fork would end at once: nothing is left to ask for; cut it earlier"));
    if (!machine) {
      return machine.error();
    }
  }
  return Forked{std::move(machine).value(), taken, source.left()};
}

}  // namespace plumb::run
