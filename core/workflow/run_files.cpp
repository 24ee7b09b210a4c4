#include "core/workflow/run_files.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/ascii.hpp"
#include "core/budget/risk.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/workflow/makefile.hpp"
#include "core/workflow/programs.hpp"
#include "core/workflow/shell_commands.hpp"
#include "core/workflow/shell_values.hpp"
#include "core/workflow/test_files.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t files_max = 100;
constexpr std::size_t depth_max = 5;
constexpr std::size_t commands_max = 20'000;
constexpr std::size_t looks_max = 50;  // at files whose names do not say whether they are scripts

// Programs that take scripts as data.
constexpr std::string_view readers =
    "[ [[ bats cat chmod cmp cut diff echo egrep fgrep file git gmake grep head jq ls make md5sum mkdir nl printf "
    "rg rm sed sha1sum sha256sum shellcheck shfmt sort stat tac tail tar test touch tr uniq wc zip";
// Those of them whose output a shell may be given.
constexpr std::string_view feeders = "cat cut echo find grep head jq ls nl printf sed sort tac tail tr uniq";
constexpr std::string_view suffixes = ".sh .bash .dash .ksh .zsh .mk .awk .sed";

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return ascii::is_word(c); });
}

// Source code that a loop reads is what it checks, and no list.
bool is_code(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  return dot != std::string_view::npos &&
         has_word("c cc cpp cs cxx css go h hpp html java js jsx kt mjs php py rb rs scala sql swift ts tsx",
                  file.substr(dot + 1));
}

class Finder {
 public:
  explicit Finder(const ReadText& read) : read_(read) {}

  std::vector<RunFile> run(const Gate& gate) {
    std::string dir = gate.dir;
    if (!gate.report.empty()) {
      add({gate.report});
    }
    command(gate.argv, dir, "", 0);
    dir = gate.dir;
    command(gate.fix_argv, dir, "", 0);
    return std::move(out_);
  }
  bool cut() const { return cut_; }

 private:
  using Words = std::vector<std::string>;

  // A path below the repository's top; empty: it leads out of it, or cannot be known.
  static std::string below(std::string_view dir, std::string_view path) {
    if (const std::size_t top = path.rfind(from_top); top != std::string_view::npos) {
      dir = {};
      path.remove_prefix(top + 1);
      path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
      path = path.empty() ? "." : path;
    }
    if (path.empty() || path.front() == '/' || path.front() == '~' || path.find('$') != std::string_view::npos) {
      return {};
    }
    std::string out = budget::plain_path(std::string(dir) + "/" + std::string(path));
    out.erase(0, out.starts_with("/") ? 1 : 0);
    return out.starts_with("..") ? std::string() : out;
  }

  void add(RunFile file) {
    if (file.pattern.empty() || std::find(out_.begin(), out_.end(), file) != out_.end()) {
      return;
    }
    out_.size() < files_max ? out_.push_back(std::move(file)) : void(cut_ = true);
  }

  void configured(std::string_view list, std::string_view dir) {
    // A blank may stand between the words of a file.
    while (!list.empty()) {
      list.remove_prefix(std::min(list.find_first_not_of(' '), list.size()));
      const std::size_t name = std::min(list.find_first_of(" {[("), list.size());
      RunFile file{std::string(list.substr(0, name)), Counts::whole, {}};
      list.remove_prefix(name);
      if (!list.empty() && list.front() != ' ') {
        file.counts = list.front() == '{' ? Counts::members : list.front() == '[' ? Counts::sections : Counts::lines;
        const std::size_t end = list.find_first_of("}])");
        file.words = split_words(list.substr(1, end - 1), " ,");
        list.remove_prefix(end + 1);
      }
      file.pattern = file.pattern.empty() ? file.pattern : below(dir, file.pattern);
      add(std::move(file));
    }
  }

  // The first word from `at` that is no option and no value of one.
  static std::size_t operand(const Words& words, std::size_t at, std::string_view valued) {
    for (; at < words.size() && words[at].size() > 1 && words[at].starts_with('-'); ++at) {
      if (words[at] == "--") {
        return at + 1;
      }
      at += has_word(valued, words[at]) ? 1 : 0;
    }
    return std::min(at, words.size());
  }

  static const std::string* value_of(const Words& words, std::string_view option, std::string_view also = {}) {
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
      if (words[i] == option || (!also.empty() && words[i] == also)) {
        return &words[i + 1];
      }
    }
    return nullptr;
  }

  // `dir`: where it is run, which `cd` changes. `self`: the folder of the script that it stands in.
  void command(Words words, std::string& dir, const std::string& self, std::size_t depth) {
    const auto first =
        std::find_if_not(words.begin(), words.end(), [](const std::string& one) { return is_assignment(one); });
    words.erase(words.begin(), first);
    const std::string input = take_input(words);
    if (words.empty() || depth > depth_max) {
      cut_ = cut_ || !words.empty();
      return;
    }
    if (words[0] == "cd" && words.size() > 1) {
      dir = below(dir, words[1]);
      return;
    }
    const Program* const program = program_of(words[0]);
    fed_ = fed_ || words[0].starts_with(from_input);
    if (words[0].find('/') != std::string::npos && words[0][0] != '/') {
      script(below(dir, words[0]), dir, depth, true);
    }
    named_scripts(words, dir, depth);
    fed_ = fed_ || words[0].starts_with("$(") || finds_scripts(words);
    if (has_word("done xargs mapfile readarray", words[0]) && !is_code(input)) {  // a list of what is run or checked
      add({below(dir, input)});
    }
    if (program == nullptr) {
      return;
    }
    if (takes_input(words, *program)) {
      input.empty() ? void(fed_ = true) : script(below(dir, input), dir, depth, false, program->runs == Runs::shell);
    }
    configured(program->configured, dir);
    const std::size_t at = operand(words, 1, program->valued);
    switch (program->runs) {
      case Runs::nothing:
        return;
      case Runs::filed:
        return filed(words, dir);
      case Runs::cmake:
        for (const std::string_view option : {"-P", "-C"}) {
          const std::string* const value = value_of(words, option);
          add({value == nullptr ? "" : below(dir, *value)});
        }
        return;
      case Runs::shell:
        return shell(words, at, dir, self, depth);
      case Runs::script:
        for (const std::string_view option : {"--require", "-r", "--import", "--loader"}) {
          if (const std::string* value = value_of(words, option)) {
            script(below(dir, *value), dir, depth, false);
          }
        }
        if (at < words.size() && !has_inline(words, at)) {
          script(below(dir, words[at]), dir, depth, false);
        }
        return;
      case Runs::python:
        return python(words, at, dir, self, depth);
      case Runs::make:
        return make(words, dir, depth);
      case Runs::npm:
        return npm(words, at, dir, depth);
      case Runs::command:
        return inner(words, at, dir, self, depth);
    }
  }

  static std::string take_input(Words& words) {
    std::string out;
    for (const std::string& one : words) {
      out = one.starts_with(input_mark) ? one.substr(1) : out;
    }
    words.erase(std::remove_if(words.begin(), words.end(), [](const auto& one) { return one.starts_with(input_mark); }),
                words.end());
    return out;
  }

  // Whether it runs what it reads: an interpreter without a script, or with one of which each line names one.
  static bool takes_input(const Words& words, const Program& program) {
    if (program.runs == Runs::command) {
      const std::size_t at = operand(words, 1, program.valued);
      const Program* const inner = at < words.size() ? program_of(words[at]) : nullptr;
      return words[0] == "xargs" && inner != nullptr && !has_inline(words, words.size()) && runs_scripts(*inner);
    }
    const std::size_t at = operand(words, 1, program.valued);
    const bool text = std::find(words.begin(), words.end(), "-c") != words.end() || has_inline(words, at) ||
                      std::find(words.begin(), words.end(), "-m") != words.end();
    return runs_scripts(program) && !text &&
           (at >= words.size() || words[at] == "-" || words[at] == "/dev/stdin" || words[at].starts_with(from_input));
  }
  static bool finds_scripts(const Words& words) {
    const auto exec = std::find_if(words.begin(), words.end(), [](const std::string& one) {
      return one == "-exec" || one == "-execdir" || one == "-ok";
    });
    if (words[0] != "find" || words.end() - exec < 2) {
      return false;
    }
    const Program* const inner = program_of(exec[1]);
    return exec[1] == "{}" || (inner != nullptr && runs_scripts(*inner) && !has_inline(words, words.size()));
  }
  static bool runs_scripts(const Program& program) {
    return program.runs == Runs::shell || program.runs == Runs::script || program.runs == Runs::python;
  }

  // Operands that are scripts by their names or their first lines.
  void named_scripts(const Words& words, const std::string& dir, std::size_t depth) {
    if (has_word(readers, words[0])) {
      return;
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      const std::string text = word.substr(word.starts_with('-') ? std::min(word.find('=') + 1, word.size()) : 0);
      const std::string path = text.find(' ') == std::string::npos ? below(dir, text) : std::string();
      const std::size_t name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
      const std::size_t dot = path.find('.', name);
      if (dot != std::string::npos && dot > name && has_word(suffixes, path.substr(path.rfind('.')))) {
        const bool shell = !path.ends_with(".mk") && !path.ends_with(".awk") && !path.ends_with(".sed");
        script(path, dir, depth, false, shell);
      } else if (dot == std::string::npos && text.find('/') != std::string::npos && !is_pattern(path) &&
                 seen_.count(path) == 0) {
        cut_ = cut_ || looks_ == looks_max;
        const std::optional<std::string> found = looks_ < looks_max ? read_(path) : std::nullopt;
        looks_ += looks_ < looks_max ? 1 : 0;
        if (found && found->starts_with("#!")) {
          script(path, dir, depth, true);
        }
      }
    }
  }

  static bool is_pattern(std::string_view path) { return path.find_first_of("*?[") != std::string_view::npos; }

  // What a command writes is run by another one: the files that it names are scripts, or have them.
  void feeds(const Words& words, const std::string& dir, const std::string& self, std::size_t depth) {
    if (words[0] == "find") {
      for (const std::string& one : found_patterns(words)) {
        script(below(dir, one), dir, depth, false, true);
      }
      return;
    }
    const bool reads = has_word(feeders, words[0]);
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].starts_with(input_mark)) {
        script(below(dir, words[i].substr(1)), dir, depth, false, true);
      } else if (reads && words[i].find(' ') != std::string::npos) {
        text(words[i], dir, self, depth + 1);
      } else if (reads && !words[i].starts_with('-') && words[i].find_first_of("/.*") != std::string::npos) {
        script(below(dir, words[i]), dir, depth, false, true);
      }
    }
  }

  // awk -f FILE, awk -fFILE, grep --file=FILE
  void filed(const Words& words, const std::string& dir) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const bool next = words[i] == "-f" || words[i] == "--file" || words[i] == "--from-file";
      const std::size_t from = words[i].starts_with("--file=") ? 7 : words[i].starts_with("-f") ? 2 : 0;
      if (next && i + 1 < words.size()) {
        add({below(dir, words[++i])});
      } else if (!next && from > 0) {
        add({below(dir, words[i].substr(from))});
      }
    }
  }

  // The program is behind -e, -p or -c, or its operands are tests.
  static bool has_inline(const Words& words, std::size_t end) {
    return std::any_of(words.begin() + 1, words.begin() + static_cast<std::ptrdiff_t>(end), [](const std::string& one) {
      return one == "-e" || one == "-p" || one == "--eval" || one == "--print" || one == "--test";
    });
  }

  void text(std::string_view of, const std::string& dir, const std::string& self, std::size_t depth) {
    std::string here = dir;
    ShellValues values(self);
    const bool outer = std::exchange(fed_, false);
    std::vector<std::pair<Words, std::string>> all;
    for (const Words& raw : shell_commands(of)) {
      values.learn(raw, here);
      const std::string where = here;
      for (Words& words : values.commands(raw, where)) {
        if (!words.empty() && raw.front().starts_with('$')) {  // a variable with a command and its words
          const Words parts = split_words(words.front());
          words.erase(words.begin());
          words.insert(words.begin(), parts.begin(), parts.end());
        }
        if (++commands_ > commands_max) {
          cut_ = true;
          break;
        }
        all.emplace_back(words, where);
        command(std::move(words), here, self, depth + 1);
      }
    }
    for (const auto& [words, where] : fed_&& depth < depth_max ? all : decltype(all)()) {
      if (!words.empty()) {
        feeds(words, where, self, depth);
      }
    }
    fed_ = outer;
  }

  // A file that is run. `shown`: by its own first line, else by a program that is named.
  void script(const std::string& path, const std::string& dir, std::size_t depth, bool shown, bool shell = false) {
    if (path.empty() || !seen_.insert(path).second) {
      return;
    }
    if (!is_test_file(path)) {
      add({path});
    }
    if (depth >= depth_max || (!shell && !shown) || is_pattern(path)) {
      cut_ = cut_ || depth >= depth_max;
      return;
    }
    const std::optional<std::string> found = read_(path);
    const std::string first = found ? found->substr(0, found->find('\n')) : std::string();
    const bool of_shell = shell || (first.starts_with("#!") && first.find("sh") != std::string::npos) ||
                          (!first.starts_with("#!") && first.find('\0') == std::string::npos);
    if (found && of_shell) {
      text(*found, dir, path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/')), depth);
    }
  }

  void shell(const Words& words, std::size_t at, const std::string& dir, const std::string& self, std::size_t depth) {
    for (std::size_t i = 1; i < at && i < words.size(); ++i) {
      if (words[i][0] == '-' && words[i].find('c') != std::string::npos && words[i][1] != '-') {
        return at < words.size() ? text(words[at], dir, self, depth) : void();
      }
    }
    if (at < words.size()) {
      script(below(dir, words[at]), dir, depth, false, true);
    }
  }

  void python(const Words& words, std::size_t at, std::string& dir, const std::string& self, std::size_t depth) {
    const auto module = std::find(words.begin(), words.end(), "-m");
    if (module == words.end() || static_cast<std::size_t>(module - words.begin()) > at) {
      const bool inline_text =
          std::find(words.begin(), words.end(), "-c") < words.begin() + static_cast<std::ptrdiff_t>(at);
      return at < words.size() && !inline_text ? script(below(dir, words[at]), dir, depth, false) : void();
    }
    if (module + 1 == words.end()) {
      return;
    }
    // A module of the project goes before one that is installed.
    std::string path = module[1];
    std::replace(path.begin(), path.end(), '.', '/');
    for (const char* end : {".py", "/__main__.py", "/__init__.py"}) {
      add({below(dir, path + end)});
    }
    command(Words(module + 1, words.end()), dir, self, depth + 1);
  }

  void inner(const Words& words, std::size_t at, std::string& dir, const std::string& self, std::size_t depth) {
    if (words[0] == "eval") {
      std::string all;
      for (std::size_t i = 1; i < words.size(); ++i) {
        all += words[i] + " ";
      }
      return text(all, dir, self, depth + 1);
    }
    // "timeout 60 make", "poetry run pytest", "coverage run -m unittest"
    while (at < words.size() && (ascii::is_digit(words[at][0]) || is_assignment(words[at]) || words[at] == "run" ||
                                 words[at] == "exec" || words[at] == "tool")) {
      at = operand(words, at + 1, "");
    }
    const auto module = std::find(words.begin(), words.end(), "-m");
    const bool measured = has_word("coverage", words[0]);
    if (at < words.size() && measured) {
      Words python_words = {"python"};
      const std::size_t from = std::min(at, static_cast<std::size_t>(module - words.begin()));
      python_words.insert(python_words.end(), words.begin() + static_cast<std::ptrdiff_t>(from), words.end());
      return command(std::move(python_words), dir, self, depth + 1);
    }
    if (at < words.size()) {
      command(Words(words.begin() + static_cast<std::ptrdiff_t>(at), words.end()), dir, self, depth + 1);
    }
  }

  void make(const Words& words, const std::string& dir, std::size_t depth) {
    const std::string* const folder = value_of(words, "-C", "--directory");
    const std::string here = folder == nullptr ? dir : below(dir, *folder);
    std::vector<std::string> candidates = {"GNUmakefile", "makefile", "Makefile"};
    if (const std::string* file = value_of(words, "-f", "--file")) {
      candidates = {*file};
    }
    std::vector<std::string> goals;
    for (std::size_t i = 1; i < words.size(); ++i) {
      i = operand(words, i, "-C -f -I -o -W --directory --file");
      if (i < words.size() && words[i].find('=') == std::string::npos) {
        goals.push_back(words[i]);
      }
    }
    bool found = false;
    for (const std::string& name : candidates) {
      const std::string path = below(here, name);
      add({path});
      const std::optional<std::string> whole = found || path.empty() || depth >= depth_max ? std::nullopt : read_(path);
      if (!whole) {
        continue;
      }
      found = true;
      std::string all = *whole;
      for (const std::string& one : included_makefiles(*whole)) {
        add({below(here, one)});
        all += "\n" + read_(below(here, one)).value_or("");
      }
      if (const std::string shell = shell_of(all); shell.find('/') != std::string::npos && shell[0] != '/') {
        script(below(here, shell), here, depth, true);
      }
      text(recipes_of(all, goals), here, here, depth);
    }
  }

  void npm(const Words& words, std::size_t at, const std::string& dir, std::size_t depth) {
    const auto joined =
        std::find_if(words.begin(), words.end(), [](const auto& one) { return one.starts_with("--prefix="); });
    const std::string* const apart = value_of(words, "--prefix", "-C");
    const std::string folder = joined != words.end() ? joined->substr(9) : apart != nullptr ? *apart : "";
    const std::string here = folder.empty() ? dir : below(dir, folder);
    const bool parts = std::any_of(words.begin() + 1, words.end(), [](const std::string& one) {
      return has_word("-w -ws -F -r --workspaces --recursive workspace workspaces", one) ||
             one.starts_with("--workspace") || one.starts_with("--filter");
    });
    if (!folder.empty() || parts) {
      configured(program_of("npm")->configured, parts ? here + "/**" : here);
    }
    std::size_t name = at;
    while (name < words.size() && (words[name] == "run" || words[name] == "run-script" ||
                                   words[name].starts_with('-') || &words[name] == apart)) {
      ++name;
    }
    if (name >= words.size()) {
      return;
    }
    if (words[name] == "exec" || words[name] == "dlx" || words[name] == "x") {
      std::string changed = here;
      const std::size_t from = operand(words, name + 1, "");
      return command(Words(words.begin() + static_cast<std::ptrdiff_t>(std::min(from, words.size())), words.end()),
                     changed, "", depth + 1);
    }
    const std::string script_name = words[name] == "t" || words[name] == "tst" ? "test" : words[name];
    const std::optional<std::string> package = read_(below(here, "package.json"));
    json::Arena arena;
    const Result<json::Value> read = json::parse(package ? *package : "{}", arena);
    const json::Value* const scripts = read ? read.value().find("scripts") : nullptr;
    if (scripts == nullptr || !has_scripts_left()) {
      return;
    }
    for (const std::string_view before : {"pre", "", "post"}) {
      text(json::text_of(*scripts, std::string(before) + script_name), here, here, depth);
    }
    std::string changed = here;
    command({words.begin() + static_cast<std::ptrdiff_t>(name), words.end()}, changed, "", depth + 1);
  }

  // Scripts may name each other in circles.
  bool has_scripts_left() { return ++scripts_ <= files_max; }

  const ReadText& read_;
  std::vector<RunFile> out_;
  std::set<std::string> seen_;
  std::size_t scripts_ = 0, looks_ = 0, commands_ = 0;
  bool fed_ = false;  // a command of this text runs what another one writes
  bool cut_ = false;
};

// Of TOML or an INI file: the sections with one of the words in their heading, as they stand.
std::string sections_of(std::string_view text, const std::vector<std::string>& words) {
  std::string out;
  bool in = false;
  for (const std::string& line : split_words(text, "\n")) {
    if (line.front() == '[') {
      const std::string heading = ascii::lower(line.substr(0, line.find(']')));
      in = std::any_of(words.begin(), words.end(),
                       [&](const std::string& one) { return heading.find(one) != std::string::npos; });
    }
    out += in ? line + "\n" : "";
  }
  return out;
}

std::string members_of(std::string_view text, const std::vector<std::string>& words) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(text, arena);
  if (!read || !read.value().is(json::Kind::object)) {
    return std::string(text);
  }
  std::string out;
  for (const std::string& one : words) {
    const json::Value* const found = read.value().find(one);
    out += one + ":" + (found == nullptr ? "" : json::value_text(*found)) + "\n";
  }
  return out;
}

// How often each line that counts is there, without its blanks at the ends.
std::map<std::string, std::size_t> lines_of(std::string_view text, const std::vector<std::string>& words) {
  std::map<std::string, std::size_t> out;
  for (const std::string& line : split_words(text, "\n")) {
    const std::string lower = ascii::lower(line);
    if (std::any_of(words.begin(), words.end(),
                    [&](const std::string& one) { return lower.find(one) != std::string::npos; })) {
      ++out[std::string(ascii::trim(line))];
    }
  }
  return out;
}

}  // namespace

std::span<const std::string_view> names_of(Counts) {
  static constexpr std::string_view names[] = {"whole", "members", "sections", "lines"};
  return names;
}

std::span<const json::Field> RunFile::fields() {
  static constexpr json::Field table[] = {json::field<&RunFile::pattern>("pattern"),
                                          json::field_if_set<&RunFile::counts>("counts"),
                                          json::field_if_set<&RunFile::words>("words")};
  return table;
}

std::vector<RunFile> files_run_by(const Gate& gate, const ReadText& read, bool* cut) {
  Finder finder(read);
  std::vector<RunFile> out = finder.run(gate);
  if (cut != nullptr) {
    *cut = finder.cut();
  }
  return out;
}

bool fits(const RunFile& file, std::string_view path) { return budget::path_fits(file.pattern, path); }

bool differs(const RunFile& file, const std::optional<std::string>& was, const std::optional<std::string>& is) {
  if (file.counts == Counts::whole) {
    return was != is;
  }
  const std::string before = was.value_or(""), after = is.value_or("");
  if (file.counts == Counts::members) {
    return members_of(was.value_or("{}"), file.words) != members_of(is.value_or("{}"), file.words);
  }
  if (file.counts == Counts::sections) {
    return sections_of(before, file.words) != sections_of(after, file.words);
  }
  std::vector<std::string> gone, come;  // words of lines that may not go, and of those that may not come
  for (const std::string& one : file.words) {
    one.starts_with('+') ? come.push_back(one.substr(1)) : gone.push_back(one);
  }
  const auto fewer = [](const std::map<std::string, std::size_t>& of, std::map<std::string, std::size_t> than) {
    return std::any_of(of.begin(), of.end(), [&](const auto& one) { return than[one.first] < one.second; });
  };
  return fewer(lines_of(before, gone), lines_of(after, gone)) || fewer(lines_of(after, come), lines_of(before, come));
}

}  // namespace plumb::workflow
