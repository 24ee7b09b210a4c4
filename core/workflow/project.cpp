#include "core/workflow/project.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/require.hpp"
#include "core/text/command_words.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t levels_max = 3;  // of folders below the top that have a part

std::string_view base_of(std::string_view path) {
  return path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
}

std::string folder_of(std::string_view path) {
  return std::string(path.substr(0, path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/')));
}

// Folders whose projects are not worked on here: what others made, and what only serves tests.
bool passed_over(std::string_view path) {
  static constexpr std::string_view names[] = {"node_modules", "vendor",   "third_party", "testdata",
                                               "fixtures",     "examples", "example",     "template",
                                               "templates",    "dist",     "build",       "target"};
  for (std::string_view rest = path; rest.find('/') != std::string_view::npos; rest.remove_prefix(rest.find('/') + 1)) {
    const std::string_view name = rest.substr(0, rest.find('/'));
    if (name.starts_with('.') || std::find(std::begin(names), std::end(names), name) != std::end(names)) {
      return true;
    }
  }
  return false;
}

bool is_test_of_python(std::string_view path) {
  const std::string_view base = base_of(path);
  return base.ends_with(".py") && (base.starts_with("test_") || base.ends_with("_test.py"));
}

// Whether it needs no quotes: as a glob, and for a shell.
bool plain(std::string_view folder) {
  return std::all_of(folder.begin(), folder.end(),
                     [](char c) { return ascii::is_word(c) || c == '-' || c == '.' || c == '/' || c == '@'; });
}

// The files of one folder, and what lies below it.
struct Folder {
  std::string dir;  // empty: the top
  std::span<const std::string> paths;
  std::span<const ProjectText> texts;

  std::string below(std::string_view name) const { return (dir.empty() ? "" : dir + "/") + std::string(name); }
  bool has(std::string_view name) const { return std::find(paths.begin(), paths.end(), below(name)) != paths.end(); }
  std::string_view text(std::string_view name) const {
    const std::string path = below(name);
    const auto at = std::find_if(texts.begin(), texts.end(), [&](const ProjectText& one) { return one.first == path; });
    return at == texts.end() ? std::string_view() : std::string_view(at->second);
  }
  std::string_view first_of(std::initializer_list<std::string_view> names) const {
    const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view one) { return has(one); });
    return found == names.end() ? std::string_view() : *found;
  }
  template <typename Fits>
  bool any_below(const Fits& fits) const {
    const std::string prefix = below("");
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& path) { return path.starts_with(prefix) && fits(path); });
  }
};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

Gate gate_of(std::string_view name, std::string_view command, std::string_view category, bool required = true,
             std::vector<std::string> after = {}) {
  Gate out;
  out.name = name;
  out.command = command;
  Result<std::vector<std::string>> words = text::command_words(command);
  PLUMB_REQUIRE(static_cast<bool>(words), "the commands of projects need no shell");
  out.argv = std::move(words).value();
  out.category = category;
  out.required = required;
  out.after = std::move(after);
  return out;
}

void cache(Detected& out, std::string_view folder) {
  for (Gate& gate : out.gates) {
    gate.caches.emplace_back(folder);
  }
}

Detected preset(std::string_view name, std::string_view because) {
  return {std::string(name), std::string(because), "", *preset_gates(name), "", false, {}};
}

void drop(std::vector<Gate>& gates, std::string_view name) {
  gates.erase(std::remove_if(gates.begin(), gates.end(), [&](const Gate& one) { return one.name == name; }),
              gates.end());
}

std::optional<Detected> go(const Folder& at) {
  if (!at.has("go.mod")) {
    return std::nullopt;
  }
  Detected out = preset("go", "go.mod");
  if (at.first_of({".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"}).empty()) {
    drop(out.gates, "lint");
  }
  return out;
}

std::optional<Detected> cmake(const Folder& at) {
  const std::string_view text = at.text("CMakeLists.txt");
  if (!at.has("CMakeLists.txt") || (!at.dir.empty() && !contains(text, "project("))) {
    return std::nullopt;
  }
  Detected out = preset("cmake", "CMakeLists.txt");
  if (!text.empty() && !contains(text, "enable_testing") && !contains(text, "include(CTest)") &&
      !contains(text, "add_test")) {
    drop(out.gates, "test");
  }
  return out;
}

std::optional<Detected> cargo(const Folder& at) {
  if (!at.has("Cargo.toml")) {
    return std::nullopt;
  }
  const std::string all = contains(at.text("Cargo.toml"), "[workspace]") ? " --workspace" : "";
  Detected out{"cargo", "Cargo.toml", "", {}, "", false, {}};
  out.gates.push_back(gate_of("build", "cargo build --all-targets" + all, "compile"));
  out.gates.push_back(gate_of("test", "cargo test" + all, "test", true, {"build"}));
  if (!at.first_of({"rustfmt.toml", ".rustfmt.toml"}).empty()) {
    Gate format = gate_of("format", "cargo fmt --check", "format");
    format.fix = "cargo fmt";
    format.fix_argv = {"cargo", "fmt"};
    out.gates.push_back(std::move(format));
  }
  out.setup = "cargo fetch";
  out.network = true;
  cache(out, "target");
  return out;
}

// Only scripts that are there; without the text, `test` alone, which npm has a word for.
std::optional<Detected> package(const Folder& at) {
  if (!at.has("package.json")) {
    return std::nullopt;
  }
  json::Arena arena;
  const std::string_view text = at.text("package.json");
  const Result<json::Value> read = json::parse(text.empty() ? "{}" : text, arena);
  const json::Value* const scripts = read ? read.value().find("scripts") : nullptr;
  const bool unread = text.empty() || !read;
  const bool pnpm = at.has("pnpm-lock.yaml") || at.has("pnpm-workspace.yaml"), yarn = at.has("yarn.lock");
  const std::string tool = pnpm ? "pnpm" : yarn ? "yarn" : "npm";
  Detected out{tool, "package.json", "", {}, "", false, {}};
  for (const std::string_view name : {"build", "typecheck", "test", "lint"}) {
    const std::string_view script = scripts == nullptr ? "" : json::text_of(*scripts, name);
    const bool stub = contains(script, "no test specified");  // what `npm init` writes
    if (unread ? name != "test" : scripts == nullptr || scripts->find(name) == nullptr || stub) {
      continue;
    }
    const std::string command = tool + (name == "test" ? " " : " run ") + std::string(name);
    out.gates.push_back(gate_of(name, command, name == "build" ? "compile" : name, name != "lint"));
  }
  if (out.gates.empty()) {
    return std::nullopt;
  }
  const bool locked = !at.first_of({"package-lock.json", "npm-shrinkwrap.json"}).empty();
  const bool needs = contains(text, "ependencies\"") || pnpm || yarn || locked;
  if (needs || text.empty()) {
    out.setup = pnpm     ? "pnpm install --frozen-lockfile"
                : yarn   ? "yarn install --frozen-lockfile"
                : locked ? "npm ci"
                         : "npm install";
    out.network = true;
    cache(out, "node_modules");
  }
  return out;
}

std::optional<Detected> python(const Folder& at, bool first) {
  std::string_view because =
      at.first_of({"pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "uv.lock"});
  if (because.empty() && first) {
    because = at.first_of({"requirements.txt"});
    const std::string prefix = at.below("");
    for (const std::string& path : at.paths) {
      const bool script = path.starts_with(prefix) && path.ends_with(".py") &&
                          !contains(std::string_view(path).substr(prefix.size()), "/");
      because = because.empty() && script ? std::string_view(path).substr(prefix.size()) : because;
    }
  }
  if (because.empty()) {
    return std::nullopt;
  }
  const std::string_view project = at.text("pyproject.toml");
  bool pytest =
      at.has("pytest.ini") || at.any_below([](std::string_view path) { return base_of(path) == "conftest.py"; });
  bool places = false;  // it says where its tests are
  for (const std::string_view name : {"pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "setup.py",
                                      "requirements.txt", "requirements-dev.txt", "dev-requirements.txt"}) {
    pytest = pytest || contains(at.text(name), "pytest");
    places = places || contains(at.text(name), "testpaths");
  }
  const bool tests = places || at.any_below(is_test_of_python);
  const bool uv = at.has("uv.lock") || contains(project, "[tool.uv");
  const std::string requirements(at.first_of({"requirements-dev.txt", "dev-requirements.txt", "requirements.txt"}));
  const bool venv = !uv && (at.has(".venv/bin/python3") || !requirements.empty() || contains(project, "[project]") ||
                            at.has("setup.py"));
  const std::string run = uv ? "uv run --frozen python" : "python3";
  Detected out{uv ? "uv" : "python", std::string(because), "", {}, "", false, {}};
  out.gates.push_back(
      gate_of("compile", run + " -m compileall -q " + (uv || venv ? "-x \"/[.]venv/\" " : "") + ".", "compile"));
  if (tests && pytest) {
    out.gates.push_back(gate_of("test", run + " -m pytest --junitxml=.pytest-junit.xml", "test", true, {"compile"}));
    out.gates.back().report = ".pytest-junit.xml";
  } else if (tests) {
    const bool folder = at.any_below(
        [&](std::string_view path) { return path.starts_with(at.below("tests/")) && is_test_of_python(path); });
    const bool package = at.has("tests/__init__.py");
    out.gates.push_back(gate_of("test",
                                run + " -m unittest discover" + (folder ? " -s tests" : "") + (package ? " -t ." : ""),
                                "test", true, {"compile"}));
  }
  if (contains(project, "[tool.ruff") || !at.first_of({"ruff.toml", ".ruff.toml"}).empty()) {
    const std::string ruff = uv ? "uv run --frozen ruff" : "ruff";
    out.gates.push_back(gate_of("lint", ruff + " check {files}", "lint", false));
    out.gates.back().trigger = {"*.py"};
    out.gates.back().fix = ruff + " check --fix {files}";
    out.gates.back().fix_argv = text::command_words(out.gates.back().fix).value();
  }
  if (uv || venv) {
    const std::string what = !requirements.empty() ? "-r " + requirements : "-e .";
    out.setup = uv ? "uv sync --frozen"
                   : "python3 -m venv .venv && .venv/bin/pip install -q " + what +
                         (pytest && !contains(at.text(requirements), "pytest") ? " pytest" : "");
    out.network = true;
    cache(out, ".venv");
    out.path = {".venv/bin"};
  }
  return out;
}

std::optional<Detected> make(const Folder& at) {
  const std::string_view name = at.first_of({"GNUmakefile", "makefile", "Makefile"});
  if (name.empty()) {
    return std::nullopt;
  }
  Detected out = preset("make", name);
  const std::string text = "\n" + std::string(at.text(name));
  const bool known = text.size() > 1;
  if (known && !contains(text, "\ntest:") && contains(text, "\ncheck:")) {
    out.gates.back() = gate_of("test", "make check", "test", true, {"build"});
  } else if (known && !contains(text, "\ntest:")) {
    out.gates.pop_back();
  }
  return out;
}

std::vector<Detected> tools_of(const Folder& at) {
  std::vector<Detected> out;
  const auto add = [&](std::optional<Detected> one) {
    if (one) {
      out.push_back(std::move(*one));
    }
  };
  add(go(at));
  add(cmake(at));
  add(cargo(at));
  add(package(at));
  add(python(at, out.empty() && at.dir.empty()));
  if (out.empty()) {
    add(make(at));
  }
  return out;
}

// Whether the tool of a folder above runs those of this one too.
bool runs_below(const Detected& above, const Folder& at, std::string_view preset) {
  const std::string_view package = at.text("package.json");
  if (above.preset == "npm" || above.preset == "pnpm" || above.preset == "yarn") {
    return (preset == "npm" || preset == "pnpm" || preset == "yarn") &&
           (contains(package, "\"workspaces\"") || at.has("pnpm-workspace.yaml"));
  }
  return above.preset == preset &&
         (preset == "cmake" || (preset == "cargo" && contains(at.text("Cargo.toml"), "[workspace]")));
}

std::string name_of(const std::string& dir, const std::string& gate) {
  std::string out;
  for (const char c : dir + "-" + gate) {
    out += ascii::is_alphanumeric(c) || c == '-' || c == '_' || c == '.' ? c : '-';
  }
  return out.size() <= 60 ? out : out.substr(out.size() - 60);
}

// Gates of a part of the project.
void put_below(Detected& one, const std::string& dir) {
  one.because = dir + "/" + one.because;
  one.dir = dir;
  for (std::string& folder : one.path) {
    folder.insert(0, dir + "/");
  }
  for (Gate& gate : one.gates) {
    gate.name = name_of(dir, gate.name);
    gate.dir = dir;
    gate.report = gate.report.empty() ? "" : dir + "/" + gate.report;
    for (std::string& after : gate.after) {
      after = name_of(dir, after);
    }
    for (std::string& folder : gate.caches) {
      folder.insert(0, dir + "/");
    }
    for (std::string& glob : gate.trigger) {
      glob.insert(0, dir + "/**/");
    }
    if (gate.trigger.empty()) {
      gate.trigger = {dir + "/**"};
    }
  }
}

// Names of gates of several tools of the same folder: "test" of the second becomes "npm-test".
void tell_apart(std::vector<Detected>& all) {
  std::vector<std::string> names;
  for (Detected& one : all) {
    std::map<std::string, std::string> renamed;
    for (Gate& gate : one.gates) {
      const bool taken = std::find(names.begin(), names.end(), gate.name) != names.end();
      const std::string own = taken ? one.preset + "-" + gate.name : gate.name;
      renamed[gate.name] = own;
      gate.name = own;
      names.push_back(own);
      for (std::string& after : gate.after) {
        after = renamed.count(after) > 0 ? renamed[after] : after;
      }
    }
  }
}

void write_list(std::string& out, std::string_view name, const std::vector<std::string>& list) {
  if (list.empty()) {
    return;
  }
  out += "      " + std::string(name) + ": [";
  for (std::size_t i = 0; i < list.size(); ++i) {
    out += i == 0 ? "" : ", ";
    json::append_string(out, list[i]);
  }
  out += "]\n";
}

void write_yaml(std::string& out, const Gate& gate) {
  const auto member = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) {
      out += "      " + std::string(name) + ": ";
      json::append_string(out, text);
      out += "\n";
    }
  };
  out += "    - name: " + gate.name + "\n";
  member("command", gate.command);
  member("fix", gate.fix);
  member("dir", gate.dir);
  out += gate.required ? "" : "      required: false\n";
  write_list(out, "after", gate.after);
  write_list(out, "trigger", gate.trigger);
  member("report", gate.report);
  write_list(out, "caches", gate.caches);
}

std::string setup_of(std::span<const Detected> found) {
  std::vector<std::string> steps;
  for (const Detected& one : found) {
    if (!one.setup.empty()) {
      steps.push_back(one.dir.empty() ? one.setup : "(cd " + one.dir + " && " + one.setup + ")");
    }
  }
  std::string out;
  for (const std::string& step : steps) {
    out += (out.empty() ? "" : " && ") + step;
  }
  return out;
}

}  // namespace

bool is_project_file(std::string_view path) {
  static constexpr std::string_view names[] = {"package.json",
                                               "pyproject.toml",
                                               "setup.cfg",
                                               "setup.py",
                                               "tox.ini",
                                               "pytest.ini",
                                               "requirements.txt",
                                               "requirements-dev.txt",
                                               "dev-requirements.txt",
                                               "Makefile",
                                               "makefile",
                                               "GNUmakefile",
                                               "CMakeLists.txt",
                                               "go.mod",
                                               "Cargo.toml"};
  const std::size_t levels = static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
  return levels <= levels_max && !passed_over(path) &&
         std::find(std::begin(names), std::end(names), base_of(path)) != std::end(names);
}

std::vector<Detected> detect_gates(std::span<const std::string> paths, std::span<const ProjectText> texts) {
  std::vector<Detected> out = tools_of({"", paths, texts});
  tell_apart(out);
  std::vector<std::string> folders;
  for (const std::string& path : paths) {
    std::string folder = folder_of(path);
    if (is_project_file(path) && !folder.empty() && plain(folder) &&
        std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(std::move(folder));
    }
  }
  std::sort(folders.begin(), folders.end());
  const bool top = !out.empty();
  std::size_t parts = 0;
  for (const std::string& folder : folders) {
    std::vector<Detected> part;
    for (Detected& one : tools_of({folder, paths, texts})) {
      const bool covered = std::any_of(out.begin(), out.end(), [&](const Detected& above) {
        return (above.dir.empty() || folder.starts_with(above.dir + "/")) &&
               runs_below(above, {above.dir, paths, texts}, one.preset);
      });
      if (!covered && !(one.preset == "make" && top)) {
        part.push_back(std::move(one));
      }
    }
    if (part.empty() || ++parts > parts_max) {
      continue;
    }
    tell_apart(part);
    for (Detected& one : part) {
      put_below(one, folder);
      out.push_back(std::move(one));
    }
  }
  return out;
}

std::string project_yaml(std::span<const Detected> found, bool sops) {
  std::string out =
      "# The gates of this repository: docs/workflow.md. They run once the owner of the machine has trusted them "
      "(plumb workflow trust).\nworkflow:\n";
  if (const std::string setup = setup_of(found); !setup.empty()) {
    const bool network = std::any_of(found.begin(), found.end(), [](const Detected& one) { return one.network; });
    out += "  setup: {run: ";
    json::append_string(out, setup);
    out += std::string(", shell: true, time: 10m") + (network ? ", network: true" : "") + "}\n";
  }
  std::string folders;
  for (const Detected& one : found) {
    for (const std::string& folder : one.path) {
      folders += folders.empty() ? "" : ", ";
      json::append_string(folders, folder);
    }
  }
  out += folders.empty() ? "" : "  path: [" + folders + "]\n";
  out += "  gates:\n";
  for (const Detected& one : found) {
    out += "    # " + one.because + "\n";
    for (const Gate& gate : one.gates) {
      write_yaml(out, gate);
    }
  }
  if (found.empty()) {
    out += "    []\n    # - {name: test, command: make test}\n";
  }
  out += "  # developers:\n  #   fixer: {run: [./fix, \"{task_file}\"], time: 10m}\n";
  if (!sops) {
    out += "  # sops: docs/sops\n";
  }
  return out;
}

}  // namespace plumb::workflow
