#include "core/workflow/failure.hpp"

#include <algorithm>
#include <set>

#include "core/ascii.hpp"
#include "core/json/sha256.hpp"

namespace plumb::workflow {

namespace {

bool is_path(char c) {
  return ascii::is_word(c) || c == '/' || c == '.' || c == '-' || c == '+' || c == '@' || c == '~';
}

std::size_t digits(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (at + count < text.size() && ascii::is_digit(text[at + count])) {
    ++count;
  }
  return count;
}

// Each gives the bytes of what begins at `at` and differs from run to run, or 0.

std::size_t date(std::string_view text, std::size_t at) {
  const auto number = [&](std::size_t from, std::size_t size) { return digits(text, at + from) == size; };
  const auto sign = [&](std::size_t from, char c) { return at + from < text.size() && text[at + from] == c; };
  return number(0, 4) && (sign(4, '-') || sign(4, '/')) && number(5, 2) && (sign(7, '-') || sign(7, '/')) &&
                 number(8, 2)
             ? 10
             : 0;
}

std::size_t time_of_day(std::string_view text, std::size_t at) {
  std::size_t size = digits(text, at);
  if (size == 0 || size > 2 || at + size >= text.size() || text[at + size] != ':' || digits(text, at + size + 1) != 2) {
    return 0;
  }
  size += 3;
  const bool seconds = at + size < text.size() && text[at + size] == ':' && digits(text, at + size + 1) == 2;
  if (!seconds) {
    return 0;
  }
  size += 3;
  if (at + size < text.size() && (text[at + size] == '.' || text[at + size] == ',') &&
      digits(text, at + size + 1) > 0) {
    size += 1 + digits(text, at + size + 1);
  }
  return size;
}

std::size_t duration(std::string_view text, std::size_t at) {
  std::size_t end = 0;
  for (std::size_t from = at; from < text.size();) {
    std::size_t size = digits(text, from);
    if (size == 0) {
      break;
    }
    if (from + size + 1 < text.size() && text[from + size] == '.' && ascii::is_digit(text[from + size + 1])) {
      size += 1 + digits(text, from + size + 1);
    }
    const std::size_t number_end = from + size;
    std::size_t unit = number_end;
    while (unit < text.size() && text[unit] == ' ' && unit - number_end < 2 && from == at) {
      ++unit;
    }
    constexpr std::string_view units[] = {"milliseconds", "seconds",   "second", "minutes", "minute", "msec",
                                          "secs",         "sec",       "mins",   "min",     "ms",     "us",
                                          "ns",           "\xC2\xB5s", "s",      "m",       "h"};
    std::size_t taken = 0;
    for (const std::string_view one : units) {
      if (taken == 0 && text.substr(unit, one.size()) == one) {
        const std::size_t behind = unit + one.size();
        const bool whole = behind == text.size() || !ascii::is_word(text[behind]) ||
                           (ascii::is_digit(text[behind]) && one.size() == 1);
        // "3 m" and "2 h" may be anything.
        const bool said = unit == number_end || one.size() > 1 || one == "s";
        taken = whole && said ? behind : 0;
      }
    }
    if (taken == 0) {
      break;
    }
    end = from = taken;
  }
  return end == 0 ? 0 : end - at;
}

std::size_t address(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "0x") {
    return 0;
  }
  std::size_t end = at + 2;
  while (end < text.size() && ascii::is_hex(text[end])) {
    ++end;
  }
  return end - at > 2 ? end - at : 0;
}

// A hash or a UUID: at least seven digits of which some are letters.
std::size_t hash(std::string_view text, std::size_t at) {
  std::size_t end = at, letters = 0, numbers = 0;
  while (end < text.size() && (ascii::is_hex(text[end]) || (text[end] == '-' && end - at >= 8 && end - at < 36))) {
    letters += ascii::is_letter(text[end]) ? 1 : 0;
    numbers += ascii::is_digit(text[end]) ? 1 : 0;
    ++end;
  }
  while (end > at && text[end - 1] == '-') {
    --end;
  }
  const bool whole = end == text.size() || !ascii::is_word(text[end]);
  return whole && letters > 0 && numbers > 1 && letters + numbers >= 7 ? end - at : 0;
}

std::string without_colours(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1B' && i + 1 < text.size() && text[i + 1] == '[') {
      i += 2;
      while (i < text.size() && !ascii::is_letter(text[i])) {
        ++i;
      }
    } else if (text[i] != '\r') {
      out += text[i];
    }
  }
  return out;
}

void plain_line(std::string_view line, std::string& out) {
  const std::size_t began = out.size();
  const auto last_word = [&]() {
    std::size_t from = out.size();
    while (from > began && (out[from - 1] == ' ' || out[from - 1] == '=' || out[from - 1] == ':')) {
      --from;
    }
    const std::size_t end = from;
    while (from > began && ascii::is_letter(out[from - 1])) {
      --from;
    }
    return ascii::lower(std::string_view(out).substr(from, end - from));
  };
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    const bool begins = i == 0 || !ascii::is_word(line[i - 1]);
    if (ascii::is_blank(c)) {
      if (out.size() > began && out.back() != ' ') {
        out += ' ';
      }
      ++i;
      continue;
    }
    std::size_t size = 0;
    if (begins && ascii::is_digit(c)) {
      size = std::max({date(line, i), time_of_day(line, i), duration(line, i)});
      if (size > 0) {
        if (line.substr(i + size, 1) == "T" && time_of_day(line, i + size + 1) > 0) {
          size += 1 + time_of_day(line, i + size + 1);
        }
        out += "<time>";
      } else if ((size = address(line, i)) > 0) {
        out += "<address>";
      } else if (size = digits(line, i); size > 0 && (i + size == line.size() || !ascii::is_word(line[i + size]))) {
        const std::string word = last_word();
        const bool id = word == "pid" || word == "process" || word == "thread" || word == "port" || word == "line" ||
                        (i > 1 && line.substr(i - 2, 2) == "==" && line.substr(i + size, 2) == "==");
        if (id) {
          out += "<number>";
        } else {
          size = 0;
        }
      } else {
        size = 0;
      }
    }
    if (size == 0 && begins && ascii::is_hex(c) && (size = hash(line, i)) > 0) {
      out += "<hash>";
    }
    if (size == 0 && is_path(c) && (i == 0 || !is_path(line[i - 1]))) {
      std::size_t end = i;
      while (end < line.size() && is_path(line[end])) {
        ++end;
      }
      const std::string_view path = line.substr(i, end - i);
      const std::size_t slash = path.rfind('/');
      const bool scratch = path.starts_with("/tmp/") && slash == 4;
      // Line and column behind it.
      std::size_t behind = end;
      if (path.find('.') != std::string_view::npos || slash != std::string_view::npos) {
        for (int k = 0; k < 2 && behind + 1 < line.size() && line[behind] == ':' && ascii::is_digit(line[behind + 1]);
             ++k) {
          behind += 1 + digits(line, behind + 1);
        }
      }
      const std::string_view last = slash == std::string_view::npos ? path : path.substr(slash + 1);
      if (slash != std::string_view::npos && path.size() > 1) {
        out += scratch ? "<temporary>" : last;
        size = behind - i;
      } else if (behind > end) {
        out += path;
        size = behind - i;
      }
    }
    if (size == 0) {
      out += c;
      size = 1;
    }
    i += size;
  }
  while (out.size() > began && out.back() == ' ') {
    out.pop_back();
  }
  if (out.size() > began) {
    out += '\n';
  }
}

}  // namespace

std::string plain_output(std::string_view output) {
  const std::string text = without_colours(output);
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    plain_line(std::string_view(text).substr(from, to - from), out);
    from = to + 1;
  }
  return out;
}

std::string failure_fingerprint(std::string_view gate, int exit_code, std::string_view output) {
  json::Sha256 hash;
  hash.update(gate);
  hash.update(std::string_view("\0", 1));
  hash.update(std::to_string(exit_code));
  hash.update(std::string_view("\0", 1));
  hash.update(plain_output(output));
  return hash.hex().substr(0, 16);
}

std::uint32_t equal_failures(std::span<const Failure> failures) {
  std::set<std::string_view> trees;
  for (const Failure& one : failures) {
    if (one.fingerprint == failures.back().fingerprint) {
      trees.insert(one.tree);
    }
  }
  return static_cast<std::uint32_t>(trees.size());
}

}  // namespace plumb::workflow
