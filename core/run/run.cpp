// How the requests of a pipeline are matched with the journal.
//
// An effect is identified by its place: the scope and its ordinal there. So when a pipeline runs again, each request
// costs one look-up, and nothing that was answered is built or read again. A part sees stamps and signals only up to
// the last entry it has read, not up to the end of the journal. So at the same place it always sees the same, however
// long the journal is.

#include "core/run/run.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"
#include "core/run/fork_source.hpp"
#include "core/run/run_state.hpp"

namespace plumb::run {

namespace {

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), [](char c) {
    return ascii::is_alphanumeric(c) || c == '-' || c == '_';
  });
}

std::string key_of(const ScopeState& scope, std::size_t ordinal) { return scope.path + ":" + std::to_string(ordinal); }

Error stop_error(ErrorCode code, std::string message, std::string where) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  error.where = std::move(where);
  return error;
}

std::string signals_text(const std::vector<std::pair<std::string, std::size_t>>& read) {
  std::string out;
  for (const auto& [name, count] : read) {
    out += (out.empty() ? "" : ",") + name + "=" + std::to_string(count);
  }
  return out;
}

}  // namespace

struct Run::Found {
  Slot* slot = nullptr;
};

const Data& Run::input() const { return machine_.state_->input; }
const std::string& Run::id() const { return machine_.state_->id; }
bool Run::cancelled() const {
  const std::uint64_t at = machine_.state_->cancelled_at;
  return at != 0 && position_ >= at;
}

const std::string& Run::path() const { return scope_.path; }

std::string Run::derived(std::string_view name) const {
  json::Sha256 hash;
  hash.update(machine_.state_->seed);
  hash.update("\n");
  hash.update(scope_.path);
  hash.update("\n");
  hash.update(name);
  return hash.hex().substr(0, 32);
}

std::uint64_t Run::now_ms() const {
  return machine_.state_->journal.entries()[static_cast<std::size_t>(position_)].at_ms;
}

const Data& Run::pin(std::string_view name) const {
  const Pins& pins = machine_.state_->pins;
  const auto found = std::find_if(pins.begin(), pins.end(), [&](const auto& pin) { return pin.first == name; });
  PLUMB_REQUIRE(found != pins.end(), "a run is pinned to what its pipeline uses");
  return found->second;
}

const contract::Contract& Run::contract(std::string_view pin_name) const {
  std::unique_ptr<contract::Contract>& known = machine_.state_->contracts[std::string(pin_name)];
  if (known == nullptr) {
    const std::string text(pin(pin_name).text());
    const auto& reader = machine_.state_->options.read_contract;
    Result<contract::Contract> read = reader ? reader(text) : contract::Contract::read(text);
    if (!read) {
      throw Stopped{read.error()};
    }
    known = std::make_unique<contract::Contract>(std::move(read).value());
  }
  return *known;
}

const std::string& Run::remembered(const std::string& name, const std::function<std::string()>& make) const {
  auto& known = machine_.state_->remembered;
  auto found = known.find(name);
  if (found == known.end()) {
    found = known.emplace(name, make()).first;
  }
  return found->second;
}

void Run::suspend() {
  machine_.state_->suspended = true;
  throw Suspended{};
}

Run::Found Run::find(const Effect& effect) {
  MachineState& m = *machine_.state_;
  PLUMB_REQUIRE(!m.suspended, "nothing is asked after Suspended was thrown: no pipeline may catch it");
  const std::size_t ordinal = effects_++;
  const bool known = ordinal < scope_.effects.size() && scope_.effects[ordinal] != nullptr;
  if (!known && m.outstanding.size() >= m.options.bounds.outstanding_max) {
    throw Stopped{
        stop_error(ErrorCode::limit,
                   "the run has " + std::to_string(m.outstanding.size()) + " effects under way, the most there may be",
                   key_of(scope_, ordinal))};
  }
  Slot& slot = m.slot(scope_, ordinal);
  slot.pass = m.pass;
  if (!known) {
    slot.kind = effect.kind;
    slot.deadline_ms = effect.deadline_ms;
    slot.request = effect.request();
    if (m.source != nullptr) {
      m.source->take_effect(m, slot);
    }
  } else if (slot.kind != effect.kind) {
    throw Stopped{journal_mismatch("the journal has an effect of kind '" + std::string(effect_type(slot.kind).name) +
                                       "' here, the pipeline asks for '" + std::string(effect_type(effect.kind).name) +
                                       "'",
                                   slot.key)};
  } else if (slot.stored && !slot.verified) {
    m.verify(slot, effect);
  }
  if (!slot.has_reply && m.cancelled_at != 0) {
    Reply reply;
    reply.status = Status::cancelled;
    reply.error = "the run was cancelled";
    if (slot.running) {
      m.abandoned.push_back(slot.key);
    }
    m.set_reply(slot, std::move(reply), m.cancelled_at);
  }
  if (!slot.has_reply) {
    m.outstanding.push_back(&slot);
  }
  return {&slot};
}

bool Run::asked_before() const { return effects_ < scope_.effects.size() && scope_.effects[effects_] != nullptr; }

const Reply& Run::ask(const Effect& effect) {
  const Found found = find(effect);
  if (!found.slot->has_reply) {
    suspend();
  }
  read(found.slot->position);
  return found.slot->reply;
}

std::vector<const Reply*> Run::ask_all(const std::vector<Effect>& effects) {
  std::vector<Slot*> slots;
  slots.reserve(effects.size());
  bool waiting = false;
  for (const Effect& effect : effects) {
    slots.push_back(find(effect).slot);
    waiting = waiting || !slots.back()->has_reply;
  }
  if (waiting) {
    suspend();
  }
  std::vector<const Reply*> replies;
  replies.reserve(slots.size());
  for (const Slot* slot : slots) {
    read(slot->position);
    replies.push_back(&slot->reply);
  }
  return replies;
}

std::size_t Run::ask_any(const std::vector<Effect>& effects, const Reply** first) {
  PLUMB_REQUIRE(!effects.empty(), "ask_any has something to ask for");
  MachineState& m = *machine_.state_;
  std::vector<Slot*> slots;
  slots.reserve(effects.size());
  for (const Effect& effect : effects) {
    slots.push_back(find(effect).slot);
  }
  std::size_t best = slots.size();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i]->has_reply && (best == slots.size() || slots[i]->position < slots[best]->position)) {
      best = i;
    }
  }
  if (best == slots.size()) {
    suspend();
  }
  for (Slot* slot : slots) {
    if (!slot->has_reply) {
      Entry entry;
      entry.kind = EntryKind::reply;
      entry.key = slot->key;
      entry.status = Status::cancelled;
      entry.error = "another was faster";
      Reply reply;
      reply.status = entry.status;
      reply.error = entry.error;
      if (slot->running) {
        m.abandoned.push_back(slot->key);
      }
      m.set_reply(*slot, std::move(reply), m.append(std::move(entry)));
      m.outstanding.erase(std::find(m.outstanding.begin(), m.outstanding.end(), slot));
    }
  }
  read(slots[best]->position);
  *first = &slots[best]->reply;
  return best;
}

const contract::Verdict& Run::judge(const Reply& reply, const contract::Contract& contract) {
  std::vector<MachineState::Judged>& judged = machine_.state_->judged[&reply];
  for (const MachineState::Judged& known : judged) {
    if (known.contract_hash == contract.hash()) {
      return *known.verdict;
    }
  }
  const json::Value* text = reply.value.value().find("text");
  const bool is_text = text != nullptr && text->is(json::Kind::string);
  const std::string_view judged_text = is_text ? text->str() : std::string_view(reply.value.text());
  judged.push_back({contract.hash(), std::make_unique<contract::Verdict>(contract::check_text(contract, judged_text))});
  return *judged.back().verdict;
}

// Called when the part has reached everything that the journal has for it.
void Run::leave() {
  const MachineState& m = *machine_.state_;
  for (std::size_t i = effects_; i < scope_.effects.size(); ++i) {
    if (scope_.effects[i] != nullptr && scope_.effects[i]->has_reply) {
      throw Stopped{
          journal_mismatch("the journal has an effect that the pipeline no longer asks for", scope_.effects[i]->key)};
    }
  }
  for (const auto& scope : scope_.scopes) {
    if (scope->pass != m.pass) {
      throw Stopped{journal_mismatch("the journal has a scope that the pipeline no longer enters", scope->path)};
    }
  }
}

Data Run::scope(std::string_view name, const std::function<Data(Run&)>& part) {
  PLUMB_REQUIRE(good_name(name), "the name of a scope is letters, digits, - and _");
  // A repeated name gets a number: "revise", "revise~2".
  std::size_t times = 1;
  for (auto& [known, count] : names_) {
    if (known == name) {
      times = ++count;
    }
  }
  if (times == 1) {
    names_.emplace_back(std::string(name), 1);
    return enter(name, part);
  }
  return enter(std::string(name) + "~" + std::to_string(times), part);
}

Data Run::enter(std::string_view name, const std::function<Data(Run&)>& part) {
  MachineState& m = *machine_.state_;
  PLUMB_REQUIRE(!m.suspended, "nothing is asked after Suspended was thrown: no pipeline may catch it");
  ScopeState& inner = scope_.child(name);
  inner.pass = m.pass;
  if (m.source != nullptr && !inner.finished) {
    m.source->take_scope(m, inner);
  }
  if (inner.finished) {
    read(inner.position);
    take_signals(inner.signals);
    return inner.result;
  }
  if (inner.level > m.options.bounds.levels_max) {
    throw Stopped{stop_error(
        ErrorCode::limit,
        "scopes are nested " + std::to_string(m.options.bounds.levels_max) + " levels deep, the most there may be",
        inner.path)};
  }
  Run run(machine_, inner, position_);
  run.signals_read_ = signals_read_;
  Data result = part(run);
  PLUMB_REQUIRE(!m.suspended, "a part that waits does not return: no pipeline may catch Suspended");
  run.leave();
  Entry entry;
  entry.kind = EntryKind::scope;
  entry.key = inner.path;
  entry.data = result;
  entry.signals = signals_text(run.signals_read_);
  inner.signals = entry.signals;
  inner.position = m.append(std::move(entry));
  inner.finished = true;
  inner.result = result;
  m.forget(inner);
  read(inner.position);
  take_signals(inner.signals);
  return result;
}

// Notes that a part has read signals up to these counts.
void Run::take_signals(std::string_view text) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view one = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) {
      continue;
    }
    std::size_t count = 0;
    for (const char c : one.substr(equals + 1)) {
      count = count * 10 + static_cast<std::size_t>(c - '0');
    }
    std::size_t& known = signals_of(one.substr(0, equals));
    known = std::max(known, count);
  }
}

std::size_t& Run::signals_of(std::string_view name) {
  for (auto& [known, count] : signals_read_) {
    if (known == name) {
      return count;
    }
  }
  signals_read_.emplace_back(std::string(name), 0);
  return signals_read_.back().second;
}

std::vector<Data> Run::each(std::string_view name, std::size_t count,
                            const std::function<Data(Run&, std::size_t)>& part, std::size_t concurrency) {
  PLUMB_REQUIRE(good_name(name), "the name of a scope is letters, digits, - and _");
  PLUMB_REQUIRE(concurrency > 0, "something may be under way");
  MachineState& m = *machine_.state_;
  std::vector<Data> results(count);
  const std::uint64_t start = position_;
  std::uint64_t last = position_;
  const std::size_t outstanding = m.outstanding.size();
  bool waiting = false;
  std::string item = std::string(name) + ".";
  const std::size_t prefix = item.size();
  const auto enter_item = [&](std::size_t i) {
    item.resize(prefix);
    item += std::to_string(i);
    position_ = start;  // an item sees nothing that other items have read
    results[i] = enter(item, [&](Run& run) { return part(run, i); });
    last = std::max(last, position_);
  };
  // While an item waits, finished items before it are skipped, so a step costs only what is new. When the last one
  // finishes, all are entered once more, for their results and the signals they have read.
  std::size_t& done = scope_.done_of(name);
  const std::size_t first = std::min(done, count);
  for (std::size_t i = first; i < count; ++i) {
    if (m.outstanding.size() - outstanding >= concurrency) {
      waiting = true;
      break;
    }
    try {
      enter_item(i);
      done += done == i && scope_.child(item).signals.empty() ? 1 : 0;
    } catch (const Suspended&) {
      m.suspended = false;
      waiting = true;
    }
  }
  for (std::size_t i = 0; i < first && !waiting; ++i) {
    enter_item(i);
  }
  position_ = start;
  if (waiting) {
    suspend();
  }
  position_ = last;
  return results;
}

std::shared_ptr<const void>& Run::kept_as(std::string_view name) {
  for (auto& [known, value] : scope_.kept) {
    if (known == name) {
      return value;
    }
  }
  return scope_.kept.emplace_back(std::string(name), nullptr).second;
}

void Run::emit(std::string_view kind, Data value) {
  if (notes_ < scope_.notes.size()) {
    ++notes_;
    return;
  }
  (void)note(kind, [&] { return std::move(value); });
}

Data Run::note(std::string_view kind, const std::function<Data()>& make) {
  MachineState& m = *machine_.state_;
  const std::size_t ordinal = notes_++;
  if (ordinal < scope_.notes.size()) {
    return m.journal.entries()[static_cast<std::size_t>(scope_.notes[ordinal])].data;
  }
  Entry entry;
  entry.kind = EntryKind::note;
  entry.key = key_of(scope_, ordinal);
  entry.name = std::string(kind);
  entry.data = make();
  if (m.source != nullptr) {
    m.source->take_note(entry);
  }
  Data value = entry.data;
  const std::uint64_t position = m.append(std::move(entry));
  scope_.notes.push_back(position);
  m.notes_by_kind[std::string(kind)].push_back(position);
  return value;
}

std::vector<Data> Run::notes(std::string_view kind, std::size_t most,
                             const std::function<bool(std::string_view key)>& wanted) const {
  const MachineState& m = *machine_.state_;
  std::vector<Data> out;
  const auto found = m.notes_by_kind.find(std::string(kind));
  if (found == m.notes_by_kind.end()) {
    return out;
  }
  const std::vector<std::uint64_t>& all = found->second;
  const auto end = std::lower_bound(all.begin(), all.end(), position_);
  const auto count = std::min(most, static_cast<std::size_t>(end - all.begin()));
  for (auto at = end - static_cast<std::ptrdiff_t>(count); at != end; ++at) {
    const Entry& entry = m.journal.entries()[static_cast<std::size_t>(*at)];
    if (wanted(entry.key)) {
      out.push_back(entry.data);
    }
  }
  return out;
}

const Data& Run::request_of(const Reply& reply) const {
  const auto found = std::find_if(scope_.effects.begin(), scope_.effects.end(),
                                  [&](const auto& slot) { return slot != nullptr && &slot->reply == &reply; });
  PLUMB_REQUIRE(found != scope_.effects.end(), "a reply is one of this part");
  return (*found)->request;
}

void Run::stop(Error error) { throw Stopped{std::move(error)}; }

std::vector<Data> Run::signals(std::string_view name) const {
  std::vector<Data> out;
  for (const SignalEntry& signal : machine_.state_->signals) {
    if (signal.position < position_ && signal.name == name) {
      out.push_back(signal.value);
    }
  }
  return out;
}

Data Run::next_signal(std::string_view name) {
  MachineState& m = *machine_.state_;
  PLUMB_REQUIRE(!m.suspended, "nothing is asked after Suspended was thrown: no pipeline may catch it");
  std::size_t& had = signals_of(name);
  do {
    std::size_t number = 0;
    for (const SignalEntry& signal : m.signals) {
      if (signal.name == name && number++ == had) {
        ++had;
        read(signal.position);
        return signal.value;
      }
    }
  } while (m.source != nullptr && m.source->take_signal(m, name));
  if (m.cancelled_at != 0) {
    read(m.cancelled_at);
    return {};
  }
  suspend();
}

std::uint64_t Run::version(std::string_view change, std::uint64_t current) {
  MachineState& m = *machine_.state_;
  for (const auto& [known, way] : scope_.versions) {
    if (known == change) {
      return way;
    }
  }
  // If the run has already been further than this, it passed here before the change was made.
  bool further = notes_ < scope_.notes.size();
  for (const auto& scope : scope_.scopes) {
    further = further || scope->pass != m.pass;
  }
  for (std::size_t i = effects_; i < scope_.effects.size(); ++i) {
    further = further || (scope_.effects[i] != nullptr && scope_.effects[i]->stored);
  }
  Entry entry;
  entry.kind = EntryKind::version;
  entry.key = scope_.path;
  entry.name = std::string(change);
  entry.count = m.source != nullptr ? m.source->way(scope_.path, change, current) : (further ? 0 : current);
  const std::uint64_t way = entry.count;
  m.append(std::move(entry));
  scope_.versions.emplace_back(std::string(change), way);
  return way;
}

}  // namespace plumb::run
