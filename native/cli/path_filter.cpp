#include "native/cli/path_filter.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "native/base/file_bytes.hpp"
#include "native/config/config_file.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t ignore_bytes_max = 1 << 20;

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// A pattern of gitignore(5) as a glob: braces mean nothing there, and `**` beside other characters is a `*`.
std::string as_glob(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      out += c;
      out += pattern[++i];
    } else if (c == '{' || c == '}') {
      out += '\\';
      out += c;
    } else if (c == '*') {
      const std::size_t end = std::min(pattern.find_first_not_of('*', i), pattern.size());
      const bool alone = (i == 0 || pattern[i - 1] == '/') && (end == pattern.size() || pattern[end] == '/');
      out += end - i > 1 && alone ? "**" : "*";
      i = end - 1;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Result<bool> PathFilter::exclude(std::string_view said) {
  Rule rule;
  if (said.size() > 1 && said.back() == '/') {
    said.remove_suffix(1);
    rule.directories_only = true;
  }
  if (said.starts_with("./")) {
    said.remove_prefix(2);
  }
  Result<Glob> glob = Glob::read(said);
  if (!glob) {
    return glob.error();
  }
  rule.glob = std::move(glob).value();
  rule.any_depth = said.find('/') == std::string_view::npos;
  excluded_.push_back(std::move(rule));
  return true;
}

bool PathFilter::leaves_out(const std::string& path, bool is_directory) {
  return excluded(path, is_directory) || (gitignore_ && ignored(absolute_path(path), is_directory));
}

bool PathFilter::excludes(const std::string& path) const {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (slash > 0 && excluded(std::string_view(path).substr(0, slash), true)) {
      return true;
    }
  }
  return excluded(path, false);
}

bool PathFilter::excluded(std::string_view path, bool is_directory) const {
  return std::any_of(excluded_.begin(), excluded_.end(), [&](const Rule& rule) {
    return (!rule.directories_only || is_directory) && rule.glob.matches(rule.any_depth ? last_name(path) : path);
  });
}

// The last line that matches decides, and the files nearer to the path before those further up.
bool PathFilter::ignored(const std::string& absolute, bool is_directory) {
  for (std::size_t slash = absolute.rfind('/'); slash != std::string::npos;
       slash = slash == 0 ? std::string::npos : absolute.rfind('/', slash - 1)) {
    const Directory& here = directory(absolute.substr(0, slash + 1));
    const std::string_view relative = std::string_view(absolute).substr(slash + 1);
    for (auto rule = here.rules.rbegin(); rule != here.rules.rend(); ++rule) {
      if ((!rule->directories_only || is_directory) &&
          rule->glob.matches(rule->any_depth ? last_name(relative) : relative)) {
        return !rule->negated;
      }
    }
    if (here.top) {
      return false;
    }
  }
  return false;
}

const PathFilter::Directory& PathFilter::directory(const std::string& absolute) {
  const auto [found, is_new] = directories_.try_emplace(absolute);
  Directory& directory = found->second;
  if (!is_new) {
    return directory;
  }
  directory.top = ::access((absolute + ".git").c_str(), F_OK) == 0;
  const Result<std::string> text = read_file(absolute + ".gitignore", ignore_bytes_max);
  std::string_view rest = text ? std::string_view(text.value()) : std::string_view();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    while (!line.empty() && line.back() == ' ' && (line.size() < 2 || line[line.size() - 2] != '\\')) {
      line.remove_suffix(1);
    }
    if (line.empty() || line.front() == '#') {
      continue;
    }
    Rule rule;
    rule.negated = line.front() == '!';
    if (rule.negated) {
      line.remove_prefix(1);
    }
    rule.directories_only = !line.empty() && line.back() == '/';
    if (rule.directories_only) {
      line.remove_suffix(1);
    }
    rule.any_depth = line.find('/') == std::string_view::npos;
    if (!line.empty() && line.front() == '/') {
      line.remove_prefix(1);
    }
    Result<Glob> glob = Glob::read(as_glob(line), Glob::Dots::like_others);
    if (!glob) {
      continue;
    }
    rule.glob = std::move(glob).value();
    directory.rules.push_back(std::move(rule));
  }
  return directory;
}

}  // namespace plumb::cli
