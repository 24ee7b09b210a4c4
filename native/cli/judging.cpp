#include "native/cli/judging.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <utility>

#include "core/ascii.hpp"
#include "core/contract/program.hpp"
#include "core/text/steps.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/edit_diff.hpp"
#include "native/cli/fixed_file.hpp"
#include "native/cli/line_batches.hpp"
#include "native/cli/ordered_work.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{256} * 1024;
constexpr std::uint64_t context_bytes_max = std::uint64_t{256} << 20;
// A file that is edited is held in memory: twice, and what is judged of it.
constexpr std::uint64_t shown_bytes_max = std::uint64_t{1} << 20;  // as in report.cpp
constexpr std::uint64_t edited_bytes_max = std::uint64_t{512} << 20;

// What one thread takes: a file, some lines of one, or a long line that the producer had to judge itself while reading.
struct Unit {
  std::size_t file = 0;
  bool whole = false;
  bool first_of_file = false;
  bool last_of_file = false;
  std::string bytes;
  std::uint64_t first_line = 1;
  std::uint64_t consumed = 0;
  std::optional<contract::FileVerdict> judged;
  std::optional<RecordedPiece> recorded;
  std::string problem;
  bool cannot_fix = false;  // a line that was too long to hold
};

struct Done {
  std::size_t file = 0;
  bool first_of_file = false;
  bool last_of_file = false;
  Rendered rendered;
  std::string problem;
  std::string text;  // with `fix`: this part of the file, edited where it could be
  bool edited = false;
  bool cannot_fix = false;
};

// A thread's checks, one a slot, made when first used and used again.
class Checks {
 public:
  explicit Checks(const Judging& judging)
      : judging_(judging), checks_(judging.slots.size()), steps_(std::make_unique<text::Steps>(judging.steps_max)) {}

  repair::Check& ready(std::size_t slot) {
    steps_->restart();
    if (checks_[slot] == nullptr) {
      checks_[slot] =
          std::make_unique<repair::Check>(judging_.slots[slot].contract, check_options(slot), judging_.edits);
    } else {
      checks_[slot]->reset();
    }
    return *checks_[slot];
  }

  // The verdict on a text that is at hand and, with `fix`, the text with its edits in `text`. Findings are then of the
  // text as it is written, the edits of the one that was read.
  contract::Verdict whole(std::size_t slot, std::string_view given, std::string& text, bool& edited) {
    repair::Check& check = ready(slot);
    if (!judging_.fix) {
      return check.whole(given);
    }
    contract::Verdict verdict = check.whole_mended(given);
    edited = edited || check.mended();
    text.append(check.mended() ? std::string_view(check.text()) : given);
    return verdict;
  }

  // How many of these findings are gone once the text is edited, with certain edits alone and with guesses too.
  void count_fixable(std::size_t slot, std::string_view given, const contract::Verdict& verdict, Totals& totals) {
    constexpr contract::EditLevel levels[] = {contract::EditLevel::certain, contract::EditLevel::guess};
    std::uint64_t* const counts[] = {&totals.fixable, &totals.fixable_by_guess};
    std::uint64_t fixed = 0;
    bool more = true;
    for (std::size_t i = 0; i < std::size(levels); ++i) {
      if (more) {
        steps_->restart();
        contract::CheckOptions options = check_options(slot);
        repair::Check check(judging_.slots[slot].contract, options, {.level = levels[i], .keep_text = true});
        const contract::Verdict edited = check.whole_mended(given);
        fixed = check.mended() ? gone(verdict, edited) : 0;
        more = std::any_of(edited.edits.begin(), edited.edits.end(), [](const auto& edit) { return !edit.applied; });
      }
      *counts[i] += fixed;
    }
  }

  // Findings come again in the verdict; what became certain on the way is of no use here.
  void push(repair::Check& check, std::string_view bytes) {
    certain_.clear();
    check.push(bytes, certain_);
  }

 private:
  contract::CheckOptions check_options(std::size_t slot) {
    contract::CheckOptions options;
    options.limits = judging_.limits;
    options.context = judging_.slots[slot].context;
    options.hash_seed = judging_.hash_seed;
    options.steps = budget();
    return options;
  }

  // The number of findings of `before` that `after` does not have.
  static std::uint64_t gone(const contract::Verdict& before, const contract::Verdict& after) {
    std::uint64_t count = 0;
    for (const contract::Finding& one : before.findings) {
      const bool still = std::any_of(after.findings.begin(), after.findings.end(), [&](const contract::Finding& other) {
        return other.rule == one.rule && other.at == one.at;
      });
      count += one.shadowed_by == 0 && !still ? 1 : 0;
    }
    return count;
  }

  text::Steps* budget() { return judging_.steps_max == 0 ? nullptr : steps_.get(); }

  const Judging& judging_;
  std::vector<std::unique_ptr<repair::Check>> checks_;
  std::unique_ptr<text::Steps> steps_;
  std::vector<contract::Finding> certain_;
};

// Turns files into units, in order. Called by one thread at a time.
class Producer {
 public:
  Producer(const Judging& judging, ProgressBar& bar) : judging_(judging), bar_(bar), checks_(judging) {}

  std::optional<Unit> next() {
    if (lines_) {
      return next_lines();
    }
    if (recorded_) {
      return next_recorded();
    }
    if (file_ >= judging_.files.size()) {
      return std::nullopt;
    }
    Unit unit;
    unit.file = file_;
    unit.first_of_file = true;
    if (judging_.recorded) {
      Result<RecordedFile> opened = RecordedFile::open(judging_.files[file_].file.path, judging_.recorded->by);
      if (!opened) {
        return ended(std::move(unit), opened.error().message);
      }
      recorded_.emplace(std::move(opened).value());
      first_ = true;
      return next_recorded();
    }
    if (!judging_.files[file_].file.lines) {
      ++file_;
      unit.whole = true;
      unit.last_of_file = true;
      return unit;
    }
    Result<LineBatches> opened = LineBatches::open(judging_.files[file_].file.path);
    if (!opened) {
      ++file_;
      unit.last_of_file = true;
      unit.problem = opened.error().message;
      return unit;
    }
    lines_.emplace(std::move(opened).value());
    first_ = true;
    return next_lines();
  }

 private:
  std::optional<Unit> next_lines() {
    Unit unit;
    unit.file = file_;
    unit.first_of_file = std::exchange(first_, false);
    Result<LineBatches::Batch> batch = lines_->next();
    if (!batch) {
      return ended(std::move(unit), batch.error().message);
    }
    unit.first_line = batch.value().first_line;
    unit.consumed = batch.value().consumed;
    switch (batch.value().kind) {
      case LineBatches::Kind::end:
        return ended(std::move(unit), "");
      case LineBatches::Kind::lines:
        unit.bytes = std::move(batch.value().bytes);
        return unit;
      case LineBatches::Kind::long_piece:
      case LineBatches::Kind::long_end:
        break;
    }
    // Only who reads the file knows where this line ends: it is judged here, piece by piece.
    repair::Check& check = checks_.ready(judging_.files[file_].slot);
    bool blank = true;
    for (;;) {
      const LineBatches::Batch& piece = batch.value();
      blank = blank && ascii::only(piece.bytes, ascii::line_blanks);
      checks_.push(check, piece.bytes);
      bar_.bytes_done(piece.consumed);
      if (piece.kind == LineBatches::Kind::long_end) {
        break;
      }
      batch = lines_->next();
      if (!batch) {
        return ended(std::move(unit), batch.error().message);
      }
    }
    unit.consumed = 0;
    unit.cannot_fix = judging_.fix;
    if (!blank) {
      unit.judged =
          contract::FileVerdict{judging_.files[file_].file.path + ":" + std::to_string(unit.first_line), check.end()};
    }
    return unit;
  }

  std::optional<Unit> next_recorded() {
    Unit unit;
    unit.file = file_;
    unit.first_of_file = std::exchange(first_, false);
    Result<RecordedPiece> piece = recorded_->next();
    if (!piece) {
      return ended(std::move(unit), piece.error().message);
    }
    if (piece.value().kind == RecordedPiece::Kind::end) {
      return ended(std::move(unit), "");
    }
    unit.consumed = piece.value().consumed;
    unit.recorded = std::move(piece).value();
    return unit;
  }

  Unit ended(Unit unit, std::string problem) {
    unit.last_of_file = true;
    unit.problem = std::move(problem);
    lines_.reset();
    recorded_.reset();
    ++file_;
    return unit;
  }

  const Judging& judging_;
  ProgressBar& bar_;
  Checks checks_;
  std::optional<LineBatches> lines_;
  std::optional<RecordedFile> recorded_;
  std::size_t file_ = 0;
  bool first_ = false;
};

// An artifact that is not there to be judged, and why.
contract::Verdict not_judged(const contract::Contract& contract, std::string reason) {
  contract::Verdict verdict;
  verdict.contract = contract.name();
  verdict.hash = contract.hash();
  contract::Undecided why;
  why.rule = "input";
  why.reason = std::move(reason);
  verdict.undecided.push_back(std::move(why));
  return verdict;
}

// What judges units on several threads, and tells of them in their order on one.
class JudgeRun {
 public:
  JudgeRun(const Judging& judging, Report& report, ProgressBar& bar) : judging_(judging), report_(report), bar_(bar) {}

  Result<std::uint64_t> run() {
    const std::size_t threads = std::max<std::size_t>(1, judging_.jobs);
    checks_.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i) {
      checks_.emplace_back(judging_);
    }
    Producer producer(judging_, bar_);
    // Once the report cannot be written nothing more is read.
    const auto produce = [&]() -> std::optional<Unit> { return writable_ ? producer.next() : std::nullopt; };
    run_in_order<Unit, Done>(
        threads, threads * 4, produce,
        [this](Unit unit, std::size_t worker) { return work(std::move(unit), checks_[worker]); },
        [this](Done done) { consume(std::move(done)); });
    if (failed_) {
      return *failed_;
    }
    return fixed_files_;
  }

 private:
  // ---------------------------------------------------------------- on any thread

  Done work(Unit unit, Checks& mine) const {
    Done done;
    done.file = unit.file;
    done.first_of_file = unit.first_of_file;
    done.last_of_file = unit.last_of_file;
    done.problem = std::move(unit.problem);
    done.cannot_fix = unit.cannot_fix;
    const Assigned& assigned = judging_.files[unit.file];
    if (unit.recorded) {
      judge_recorded(unit, assigned, mine, done);
    } else if (unit.judged) {
      report_.render(std::move(*unit.judged), done.rendered);
    } else if (unit.whole && (edits() || (for_models() && assigned.file.size <= shown_bytes_max))) {
      judge_text(assigned, mine, done);
    } else if (unit.whole) {
      judge_file(assigned, mine, done);
    } else {
      judge_lines(unit, assigned, mine, done);
    }
    return done;
  }

  bool edits() const { return judging_.edits.level != contract::EditLevel::none; }
  // Whether to report how many findings --fix would fix: only in text output, and only if this run edits nothing.
  bool tells_fixable(const contract::Verdict& verdict, std::string_view text) const {
    return !edits() && report_.settings().format == Format::text && !report_.settings().quiet &&
           !verdict.findings.empty() && text.size() <= shown_bytes_max;
  }
  // They are shown what they wrote.
  bool for_models() const { return report_.settings().format == Format::llm; }

  void render(Done& done, const Assigned& assigned, const std::string& name, std::uint64_t lines_before,
              std::string_view given, contract::Verdict verdict) const {
    std::string diff;
    if (judging_.diff) {
      diff = edit_diff(assigned.file.path, given, lines_before, verdict.edits, report_.settings().style);
    }
    report_.render({name, std::move(verdict)}, done.rendered, given);
    done.rendered.text += diff;
  }

  void judge_recorded(Unit& unit, const Assigned& assigned, Checks& mine, Done& done) const {
    const contract::Contract& contract = judging_.slots[assigned.slot].contract;
    RecordedTexts texts = recorded_texts(*judging_.recorded, *unit.recorded, contract.name());
    for (RecordedText& one : texts.texts) {
      bool edited = false;
      contract::Verdict verdict = one.unanswered.empty() ? mine.whole(assigned.slot, one.text, done.text, edited)
                                                         : not_judged(contract, std::move(one.unanswered));
      report_.render({assigned.file.path + ":" + std::to_string(one.line), std::move(verdict), std::move(one.record)},
                     done.rendered, one.text);
    }
    done.rendered.totals.calls_left += texts.calls_left;
    done.rendered.totals.texts_left += texts.texts_left;
    done.rendered.totals.others_left += texts.others_left;
    done.problem = std::move(texts.problem);
    bar_.bytes_done(unit.consumed);
  }

  // A file that is edited or shown, so read as a whole.
  void judge_text(const Assigned& assigned, Checks& mine, Done& done) const {
    const Result<std::string> text = read_file(assigned.file.path, edited_bytes_max);
    if (!text) {
      done.problem = text.error().message;
      return;
    }
    bar_.bytes_done(text.value().size());
    contract::Verdict verdict = mine.whole(assigned.slot, text.value(), done.text, done.edited);
    render(done, assigned, assigned.file.path, 0, text.value(), std::move(verdict));
  }

  // A file in pieces.
  void judge_file(const Assigned& assigned, Checks& mine, Done& done) const {
    Result<FileReader> reader = FileReader::open(assigned.file.path);
    if (!reader) {
      done.problem = reader.error().message;
      return;
    }
    repair::Check& check = mine.ready(assigned.slot);
    std::unique_ptr<char[]> chunk(new char[chunk_bytes]);
    std::string kept;  // the text, up to the bound and one byte more
    for (;;) {
      const Result<std::size_t> count = reader.value().read(chunk.get(), chunk_bytes);
      if (!count) {
        done.problem = count.error().message;
        return;
      }
      if (count.value() == 0) {
        break;
      }
      const std::string_view bytes(chunk.get(), count.value());
      mine.push(check, bytes);
      bar_.bytes_done(count.value());
      kept.append(bytes.substr(0, std::min(bytes.size(), static_cast<std::size_t>(shown_bytes_max) + 1 - kept.size())));
    }
    contract::Verdict verdict = check.end();
    if (tells_fixable(verdict, kept)) {
      mine.count_fixable(assigned.slot, kept, verdict, done.rendered.totals);
    }
    report_.render({assigned.file.path, std::move(verdict)}, done.rendered);
  }

  // Lines that are artifacts.
  void judge_lines(const Unit& unit, const Assigned& assigned, Checks& mine, Done& done) const {
    std::string_view rest = unit.bytes;
    std::uint64_t number = unit.first_line;
    Line line;
    for (std::string_view before = rest; take_line(rest, line); ++number, before = rest) {
      const std::string_view all = before.substr(0, before.size() - rest.size());  // with its line end
      if (line.blank) {
        if (judging_.fix) {
          done.text.append(all);
        }
        continue;
      }
      const std::string name = assigned.file.path + ":" + std::to_string(number);
      if (edits() || for_models()) {
        contract::Verdict verdict = mine.whole(assigned.slot, line.text, done.text, done.edited);
        if (judging_.fix) {
          done.text.append(all.substr(line.text.size()));
        }
        render(done, assigned, name, number - 1, all, std::move(verdict));
        continue;
      }
      repair::Check& check = mine.ready(assigned.slot);
      mine.push(check, line.text);
      contract::Verdict verdict = check.end();
      if (tells_fixable(verdict, line.text)) {
        mine.count_fixable(assigned.slot, line.text, verdict, done.rendered.totals);
      }
      report_.render({name, std::move(verdict)}, done.rendered);
    }
    bar_.bytes_done(unit.consumed);
  }

  // ---------------------------------------------------------------- in order, on one thread

  void give_up(const Error& error) {
    failed_ = error;
    writable_ = false;
  }

  // The parts of a file come in order; it is written when the last has come, if any of them was edited.
  void fix(Done& done) {
    const std::string& path = judging_.files[done.file].file.path;
    if (done.first_of_file) {
      fix_problem_.clear();
      fixed_edits_ = false;
      fixed_.reset();
    }
    if (done.cannot_fix) {
      fix_problem_ = "is not fixed: a line is longer than 4 MB";
    }
    if (!done.problem.empty()) {
      fix_problem_ = done.problem;
    }
    fixed_edits_ = fixed_edits_ || done.edited;
    const bool alone = done.first_of_file && done.last_of_file && !done.edited && path != "-";
    if (fix_problem_.empty() && !alone) {
      Result<bool> step = true;
      if (!fixed_) {
        Result<FixedFile> begun = FixedFile::begin(path);
        if (begun) {
          fixed_.emplace(std::move(begun).value());
        } else {
          step = begun.error();
        }
      }
      if (fixed_) {
        step = fixed_->add(done.text);
      }
      if (step && done.last_of_file && fixed_edits_) {
        step = fixed_->commit();
      }
      if (!step) {
        fix_problem_ = step.error().message;
      }
    }
    if (!done.last_of_file) {
      return;
    }
    fixed_files_ += fix_problem_.empty() && fixed_edits_ ? 1 : 0;
    fixed_.reset();
    if (!fix_problem_.empty() && done.problem.empty()) {
      done.problem = fix_problem_;
    }
  }

  void consume(Done done) {
    if (failed_) {
      return;
    }
    const Assigned& assigned = judging_.files[done.file];
    if (done.first_of_file) {
      artifacts_of_file_ = 0;
      problem_of_file_.clear();
    }
    artifacts_of_file_ += done.rendered.totals.artifacts;
    bar_.artifacts_done(done.rendered.totals.artifacts, done.rendered.totals.failing);
    Result<bool> written = report_.write(std::move(done.rendered), &bar_);
    if (!written) {
      give_up(written.error());
    }
    if (judging_.fix) {
      fix(done);
    }
    if (!done.last_of_file) {
      if (!done.problem.empty()) {
        problem_of_file_ = std::move(done.problem);
      }
      return;
    }
    if (done.problem.empty()) {
      done.problem = std::move(problem_of_file_);
    }
    bar_.file_done();
    if (done.problem.empty() && artifacts_of_file_ == 0 && judging_.recorded) {
      done.problem = "holds no answer to judge";
    } else if (done.problem.empty() && assigned.file.lines && artifacts_of_file_ == 0) {
      done.problem = "holds no artifact: every line is blank";
    }
    if (!done.problem.empty() && !failed_) {
      written = report_.problem(assigned.file.path, done.problem, &judging_.slots[assigned.slot].contract, &bar_);
      if (!written) {
        give_up(written.error());
      }
    }
  }

  const Judging& judging_;
  Report& report_;
  ProgressBar& bar_;
  std::vector<Checks> checks_;         // one a thread
  std::optional<Error> failed_;        // touched by consume() alone
  std::atomic<bool> writable_ = true;  // what the producer knows of it
  std::uint64_t artifacts_of_file_ = 0;
  std::string problem_of_file_;  // told by a part that was not its last
  std::optional<FixedFile> fixed_;
  std::string fix_problem_;
  bool fixed_edits_ = false;
  std::uint64_t fixed_files_ = 0;
};

}  // namespace

Result<Slot> slot_of(const NamedContract& named, const std::string& said, const std::string& context) {
  if (named.contract.program().without_keywords) {
    return Error{ErrorCode::invalid_argument,
                 "everything keeps this contract, as none of its members is a keyword: is it the artifact? "
                 "'--contract' takes the contract, PATH the artifacts",
                 said, 0, 0};
  }
  Slot slot{named.contract, ""};
  if (context.empty()) {
    return slot;
  }
  Result<std::string> text = read_file(context, context_bytes_max);
  if (!text) {
    return text.error();
  }
  slot.context = std::move(text).value();
  if (slot.context.empty()) {
    return Error{ErrorCode::invalid_argument, "is empty: a context must be a JSON document", context, 0, 0};
  }
  contract::CheckOptions options;
  options.context = slot.context;
  const contract::Check trial(slot.contract, options);
  if (trial.context_error() != nullptr) {
    Error error = *trial.context_error();
    error.where = context;
    return error;
  }
  return slot;
}

Result<std::uint64_t> judge_all(const Judging& judging, Report& report, ProgressBar& bar) {
  return JudgeRun(judging, report, bar).run();
}

}  // namespace plumb::cli
