#include "native/cli/inputs.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>

#include "core/ascii.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/glob.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t files_max = 10'000'000;
constexpr std::size_t depth_max = 256;  // directories in directories

// "./a//b/" -> "a/b". What the user wrote otherwise stays, `..` too.
std::string tidy(std::string_view path) {
  std::string out;
  std::size_t from = 0;
  const bool absolute = !path.empty() && path.front() == '/';
  while (from < path.size()) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    const std::string_view segment = path.substr(from, to - from);
    if (!segment.empty() && segment != ".") {
      if (!out.empty()) {
        out += '/';
      }
      out += segment;
    }
    from = to + 1;
  }
  if (absolute) {
    return "/" + out;
  }
  return out.empty() ? "." : out;
}

// An absolute path as it is reached from a directory (with its `/`): "a.json", "../b/a.json".
std::string path_from(const std::string& directory, const std::string& path) {
  if (path.empty() || path.front() != '/') {
    return path;
  }
  std::size_t shared = 0;  // the length of the directories that both are in
  for (std::size_t i = 0; i < directory.size() && i < path.size() && directory[i] == path[i]; ++i) {
    if (path[i] == '/') {
      shared = i + 1;
    }
  }
  if (shared <= 1) {
    return path;
  }
  std::string out;
  for (std::size_t i = shared; i < directory.size(); ++i) {
    if (directory[i] == '/') {
      out += "../";
    }
  }
  return out + path.substr(shared);
}

struct Collector {
  Inputs inputs;
  InputOptions options;
  std::string here;  // the working directory with a `/`, where paths that are found are absolute

  // Does the filter leave out what a search has found here?
  bool filtered(const std::string& path, bool is_directory) {
    if (options.filter.empty() ||
        !options.filter.leaves_out(here.empty() ? path : path_from(here, path), is_directory)) {
      return false;
    }
    ++inputs.left_out;
    return true;
  }

  void problem(const std::string& path, std::string message) { inputs.problems.push_back({path, std::move(message)}); }

  void add(const std::string& path, bool named, std::uint64_t size) {
    if (inputs.files.size() >= files_max) {
      if (inputs.files.size() == files_max && (inputs.problems.empty() || !inputs.problems.back().path.empty())) {
        problem("", "more than 10 million files: the rest is left out; check them in parts");
      }
      return;
    }
    inputs.files.push_back({path, options.all_lines || is_lines_name(path), named, size});
  }

  // Walks a directory without recursion; `wanted` says which files count. `path` is "." or a tidy path.
  void walk(const std::string& path, bool hidden_too, const std::function<bool(const std::string&)>& wanted) {
    struct Level {
      std::string path;
      std::size_t depth;
    };
    std::vector<Level> open = {{path, 0}};
    while (!open.empty()) {
      const Level level = std::move(open.back());
      open.pop_back();
      DIR* directory = ::opendir(level.path.c_str());
      if (directory == nullptr) {
        problem(level.path, "this directory cannot be read: " + reason_of(errno));
        continue;
      }
      const std::string prefix = level.path == "." ? "" : level.path == "/" ? "/" : level.path + "/";
      for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(directory);
        if (entry == nullptr) {
          if (errno != 0) {
            problem(level.path, "this directory cannot be read to its end: " + reason_of(errno));
          }
          break;
        }
        const std::string name = entry->d_name;
        if (name == "." || name == "..") {
          continue;
        }
        const std::string full = prefix + name;
        unsigned char type = entry->d_type;
        struct stat status {};
        if (type == DT_UNKNOWN) {
          if (::lstat(full.c_str(), &status) != 0) {
            continue;
          }
          type = S_ISDIR(status.st_mode)   ? DT_DIR
                 : S_ISLNK(status.st_mode) ? DT_LNK
                 : S_ISREG(status.st_mode) ? DT_REG
                                           : DT_FIFO;
        }
        if (type == DT_DIR) {
          if ((name.front() == '.' && !hidden_too) || name == "node_modules" || filtered(full, true)) {
            continue;
          }
          if (level.depth + 1 > depth_max) {
            problem(full, "directories are nested more than 256 deep here: what is below is left out");
          } else {
            open.push_back({full, level.depth + 1});
          }
          continue;
        }
        if ((type != DT_REG && type != DT_LNK) || !wanted(full) || filtered(full, false)) {
          continue;
        }
        if (::stat(full.c_str(), &status) != 0) {
          // A broken link is found again, with its reason, when it is opened.
          add(full, false, 0);
        } else if (S_ISREG(status.st_mode)) {
          add(full, false, static_cast<std::uint64_t>(status.st_size));
        }
      }
      ::closedir(directory);
    }
  }

  void glob(const Glob& glob, const std::string& base, const std::function<bool(const std::string&)>& wanted) {
    const bool hidden_too = glob.pattern().find("/.") != std::string::npos || glob.pattern().front() == '.';
    std::vector<std::string> roots;
    for (const std::string& root : glob.roots()) {
      roots.push_back(tidy(root.empty() ? base : root.front() == '/' ? root : base + "/" + root));
    }
    for (std::size_t i = 0; i < roots.size(); ++i) {
      // A root below another is searched with it.
      bool inside = false;
      for (std::size_t j = 0; j < roots.size(); ++j) {
        const std::string prefix = roots[j] == "." ? "" : roots[j] == "/" ? "/" : roots[j] + "/";
        inside = inside || (i != j && roots[i] != roots[j] && roots[i].starts_with(prefix));
      }
      if (inside) {
        continue;
      }
      struct stat status {};
      if (::stat(roots[i].c_str(), &status) != 0) {
        if (errno != ENOENT && errno != ENOTDIR) {
          problem(roots[i], "cannot be read: " + reason_of(errno));
        }
        continue;
      }
      if (S_ISDIR(status.st_mode)) {
        walk(roots[i], hidden_too, wanted);
      }
    }
  }

  void word(const std::string& said) {
    if (said == "-") {
      add("-", true, 0);
      return;
    }
    if (said.empty()) {
      problem("''", "an empty path; give a file, a directory, a glob or -");
      return;
    }
    struct stat status {};
    if (::stat(said.c_str(), &status) == 0) {
      const std::string path = tidy(said);
      if (!S_ISDIR(status.st_mode)) {
        if (options.filter.excludes(path)) {
          ++inputs.left_out;
          return;
        }
        add(path, true, S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0);
        return;
      }
      const std::size_t before = inputs.files.size() + inputs.problems.size() + inputs.left_out;
      walk(path, false, [](const std::string& file) { return is_artifact_name(file); });
      if (inputs.files.size() + inputs.problems.size() + inputs.left_out == before) {
        problem(path, "no *.json, *.jsonl or *.ndjson in this directory; name files of other endings or use a glob");
      }
      return;
    }
    if (Glob::is_pattern(said)) {
      const Result<Glob> read = Glob::read(said);
      if (!read) {
        problem(said, read.error().message);
        return;
      }
      const std::size_t before = inputs.files.size() + inputs.problems.size() + inputs.left_out;
      glob(read.value(), ".", [&](const std::string& file) { return read.value().matches(file); });
      if (inputs.files.size() + inputs.problems.size() + inputs.left_out == before) {
        problem(said, "no file matches this glob");
      }
      return;
    }
    // Opening it says why.
    const Result<FileReader> reader = FileReader::open(said);
    problem(said, reader ? "cannot be read" : reader.error().message);
  }

  Inputs finish() {
    std::sort(inputs.files.begin(), inputs.files.end(), [](const InputFile& a, const InputFile& b) {
      return a.path != b.path ? a.path < b.path : a.named && !b.named;
    });
    inputs.files.erase(std::unique(inputs.files.begin(), inputs.files.end(),
                                   [](const InputFile& a, const InputFile& b) { return a.path == b.path; }),
                       inputs.files.end());
    return std::move(inputs);
  }
};

}  // namespace

bool is_artifact_name(std::string_view path) { return ascii::ends_in_any_case(path, ".json") || is_lines_name(path); }

bool is_lines_name(std::string_view path) {
  return ascii::ends_in_any_case(path, ".jsonl") || ascii::ends_in_any_case(path, ".ndjson");
}

Inputs collect_inputs(const std::vector<std::string>& words, InputOptions options) {
  Collector collector;
  collector.options = std::move(options);
  // What is taken out counts for all words, whichever comes first. A file that is called so can be said as ./!name.
  const auto taken_out = [](const std::string& said) { return said.size() > 1 && said.front() == '!'; };
  for (const std::string& said : words) {
    if (!taken_out(said)) {
      continue;
    }
    if (const Result<bool> read = collector.options.filter.exclude(std::string_view(said).substr(1)); !read) {
      collector.problem(said, read.error().message);
    }
  }
  for (const std::string& said : words) {
    if (!taken_out(said)) {
      collector.word(said);
    }
  }
  return collector.finish();
}

Inputs collect_configured(const ConfigFile& config, InputOptions options) {
  Collector collector;
  collector.options = std::move(options);
  std::string here = absolute_path(".");
  if (here != "/") {
    here += '/';
  }
  collector.here = here;
  for (const ContractEntry& entry : config.contracts) {
    for (const Glob& glob : entry.globs) {
      collector.glob(glob, tidy(config.directory), [&](const std::string& file) {
        const std::string absolute = absolute_path(file);
        if (!absolute.starts_with(config.directory)) {
          return false;
        }
        const std::string_view relative = std::string_view(absolute).substr(config.directory.size());
        return glob.matches(relative) && std::none_of(entry.except.begin(), entry.except.end(),
                                                      [&](const Glob& except) { return except.matches(relative); });
      });
    }
  }
  // Found by absolute paths, shown as they are reached from here.
  for (InputFile& file : collector.inputs.files) {
    file.path = path_from(here, file.path);
  }
  for (InputProblem& problem : collector.inputs.problems) {
    problem.path = path_from(here, problem.path);
  }
  return collector.finish();
}

}  // namespace plumb::cli
