#include "core/workflow/gates.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/budget/risk.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/text/command_words.hpp"
#include "core/text/fold.hpp"
#include "core/text/suggest.hpp"
#include "core/workflow/findings.hpp"
#include "core/workflow/plan.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t list_max = 100;
constexpr std::size_t text_max = 4'000;

Error wrong(std::string where, std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), std::move(where), 0, 0};
}

std::string quoted(std::string_view text) { return "'" + json::excerpt(text, 60) + "'"; }

Error not_known(const std::string& where, std::string_view what, std::string_view given,
                std::vector<std::string_view> known) {
  std::string message = quoted(given) + " is no " + std::string(what);
  if (const auto near = text::nearest(given, known)) {
    message += "; did you mean '" + std::string(known[*near]) + "'?";
  } else {
    message += "; there are: " + some_of({known.begin(), known.end()}, 30);
  }
  return wrong(where, std::move(message));
}

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= 60 && std::all_of(name.begin(), name.end(), [](char c) {
    return ascii::is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  });
}

// "/var/cache/x" or "~/.cache/x": never all of it.
bool good_folder(std::string_view path) {
  const bool own = path.starts_with("~/");
  if ((!own && !path.starts_with('/')) || path.size() < (own ? 3U : 2U) || path.find('\0') != std::string_view::npos) {
    return false;
  }
  const std::string parts = std::string(path) + "/";
  return parts.find("/../") == std::string::npos && parts.find("//") == std::string::npos;
}

bool good_variable(std::string_view name) {
  return !name.empty() && name.size() <= 100 && !ascii::is_digit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return ascii::is_word(c); });
}

// How members of hooks in lefthook and pre-commit are called here.
std::string_view name_here(std::string_view theirs) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"glob", "trigger"}, {"globs", "trigger"}, {"files", "trigger"}, {"root", "dir"},
      {"run", "command"},  {"entry", "command"}, {"id", "name"},       {"timeout", "timeout_ms"}};
  const auto* const found =
      std::find_if(std::begin(names), std::end(names), [&](const auto& one) { return one.first == theirs; });
  return found == std::end(names) ? std::string_view() : found->second;
}

// Reads one gate; the first error is kept.
class GateReader {
 public:
  GateReader(const json::Value& value, std::string where) : value_(value), where_(std::move(where)) {}

  Result<Gate> run() {
    if (!value_.is(json::Kind::object)) {
      return wrong(where_, "a gate is an object, such as {\"name\": \"test\", \"command\": \"make test\"}, not " +
                               std::string(json::kind_name(value_.kind)));
    }
    static const std::vector<std::string_view> known = {
        "name",    "command",  "required", "category", "after",      "trigger", "dir",     "timeout_ms", "env",
        "network", "writable", "report",   "caches",   "repeatable", "shell",   "exclude", "fix",
    };
    for (const json::Member& member : value_.object()) {
      if (std::find(known.begin(), known.end(), member.key) == known.end()) {
        Error error = not_known(where_ + "/" + std::string(member.key), "member of a gate", member.key, known);
        if (const std::string_view ours = name_here(member.key); !ours.empty()) {
          error.message = quoted(member.key) + " is called '" + std::string(ours) + "' here";
        }
        return error;
      }
    }
    text("name", gate_.name);
    if (!error_ && !good_name(gate_.name)) {
      fail("name", gate_.name.empty()
                       ? "a gate needs a 'name'"
                       : quoted(gate_.name) +
                             " is not a name: it may have letters, digits, '-', '_' and '.', at most 60 characters");
    }
    flag("required", gate_.required);
    flag("network", gate_.network);
    flag("repeatable", gate_.repeatable);
    flag("shell", gate_.shell);
    text("category", gate_.category);
    path("dir", gate_.dir);
    path("report", gate_.report);
    texts("after", gate_.after);
    texts("trigger", gate_.trigger);
    texts("exclude", gate_.exclude);
    texts("env", gate_.env);
    texts("writable", gate_.writable);
    texts("caches", gate_.caches);
    for (const std::string& one : gate_.env) {
      if (!error_ && !good_variable(one)) {
        fail("env", quoted(one) + " is not a variable name: 'env' lists names, and this host has the values");
      }
    }
    for (const std::string& one : gate_.caches) {
      const std::string bad = bad_task_path(one);
      if (!error_ && !bad.empty()) {
        fail("caches", quoted(one) + " " + bad);
      }
    }
    for (const std::string& one : gate_.writable) {
      if (!error_ && !good_folder(one)) {
        fail("writable", quoted(one) +
                             " is no folder beside the tree: it begins with '/' or '~/' and has no '..'; what "
                             "lies in the tree may be written anyway");
      }
    }
    read_time();
    command("command", gate_.command, gate_.argv);
    if (value_.find("fix") != nullptr) {
      command("fix", gate_.fix, gate_.fix_argv);
    }
    if (!gate_.report.empty() && takes_files(gate_.argv)) {
      fail("report",
           "a command with {files} runs for some files at a time, so no report can count its tests: leave out "
           "'report' or {files}");
    }
    if (error_) {
      return *error_;
    }
    return std::move(gate_);
  }

 private:
  void fail(std::string_view member, std::string message) {
    if (!error_) {
      const std::string gate = gate_.name.empty() ? "" : "gate '" + gate_.name + "': ";
      error_ = wrong(where_ + (member.empty() ? "" : "/" + std::string(member)), gate + std::move(message));
    }
  }

  void text(const char* name, std::string& into) {
    const json::Value* const value = value_.find(name);
    if (value == nullptr) {
      return;
    }
    if (!value->is(json::Kind::string) || value->size > text_max) {
      return fail(name, "'" + std::string(name) + "' must be a text of at most " + std::to_string(text_max) +
                            " bytes, not " + std::string(json::kind_name(value->kind)));
    }
    into = value->str();
  }

  void path(const char* name, std::string& into) {
    text(name, into);
    const std::string bad = into.empty() || into == "." ? std::string() : bad_task_path(into);
    if (!bad.empty()) {
      fail(name, "'" + std::string(name) + "': " + quoted(into) + " " + bad);
    }
  }

  void flag(const char* name, bool& into) {
    const json::Value* const value = value_.find(name);
    if (value != nullptr && !value->is(json::Kind::boolean)) {
      fail(name, "'" + std::string(name) + "' must be true or false, not " + std::string(json::kind_name(value->kind)));
    } else if (value != nullptr) {
      into = value->boolean;
    }
  }

  void texts(const char* name, std::vector<std::string>& into) {
    const json::Value* const value = value_.find(name);
    if (value == nullptr) {
      return;
    }
    if (value->is(json::Kind::string)) {
      into.emplace_back(value->str());
      return;
    }
    const bool all = value->is(json::Kind::array) && value->size <= list_max &&
                     std::all_of(value->array().begin(), value->array().end(), [](const json::Value& one) {
                       return one.is(json::Kind::string) && one.size > 0 && one.size <= text_max;
                     });
    if (!all) {
      return fail(name, "'" + std::string(name) + "' must be a list of at most " + std::to_string(list_max) + " texts");
    }
    into = json::texts_of(value_, name);
  }

  void read_time() {
    const json::Value* const value = value_.find("timeout_ms");
    if (value == nullptr) {
      return;
    }
    std::uint64_t read = 0;
    if (!value->is(json::Kind::number) || !json::read_uint(value->str(), read) || read == 0 || read > gate_ms_max) {
      return fail("timeout_ms", "'timeout_ms' must be a whole number of milliseconds from 1 to " +
                                    std::to_string(gate_ms_max) + " (an hour)");
    }
    gate_.timeout_ms = read;
  }

  // {files} is a word of its own, since it becomes several. A shell gets them as its parameters: no name is read as
  // a part of its text.
  void place_files(std::string_view member, std::vector<std::string>& argv) {
    const std::string rule =
        "{files} must be " +
        std::string(gate_.shell ? "outside quotes, once" : "a word of its own after the program, once") +
        ": it becomes a word for each changed file";
    if (error_) {
      return;
    }
    if (gate_.shell) {
      std::string& text = argv.back();
      std::size_t at = std::string::npos;
      char quote = 0;
      for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && quote != '\'') {
          ++i;
        } else if (quote != 0 || c == '\'' || c == '"') {
          quote = quote == 0 ? c : quote == c ? '\0' : quote;
        }
        if (text.compare(i, files_place.size(), files_place) == 0) {
          if (quote != 0 || at != std::string::npos) {
            return fail(member, rule);
          }
          at = i;
        }
      }
      if (at != std::string::npos) {
        text.replace(at, files_place.size(), "\"$@\"");
        argv.insert(argv.end(), {"sh", std::string(files_place)});
      }
      return;
    }
    std::size_t places = 0;
    for (std::size_t i = 0; i < argv.size() && !error_; ++i) {
      const bool has = argv[i].find(files_place) != std::string::npos;
      places += has ? 1 : 0;
      if (has && (i == 0 || places > 1 || argv[i] != files_place)) {
        fail(member, rule);
      }
    }
  }

  void command(const char* member, std::string& written, std::vector<std::string>& argv) {
    const json::Value* const value = value_.find(member);
    const std::string name(member);
    if (value == nullptr) {
      return fail(member, "a gate needs a 'command': what is run");
    }
    if (value->is(json::Kind::array)) {
      texts(member, argv);
      if (!error_ && (argv.empty() || gate_.shell)) {
        fail(member,
             gate_.shell ? "with 'shell: true' the " + name + " is one text" : "the " + name + " has no program");
      }
      for (const std::string& word : argv) {
        written += (written.empty() ? "" : " ") + word;
      }
      return place_files(member, argv);
    }
    text(member, written);
    if (!error_ && text::is_blank(written)) {
      return fail(member, "the " + name + " is empty");
    }
    if (gate_.shell) {
      argv = {"/bin/sh", "-c", written};
      return place_files(member, argv);
    }
    Result<std::vector<std::string>> words = text::command_words(written);
    if (!words) {
      fail(member, quoted(written) + ": " + words.error().message);
      if (error_->column == 0) {
        error_->column = words.error().column;
      }
      return;
    }
    argv = std::move(words).value();
    place_files(member, argv);
  }

  const json::Value& value_;
  std::string where_;
  Gate gate_;
  std::optional<Error> error_;
};

Gate simple(std::string_view name, std::string_view command, std::string_view category, bool required = true,
            std::vector<std::string> after = {}) {
  Gate out;
  out.name = name;
  out.command = command;
  Result<std::vector<std::string>> words = text::command_words(command);
  PLUMB_REQUIRE(static_cast<bool>(words), "the commands of presets need no shell");
  out.argv = std::move(words).value();
  out.category = category;
  out.required = required;
  out.after = std::move(after);
  return out;
}

Gate writing(Gate gate, std::string folder) {
  gate.caches.push_back(std::move(folder));
  return gate;
}

// What lies across the gates: names once, `after` before.
std::optional<Error> hold_across(const std::vector<Gate>& gates, const std::vector<std::string>& places) {
  std::vector<std::string_view> before;
  std::vector<std::string_view> all;
  all.reserve(gates.size());
  for (const Gate& gate : gates) {
    all.push_back(gate.name);
  }
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const Gate& gate = gates[i];
    if (std::find(before.begin(), before.end(), gate.name) != before.end()) {
      return wrong(places[i] + "/name", "the gate '" + gate.name + "' is there twice");
    }
    for (const std::string& after : gate.after) {
      if (std::find(before.begin(), before.end(), after) == before.end()) {
        if (std::find(all.begin(), all.end(), after) != all.end()) {
          return wrong(places[i] + "/after",
                       "gate '" + gate.name + "': '" + after +
                           "' does not come before it; gates run in the order they are written in");
        }
        Error error = not_known(places[i] + "/after", "gate", after, all);
        error.message = "gate '" + gate.name + "': " + error.message;
        return error;
      }
    }
    before.push_back(gate.name);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> GateList::names() const {
  std::vector<std::string> out;
  for (const Gate& one : gates) {
    out.push_back(one.name);
  }
  return out;
}

Result<GateList> read_gates(std::string_view json) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(json, arena);
  if (!read) {
    return read.error();
  }
  const json::Value& root = read.value();
  GateList out;
  std::vector<std::string> places;
  const auto add = [&](const json::Value& list, const std::string& where) -> std::optional<Error> {
    if (!list.is(json::Kind::array) || list.size > gates_max) {
      return wrong(where, "gates are a list of at most " + std::to_string(gates_max) +
                              " objects {\"name\", \"command\", \"required\"}, not " +
                              (list.is(json::Kind::array) ? std::to_string(list.size) + " of them"
                                                          : std::string(json::kind_name(list.kind))));
    }
    for (std::size_t i = 0; i < list.size; ++i) {
      const std::string place = where + "/" + std::to_string(i);
      Result<Gate> gate = GateReader(list.array()[i], place).run();
      if (!gate) {
        return gate.error();
      }
      out.gates.push_back(std::move(gate).value());
      places.push_back(place);
    }
    return std::nullopt;
  };
  std::optional<Error> error;
  if (!root.is(json::Kind::object)) {
    error = add(root, "");
  } else {
    static const std::vector<std::string_view> known = {"preset", "overrides", "additional"};
    for (const json::Member& member : root.object()) {
      if (std::find(known.begin(), known.end(), member.key) == known.end()) {
        return not_known("/" + std::string(member.key), "member of gates with a preset", member.key, known);
      }
    }
    const std::string_view preset = json::text_of(root, "preset");
    std::optional<std::vector<Gate>> gates = preset_gates(preset);
    if (!gates) {
      const auto presets = preset_names();
      return not_known("/preset", "preset", preset, {presets.begin(), presets.end()});
    }
    out.gates = std::move(*gates);
    places.assign(out.gates.size(), "/preset");
    const std::span<const json::Value> overrides = json::list_of(root, "overrides");
    for (std::size_t i = 0; i < overrides.size(); ++i) {
      const std::string_view name = json::text_of(overrides[i], "name");
      const auto at =
          std::find_if(out.gates.begin(), out.gates.end(), [&](const Gate& one) { return one.name == name; });
      const json::Value* const required = overrides[i].find("required");
      const std::string where = "/overrides/" + std::to_string(i);
      if (at == out.gates.end() || required == nullptr || !required->is(json::Kind::boolean) ||
          overrides[i].object().size() != 2) {
        return wrong(where,
                     "an override is {\"name\": a gate of the preset, \"required\": true or false}; the preset '" +
                         std::string(preset) + "' has " + some_of(out.names(), 10) +
                         ". What is more is a gate of its own in 'additional'");
      }
      at->required = required->boolean;
    }
    if (const json::Value* const additional = root.find("additional")) {
      error = add(*additional, "/additional");
    }
  }
  error = error ? error : hold_across(out.gates, places);
  if (error) {
    return *error;
  }
  return out;
}

void write_gate(json::Writer& json, const Gate& gate) {
  const auto texts = [&json](std::string_view name, const std::vector<std::string>& list) {
    if (!list.empty()) {
      json.key(name).begin_array();
      for (const std::string& one : list) {
        json.string(one);
      }
      json.end_array();
    }
  };
  json.begin_object().member("name", gate.name);
  if (gate.shell) {
    json.member("command", gate.command).member_boolean("shell", true);
  } else {
    texts("command", gate.argv);
  }
  if (gate.shell && !gate.fix.empty()) {
    json.member("fix", gate.fix);
  } else {
    texts("fix", gate.fix_argv);
  }
  json.member_boolean("required", gate.required);
  for (const auto& [name, text] : {std::pair{"category", &gate.category}, std::pair{"dir", &gate.dir}}) {
    if (!text->empty()) {
      json.member(name, *text);
    }
  }
  texts("after", gate.after);
  texts("trigger", gate.trigger);
  texts("exclude", gate.exclude);
  json.member_uint("timeout_ms", gate.timeout_ms);
  texts("env", gate.env);
  json.member_boolean("network", gate.network);
  texts("writable", gate.writable);
  texts("caches", gate.caches);
  if (!gate.report.empty()) {
    json.member("report", gate.report);
  }
  json.member_boolean("repeatable", gate.repeatable).end_object();
}

std::string gates_json(std::span<const Gate> gates) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  for (const Gate& gate : gates) {
    write_gate(json, gate);
  }
  json.end_array();
  return out;
}

std::span<const std::string_view> preset_names() {
  static constexpr std::string_view names[] = {"go", "cmake", "npm", "python", "make"};
  return names;
}

std::optional<std::vector<Gate>> preset_gates(std::string_view preset) {
  if (preset == "go") {
    return std::vector{simple("build", "go build ./...", "compile"),
                       simple("vet", "go vet ./...", "lint", true, {"build"}),
                       simple("test", "go test ./...", "test", true, {"build"}),
                       simple("lint", "golangci-lint run", "lint", false, {"build"})};
  }
  if (preset == "cmake") {
    Gate test = writing(
        simple("test", "ctest --test-dir build --output-on-failure --output-junit junit.xml", "test", true, {"build"}),
        "build");
    test.report = "build/junit.xml";
    return std::vector{writing(simple("configure", "cmake -S . -B build", "compile"), "build"),
                       writing(simple("build", "cmake --build build", "compile", true, {"configure"}), "build"),
                       std::move(test)};
  }
  if (preset == "npm") {
    return std::vector{writing(simple("build", "npm run build", "compile"), "node_modules"),
                       writing(simple("test", "npm test", "test"), "node_modules"),
                       writing(simple("lint", "npm run lint", "lint", false), "node_modules")};
  }
  if (preset == "python") {
    Gate test = simple("test", "python3 -m pytest --junitxml=.pytest-junit.xml", "test", true, {"compile"});
    test.report = ".pytest-junit.xml";
    return std::vector{simple("compile", "python3 -m compileall -q .", "compile"), std::move(test)};
  }
  if (preset == "make") {
    return std::vector{simple("build", "make", "compile"), simple("test", "make test", "test", true, {"build"})};
  }
  return std::nullopt;
}

bool takes_files(std::span<const std::string> argv) {
  return std::find(argv.begin(), argv.end(), files_place) != argv.end();
}

std::vector<std::string> files_of(const Gate& gate, std::span<const std::string> changed) {
  const std::string dir(budget::plain_path(gate.dir));
  const std::string below = dir.empty() || dir == "." ? "" : dir + "/";
  const auto fits = [](const std::vector<std::string>& globs, const std::string& path) {
    const std::string base = path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
    return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
      return budget::path_fits(glob, path) || budget::path_fits(glob, base);
    });
  };
  std::vector<std::string> out;
  for (const std::string& path : changed) {
    if (path.starts_with(below) && !path.ends_with('/') && (gate.trigger.empty() || fits(gate.trigger, path)) &&
        !fits(gate.exclude, path)) {
      const std::string inner = path.substr(below.size());
      const bool plain =
          ascii::is_word(inner.front()) || inner.front() == '.' || static_cast<unsigned char>(inner.front()) >= 0x80;
      out.push_back((plain ? "" : "./") + inner);
    }
  }
  return out;
}

namespace {

// Whether one of the paths is a submodule, and `trigger` may fit a file below it that `exclude` does not take away.
bool fits_submodule(const Gate& gate, std::span<const std::string> changed) {
  const auto may_fit = [](std::string_view glob, std::string_view folder) {
    const std::string_view plain = glob.substr(0, glob.find_first_of("*?["));
    return plain.starts_with(folder) || folder.starts_with(plain);
  };
  return !takes_files(gate.argv) && std::any_of(changed.begin(), changed.end(), [&](const std::string& path) {
    const auto excluded = [&](const std::string& glob) { return budget::path_fits(glob, path + "x/x"); };
    return path.ends_with('/') && std::none_of(gate.exclude.begin(), gate.exclude.end(), excluded) &&
           (gate.trigger.empty() || std::any_of(gate.trigger.begin(), gate.trigger.end(), [&](const std::string& glob) {
              return may_fit(glob, path) || budget::path_fits(glob, path.substr(0, path.size() - 1));
            }));
  });
}

}  // namespace

std::vector<std::uint32_t> gates_for(std::span<const Gate> gates, std::span<const std::string> changed) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < gates.size(); ++i) {
    Gate anywhere = gates[i];
    if (!takes_files(anywhere.argv)) {
      anywhere.dir.clear();  // it may depend on files outside
    }
    const bool all =
        !takes_files(anywhere.argv) && (changed.empty() || (anywhere.trigger.empty() && anywhere.exclude.empty()));
    if (all || !files_of(anywhere, changed).empty() || fits_submodule(anywhere, changed)) {
      out.push_back(i);
    }
  }
  return out;
}

}  // namespace plumb::workflow
