#include "native/base/glob.hpp"

#include <algorithm>

namespace plumb {

namespace {

constexpr std::size_t alternatives_max = 256;
constexpr std::size_t pattern_bytes_max = 4096;

Error bad(std::string_view pattern, std::string_view why) {
  return Error{ErrorCode::invalid_argument, "the glob '" + std::string(pattern) + "' " + std::string(why), "", 0, 0};
}

// The index after the class that opens at `at`, or npos where it is not closed (then `[` is itself).
std::size_t class_end(std::string_view p, std::size_t at) {
  std::size_t i = at + 1;
  if (i < p.size() && (p[i] == '!' || p[i] == '^')) {
    ++i;
  }
  if (i < p.size() && p[i] == ']') {
    ++i;
  }
  while (i < p.size() && p[i] != ']') {
    if (p[i] == '\\') {
      ++i;
    }
    ++i;
  }
  return i < p.size() ? i + 1 : std::string_view::npos;
}

// Does the class that opens at `at` and ends before `end` hold `c`?
bool class_holds(std::string_view p, std::size_t at, std::size_t end, char c) {
  std::size_t i = at + 1;
  const std::size_t last = end - 1;
  const bool negated = i < last && (p[i] == '!' || p[i] == '^');
  if (negated) {
    ++i;
  }
  bool found = false;
  while (i < last) {
    if (p[i] == '\\' && i + 1 < last) {
      ++i;
    }
    const auto low = static_cast<unsigned char>(p[i]);
    auto high = low;
    ++i;
    if (i + 1 < last && p[i] == '-') {
      ++i;
      if (p[i] == '\\' && i + 1 < last) {
        ++i;
      }
      high = static_cast<unsigned char>(p[i]);
      ++i;
    }
    const auto wanted = static_cast<unsigned char>(c);
    if (wanted >= low && wanted <= high) {
      found = true;
    }
  }
  return found != negated;
}

std::size_t code_point_bytes(char first) {
  const auto c = static_cast<unsigned char>(first);
  return c < 0x80 ? 1 : c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

// One segment against one name. The classic walk with one point of return: `*` takes as little as it can, and only the
// last `*` ever has to take more.
bool segment_matches(std::string_view p, std::string_view name, Glob::Dots dots) {
  if (dots == Glob::Dots::hidden && !name.empty() && name.front() == '.' && (p.empty() || p.front() != '.')) {
    return false;
  }
  std::size_t i = 0;
  std::size_t j = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_name = 0;
  while (j < name.size()) {
    bool step = false;
    if (i < p.size()) {
      if (p[i] == '*') {
        star = i++;
        star_name = j;
        continue;
      }
      const std::size_t end = p[i] == '[' ? class_end(p, i) : std::string_view::npos;
      if (end != std::string_view::npos) {
        if (class_holds(p, i, end, name[j])) {
          i = end;
          ++j;
          step = true;
        }
      } else if (p[i] == '?') {
        ++i;
        j = std::min(name.size(), j + code_point_bytes(name[j]));
        step = true;
      } else {
        const std::size_t literal = p[i] == '\\' && i + 1 < p.size() ? i + 1 : i;
        if (p[literal] == name[j]) {
          i = literal + 1;
          ++j;
          step = true;
        }
      }
    }
    if (step) {
      continue;
    }
    if (star == std::string_view::npos) {
      return false;
    }
    i = star + 1;
    j = ++star_name;
  }
  while (i < p.size() && p[i] == '*') {
    ++i;
  }
  return i == p.size();
}

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> segments;
  std::size_t from = 0;
  while (from <= path.size()) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    const std::string_view segment = path.substr(from, to - from);
    // The empty first segment is the root; other empty ones and "." say nothing.
    if ((from == 0 && to == 0 && !path.empty()) || (!segment.empty() && segment != ".")) {
      segments.emplace_back(segment);
    }
    from = to + 1;
  }
  return segments;
}

// `**` is any number of segments: the same walk as in segment_matches, one level up.
bool path_matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path, Glob::Dots dots) {
  std::size_t i = 0;
  std::size_t j = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_path = 0;
  while (j < path.size()) {
    if (i < pattern.size() && pattern[i] == "**") {
      star = i++;
      star_path = j;
      continue;
    }
    if (i < pattern.size() && segment_matches(pattern[i], path[j], dots)) {
      ++i;
      ++j;
      continue;
    }
    // Hidden directories are not for `**`.
    if (star == std::string_view::npos ||
        (dots == Glob::Dots::hidden && !path[star_path].empty() && path[star_path].front() == '.')) {
      return false;
    }
    i = star + 1;
    j = ++star_path;
  }
  while (i < pattern.size() && pattern[i] == "**") {
    ++i;
  }
  return i == pattern.size();
}

bool has_sign(std::string_view text) { return text.find_first_of("*?[{\\") != std::string_view::npos; }

// Braces to alternatives, innermost last; every round takes one pair away.
Result<std::vector<std::string>> expanded(std::string_view pattern) {
  std::vector<std::string> open = {std::string(pattern)};
  std::vector<std::string> done;
  while (!open.empty()) {
    if (open.size() + done.size() > alternatives_max) {
      return bad(pattern, "has more than 256 alternatives");
    }
    const std::string text = std::move(open.back());
    open.pop_back();
    std::size_t begin = std::string::npos;
    std::size_t end = std::string::npos;
    std::vector<std::size_t> commas;
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size() && end == std::string::npos; ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '{') {
        if (depth++ == 0) {
          begin = i;
        }
      } else if (text[i] == '}' && depth > 0) {
        if (--depth == 0) {
          end = i;
        }
      } else if (text[i] == ',' && depth == 1) {
        commas.push_back(i);
      }
    }
    if (depth > 0) {
      return bad(pattern, "has a '{' without '}'");
    }
    if (end == std::string::npos) {
      done.push_back(text);
      continue;
    }
    std::size_t from = begin + 1;
    commas.push_back(end);
    // Pushed in reverse, so that they come off in the order in which they are written.
    std::vector<std::string> parts;
    for (std::size_t comma : commas) {
      parts.push_back(text.substr(0, begin) + text.substr(from, comma - from) + text.substr(end + 1));
      from = comma + 1;
    }
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      open.push_back(std::move(*part));
    }
  }
  return done;
}

}  // namespace

bool Glob::is_pattern(std::string_view text) { return text.find_first_of("*?[{") != std::string_view::npos; }

Result<Glob> Glob::read(std::string_view pattern, Dots dots) {
  if (pattern.empty()) {
    return bad(pattern, "is empty");
  }
  if (pattern.size() > pattern_bytes_max) {
    return bad(pattern.substr(0, 40), "is longer than 4096 bytes");
  }
  Result<std::vector<std::string>> texts = expanded(pattern);
  if (!texts) {
    return texts.error();
  }
  Glob glob;
  glob.pattern_ = pattern;
  glob.dots_ = dots;
  for (const std::string& text : texts.value()) {
    std::vector<std::string> segments = split(text);
    for (const std::string& segment : segments) {
      if (segment != "**" && segment.find("**") != std::string::npos) {
        return bad(pattern, "has '**' beside other characters; it must be alone between slashes: 'dir/**/*.json'");
      }
      if (segment == "..") {
        if (has_sign(text.substr(0, text.find("..")))) {
          return bad(pattern, "has '..' after a sign; write the path out");
        }
      }
    }
    // Two `**` in a row say no more than one.
    segments.erase(std::unique(segments.begin(), segments.end(),
                               [](const std::string& a, const std::string& b) { return a == "**" && b == "**"; }),
                   segments.end());
    glob.alternatives_.push_back(std::move(segments));
  }
  return glob;
}

bool Glob::matches(std::string_view path) const {
  const std::vector<std::string> segments = split(path);
  return std::any_of(alternatives_.begin(), alternatives_.end(),
                     [&](const std::vector<std::string>& pattern) { return path_matches(pattern, segments, dots_); });
}

std::vector<std::string> Glob::roots() const {
  std::vector<std::string> roots;
  for (const std::vector<std::string>& segments : alternatives_) {
    std::string root;
    for (std::size_t i = 0; i + 1 < segments.size() && !has_sign(segments[i]); ++i) {
      root += segments[i] + "/";
    }
    if (std::find(roots.begin(), roots.end(), root) == roots.end()) {
      roots.push_back(root);
    }
  }
  return roots;
}

}  // namespace plumb
