// `plumb check`: from what was said to inputs, contracts and a report.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "core/wording.hpp"
#include "native/base/random_seed.hpp"
#include "native/cli/check_stream.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/contract_source.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/inputs.hpp"
#include "native/cli/judging.hpp"
#include "native/cli/progress_bar.hpp"
#include "native/cli/report.hpp"
#include "native/cli/staged_files.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/config_file.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t listed_files_max = 20;  // more clean files than this are only counted
constexpr std::size_t jobs_max = 256;

Error usage(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

// Everything that was said, checked, before anything is read.
struct CheckOptions {
  std::optional<ConfigFile> config;
  ReportSettings report;
  contract::Limits limits;
  std::uint64_t steps_max = 0;
  std::size_t jobs = 1;
  bool stream = false;
  InputOptions inputs;
  repair::EditOptions edits;
  bool fix = false;
  bool diff = false;
  std::optional<RecordedReading> recorded;
  bool skip_unmatched = false;
  std::shared_ptr<StagedFiles> staged;  // in whose folder all is read
  std::string contract;
  std::string context;
};

std::optional<Error> say_report(const Arguments& arguments, CheckOptions& said) {
  const std::string format =
      arguments.text("--format", said.config && !said.config->format.empty() ? said.config->format : "text");
  const std::string fail_on =
      arguments.text("--fail-on", said.config && !said.config->fail_on.empty() ? said.config->fail_on : "error");
  said.report.format = format_named(format);
  said.report.fail_on = fail_on_named(fail_on);
  said.report.exit_zero = arguments.has("--exit-zero");
  said.report.quiet = arguments.has("--quiet");
  said.report.output = arguments.text("--output");
  said.report.output = said.staged ? said.staged->output(said.report.output) : said.report.output;
  said.report.tool = arguments.text("--tool");
  said.report.action = arguments.text("--action");
  if (said.report.format != Format::llm && (arguments.has("--tool") || arguments.has("--action"))) {
    return usage("'--tool' and '--action' are for '--format llm'");
  }
  said.report.style = style_for(arguments, STDOUT_FILENO);
  if (!said.report.output.empty() && arguments.text("--color", "auto") == "auto") {
    said.report.style.color = false;
  }
  if (said.report.output.empty() && is_terminal(STDOUT_FILENO)) {
    said.report.columns = terminal_columns(STDOUT_FILENO);
  }
  return std::nullopt;
}

std::optional<Error> say_limits(const Arguments& arguments, CheckOptions& said) {
  const Result<std::uint64_t> depth = arguments.number("--max-depth", said.limits.depth_max, 1, 1'000'000);
  if (!depth) {
    return depth.error();
  }
  said.limits.depth_max = static_cast<std::uint32_t>(depth.value());
  const Result<std::uint64_t> bytes = arguments.size("--max-bytes", said.limits.bytes_max, std::uint64_t{1} << 40);
  if (!bytes) {
    return bytes.error();
  }
  said.limits.bytes_max = bytes.value();
  const Result<std::uint64_t> steps = arguments.number("--max-steps", 0, 0, 1'000'000'000'000);
  if (!steps) {
    return steps.error();
  }
  said.steps_max = steps.value();
  const std::size_t cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const Result<std::uint64_t> jobs = arguments.number("--jobs", std::min(cores, jobs_max), 1, jobs_max);
  if (!jobs) {
    return jobs.error();
  }
  said.jobs = static_cast<std::size_t>(jobs.value());
  return std::nullopt;
}

std::optional<Error> say_edits(const Arguments& arguments, CheckOptions& said) {
  said.diff = arguments.has("--diff");
  said.fix = arguments.has("--fix") && !said.diff;
  if (said.diff) {
    said.edits.level = contract::EditLevel::certain;
  }
  for (const std::string& one : arguments.list("--edits")) {
    const std::size_t sign = one.find('=');
    const bool general = sign == std::string::npos;
    const Result<bool> set = repair::set_edit_level(general ? "default" : one.substr(0, sign),
                                                    general ? one : one.substr(sign + 1), said.edits);
    if (!set) {
      return usage("'--edits " + one + "': " + set.error().message);
    }
    if (!general && said.edits.level == contract::EditLevel::none) {
      said.edits.level = contract::EditLevel::certain;
    }
  }
  if (arguments.has("--fix")) {
    said.edits.level = contract::edit_level_named(arguments.text("--fix"));
  }
  said.edits.keep_text = said.fix;
  if (said.diff && said.report.format != Format::text) {
    return usage("'--diff' goes with '--format text'; the other formats have the edits");
  }
  return std::nullopt;
}

// What does not go with --stream.
std::optional<Error> wrong_stream(const Arguments& arguments, const CheckOptions& said) {
  if (arguments.has("--fix") || said.diff) {
    return usage("'--stream' writes no text back and shows no diff; use '--edits'");
  }
  const std::vector<std::string>& words = arguments.positionals();
  if (!words.empty() && !(words.size() == 1 && words[0] == "-")) {
    return usage("'--stream' reads standard input; give no PATH, or -");
  }
  if (said.inputs.all_lines) {
    return usage("'--stream' reads one artifact; it does not go with '--lines'");
  }
  if (said.report.format != Format::text && said.report.format != Format::jsonl) {
    return usage("'--stream' writes text or jsonl, not " +
                 arguments.text("--format", said.config ? said.config->format : ""));
  }
  if (said.contract.empty()) {
    return usage("'--stream' needs '--contract NAME|FILE'");
  }
  return std::nullopt;
}

// What does not go with --staged; then the staged files are laid out, before anything is looked for.
std::optional<Error> say_staged(const Arguments& arguments, CheckOptions& said) {
  const std::vector<std::string>& words = arguments.positionals();
  if (arguments.has("--fix") || arguments.has("--stream") ||
      std::find(words.begin(), words.end(), "-") != words.end()) {
    return usage("'--staged' reads the index: it goes with neither '--fix', '--stream' nor standard input");
  }
  Result<StagedFiles> staged = StagedFiles::lay_out();
  if (!staged) {
    return staged.error();
  }
  said.staged = std::make_shared<StagedFiles>(std::move(staged).value());
  said.contract = said.staged->input(said.contract);
  said.context = said.staged->input(said.context);
  return std::nullopt;
}

Result<CheckOptions> said_by(const Arguments& arguments) {
  CheckOptions said;
  said.contract = arguments.text("--contract");
  said.context = arguments.text("--context");
  if (std::optional<Error> wrong = arguments.has("--staged") ? say_staged(arguments, said) : std::nullopt) {
    return std::move(*wrong);
  }
  said.stream = arguments.has("--stream");
  said.inputs.all_lines = arguments.has("--lines");
  said.skip_unmatched = arguments.has("--skip-unmatched");
  for (const std::string& glob : arguments.list("--exclude")) {
    if (const Result<bool> read = said.inputs.filter.exclude(glob); !read) {
      return usage("'--exclude': " + read.error().message);
    }
  }
  if (arguments.has("--gitignore")) {
    said.inputs.filter.use_gitignore();
  }

  if (arguments.has("--config") && arguments.has("--no-config")) {
    return usage("'--config' and '--no-config' exclude each other");
  }
  std::string config_path = arguments.text("--config");
  config_path = said.staged ? said.staged->input(config_path) : config_path;
  if (config_path.empty() && !arguments.has("--no-config")) {
    config_path = find_config_file();
  }
  if (!config_path.empty()) {
    Result<ConfigFile> config = read_config_file(config_path);
    if (!config) {
      return config.error();
    }
    said.config = std::move(config).value();
  }

  if (std::optional<Error> wrong = say_report(arguments, said)) {
    return std::move(*wrong);
  }
  if (std::optional<Error> wrong = say_limits(arguments, said)) {
    return std::move(*wrong);
  }
  if (std::optional<Error> wrong = say_edits(arguments, said)) {
    return std::move(*wrong);
  }
  if (arguments.has("--from")) {
    const std::optional<wire::RecordedBy> by = wire::recorded_by_named(arguments.text("--from"));
    said.recorded = RecordedReading{by.value_or(wire::RecordedBy::openai), arguments.text("--calls")};
    if (said.stream || said.diff || arguments.has("--fix")) {
      return usage("'--from' reads recorded answers: it goes with '--edits', not with '--stream', '--fix' or '--diff'");
    }
  } else if (arguments.has("--calls")) {
    return usage("'--calls' is for '--from': whose calls of tools are judged");
  }

  if (std::optional<Error> wrong = said.stream ? wrong_stream(arguments, said) : std::nullopt) {
    return std::move(*wrong);
  }
  if (said.contract.empty() && !said.config) {
    return usage(
        "no contract: give '--contract NAME|FILE', or a plumb.yaml here or above that says which file has "
        "which; 'plumb contracts list' shows the built-in ones");
  }
  if (arguments.positionals().empty() && !said.stream && !said.staged) {
    if (!said.contract.empty()) {
      return usage("no PATH: give files, directories, quoted globs, or - for standard input");
    }
    if (said.config && said.config->contracts.empty()) {
      return usage("no PATH, and '" + said.config->path + "' has no 'contracts'");
    }
  }
  return said;
}

// Contracts are read once for each pair of contract and context that some file needs.
class Slots {
 public:
  Slots(const ContractReading& reading, bool quiet) : reading_(reading), quiet_(quiet) {}

  Result<std::size_t> slot(const std::string& contract, const std::string& context) {
    const auto key = std::make_pair(contract, context);
    if (const auto known = known_.find(key); known != known_.end()) {
      return known->second;
    }
    Result<NamedContract> named = find_contract(contract, reading_);
    if (!named) {
      Error error = named.error();
      if (error.where.empty()) {
        error.where = contract;
      }
      return error;
    }
    if (!quiet_) {
      for (const std::string& line : warning_lines(named.value())) {
        write_all(STDERR_FILENO, line + "\n");
      }
    }
    Result<Slot> slot = slot_of(named.value(), contract, context);
    if (!slot) {
      return slot.error();
    }
    sources.emplace_back(named.value().source, named.value().contract);
    slots.push_back(std::move(slot).value());
    known_.emplace(key, slots.size() - 1);
    return slots.size() - 1;
  }

  std::vector<Slot> slots;
  std::vector<std::pair<std::string, contract::Contract>> sources;  // file, or empty, of each

 private:
  const ContractReading& reading_;
  bool quiet_;
  std::map<std::pair<std::string, std::string>, std::size_t> known_;
};

// What records held that is no artifact, and need not be one.
void note_left(const Totals& totals, const CheckOptions& said) {
  const auto told = [](std::uint64_t count, const std::string& one, const std::string& many) {
    if (count > 0) {
      note(std::to_string(count) + " " + (count == 1 ? one : many));
    }
  };
  const std::string& tool = said.recorded->tool;
  if (tool.empty()) {
    told(totals.calls_left,
         "answer calls tools and was not judged; '--calls NAME' judges the arguments of a tool's calls",
         "answers call tools and were not judged; '--calls NAME' judges the arguments of a tool's calls");
  } else {
    told(totals.calls_left + totals.texts_left, "answer without a call of " + tool + " was not judged",
         "answers without a call of " + tool + " were not judged");
  }
  told(totals.others_left, "record is of something else and was left out",
       "records are of something else and were left out");
}

// What of the inputs has a contract.
struct Matched {
  std::uint64_t bytes = 0;      // 0 where it is not known
  std::uint64_t unmatched = 0;  // files that were not named, and match no entry
};

// Gives each file its contract; those that need one and have none are problems.
Result<Matched> assign(Inputs& inputs, const CheckOptions& said, std::optional<std::size_t> named_slot, Slots& slots,
                       Judging& judging) {
  Matched out;
  bool size_known = true;
  for (InputFile& file : inputs.files) {
    std::size_t slot = 0;
    if (named_slot) {
      slot = *named_slot;
    } else {
      const std::optional<std::size_t> entry =
          file.path == "-" ? std::nullopt : said.config->entry_for(absolute_path(file.path));
      if (!entry) {
        if (!file.named || (said.skip_unmatched && file.path != "-")) {
          ++out.unmatched;
        } else {
          inputs.problems.push_back({file.path, file.path == "-"
                                                    ? "needs '--contract NAME|FILE'"
                                                    : "no entry of " + said.config->path +
                                                          " matches it; add one, or give '--contract NAME|FILE'"});
        }
        continue;
      }
      const ContractEntry& found = said.config->contracts[*entry];
      Result<std::size_t> got = slots.slot(found.contract, said.context.empty() ? found.context : said.context);
      if (!got) {
        return got.error();
      }
      slot = got.value();
    }
    out.bytes += file.size;
    size_known = size_known && file.path != "-";
    judging.files.push_back({std::move(file), slot});
  }
  out.bytes = size_known ? out.bytes : 0;
  return out;
}

void note_all(const Totals& totals, const CheckOptions& said, const Inputs& inputs, std::uint64_t unmatched) {
  if (said.recorded) {
    note_left(totals, said);
  }
  if (totals.fixable_by_guess > 0) {
    const std::uint64_t all = totals.errors + totals.warnings + totals.infos;
    const std::string of = " of " + counted(all, "finding");
    const bool guesses = totals.fixable_by_guess > totals.fixable;
    note(totals.fixable == 0 ? "'--fix=guess' would fix " + std::to_string(totals.fixable_by_guess) + of
                             : "'--fix' would fix " + std::to_string(totals.fixable) + of +
                                   (guesses ? ", '--fix=guess' " + std::to_string(totals.fixable_by_guess) : ""));
  }
  if (unmatched > 0) {
    note(counted(unmatched, "file matches", "files match") + " no entry of " + said.config->path + " and " +
         (unmatched == 1 ? "was" : "were") + " left out");
  }
  if (inputs.left_out > 0) {
    note(counted(inputs.left_out, "file or directory was", "files and directories were") +
         " left out by --exclude, '!GLOB' or --gitignore");
  }
}

int run_stream(const CheckOptions& said, const Slot& slot) {
  Result<Report> report = Report::open(said.report);
  if (!report) {
    return fail(report.error());
  }
  const Result<bool> done = check_stream(slot, said.limits, said.steps_max, said.edits, report.value());
  if (!done) {
    return fail(done.error());
  }
  return report.value().exit_code();
}

Inputs inputs_of(const Arguments& arguments, const CheckOptions& said) {
  if (!arguments.positionals().empty()) {
    return collect_inputs(arguments.positionals(), said.inputs);
  }
  if (!said.staged) {
    return collect_configured(*said.config, said.inputs);
  }
  Inputs inputs;
  PathFilter filter = said.inputs.filter;
  for (const std::string& path : said.staged->changed()) {
    if (!said.contract.empty() && !is_artifact_name(path)) {
      continue;
    }
    if (filter.excludes(path)) {
      ++inputs.left_out;
      continue;
    }
    inputs.files.push_back({path, said.inputs.all_lines || is_lines_name(path), false, 0});
  }
  return inputs;
}

Judging judging_of(const CheckOptions& said) {
  Judging judging;
  judging.limits = said.limits;
  judging.steps_max = said.steps_max;
  judging.edits = said.edits;
  judging.fix = said.fix;
  judging.diff = said.diff;
  judging.recorded = said.recorded;
  judging.hash_seed = random_seed();
  return judging;
}

}  // namespace

int run_check(const Arguments& arguments) {
  Result<CheckOptions> read = said_by(arguments);
  if (!read) {
    return fail(read.error());
  }
  CheckOptions& said = read.value();

  Result<ContractReading> reading = ContractReading::from(
      arguments, said.config ? said.config->documents : std::vector<std::pair<std::string, std::string>>(),
      said.config ? said.config->artifacts : std::vector<std::pair<std::string, std::string>>());
  if (!reading) {
    return fail(reading.error());
  }
  Slots slots(reading.value(), said.report.quiet);

  // A contract that was named is read even when no file is found: its errors matter more.
  std::optional<std::size_t> named_slot;
  if (!said.contract.empty()) {
    Result<std::size_t> slot = slots.slot(said.contract, said.context);
    if (!slot) {
      return fail(slot.error());
    }
    named_slot = slot.value();
  }

  const std::vector<std::string>& words = arguments.positionals();
  const bool reads_stdin = said.stream || std::find(words.begin(), words.end(), "-") != words.end();
  if (reads_stdin && !said.report.quiet && is_terminal(STDIN_FILENO)) {
    note("reading standard input; Ctrl-D ends it");
  }

  if (said.stream) {
    return run_stream(said, slots.slots[*named_slot]);
  }

  Inputs inputs = inputs_of(arguments, said);
  Judging judging = judging_of(said);
  Result<Matched> matching = assign(inputs, said, named_slot, slots, judging);
  if (!matching) {
    return fail(matching.error());
  }
  const Matched& matched = matching.value();
  judging.slots = std::move(slots.slots);
  judging.jobs = said.jobs;

  // Clean artifacts get a line only where there are few of them; the rule depends on what was found, not on how it
  // went.
  const bool any_lines = said.recorded || std::any_of(judging.files.begin(), judging.files.end(),
                                                      [](const Assigned& assigned) { return assigned.file.lines; });
  said.report.to_stderr = said.fix && reads_stdin && said.report.output.empty();
  said.report.list_clean = !said.report.quiet && !any_lines && judging.files.size() <= listed_files_max;

  Result<Report> opened = Report::open(said.report);
  if (!opened) {
    return fail(opened.error());
  }
  Report& report = opened.value();
  for (const auto& [source, contract] : slots.sources) {
    report.contract_warnings(source, contract);
  }
  ProgressBar bar(!said.report.quiet && is_terminal(STDERR_FILENO), said.report.style.ascii,
                  style_for(arguments, STDERR_FILENO).color, matched.bytes, judging.files.size());

  for (const InputProblem& problem : inputs.problems) {
    const contract::Contract* contract = named_slot ? &judging.slots[*named_slot].contract : nullptr;
    const Result<bool> told = report.problem(problem.path, problem.message, contract, &bar);
    if (!told) {
      return fail(told.error());
    }
  }
  if (!judging.files.empty()) {
    const Result<std::uint64_t> done = judge_all(judging, report, bar);
    bar.wipe();
    if (!done) {
      return fail(done.error());
    }
    if (done.value() > 0 && !said.report.quiet && !reads_stdin) {
      note(counted(done.value(), "file was", "files were") + " edited");
    }
  }
  const Result<bool> finished = report.finish(&bar);
  if (!finished) {
    return fail(finished.error());
  }
  if (!said.report.quiet) {
    note_all(report.totals(), said, inputs, matched.unmatched);
  }
  if (judging.files.empty() && inputs.problems.empty() && !said.staged &&
      !(said.skip_unmatched && matched.unmatched > 0)) {
    complain("nothing was checked: no file matches " +
             (said.config ? said.config->path : std::string("what was named")));
    return exit_undecided;
  }
  return report.exit_code();
}

}  // namespace plumb::cli
