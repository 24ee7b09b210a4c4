#include "core/text/pattern.hpp"

#include <algorithm>
#include <utility>

#include "core/text/pattern_dfa.hpp"
#include "core/text/pattern_parse.hpp"
#include "core/text/pattern_program.hpp"
#include "core/text/steps.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {

using pattern::Automaton;
using pattern::CharClasses;
using pattern::Program;
using pattern::row_dead;
using pattern::row_first;
using pattern::row_matched;
using pattern::row_unknown;

namespace {

constexpr std::size_t build_steps = 16;  // an instruction, from the tree to what is alive

Error out_of_steps() {
  return Error{ErrorCode::limit, "the work of reading this pattern is more than is allowed", "", 0, 0};
}

}  // namespace

Result<Pattern> Pattern::compile(std::string_view source, Steps* steps) {
  if (steps != nullptr && !steps->take(source.size())) {
    return out_of_steps();
  }
  Result<pattern::Tree> tree = pattern::parse(source);
  if (!tree) {
    return tree.error();
  }
  if (tree.value().refusal) {
    return *tree.value().refusal;
  }
  Result<Program> program = pattern::build_program(tree.value(), source);
  if (!program) {
    return program.error();
  }
  auto shared = std::make_shared<Program>(std::move(program).value());
  std::size_t work = 0;
  for (const pattern::Component& component : shared->components) {
    work += component.insts.size() * build_steps;
  }
  if (steps != nullptr && !steps->take(work)) {
    return out_of_steps();
  }
  work = 0;
  shared->table = pattern::build_table(*shared, work);
  if (steps != nullptr && !steps->take(work)) {
    return out_of_steps();
  }
  return Pattern(std::move(shared));
}

std::optional<Error> Pattern::syntax_error(std::string_view source) {
  const Result<pattern::Tree> tree = pattern::parse(source);
  if (!tree && tree.error().code == ErrorCode::invalid_argument) {
    return tree.error();
  }
  return tree ? tree.value().without_flag : std::nullopt;
}

const std::vector<PatternWarning>& Pattern::warnings() const { return program_->warnings; }

// --- The run ---

namespace {

constexpr std::size_t cache_bytes_max = 524288;

// Goes from `row` through `piece` and stops behind the character that leads to row_dead or row_matched. `table` is the
// table's begin; make(row, class) fills a transition that is not known and gives its row, after which `table` is asked
// for again.
template <class TableOf, class Make>
std::uint32_t walk(const CharClasses& classes, std::uint32_t row, std::string_view piece, std::size_t& after,
                   TableOf table_of, Make make) {
  const char* at = piece.data();
  const char* const end = at + piece.size();
  const std::uint32_t* table = table_of();
  while (at != end) {
    std::uint32_t c = static_cast<unsigned char>(*at);
    if (c < 0x80) {
      c = classes.of_ascii(static_cast<unsigned char>(c));
      ++at;
    } else {
      const Decoded decoded = decode(at, end);
      c = classes.of(decoded.code_point);
      at += decoded.size;
    }
    std::uint32_t next = table[row + c];
    if (next < row_first) {
      if (next == row_unknown) {
        next = make(row, c);
        table = table_of();
      }
      if (next < row_first) {
        after = static_cast<std::size_t>(at - piece.data());
        return next;
      }
    }
    row = next;
  }
  after = piece.size();
  return row;
}

Status status_of(std::uint32_t row) {
  return row == row_dead ? Status::impossible : row == row_matched ? Status::matches : Status::undecided;
}

}  // namespace

struct Matcher::Part {
  Part(const Program& program, const pattern::Component& component)
      : negative(component.negative), automaton(program.classes, component, cache_bytes_max) {}

  // What this part says about the whole: a negative look-ahead that is impossible holds.
  Status status() const {
    const Status own = status_of(row);
    if (!negative || own == Status::undecided) {
      return own;
    }
    return own == Status::matches ? Status::impossible : Status::matches;
  }
  bool accepts() const {
    const bool own = row == row_matched || (row >= row_first && automaton.accepts(row));
    return own != negative;
  }

  // What was done since this was asked last.
  std::size_t new_work() {
    const std::size_t done = automaton.work() - counted;
    counted = automaton.work();
    return done;
  }

  bool negative;
  std::uint32_t row = row_dead;
  std::size_t counted = 0;
  Automaton automaton;
};

// Takes steps for `bytes` that go from row to row. False: there are none left.
bool Matcher::count(std::size_t bytes) { return steps_ == nullptr || steps_->take(bytes / 8 + 1); }

Matcher::Matcher(const Pattern& pattern) : program_(pattern.program_) {
  if (program_->table.rows.empty()) {
    parts_.reserve(program_->components.size());
    for (const pattern::Component& component : program_->components) {
      parts_.emplace_back(*program_, component);
    }
  }
  start();
}

Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;

void Matcher::start() {
  if (parts_.empty()) {
    row_ = program_->table.start;
    status_ = status_of(row_);
    return;
  }
  status_ = Status::undecided;
  for (Part& part : parts_) {
    part.row = part.automaton.start();
    if (steps_ != nullptr && !steps_->take(part.new_work())) {
      return;
    }
  }
  std::size_t nowhere = 0;
  feed_parts({}, nowhere);
}

Status Matcher::feed(std::string_view piece, std::size_t& decided_after) {
  if (status_ != Status::undecided) {
    decided_after = 0;
    return status_;
  }
  if (!count(piece.size())) {
    decided_after = piece.size();
    return status_;
  }
  if (!parts_.empty()) {
    return feed_parts(piece, decided_after);
  }
  const std::uint32_t* const rows = program_->table.rows.data();
  row_ = walk(
      program_->classes, row_, piece, decided_after, [rows] { return rows; },
      [](std::uint32_t, std::uint32_t) { return row_dead; });  // the table is whole
  status_ = status_of(row_);
  return status_;
}

// All parts hold when the last one does; the whole is impossible when the first one is.
Status Matcher::feed_parts(std::string_view piece, std::size_t& decided_after) {
  bool all_hold = true;
  std::size_t hold_after = 0;
  bool impossible = false;
  std::size_t impossible_after = piece.size();
  for (Part& part : parts_) {
    std::size_t after = 0;
    if (part.status() == Status::undecided) {
      if (steps_ != nullptr && steps_->spent()) {
        decided_after = piece.size();
        return status_;
      }
      Automaton& automaton = part.automaton;
      part.row = walk(
          program_->classes, part.row, piece, after, [&automaton] { return automaton.table(); },
          [this, &part](std::uint32_t row, std::uint32_t c) {
            const std::uint32_t next = part.automaton.next(row, c);
            return steps_ == nullptr || steps_->take(part.new_work()) ? next : row_unknown;
          });
    }
    const Status status = part.status();
    if (status == Status::impossible) {
      impossible_after = impossible ? std::min(impossible_after, after) : after;
      impossible = true;
    }
    all_hold = all_hold && status == Status::matches;
    hold_after = std::max(hold_after, after);
  }
  decided_after = piece.size();
  if (impossible) {
    status_ = Status::impossible;
    decided_after = impossible_after;
  } else if (all_hold) {
    status_ = Status::matches;
    decided_after = hold_after;
  }
  return status_;
}

bool Matcher::end() const {
  if (status_ != Status::undecided) {
    return status_ == Status::matches;
  }
  if (parts_.empty()) {
    const pattern::Table& table = program_->table;
    return table.accepts[(row_ - row_first) / program_->classes.size()] != 0;
  }
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.accepts(); });
}

bool Matcher::search(std::string_view text) {
  start();
  std::size_t decided_after = 0;
  feed(text, decided_after);
  return end();
}

}  // namespace plumb::text
