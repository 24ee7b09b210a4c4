#include "native/cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "core/ascii.hpp"
#include "core/contract/render_place.hpp"
#include "native/base/log.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"

namespace plumb::cli {

namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::clamp<std::size_t>(size.ws_col, 40, 200);
  }
  return 80;
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) {
      continue;
    }
    std::string folded;
    for (char c : value) {
      if (c != '-') {
        folded += ascii::lower(c);
      }
    }
    return folded.find("utf8") != std::string::npos;
  }
  return false;
}

contract::TextStyle style_for(const Arguments& arguments, int descriptor) {
  contract::TextStyle style;
  style.ascii = arguments.has("--ascii") || !locale_is_utf8();
  const std::string when = arguments.text("--color", "auto");
  style.color = when == "always" || (when == "auto" && is_terminal(descriptor) && environment("NO_COLOR").empty() &&
                                     environment("TERM") != "dumb");
  return style;
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), std::min<std::size_t>(text.size(), std::size_t{1} << 30));
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void complain(std::string_view text) { write_all(STDERR_FILENO, "plumb: " + std::string(text) + "\n"); }
void note(std::string_view text) {
  if (logs_json()) {
    log_event(LogLevel::warn, "note", {}, text);
    return;
  }
  write_all(STDERR_FILENO, "plumb: note: " + std::string(text) + "\n");
}

std::string error_line(const Error& error) {
  std::string line = error.where;
  if (error.line > 0) {
    line += (line.empty() ? "line " : ":") + std::to_string(error.line);
    if (error.column > 0) {
      line += ":" + std::to_string(error.column);
    }
  }
  if (!line.empty()) {
    line += ": ";
  }
  return line + error.message;
}

int fail(const Error& error) {
  complain(error_line(error));
  return exit_undecided;
}

namespace {

// Columns of a word without its colours (ESC [ ... m).
std::size_t visible_width(std::string_view word) {
  std::size_t width = 0;
  while (!word.empty()) {
    const std::size_t escape = std::min(word.find("\x1b["), word.size());
    width += contract::terminal_width(word.substr(0, escape));
    word.remove_prefix(escape);
    const std::size_t end = word.empty() ? std::string_view::npos : word.find('m');
    word.remove_prefix(end == std::string_view::npos ? word.size() : end + 1);
  }
  return width;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  const std::size_t width = columns > indent + 20 ? columns - indent : 20;
  std::string out;
  std::size_t used = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == '\n') {
      out += '\n';
      out.append(i + 1 < text.size() && text[i + 1] != '\n' ? indent : 0, ' ');
      used = 0;
      ++i;
      continue;
    }
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \n", i), text.size());
    const std::string_view word = text.substr(i, end - i);
    // Code points, not bytes; close enough to columns for our own texts.
    const std::size_t length = static_cast<std::size_t>(std::count_if(
        word.begin(), word.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
    if (used > 0 && used + 1 + length > width) {
      out += '\n';
      out.append(indent, ' ');
      used = 0;
    }
    if (used > 0) {
      out += ' ';
      ++used;
    }
    out += word;
    used += length;
    i = end;
  }
  return out;
}

std::string fitted(std::string_view lines, std::size_t columns) {
  constexpr std::size_t indent = 6;
  std::string out;
  out.reserve(lines.size());
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    std::size_t used = 0;
    bool first = true;  // the first word of a line goes wherever the line begins
    while (!line.empty()) {
      const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
      const std::size_t word_end = std::min(line.find(' ', blanks), line.size());
      const std::string_view word = line.substr(blanks, word_end - blanks);
      const std::size_t width = visible_width(word);
      if (!first && used + blanks + width > columns) {
        out += '\n';
        out.append(indent, ' ');
        used = indent;
      } else {
        out.append(blanks, ' ');
        used += blanks;
      }
      out += word;
      used += width;
      // The sign at the beginning of a line is not left alone.
      first = first && used <= indent;
      line.remove_prefix(word_end);
    }
    out += '\n';
  }
  return out;
}

}  // namespace plumb::cli
