#include "core/run/run_state.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/writer.hpp"
#include "core/reason.hpp"

namespace plumb::run {

Error journal_mismatch(std::string message, std::string where) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = "journal_mismatch: " + std::move(message);
  error.where = std::move(where);
  error.reason = Reason::journal_mismatch;
  return error;
}

Error limit_reached(std::string message) {
  Error error;
  error.code = ErrorCode::limit;
  error.message = std::move(message);
  return error;
}

ScopeState& ScopeState::child(std::string_view child_name) {
  const auto [found, fresh] = scope_by_name.emplace(std::string(child_name), scopes.size());
  if (fresh) {
    scopes.push_back(std::make_unique<ScopeState>());
    ScopeState& added = *scopes.back();
    added.name = std::string(child_name);
    added.path = path.empty() ? added.name : path + "/" + added.name;
    added.level = level + 1;
  }
  return *scopes[found->second];
}

std::size_t& ScopeState::done_of(std::string_view each_name) {
  for (auto& [known, count] : each_done) {
    if (known == each_name) {
      return count;
    }
  }
  return each_done.emplace_back(std::string(each_name), 0).second;
}

// Why nothing more may be journalled; empty if more may. Replies are always journalled, because they are paid for.
std::string MachineState::full() const {
  if (journal.bytes() >= options.bounds.bytes_max) {
    return "the run's journal has " + std::to_string(journal.bytes()) + " bytes; there may be " +
           std::to_string(options.bounds.bytes_max);
  }
  if (journal.entries().size() >= options.bounds.entries_max) {
    return "the run's journal has " + std::to_string(journal.entries().size()) + " entries; there may be " +
           std::to_string(options.bounds.entries_max);
  }
  return {};
}

std::uint64_t MachineState::append(Entry entry) {
  const bool always = entry.kind == EntryKind::end || entry.kind == EntryKind::reply || entry.kind == EntryKind::cancel;
  if (std::string why = always ? std::string() : full(); !why.empty()) {
    throw Stopped{limit_reached(std::move(why))};
  }
  entry.at_ms = now_ms;
  return journal.append(std::move(entry));
}

// Drops everything of a finished part except its result.
void MachineState::forget(ScopeState& scope) {
  for (const std::unique_ptr<Slot>& slot : scope.effects) {
    if (slot != nullptr) {
      judged.erase(&slot->reply);
      slot_by_key.erase(slot->key);
    }
  }
  for (const std::unique_ptr<ScopeState>& inner : scope.scopes) {
    forget(*inner);
  }
  scope.effects.clear();
  scope.effects.shrink_to_fit();
  scope.scopes.clear();
  scope.scope_by_name.clear();
  scope.kept.clear();
}

Slot& MachineState::slot(ScopeState& scope, std::size_t ordinal) {
  if (scope.effects.size() <= ordinal) {
    scope.effects.resize(ordinal + 1);
  }
  std::unique_ptr<Slot>& at = scope.effects[ordinal];
  if (at == nullptr) {
    at = std::make_unique<Slot>();
    at->key = scope.path + ":" + std::to_string(ordinal);
    slot_by_key[at->key] = at.get();
  }
  return *at;
}

void MachineState::set_reply(Slot& slot, Reply reply, std::uint64_t position) {
  slot.has_reply = true;
  slot.running = false;
  slot.reply = std::move(reply);
  slot.position = position;
}

// Compares a stored effect with the one that the pipeline asks for now, and notes a difference.
void MachineState::verify(Slot& slot, const Effect& effect) {
  slot.verified = true;
  Data now = effect.request();
  const std::string hash = now.hash();
  if (hash == slot.hash) {
    return;
  }
  const std::string drifted = slot.key + " " + hash;
  if (std::find(drifts.begin(), drifts.end(), drifted) == drifts.end()) {
    drifts.push_back(drifted);
    Entry entry;
    entry.kind = EntryKind::drift;
    entry.key = slot.key;
    entry.hash = hash;
    std::string text;
    json::Writer(text).begin_object().member("was", slot.hash).member("now", hash).end_object();
    entry.data = Data::written(std::move(text));
    append(std::move(entry));
  }
  if (options.strict) {
    throw Stopped{journal_mismatch("the request is not the one that was journalled", slot.key)};
  }
  if (!slot.has_reply) {
    slot.request = std::move(now);
  }
}

// The scope with this path, made if it is unknown. nullptr if a scope above it has finished.
ScopeState* MachineState::scope_at(std::string_view path) {
  ScopeState* at = &root;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    at = &at->child(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return at;
}

void MachineState::load() {
  const std::vector<Entry>& entries = journal.entries();
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const std::size_t colon = entry.key.rfind(':');
    const bool ordinal_key = entry.kind == EntryKind::attempt || entry.kind == EntryKind::reply ||
                             entry.kind == EntryKind::note || entry.kind == EntryKind::handover;
    std::size_t ordinal = 0;
    ScopeState* scope = nullptr;
    if (ordinal_key) {
      bool digits = colon != std::string::npos && colon + 1 < entry.key.size() && entry.key.size() - colon < 12;
      for (std::size_t k = colon + 1; digits && k < entry.key.size(); ++k) {
        digits = ascii::is_digit(entry.key[k]);
        ordinal = ordinal * 10 + static_cast<std::size_t>(entry.key[k] - '0');
      }
      if (!digits || ordinal >= options.bounds.entries_max) {
        throw Stopped{journal_mismatch("entry " + std::to_string(i) + " has no key of an effect", entry.key)};
      }
      scope = scope_at(std::string_view(entry.key).substr(0, colon));
    }
    switch (entry.kind) {
      case EntryKind::attempt: {
        Slot& s = slot(*scope, ordinal);
        s.kind = effect_type(entry.name)->kind;
        s.stored = true;
        s.attempts = entry.count;
        s.deadline_ms = entry.deadline_ms;
        if (entry.count <= 1) {
          s.request = entry.data;
          s.hash = entry.hash;
        }
        if (entry.count == s.handed_over + 1) {
          s.since_ms = entry.at_ms;
        }
        break;
      }
      case EntryKind::handover: {
        Slot& s = slot(*scope, ordinal);
        s.handed_over = s.attempts;
        ++s.handovers;
        break;
      }
      case EntryKind::reply: {
        Slot& s = slot(*scope, ordinal);
        if (!s.has_reply) {
          Reply reply;
          reply.status = entry.status;
          reply.value = entry.data;
          reply.error = entry.error;
          set_reply(s, std::move(reply), i);
          // An effect that was never begun has no request to compare.
          s.verified = s.attempts == 0;
          s.stored = true;
        }
        break;
      }
      case EntryKind::note:
        scope->notes.resize(std::max(scope->notes.size(), ordinal + 1));
        scope->notes[ordinal] = i;
        notes_by_kind[entry.name].push_back(i);
        break;
      case EntryKind::scope: {
        scope = scope_at(entry.key);
        scope->finished = true;
        scope->result = entry.data;
        scope->signals = entry.signals;
        scope->position = i;
        forget(*scope);
        break;
      }
      case EntryKind::version:
        scope_at(entry.key)->versions.emplace_back(entry.name, entry.count);
        break;
      case EntryKind::drift:
        drifts.push_back(entry.key + " " + entry.hash);
        break;
      case EntryKind::signal:
        signals.push_back({entry.name, i, entry.data});
        break;
      case EntryKind::cancel:
        cancelled_at = i;
        break;
      case EntryKind::end:
        state = entry.status == Status::ok          ? State::done
                : entry.status == Status::cancelled ? State::cancelled
                                                    : State::failed;
        result = entry.data;
        error.message = entry.error;
        break;
      case EntryKind::begin:
        break;
    }
  }
}

// Takes input and pins from the first entry, and shares its text.
void MachineState::take_parts(const Data& begin, const json::Value& told) {
  input = Data::part(begin, told.find("input"));
  const json::Value* fork = told.find("fork");
  const json::Value* first = fork == nullptr ? nullptr : fork->find("seed");
  seed = first == nullptr ? id : std::string(first->str());
  if (const json::Value* pinned = told.find("pins")) {
    for (const json::Value& pin : pinned->array()) {
      const json::Value* name = pin.find("name");
      if (name != nullptr) {
        pins.emplace_back(std::string(name->str()), Data::part(begin, pin.find("text")));
      }
    }
  }
}

}  // namespace plumb::run
