// A state is the set of instructions that wait at a place between two characters: for a character, or, being
// assertions, to know what comes next. What precedes the place belongs to the state, but only while an assertion waits.
//
// A step knows the next character: it lets the assertions through that hold, sees whether acceptance is among what they
// lead to (then the search has its match, whatever follows), and takes every instruction whose set has the character to
// what follows it. Instructions that are not alive are left out, so that the empty set means "impossible".
#include "core/text/pattern_dfa.hpp"

#include <algorithm>
#include <cstring>

#include "core/require.hpp"
#include "core/stable_sort.hpp"

namespace plumb::text::pattern {

void Automaton::Set::clear() {
  items.clear();
  if (++mark == 0) {
    std::fill(marks.begin(), marks.end(), 0);
    mark = 1;
  }
}

bool Automaton::Set::insert(std::uint16_t inst) {
  if (marks[inst] == mark) {
    return false;
  }
  marks[inst] = mark;
  return true;
}

Automaton::Automaton(const CharClasses& classes, const Component& component, std::size_t bytes_max)
    : classes_(&classes), component_(&component), bytes_max_(bytes_max) {
  seen_.marks.assign(component.insts.size(), 0);
  resolving_.marks.assign(component.insts.size(), 0);
  forget();
}

void Automaton::forget() {
  table_.assign(row_first, row_unknown);
  states_.clear();
  leaves_.clear();
  slots_.assign(64, 0);
}

// Adds what `inst` leads to without a character: everything but splits.
void Automaton::close(std::uint16_t inst, std::uint32_t before, Set& seen, std::vector<std::uint16_t>& leaves) {
  stack_.push_back(inst);
  while (!stack_.empty()) {
    const std::uint16_t at = stack_.back();
    stack_.pop_back();
    if (!seen.insert(at) || !component_->is_alive(at, before)) {
      continue;
    }
    ++work_;
    const Inst& i = component_->insts[at];
    if (i.op == Op::split) {
      stack_.push_back(i.out);
      stack_.push_back(i.out2);
    } else {
      leaves.push_back(at);
    }
  }
}

// Lets assertions through: resolved_ is what then waits for a character. True: acceptance is reached.
bool Automaton::resolve(const std::uint16_t* leaves, std::size_t size, std::uint32_t before, std::uint32_t after) {
  resolving_.clear();
  resolved_.assign(leaves, leaves + size);
  for (const std::uint16_t leaf : resolved_) {
    resolving_.insert(leaf);
  }
  for (std::size_t i = 0; i < resolved_.size(); ++i) {
    const Inst& inst = component_->insts[resolved_[i]];
    ++work_;
    if (inst.op == Op::accept) {
      return true;
    }
    if (inst.op == Op::assertion && assertion_holds(inst.assertion, before, after)) {
      close(inst.out, before, resolving_, resolved_);
    }
  }
  return false;
}

std::size_t Automaton::hash(const std::uint16_t* leaves, std::size_t size, std::uint32_t before) const {
  std::uint64_t h = 0xCBF29CE484222325U ^ before;
  for (std::size_t i = 0; i < size; ++i) {
    h = (h ^ leaves[i]) * 0x9E3779B97F4A7C15U;
    h ^= h >> 32U;
  }
  return static_cast<std::size_t>(h);
}

void Automaton::add_slot(std::size_t state) {
  const State& s = states_[state];
  std::size_t slot = hash(leaves_.data() + s.first, s.size, s.before) & (slots_.size() - 1);
  while (slots_[slot] != 0) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  slots_[slot] = static_cast<std::uint32_t>(state + 1);
}

// The row of the state that next_ is.
std::uint32_t Automaton::intern(std::uint32_t before) {
  if (next_.empty()) {
    return row_dead;
  }
  stable_sort(next_);
  bool asserts = false;
  for (const std::uint16_t inst : next_) {
    const Op op = component_->insts[inst].op;
    if (op == Op::accept) {
      return row_matched;
    }
    asserts = asserts || op == Op::assertion;
  }
  if (!asserts) {
    before = before_other;  // nobody will ask
  }
  const std::size_t h = hash(next_.data(), next_.size(), before);
  for (std::size_t slot = h & (slots_.size() - 1); slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const std::size_t number = slots_[slot] - 1;
    const State& s = states_[number];
    if (s.size == next_.size() && s.before == before &&
        std::memcmp(leaves_.data() + s.first, next_.data(), s.size * sizeof(std::uint16_t)) == 0) {
      return static_cast<std::uint32_t>(row_first + number * classes_->size());
    }
  }
  State s;
  s.before = static_cast<std::uint8_t>(before);
  if (asserts) {
    s.accepts = resolve(next_.data(), next_.size(), before, after_end);
    if (s.accepts && resolve(next_.data(), next_.size(), before, after_other) &&
        (!component_->word_matters || resolve(next_.data(), next_.size(), before, after_word))) {
      return row_matched;  // whatever comes next
    }
  }
  const std::size_t bytes = table_.size() * sizeof(std::uint32_t) + leaves_.size() * sizeof(std::uint16_t) +
                            states_.size() * sizeof(State) + slots_.size() * sizeof(std::uint32_t);
  if (bytes > bytes_max_ && states_.size() >= 16) {
    forget();
  }
  s.first = static_cast<std::uint32_t>(leaves_.size());
  s.size = static_cast<std::uint32_t>(next_.size());
  leaves_.insert(leaves_.end(), next_.begin(), next_.end());
  const std::size_t number = states_.size();
  states_.push_back(s);
  const auto row = static_cast<std::uint32_t>(table_.size());
  table_.resize(table_.size() + classes_->size(), row_unknown);
  if (states_.size() * 2 > slots_.size()) {
    slots_.assign(slots_.size() * 2, 0);
    for (std::size_t i = 0; i < number; ++i) {
      add_slot(i);
    }
  }
  add_slot(number);
  return row;
}

std::uint32_t Automaton::start() {
  seen_.clear();
  next_.clear();
  close(component_->entry, before_begin, seen_, next_);
  return intern(before_begin);
}

std::uint32_t Automaton::next(std::uint32_t row, std::uint32_t c) {
  const State state = states_[(row - row_first) / classes_->size()];
  const std::size_t states_before = states_.size();
  const bool word = component_->word_matters && classes_->is_word(c);
  std::uint32_t result = row_matched;
  if (!resolve(leaves_.data() + state.first, state.size, state.before, word ? after_word : after_other)) {
    const std::uint32_t before = word ? before_word : before_other;
    seen_.clear();
    next_.clear();
    for (const std::uint16_t waiting : resolved_) {
      const Inst& inst = component_->insts[waiting];
      if (inst.op == Op::set && classes_->holds(inst.set, c)) {
        close(inst.out, before, seen_, next_);
      }
    }
    result = intern(before);
  }
  if (states_.size() >= states_before) {  // not forgotten meanwhile
    table_[row + c] = result;
  }
  return result;
}

// --- The whole table ---

namespace {

constexpr std::size_t table_states_max = 128;
constexpr std::size_t table_entries_max = 8192;
constexpr std::size_t table_work_max = 65536;

// Makes all states of `automaton`; false when they are too many.
bool explore(Automaton& automaton, std::uint32_t classes) {
  automaton.start();
  for (std::size_t state = 0; state < automaton.states(); ++state) {
    if (automaton.states() > table_states_max || automaton.states() * classes > table_entries_max ||
        automaton.work() > table_work_max) {
      return false;
    }
    const auto row = static_cast<std::uint32_t>(row_first + state * classes);
    for (std::uint32_t c = 0; c < classes; ++c) {
      automaton.next(row, c);
    }
  }
  return automaton.states() <= table_states_max;
}

// Turns every state from which all texts match into row_matched, and from which none does into row_dead.
void settle(Table& table, std::uint32_t classes) {
  const std::size_t size = table.accepts.size();
  std::vector<std::uint8_t> can(size, 0);  // bit 0: can be refused, bit 1: can be accepted
  const auto of = [&](std::uint32_t row) -> std::uint8_t {
    if (row < row_first) {
      return row == row_dead ? 1 : 2;
    }
    return can[(row - row_first) / classes];
  };
  for (std::size_t i = 0; i < size; ++i) {
    can[i] = table.accepts[i] != 0 ? 2 : 1;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = size; i-- != 0;) {
      std::uint8_t bits = can[i];
      for (std::uint32_t c = 0; c < classes && bits != 3; ++c) {
        bits |= of(table.rows[row_first + i * classes + c]);
      }
      changed = changed || bits != can[i];
      can[i] = bits;
    }
  }
  const auto settled = [&](std::uint32_t row) {
    const std::uint8_t bits = of(row);
    return bits == 1 ? row_dead : bits == 2 ? row_matched : row;
  };
  table.start = settled(table.start);
  for (std::size_t i = row_first; i < table.rows.size(); ++i) {
    table.rows[i] = settled(table.rows[i]);
  }
}

}  // namespace

Table build_table(const Program& program, std::size_t& work) {
  const std::uint32_t classes = program.classes.size();
  std::vector<Automaton> automata;
  automata.reserve(program.components.size());
  for (const Component& component : program.components) {
    if (component.insts.size() > 4096 || work > table_work_max) {
      return {};
    }
    Automaton& automaton = automata.emplace_back(program.classes, component, std::size_t{1} << 24U);
    const bool whole = explore(automaton, classes);
    work += automaton.work();
    if (!whole) {
      return {};
    }
  }

  // The product: a state of each component. One component is its own product.
  using Rows = std::vector<std::uint32_t>;
  Table table;
  table.rows.assign(row_first, row_unknown);
  std::vector<Rows> states;
  std::vector<std::uint32_t> order;  // of states, sorted
  const auto row_of = [&](const Rows& rows) -> std::uint32_t {
    bool matched = true;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool negative = program.components[i].negative;
      if (rows[i] == (negative ? row_matched : row_dead)) {
        return row_dead;
      }
      matched = matched && rows[i] == (negative ? row_dead : row_matched);
    }
    if (matched) {
      return row_matched;
    }
    const auto found = std::lower_bound(order.begin(), order.end(), rows,
                                        [&](std::uint32_t number, const Rows& r) { return states[number] < r; });
    if (found != order.end() && states[*found] == rows) {
      return row_first + *found * classes;
    }
    order.insert(found, static_cast<std::uint32_t>(states.size()));
    states.push_back(rows);
    bool accepts = true;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool accepted = rows[i] == row_matched || (rows[i] >= row_first && automata[i].accepts(rows[i]));
      accepts = accepts && accepted != program.components[i].negative;
    }
    table.accepts.push_back(accepts ? 1 : 0);
    return row_first + static_cast<std::uint32_t>(states.size() - 1) * classes;
  };
  Rows rows;
  for (Automaton& automaton : automata) {
    rows.push_back(automaton.start());
  }
  table.start = row_of(rows);
  for (std::size_t state = 0; state < states.size(); ++state) {
    if (states.size() > table_states_max || states.size() * classes > table_entries_max) {
      return {};
    }
    const Rows from = states[state];
    for (std::uint32_t c = 0; c < classes; ++c) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        rows[i] = from[i] < row_first ? from[i] : automata[i].table()[from[i] + c];
      }
      const std::uint32_t next = row_of(rows);
      table.rows.push_back(next);
    }
  }
  settle(table, classes);
  return table;
}

}  // namespace plumb::text::pattern
