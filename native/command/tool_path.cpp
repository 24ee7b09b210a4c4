#include "native/command/tool_path.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "native/base/file_bytes.hpp"

namespace plumb::command {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t folders_max = 100;
constexpr std::size_t readable_max = 40;  // a view takes 64 places, and the tree and others need some
constexpr std::uint64_t alias_bytes_max = 200;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_folder(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

bool within(std::string_view path, std::string_view folder) {
  return path == folder || (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/');
}

// A manager of tools: its own folder is named by a variable or lies in HOME. `bin`: its programs. `also`: folders in
// HOME that these need.
struct Manager {
  const char* variable;
  std::string_view own, bin;
  std::array<std::string_view, 2> also = {};
  bool whole = true;  // all of its own folder is shown, else its programs alone
};
constexpr std::array<Manager, 8> managers = {{{"GOPATH", "go", "/bin", {}, false},
                                              {"PYENV_ROOT", ".pyenv", "/shims"},
                                              {"CARGO_HOME", ".cargo", "/bin", {}, false},
                                              {"VOLTA_HOME", ".volta", "/bin"},
                                              {"PNPM_HOME", ".local/share/pnpm", ""},
                                              {"MISE_DATA_DIR", ".local/share/mise", "/shims"},
                                              {"ASDF_DATA_DIR", ".asdf", "/shims"},
                                              {"", ".local", "/bin", {".local/share/uv", ".local/share/pipx"}, false}}};

// Node's version that nvm takes where nobody has chosen one: of its alias `default`, else the newest.
std::string node_of_nvm(const std::string& nvm) {
  const auto parts = [](std::string_view version) {
    std::array<unsigned long, 3> out = {};
    std::size_t at = version.starts_with('v') ? 1 : 0;
    for (unsigned long& one : out) {
      one = std::strtoul(std::string(version.substr(std::min(at, version.size()))).c_str(), nullptr, 10);
      at = std::min(version.find('.', at), version.size() - 1) + 1;
    }
    return out;
  };
  const Result<std::string> alias = read_file(nvm + "/alias/default", alias_bytes_max);
  std::string wanted = alias ? alias.value().substr(0, alias.value().find_first_of("\r\n ")) : std::string();
  wanted = wanted.starts_with('v') ? wanted.substr(1) : wanted;
  std::string best, best_wanted;
  std::error_code failed;
  for (fs::directory_iterator at(nvm + "/versions/node", failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    best = best.empty() || parts(name) > parts(best) ? name : best;
    if (!wanted.empty() && (name == "v" + wanted || name.starts_with("v" + wanted + "."))) {
      best_wanted = best_wanted.empty() || parts(name) > parts(best_wanted) ? name : best_wanted;
    }
  }
  const std::string& chosen = best_wanted.empty() ? best : best_wanted;
  return chosen.empty() ? std::string() : nvm + "/versions/node/" + chosen + "/bin";
}

struct Finder {
  std::string home = variable("HOME");
  ToolPath out = {};

  void show(const std::string& path) {
    const bool hidden = (!home.empty() && within(path, home)) || within(path, "/home") || within(path, "/root") ||
                        within(path, "/tmp") || within(path, "/var/tmp");
    const bool all = path == home || path == "/tmp" || path == "/home" || path == "/root" || path == "/var/tmp";
    if (hidden && !all && out.readable.size() < readable_max && is_folder(path) &&
        std::none_of(out.readable.begin(), out.readable.end(),
                     [&](const std::string& one) { return within(path, one); })) {
      out.readable.push_back(path);
    }
  }

  // False: it is no folder, or it is there already.
  bool add(std::string folder) {
    while (folder.size() > 1 && folder.back() == '/') {
      folder.pop_back();
    }
    if (folder.empty() || folder.front() != '/' || folder.find(':') != std::string::npos ||
        out.folders.size() == folders_max || !is_folder(folder) ||
        std::find(out.folders.begin(), out.folders.end(), folder) != out.folders.end()) {
      return false;
    }
    out.folders.push_back(std::move(folder));
    return true;
  }

  std::string own_of(const Manager& one) const {
    const std::string said = *one.variable == '\0' ? std::string() : variable(one.variable);
    return !said.empty() && said.front() == '/' ? said : home + "/" + std::string(one.own);
  }

  // What lies in a folder of PATH needs what it was installed with: the folder above `bin`, where a manager has it.
  void show_for(const std::string& folder) {
    for (const Manager& one : managers) {
      const std::string own = own_of(one);
      if (!within(folder, own)) {
        continue;
      }
      show(one.whole ? own : folder);
      for (const std::string_view also : one.also) {
        if (!also.empty()) {
          show(home + "/" + std::string(also));
        }
      }
      if (one.whole && *one.variable != '\0') {
        tell(one.variable, own);
      }
      if (one.own == ".cargo") {
        const std::string said = variable("RUSTUP_HOME");
        const std::string rustup = said.empty() ? home + "/.rustup" : said;
        show(rustup);
        tell("RUSTUP_HOME", rustup);
      }
      return;
    }
    const std::size_t slash = folder.rfind('/');
    const std::string above = folder.substr(0, slash);
    show(folder.substr(slash) == "/bin" && above != home ? above : folder);
  }

  void tell(const char* name, const std::string& value) {
    const auto known = [&](const auto& one) { return one.first == name; };
    if (is_folder(value) && std::none_of(out.variables.begin(), out.variables.end(), known)) {
      out.variables.emplace_back(name, value);
    }
  }
};

}  // namespace

std::string ToolPath::text() const {
  std::string out;
  for (const std::string& folder : folders) {
    out += (out.empty() ? "" : ":") + folder;
  }
  return out;
}

ToolPath tool_path(const std::vector<std::string>& declared, const std::string& root) {
  Finder find;
  for (const std::string& one : declared) {
    if (one.starts_with("~/") || one.starts_with('/')) {
      const std::string folder = one.front() == '~' ? find.home + one.substr(1) : one;
      if (find.add(folder)) {
        find.show_for(folder);
      }
    } else {
      find.add(root + "/" + one);
    }
  }
  const std::string said = variable("PATH");
  for (std::size_t from = 0; from < said.size();) {
    const std::size_t to = std::min(said.find(':', from), said.size());
    const std::string folder = said.substr(from, to - from);
    if (find.add(folder)) {
      find.show_for(folder);
    }
    from = to + 1;
  }
  find.add("/usr/local/go/bin");
  if (!find.home.empty()) {
    const std::string nvm = variable("NVM_DIR");
    if (const std::string node = node_of_nvm(nvm.empty() ? find.home + "/.nvm" : nvm); find.add(node)) {
      find.show_for(node);
    }
    for (const Manager& one : managers) {
      if (const std::string folder = find.own_of(one) + std::string(one.bin); find.add(folder)) {
        find.show_for(folder);
      }
    }
  }
  for (const char* usual : {"/usr/local/bin", "/usr/bin", "/bin"}) {
    find.add(usual);
  }
  return std::move(find.out);
}

}  // namespace plumb::command
