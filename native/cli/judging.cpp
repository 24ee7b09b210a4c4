#include "native/cli/judging.hpp"

#include <sys/random.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "native/cli/file_bytes.hpp"
#include "native/cli/line_batches.hpp"
#include "native/cli/ordered_work.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t chunk_bytes = 256 * 1024;

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
  std::string problem;
};

struct Done {
  std::size_t file = 0;
  bool first_of_file = false;
  bool last_of_file = false;
  Rendered rendered;
  std::string problem;
};

// A thread's checks, one a slot, made when first used and used again.
class Checks {
 public:
  explicit Checks(const Judging& judging) : judging_(judging), checks_(judging.slots.size()) {}

  contract::Check& ready(std::size_t slot) {
    if (checks_[slot] == nullptr) {
      contract::CheckOptions options;
      options.limits = judging_.limits;
      options.context = judging_.slots[slot].context;
      options.hash_seed = judging_.hash_seed;
      checks_[slot] = std::make_unique<contract::Check>(judging_.slots[slot].contract, options);
    } else {
      checks_[slot]->reset();
    }
    return *checks_[slot];
  }

  // Findings come again in the verdict; what became certain on the way is of no use here.
  void push(contract::Check& check, std::string_view bytes) {
    certain_.clear();
    check.push(bytes, certain_);
  }

 private:
  const Judging& judging_;
  std::vector<std::unique_ptr<contract::Check>> checks_;
  std::vector<contract::Finding> certain_;
};

// Turns files into units, in order. Called by one thread at a time.
class Producer {
 public:
  Producer(const Judging& judging, ProgressBar& bar) : judging_(judging), bar_(bar), checks_(judging) {}

  std::optional<Unit> next() {
    if (lines_)
      return next_lines();
    if (file_ >= judging_.files.size())
      return std::nullopt;
    Unit unit;
    unit.file = file_;
    unit.first_of_file = true;
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
    if (!batch)
      return ended(std::move(unit), batch.error().message);
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
    contract::Check& check = checks_.ready(judging_.files[file_].slot);
    bool blank = true;
    for (;;) {
      const LineBatches::Batch& piece = batch.value();
      blank = blank && piece.bytes.find_first_not_of(" \t\r") == std::string::npos;
      checks_.push(check, piece.bytes);
      bar_.bytes_done(piece.consumed);
      if (piece.kind == LineBatches::Kind::long_end)
        break;
      batch = lines_->next();
      if (!batch)
        return ended(std::move(unit), batch.error().message);
    }
    unit.consumed = 0;
    if (!blank) {
      unit.judged =
          contract::FileVerdict{judging_.files[file_].file.path + ":" + std::to_string(unit.first_line), check.end()};
    }
    return unit;
  }

  Unit ended(Unit unit, std::string problem) {
    unit.last_of_file = true;
    unit.problem = std::move(problem);
    lines_.reset();
    ++file_;
    return unit;
  }

  const Judging& judging_;
  ProgressBar& bar_;
  Checks checks_;
  std::optional<LineBatches> lines_;
  std::size_t file_ = 0;
  bool first_ = false;
};

}  // namespace

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  // Without randomness the seed stays 0: crafted keys could then be slow, never wrong.
  if (::getrandom(&seed, sizeof seed, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof seed))
    return 0;
  return seed;
}

Result<bool> judge_all(const Judging& judging, Report& report, ProgressBar& bar) {
  std::vector<Checks> checks;
  const std::size_t threads = std::max<std::size_t>(1, judging.jobs);
  checks.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i)
    checks.emplace_back(judging);
  Producer producer(judging, bar);
  std::optional<Error> failed;       // touched by consume() alone
  std::atomic<bool> writable{true};  // what the producer knows of it
  std::uint64_t artifacts_of_file = 0;

  const auto work = [&](Unit unit, std::size_t worker) {
    Done done;
    done.file = unit.file;
    done.first_of_file = unit.first_of_file;
    done.last_of_file = unit.last_of_file;
    done.problem = std::move(unit.problem);
    const Assigned& assigned = judging.files[unit.file];
    Checks& mine = checks[worker];
    if (unit.judged) {
      report.render(std::move(*unit.judged), done.rendered);
    } else if (unit.whole) {
      Result<FileReader> reader = FileReader::open(assigned.file.path);
      if (!reader) {
        done.problem = reader.error().message;
        return done;
      }
      contract::Check& check = mine.ready(assigned.slot);
      std::unique_ptr<char[]> chunk(new char[chunk_bytes]);
      for (;;) {
        const Result<std::size_t> count = reader.value().read(chunk.get(), chunk_bytes);
        if (!count) {
          done.problem = count.error().message;
          return done;
        }
        if (count.value() == 0)
          break;
        mine.push(check, {chunk.get(), count.value()});
        bar.bytes_done(count.value());
      }
      report.render({assigned.file.path, check.end()}, done.rendered);
    } else {
      std::string_view rest = unit.bytes;
      std::uint64_t number = unit.first_line;
      Line line;
      for (; take_line(rest, line); ++number) {
        if (line.blank)
          continue;
        contract::Check& check = mine.ready(assigned.slot);
        mine.push(check, line.text);
        report.render({assigned.file.path + ":" + std::to_string(number), check.end()}, done.rendered);
      }
      bar.bytes_done(unit.consumed);
    }
    return done;
  };

  const auto give_up = [&](const Error& error) {
    failed = error;
    writable = false;
  };
  const auto consume = [&](Done done) {
    if (failed)
      return;
    const Assigned& assigned = judging.files[done.file];
    if (done.first_of_file)
      artifacts_of_file = 0;
    artifacts_of_file += done.rendered.totals.artifacts;
    bar.artifacts_done(done.rendered.totals.artifacts, done.rendered.totals.failing);
    Result<bool> written = report.write(std::move(done.rendered), &bar);
    if (!written)
      give_up(written.error());
    if (!done.last_of_file)
      return;
    bar.file_done();
    if (done.problem.empty() && assigned.file.lines && artifacts_of_file == 0) {
      done.problem = "holds no artifact: every line is blank";
    }
    if (!done.problem.empty() && !failed) {
      written = report.problem(assigned.file.path, done.problem, &judging.slots[assigned.slot].contract, &bar);
      if (!written)
        give_up(written.error());
    }
  };

  // Once the report cannot be written nothing more is read.
  const auto produce_while_written = [&]() -> std::optional<Unit> { return writable ? producer.next() : std::nullopt; };
  run_in_order<Unit, Done>(threads, threads * 4, produce_while_written, work, consume);
  if (failed)
    return *failed;
  return true;
}

}  // namespace plumb::cli
