#include "native/cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"

namespace plumb::cli {

namespace {

std::string painted(std::string_view code, std::string_view text, const contract::TextStyle& style) {
  if (!style.color)
    return std::string(text);
  std::string out = "\x1b[";
  out += code;
  out += 'm';
  out += text;
  out += "\x1b[0m";
  return out;
}

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
    if (value.empty())
      continue;
    std::string folded;
    for (char c : value) {
      if (c != '-')
        folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
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

std::string bold(std::string_view text, const contract::TextStyle& style) { return painted("1", text, style); }
std::string dim(std::string_view text, const contract::TextStyle& style) { return painted("2", text, style); }
std::string red(std::string_view text, const contract::TextStyle& style) { return painted("31", text, style); }
std::string yellow(std::string_view text, const contract::TextStyle& style) { return painted("33", text, style); }
std::string green(std::string_view text, const contract::TextStyle& style) { return painted("32", text, style); }
std::string cyan(std::string_view text, const contract::TextStyle& style) { return painted("36", text, style); }

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), std::min<std::size_t>(text.size(), std::size_t{1} << 30));
    if (written < 0) {
      if (errno == EINTR)
        continue;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void complain(std::string_view text) { write_all(STDERR_FILENO, "plumb: " + std::string(text) + "\n"); }
void note(std::string_view text) { write_all(STDERR_FILENO, "plumb: note: " + std::string(text) + "\n"); }

std::string error_line(const Error& error) {
  std::string line = error.where;
  if (error.line > 0) {
    line += (line.empty() ? "line " : ":") + std::to_string(error.line);
    if (error.column > 0)
      line += ":" + std::to_string(error.column);
  }
  if (!line.empty())
    line += ": ";
  return line + error.message;
}

int fail(const Error& error) {
  complain(error_line(error));
  return exit_undecided;
}

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

}  // namespace plumb::cli
