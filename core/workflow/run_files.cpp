#include "core/workflow/run_files.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/ascii.hpp"
#include "core/budget/risk.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/workflow/makefile.hpp"
#include "core/workflow/shell_commands.hpp"
#include "core/workflow/test_files.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t files_max = 100;
constexpr std::size_t depth_max = 5;

// What the words of a program are.
enum class Runs : std::uint8_t {
  nothing,  // none of them is run
  shell,    // a script of a shell, or a text behind -c
  script,   // the first that is no option
  python,   // likewise, or a module behind -m
  make,     // targets of a Makefile
  npm,      // scripts of package.json
  command,  // a command of its own: the program only goes before it
};

struct Program {
  std::string_view names;  // apart by blanks
  Runs runs;
  std::string_view valued;      // options that take the next word
  std::string_view configured;  // files: NAME, NAME{members}, NAME[sections] or NAME(lines), below the gate's folder
};

// A row a program, or some that are alike. What they configure counts from the folder that the gate runs in.
constexpr Program programs[] = {
    {"sh bash dash ash zsh ksh . source", Runs::shell, "-o", ""},
    {"python pypy", Runs::python, "-W -X -Q", ""},
    {"node nodejs ts-node tsx", Runs::script, "-C --conditions -r --require --import --loader", ".npmrc"},
    {"perl ruby php lua Rscript", Runs::script, "-I -d", ""},
    {"make gmake", Runs::make, "-C -f -I -o -W -j", ""},
    {"npm pnpm yarn bun", Runs::npm, "",
     ".npmrc .yarnrc .yarnrc.yml bunfig.toml  package.json{scripts,jest,mocha,ava,tap,c8,nyc,vitest,config,type}"},
    {"deno", Runs::nothing, "", "deno.json deno.jsonc"},
    {"just", Runs::nothing, "", "justfile Justfile .justfile"},
    {"task", Runs::nothing, "", "Taskfile.yml Taskfile.yaml"},
    {"env nohup exec command builtin sudo eval xargs npx bunx setsid", Runs::command, "-u -n -I -P -p", ""},
    {"nice timeout stdbuf xvfb-run", Runs::command, "-n -s -k -o -e -i -a", ""},
    {"coverage c8 nyc", Runs::command, "--source",
     ".coveragerc .nycrc .nycrc.json pyproject.toml[coverage]  "
     "package.json{scripts,jest,mocha,ava,tap,c8,nyc,vitest,config,type}"},
    {"poetry pipenv uv hatch pdm rye bundle", Runs::command, "", "pyproject.toml[hatch pdm poe]"},
    {"pytest py.test", Runs::nothing, "",
     "pytest.ini .pytest.ini **/conftest.py pyproject.toml[pytest] tox.ini[pytest] setup.cfg[pytest]"},
    {"tox", Runs::nothing, "", "tox.ini pyproject.toml[tox] setup.cfg[tox]"},
    {"nox", Runs::nothing, "", "noxfile.py"},
    {"jest mocha ava tap vitest karma playwright cypress", Runs::nothing, "",
     "**/jest.config.* **/.mocharc.* **/ava.config.* **/.taprc **/vitest.config.* **/vitest.workspace.* "
     "**/karma.conf.* **/playwright.config.* **/cypress.config.*  "
     "package.json{scripts,jest,mocha,ava,tap,c8,nyc,vitest,config,type}"},
    {"ctest", Runs::nothing, "", "**/CMakeLists.txt(test) CTestConfig.cmake CTestCustom.cmake CMakePresets.json"},
    {"cmake", Runs::nothing, "", "**/CMakeLists.txt(test) CMakePresets.json"},
    {"meson ninja", Runs::nothing, "", "**/meson.build(test)"},
    {"cargo", Runs::nothing, "", ".cargo/** Cargo.toml[test lib] rust-toolchain rust-toolchain.toml"},
    {"mvn", Runs::nothing, "", "**/pom.xml(test surefire failsafe skip) .mvn/**"},
    {"gradle", Runs::nothing, "", "**/build.gradle(test) **/build.gradle.kts(test) gradle.properties"},
    {"mvnw", Runs::nothing, "", "**/pom.xml(test surefire failsafe skip) .mvn/**"},
    {"gradlew", Runs::nothing, "",
     "**/build.gradle(test) **/build.gradle.kts(test) gradle/wrapper/** gradle.properties"},
    {"rake", Runs::nothing, "", "Rakefile"},
    {"rspec", Runs::nothing, "", ".rspec **/spec_helper.rb"},
    {"phpunit", Runs::nothing, "", "phpunit.xml phpunit.xml.dist"},
    {"composer", Runs::nothing, "", "composer.json{scripts}"},
    {"dotnet", Runs::nothing, "", "**/*.runsettings Directory.Build.props Directory.Build.targets"},
    {"bazel bazelisk", Runs::nothing, "", ".bazelrc"},
    {"pre-commit", Runs::nothing, "", ".pre-commit-config.yaml"},
    {"golangci-lint", Runs::nothing, "", ".golangci.*"},
    {"clang-tidy run-clang-tidy", Runs::nothing, "", "**/.clang-tidy"},
    {"clang-format", Runs::nothing, "", "**/.clang-format"},
    {"eslint", Runs::nothing, "", "**/.eslintrc* **/eslint.config.* .eslintignore"},
    {"prettier", Runs::nothing, "", "**/.prettierrc* .prettierignore"},
    {"tsc", Runs::nothing, "", "**/tsconfig*.json"},
    {"ruff", Runs::nothing, "", "**/ruff.toml **/.ruff.toml pyproject.toml[ruff]"},
    {"mypy", Runs::nothing, "", "mypy.ini .mypy.ini pyproject.toml[mypy] setup.cfg[mypy]"},
    {"flake8 pylint", Runs::nothing, "", ".flake8 .pylintrc pylintrc tox.ini[flake8] setup.cfg[flake8 pylint]"},
};

std::vector<std::string> words_of(std::string_view text, std::string_view apart = " ") {
  std::vector<std::string> out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find_first_of(apart, from), text.size());
    if (end > from) {
      out.emplace_back(text.substr(from, end - from));
    }
    from = end + 1;
  }
  return out;
}

bool has_word(std::string_view words, std::string_view word) {
  const std::vector<std::string> all = words_of(words);
  return std::find(all.begin(), all.end(), word) != all.end();
}

// "python3.11" is python, "/usr/bin/make" is make.
const Program* program_of(std::string_view word) {
  std::string_view name = word.substr(word.rfind('/') == std::string_view::npos ? 0 : word.rfind('/') + 1);
  while (name.size() > 1 && (ascii::is_digit(name.back()) || name.back() == '.')) {
    name.remove_suffix(1);
  }
  const auto found = std::find_if(std::begin(programs), std::end(programs),
                                  [&](const Program& one) { return has_word(one.names, name); });
  return name.empty() ? nullptr : found == std::end(programs) ? nullptr : &*found;
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return ascii::is_word(c); });
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
    return std::move(out_);
  }

 private:
  using Words = std::vector<std::string>;

  // A path below the repository's top; empty: it leads out of it, or cannot be known.
  static std::string below(std::string_view dir, std::string_view path) {
    if (path.empty() || path.front() == '/' || path.front() == '~' || path.find('$') != std::string_view::npos) {
      return {};
    }
    std::string out = budget::plain_path(std::string(dir) + "/" + std::string(path));
    out.erase(0, out.starts_with("/") ? 1 : 0);
    return out.starts_with("..") ? std::string() : out;
  }

  void add(RunFile file) {
    if (out_.size() < files_max && !file.pattern.empty() && std::find(out_.begin(), out_.end(), file) == out_.end()) {
      out_.push_back(std::move(file));
    }
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
        file.words = words_of(list.substr(1, end - 1), " ,");
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
    if (words.empty() || depth > depth_max) {
      return;
    }
    if (words[0] == "cd" && words.size() > 1) {
      const bool own = words[1].find("dirname") != std::string::npos || words[1].find("${0%") != std::string::npos;
      const std::string tail = own ? words[1].substr(std::min(words[1].find_last_of(")}") + 1, words[1].size())) : "";
      dir = own ? below("", self + "/." + tail) : below(dir, words[1]);
      return;
    }
    const Program* const program = program_of(words[0]);
    if (words[0].find('/') != std::string::npos && words[0][0] != '/') {
      script(below(dir, words[0]), dir, depth, true);
    }
    if (program == nullptr) {
      return;
    }
    configured(program->configured, dir);
    const std::size_t at = operand(words, 1, program->valued);
    switch (program->runs) {
      case Runs::nothing:
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

  // The program is behind -e, -p or -c, or its operands are tests.
  static bool has_inline(const Words& words, std::size_t end) {
    return std::any_of(words.begin() + 1, words.begin() + static_cast<std::ptrdiff_t>(end), [](const std::string& one) {
      return one == "-e" || one == "-p" || one == "--eval" || one == "--print" || one == "--test";
    });
  }

  void text(std::string_view of, const std::string& dir, const std::string& self, std::size_t depth) {
    std::string here = dir;
    for (const Words& words : shell_commands(of)) {
      command(words, here, self, depth + 1);
    }
  }

  // A file that is run. `shown`: by its own first line, else by a program that is named.
  void script(const std::string& path, const std::string& dir, std::size_t depth, bool shown, bool shell = false) {
    if (path.empty() || !seen_.insert(path).second) {
      return;
    }
    if (!is_test_file(path)) {
      add({path});
    }
    if (depth >= depth_max || (!shell && !shown)) {
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
      const bool beside = words[at].find("dirname") != std::string::npos;
      const std::string tail = words[at].substr(beside ? words[at].find_last_of(')') + 1 : 0);
      script(beside ? below("", self + "/." + tail) : below(dir, words[at]), dir, depth, false, true);
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
      text(recipes_of(all, goals), here, here, depth);
    }
  }

  void npm(const Words& words, std::size_t at, const std::string& dir, std::size_t depth) {
    const std::string* const folder = value_of(words, "--prefix", "-C");
    const std::string here = folder == nullptr ? dir : below(dir, *folder);
    std::size_t name = at;
    while (name < words.size() && (words[name] == "run" || words[name] == "run-script" ||
                                   words[name].starts_with('-') || (folder != nullptr && &words[name] == folder))) {
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
  std::size_t scripts_ = 0;
};

// Of TOML or an INI file: the sections with one of the words in their heading, as they stand.
std::string sections_of(std::string_view text, const std::vector<std::string>& words) {
  std::string out;
  bool in = false;
  for (const std::string& line : words_of(text, "\n")) {
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
  for (const std::string& line : words_of(text, "\n")) {
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

std::vector<RunFile> files_run_by(const Gate& gate, const ReadText& read) { return Finder(read).run(gate); }

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
  std::map<std::string, std::size_t> now = lines_of(after, file.words);
  const std::map<std::string, std::size_t> then = lines_of(before, file.words);
  return std::any_of(then.begin(), then.end(), [&](const auto& one) { return now[one.first] < one.second; });
}

}  // namespace plumb::workflow
