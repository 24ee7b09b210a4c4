// `plumb judge calibrate`: a run of the calibration pipeline, made of a file with labels, and watched.
// Over 150 lines, since the form of the file is read here beside the help that describes it.
#include <algorithm>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/positions.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/calibration.hpp"
#include "core/wording.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/run_command.hpp"
#include "native/search/document_file.hpp"
#include "native/search/source_text.hpp"

namespace plumb::cli {

namespace {

using json::Kind;
using json::Value;

constexpr std::uint64_t labels_bytes_max = std::uint64_t{16} << 20;
constexpr std::uint64_t artifact_bytes_max = std::uint64_t{4} << 20;
constexpr std::uint64_t source_bytes_max = std::uint64_t{8} << 20;
constexpr std::uint64_t request_bytes_max = std::uint64_t{64} << 20;
constexpr std::string_view members[] = {"contract", "source", "artifact", "labels"};

struct Entry {
  Value value;
  std::size_t line = 0;
};

class LabelsFile {
 public:
  explicit LabelsFile(std::string file) : file_(std::move(file)) {}

  // The request; members of an artifact are those of its entry, with files read.
  Result<std::string> request() {
    Result<std::string> text = read_file(file_, labels_bytes_max);
    if (!text) {
      return text.error();
    }
    text_ = std::move(text).value();
    if (std::optional<Error> error = read_entries()) {
      return *error;
    }
    if (entries_.empty()) {
      return wrong(0, "there are no labels: write one JSON object a line, such as " + example());
    }
    if (entries_.size() > pipelines::calibration::artifacts_max) {
      return wrong(0, "there are more than " + std::to_string(pipelines::calibration::artifacts_max) + " artifacts");
    }
    contract_ = json::text_of(entries_.front().value, "contract");
    std::string out;
    json::Writer json(out);
    json.begin_object().member("contract", contract_).key("artifacts").begin_array();
    for (const Entry& one : entries_) {
      if (std::optional<Error> error = write_entry(json, one)) {
        return *error;
      }
      if (out.size() > request_bytes_max) {
        return wrong(one.line, "the sources and artifacts up to here have more than 64 MB together");
      }
    }
    json.end_array();
    return out;
  }

  // An error about the request names the line, and what it is about there.
  void explain(Error& error) const {
    constexpr std::string_view begin = "/artifacts/";
    if (!error.where.starts_with(begin)) {
      if (error.where == "/contract") {
        error.where = at_line(entries_.front().line);
      }
      return;
    }
    const std::string rest = error.where.substr(begin.size());
    const std::size_t end = std::min(rest.find('/'), rest.size());
    std::uint64_t number = 0;
    if (json::read_uint(rest.substr(0, end), number) && number < entries_.size()) {
      error.where = at_line(entries_[static_cast<std::size_t>(number)].line) +
                    (end < rest.size() ? ": " + rest.substr(end) : std::string());
    }
  }

 private:
  static std::string example() {
    return R"({"contract": "quiz", "source": "chapter.md", "artifact": "quiz.json", "labels": {"questions[0]": true}})";
  }

  std::string at_line(std::size_t line) const { return line == 0 ? file_ : file_ + ":" + std::to_string(line); }
  Error wrong(std::size_t line, std::string message) const {
    return {ErrorCode::invalid_argument, std::move(message), at_line(line), 0, 0};
  }

  // A list, or an object a line.
  std::optional<Error> read_entries() {
    const std::size_t begin = text_.find_first_not_of(" \t\r\n");
    if (begin != std::string::npos && text_[begin] == '[') {
      const Result<Value> list = json::parse(text_, arena_);
      if (!list) {
        Error error = list.error();
        error.where = file_;
        return error;
      }
      for (const Value& one : list.value().array()) {
        entries_.push_back({one, json::place_at(text_, one.from).line});
      }
      return std::nullopt;
    }
    std::size_t line = 0;
    for (std::size_t from = 0; from < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', from), text_.size());
      const std::string_view one = std::string_view(text_).substr(from, end - from);
      ++line;
      from = end + 1;
      if (ascii::trim(one).empty()) {
        continue;
      }
      const Result<Value> value = json::parse(one, arena_);
      if (!value) {
        return wrong(line,
                     "not valid JSON: " + value.error().message + "; each line is one object, such as " + example());
      }
      entries_.push_back({value.value(), line});
    }
    return std::nullopt;
  }

  std::optional<Error> write_entry(json::Writer& json, const Entry& one) {
    if (!one.value.is(Kind::object)) {
      return wrong(one.line, "each artifact with labels is an object, such as " + example());
    }
    for (const json::Member& member : one.value.object()) {
      if (std::find(std::begin(members), std::end(members), member.key) == std::end(members)) {
        return wrong(one.line,
                     "there is no member '" + json::excerpt(member.key, 60) + "'; members are " + joined(members));
      }
    }
    for (const std::string_view name : members) {
      if (one.value.find(name) == nullptr) {
        return wrong(one.line, "'" + std::string(name) + "' is missing; an entry looks like " + example());
      }
    }
    for (const std::string_view name : {"contract", "source"}) {
      if (json::text_of(one.value, name).empty()) {
        return wrong(one.line, "'" + std::string(name) + "' must be a text");
      }
    }
    if (json::text_of(one.value, "contract") != contract_) {
      return wrong(one.line, "the labels of a file are about one contract, and this one began with '" + contract_ +
                                 "': put those about '" + std::string(json::text_of(one.value, "contract")) +
                                 "' into a file of their own");
    }
    const Result<std::string> source = source_of(std::string(json::text_of(one.value, "source")), one.line);
    if (!source) {
      return source.error();
    }
    json.begin_object().member("name", at_line(one.line)).member("content", source.value());
    const Value& artifact = *one.value.find("artifact");
    if (artifact.is(Kind::string)) {
      const Result<std::string> text = artifact_of(std::string(artifact.str()), one.line);
      if (!text) {
        return text.error();
      }
      json.key("artifact").raw(text.value());
    } else {
      json.key("artifact").value(artifact);
    }
    json.key("labels").value(*one.value.find("labels")).end_object();
    return std::nullopt;
  }

  // Files are relative to the file with the labels.
  std::string beside(const std::string& name) const {
    const std::size_t slash = file_.rfind('/');
    return name.front() == '/' || slash == std::string::npos ? name : file_.substr(0, slash + 1) + name;
  }

  Result<std::string> source_of(const std::string& name, std::size_t line) {
    if (!last_source_.empty() && name == last_source_) {
      return last_text_;
    }
    const std::string file = beside(name);
    Result<std::string> text = read_file(file, search::FileLimits{}.file_bytes_max);
    text = text ? search::source_text(file, std::move(text).value(), "") : text;
    if (text && text.value().size() > source_bytes_max) {
      text = Error{ErrorCode::limit, "has more than 8 MB of text, the most that a source may have", "", 0, 0};
    }
    if (!text) {
      return wrong(line, "the source " + file + ": " + text.error().message);
    }
    last_source_ = name;
    last_text_ = text.value();
    return text;
  }

  Result<std::string> artifact_of(const std::string& name, std::size_t line) {
    const std::string file = name.empty() ? name : beside(name);
    const Result<std::string> text = file.empty()
                                         ? Result<std::string>(Error{ErrorCode::invalid_argument, "no name", "", 0, 0})
                                         : read_file(file, artifact_bytes_max);
    json::Arena arena;
    const Result<Value> read = text ? json::parse(text.value(), arena) : Result<Value>(text.error());
    if (!read) {
      return wrong(line, "the artifact " + file + ": " + read.error().message);
    }
    return json::value_text(read.value());
  }

  std::string file_;
  std::string text_;
  json::Arena arena_;
  std::vector<Entry> entries_;
  std::string contract_;
  std::string last_source_;
  std::string last_text_;
};

}  // namespace

CommandSpec judge_calibrate_command() {
  CommandSpec c;
  c.path = "judge calibrate";
  c.summary = "Measure how often the judge is wrong, with claims that you have labelled";
  c.description =
      "Asks the judge about artifacts whose claims you have labelled, exactly as 'plumb make' asks it, and compares. "
      "Two rates with 95 % intervals come of it: how many of the false claims the judge catches (true-positive rate), "
      "and how many of the true claims it rejects (false-positive rate). A claim is false if the source does not "
      "support it. Claims that the judge leaves undecided are counted apart.\n\nLABELS has one JSON object a line, or "
      "a "
      "list of them: {\"contract\": \"quiz\", \"source\": \"chapter.md\", \"artifact\": \"quiz.json\", \"labels\": "
      "{\"questions[0]\": true, \"questions[1]\": {\"answer-correct\": false, \"answerable\": true}}}. Files are "
      "relative to LABELS; the artifact may also be written out. A place with true or false labels every rule that the "
      "judge decides there; an object labels single rules.\n\nThe result is kept in the store, by judge, contract and "
      "prompt. Later runs with the same three show it, and `judge` in plumb.yaml can demand it.\n\nExit code 0: "
      "measured; 1: measured, and worse than plumb.yaml allows; 2: not measured, or not all of it, or wrong usage.";
  c.arguments = {{"LABELS", "A file with labels, as above.", Completes::file, false, true}};
  c.options = {{"--format",
                'f',
                "FORMAT",
                {"text", "json"},
                "text",
                "text: for people. json: the whole measurement, with each claim on which the judge and you differ.",
                Completes::choice,
                false},
               token_budget_option("what a job with each source may spend")};
  add_run_options(c, {"judge"}, "Write the result to this file instead of standard output.",
                  "The same as --format json.");
  c.examples = {"plumb judge calibrate labels.jsonl --provider ollama/qwen3:8b",
                "plumb judge calibrate labels.jsonl --provider openai/gpt-4o-mini --format json -o measured.json"};
  return c;
}

int run_judge_calibrate(const Arguments& arguments) {
  LabelsFile labels(arguments.positionals().front());
  Result<std::string> request = labels.request();
  if (!request) {
    return fail(request.error());
  }
  const Result<RunSetup> setup = set_up_run(arguments);
  if (!setup) {
    return fail(setup.error());
  }
  std::string budget;
  json::Writer json(budget);
  json.begin_object();
  if (const Result<bool> given = write_number(json, arguments, "--token-budget", "token_budget"); !given) {
    return fail(given.error());
  }
  json.end_object();
  RunCommand what;
  what.pipeline = "calibration";
  what.request = std::move(request).value() + (budget.size() > 2 ? "," + budget.substr(1) : "}");
  what.explain = [&labels](Error& error) { labels.explain(error); };
  return run_command(arguments, setup.value(), std::move(what));
}

}  // namespace plumb::cli
