#include "native/cli/edit_diff.hpp"

#include <algorithm>

#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t context_lines = 3;

// Lines with their ends; the last may have none.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// A stretch of lines of the original and what is there afterwards.
struct Stretch {
  std::size_t first = 0;  // line, from 0
  std::size_t last = 0;   // after the last
  std::string text;
};

void put_line(std::string& out, char mark, std::string_view line, const contract::TextStyle& style) {
  const bool ended = !line.empty() && line.back() == '\n';
  std::string shown(1, mark);
  for (const char c : ended ? line.substr(0, line.size() - 1) : line) {
    const auto byte = static_cast<unsigned char>(c);
    // What comes out of an artifact must not send a command to a terminal.
    shown += (byte < 0x20 && c != '\t' && c != '\r') || byte == 0x7F ? '?' : c;
  }
  out += mark == '-' ? red(shown, style) : mark == '+' ? green(shown, style) : shown;
  out += '\n';
  if (!ended) {
    out += "\\ No newline at end of file\n";
  }
}

std::string range(std::uint64_t first, std::size_t count) {
  return std::to_string(count == 0 ? first - 1 : first) + (count == 1 ? "" : "," + std::to_string(count));
}

}  // namespace

std::string edit_diff(const std::string& name, std::string_view original, std::uint64_t lines_before,
                      const std::vector<contract::Edit>& edits, const contract::TextStyle& style) {
  std::vector<const contract::Change*> changes;
  for (const contract::Edit& edit : edits) {
    for (const contract::Change& change : edit.changes) {
      if (edit.applied) {
        changes.push_back(&change);
      }
    }
  }
  if (changes.empty()) {
    return "";
  }
  std::stable_sort(changes.begin(), changes.end(), [](const contract::Change* a, const contract::Change* b) {
    return a->from != b->from ? a->from < b->from : a->to < b->to;
  });

  const std::vector<std::string_view> lines = lines_of(original);
  std::vector<std::uint64_t> starts;  // of each line, and of the end
  std::uint64_t at = 0;
  for (std::string_view line : lines) {
    starts.push_back(at);
    at += line.size();
  }
  starts.push_back(at);
  const auto line_at = [&](std::uint64_t byte) {
    const auto found = std::upper_bound(starts.begin(), starts.end(), byte);
    return std::min<std::size_t>(static_cast<std::size_t>(found - starts.begin()) - 1,
                                 lines.empty() ? 0 : lines.size() - 1);
  };

  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < changes.size();) {
    Stretch one;
    one.first = line_at(changes[i]->from);
    one.last = one.first + 1;
    std::uint64_t done = starts[one.first];
    for (; i < changes.size() && (line_at(changes[i]->from) < one.last); ++i) {
      const contract::Change& change = *changes[i];
      one.text += original.substr(static_cast<std::size_t>(done), static_cast<std::size_t>(change.from - done));
      one.text += change.text;
      done = change.to;
      one.last = std::max(one.last, line_at(change.to) + 1);
    }
    one.last = std::min(one.last, lines.size());
    one.text += original.substr(static_cast<std::size_t>(done), static_cast<std::size_t>(starts[one.last] - done));
    stretches.push_back(std::move(one));
  }

  std::string out = bold("--- " + name, style) + "\n" + bold("+++ " + name + " (edited)", style) + "\n";
  std::int64_t shift = 0;  // of line numbers, by the hunks before
  for (std::size_t i = 0; i < stretches.size();) {
    std::size_t j = i + 1;
    while (j < stretches.size() && stretches[j].first <= stretches[j - 1].last + 2 * context_lines) {
      ++j;
    }
    const std::size_t from = stretches[i].first - std::min(stretches[i].first, context_lines);
    const std::size_t to = std::min(lines.size(), stretches[j - 1].last + context_lines);
    std::string body;
    std::size_t added = 0;
    std::size_t line = from;
    for (std::size_t k = i; k < j; ++k) {
      for (; line < stretches[k].first; ++line, ++added) {
        put_line(body, ' ', lines[line], style);
      }
      for (; line < stretches[k].last; ++line) {
        put_line(body, '-', lines[line], style);
      }
      for (std::string_view text : lines_of(stretches[k].text)) {
        put_line(body, '+', text, style);
        ++added;
      }
    }
    for (; line < to; ++line, ++added) {
      put_line(body, ' ', lines[line], style);
    }
    const std::uint64_t first = lines_before + from + 1;
    const auto first_after = static_cast<std::uint64_t>(static_cast<std::int64_t>(first) + shift);
    out += cyan("@@ -" + range(first, to - from) + " +" + range(first_after, added) + " @@", style) + "\n" + body;
    shift += static_cast<std::int64_t>(added) - static_cast<std::int64_t>(to - from);
    i = j;
  }
  return out;
}

}  // namespace plumb::cli
