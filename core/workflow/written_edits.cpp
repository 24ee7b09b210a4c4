#include "core/workflow/written_edits.hpp"

#include <algorithm>
#include <map>

#include "core/ascii.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"

namespace plumb::workflow {

namespace {

using Lines = std::vector<std::string_view>;
using Kind = WrittenEdit::Kind;

constexpr std::size_t context_cut_max = 3;
constexpr std::size_t path_max = 300;

Lines lines_of(std::string_view text) {
  Lines out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string joined(std::span<const std::string_view> lines) {
  std::string out;
  for (const std::string_view one : lines) {
    out += one;
    out += '\n';
  }
  return out;
}

std::string_view without_end(std::string_view line) { return line.substr(0, line.find_last_not_of(" \t\r") + 1); }

std::string_view trimmed(std::string_view line) {
  line = without_end(line);
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

// "src/a.py", "`src/a.py`", "**src/a.py**:", "### File: src/a.py (new)"; empty: it names no file.
std::string path_in(std::string_view line) {
  line = trimmed(line);
  for (const std::string_view mark : {"#", "*", "-", ">", "/", " ", "`"}) {
    while (line.starts_with(mark) && !(mark == "/" && !line.starts_with("//"))) {
      line.remove_prefix(1);
    }
  }
  for (const std::string_view word : {"File:", "file:", "File", "Path:", "path:", "filename:"}) {
    if (line.starts_with(word)) {
      line = trimmed(line.substr(word.size()));
    }
  }
  if (const std::size_t quote = line.find('`'); quote == 0) {
    line.remove_prefix(1);
  }
  line = line.substr(0, line.find_first_of(" \t`*\"'("));
  while (!line.empty() && (line.back() == ':' || line.back() == ',')) {
    line.remove_suffix(1);
  }
  if (line.starts_with("./")) {
    line.remove_prefix(2);
  }
  const std::size_t dot = line.rfind('.');
  const bool looks = line.find('/') != std::string_view::npos ||
                     (dot != std::string_view::npos && dot + 1 < line.size()) || line == "Makefile" ||
                     line == "Dockerfile";
  return looks && line.size() <= path_max && line.find("://") == std::string_view::npos ? std::string(line)
                                                                                        : std::string();
}

bool is_mark(std::string_view line, char of, std::string_view word) {
  line = trimmed(line);
  const std::size_t count = std::min(line.find_first_not_of(of), line.size());
  return count >= 5 && count <= 9 && trimmed(line.substr(count)) == word;
}

std::size_t fence_of(std::string_view line) {
  line = trimmed(line);
  const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
  const std::size_t tildes = std::min(line.find_first_not_of('~'), line.size());
  return std::max(ticks, tildes) >= 3 ? std::max(ticks, tildes) : 0;
}

// "+++ b/src/a.py\t2024-01-01"
std::string diff_path(std::string_view line) {
  line = trimmed(line.substr(std::min<std::size_t>(4, line.size())));
  line = line.substr(0, line.find('\t'));
  if (line == "/dev/null") {
    return {};
  }
  if (line.starts_with("a/") || line.starts_with("b/")) {
    line.remove_prefix(2);
  }
  return std::string(line);
}

class BlockReader {
 public:
  explicit BlockReader(std::string_view answer) : lines_(lines_of(answer.substr(0, written_bytes_max))) {}

  WrittenEdits run() {
    std::string_view before;
    for (std::size_t i = 0; i < lines_.size();) {
      const std::string_view line = lines_[i];
      if (fence_of(line) > 0) {
        i = fenced(i, before);
      } else if (is_mark(line, '<', "SEARCH")) {
        i = search(i, lines_.size(), path_in(before));
      } else if (begins_diff(i, lines_.size())) {
        i = diff(i, lines_.size(), false);
      } else {
        before = trimmed(line).empty() ? before : line;
        ++i;
      }
    }
    if (out_.edits.size() > written_edits_max) {
      out_.left_out.push_back("there are more than " + std::to_string(written_edits_max) + " edits");
      out_.edits.resize(written_edits_max);
    }
    return std::move(out_);
  }

 private:
  bool begins_diff(std::size_t i, std::size_t end) const {
    return lines_[i].starts_with("diff --git ") ||
           (lines_[i].starts_with("--- ") && i + 1 < end && lines_[i + 1].starts_with("+++ "));
  }

  void add(WrittenEdit edit) {
    if (edit.path.empty()) {
      out_.left_out.emplace_back("an edit names no file: write the file's path in the line before it");
    } else {
      out_.edits.push_back(std::move(edit));
    }
  }

  // A code block: what is in it is a diff, SEARCH/REPLACE blocks, or a whole file. Gives the line behind it.
  std::size_t fenced(std::size_t at, std::string_view before) {
    const std::size_t ticks = fence_of(lines_[at]);
    std::size_t end = at + 1;
    while (end < lines_.size() && !(fence_of(lines_[end]) >= ticks &&
                                    trimmed(lines_[end]).find_first_not_of("`~") == std::string_view::npos)) {
      ++end;
    }
    std::string_view info = trimmed(trimmed(lines_[at]).substr(ticks));
    const std::size_t from = at + 1;
    const bool searches = std::any_of(lines_.begin() + static_cast<std::ptrdiff_t>(from),
                                      lines_.begin() + static_cast<std::ptrdiff_t>(end),
                                      [](std::string_view line) { return is_mark(line, '<', "SEARCH"); });
    std::size_t first = from;
    while (first < end && trimmed(lines_[first]).empty()) {
      ++first;
    }
    const bool hunk = first < end && (begins_diff(first, end) ||
                                      ((info == "diff" || info == "patch") && lines_[first].starts_with("@@")));
    std::string path;
    for (std::string_view rest = info; path.empty() && !rest.empty();) {
      const std::size_t blank = std::min(rest.find_first_of(" =:"), rest.size());
      path = path_in(rest.substr(0, blank));
      rest.remove_prefix(std::min(blank + 1, rest.size()));
    }
    path = path.empty() ? path_in(before) : path;
    if (searches) {
      for (std::size_t i = from; i < end;) {
        if (is_mark(lines_[i], '<', "SEARCH")) {
          i = search(i, end, path);
        } else {
          const std::string own = path_in(lines_[i]);
          path = own.empty() ? path : own;
          ++i;
        }
      }
    } else if (hunk) {
      path_ = path;
      for (std::size_t i = first; i < end;) {
        i = diff(i, end, true);
      }
    } else if (!path.empty() && info != "sh" && info != "bash" && info != "console" && info != "json") {
      add({Kind::whole, path, "", joined(std::span(lines_).subspan(from, end - from)), 0, 0, 0});
    }
    return std::min(end + 1, lines_.size());
  }

  std::size_t search(std::size_t at, std::size_t end, const std::string& path) {
    std::size_t middle = at + 1;
    while (middle < end && !is_mark(lines_[middle], '=', "")) {
      ++middle;
    }
    std::size_t last = middle + 1;
    while (last < end && !is_mark(lines_[last], '>', "REPLACE")) {
      ++last;
    }
    if (last >= end) {
      out_.left_out.push_back("the SEARCH block of '" + path + "' has no end: ======= and >>>>>>> REPLACE");
      return end;
    }
    WrittenEdit edit;
    edit.path = path;
    edit.find = joined(std::span(lines_).subspan(at + 1, middle - at - 1));
    edit.text = joined(std::span(lines_).subspan(middle + 1, last - middle - 1));
    edit.kind = trimmed(edit.find).empty() ? Kind::whole : Kind::replace;
    add(std::move(edit));
    return last + 1;
  }

  // Files and hunks from a line on. Outside a code block it ends at the first line that is none of a diff.
  std::size_t diff(std::size_t at, std::size_t end, bool whole) {
    std::string path = whole ? path_ : std::string();
    std::size_t i = at;
    while (i < end) {
      const std::string_view line = lines_[i];
      if (line.starts_with("--- ") && i + 1 < end && lines_[i + 1].starts_with("+++ ")) {
        const std::string was = diff_path(line), now = diff_path(lines_[i + 1]);
        path = now.empty() ? was : now;
        i += 2;
        if (now.empty()) {
          add({Kind::remove, path, "", "", 0, 0, 0});
          while (i < end && !begins_diff(i, end)) {
            ++i;
          }
        }
      } else if (line.starts_with("@@")) {
        i = hunk(i, end, path);
      } else if (line.starts_with("diff --git ") || line.starts_with("index ") || line.starts_with("new file") ||
                 line.starts_with("deleted file") || line.starts_with("similarity ") || line.starts_with("old mode") ||
                 line.starts_with("new mode") || whole) {
        ++i;
      } else {
        break;
      }
    }
    path_ = path;
    return std::max(i, at + 1);
  }

  std::size_t hunk(std::size_t at, std::size_t end, const std::string& path) {
    WrittenEdit edit;
    edit.kind = Kind::replace;
    edit.path = path;
    const std::size_t minus = lines_[at].find('-');
    std::uint64_t line = 0;
    if (minus != std::string_view::npos) {
      const std::string_view number = lines_[at].substr(minus + 1);
      (void)json::read_uint(number.substr(0, std::min(number.find_first_not_of("0123456789"), number.size())), line);
    }
    edit.line = static_cast<std::uint32_t>(std::min<std::uint64_t>(line, 0x7FFFFFFFU));
    Lines body;
    std::size_t i = at + 1;
    for (; i < end && !lines_[i].starts_with("@@") && !begins_diff(i, end) && fence_of(lines_[i]) == 0; ++i) {
      const char sign = lines_[i].empty() ? ' ' : lines_[i][0];
      if (std::string_view(" +-\\\t").find(sign) == std::string_view::npos) {
        break;
      }
      body.push_back(lines_[i]);
    }
    while (!body.empty() && trimmed(body.back()).empty()) {
      body.pop_back();  // blank lines behind a hunk are the answer's own
    }
    bool changed = false;
    for (const std::string_view one : body) {
      const char sign = one.empty() ? ' ' : one[0];
      const std::string text = std::string(one.substr(one.empty() || sign == '\t' ? 0 : 1)) + "\n";
      if (sign == '\\') {
        continue;
      }
      edit.find += sign == '+' ? "" : text;
      edit.text += sign == '-' ? "" : text;
      const bool context = sign != '+' && sign != '-';
      edit.before += context && !changed ? 1U : 0U;
      edit.after = context && changed ? edit.after + 1 : context ? edit.after : 0;
      changed = changed || !context;
    }
    if (changed) {
      add(std::move(edit));
    }
    return std::max(i, at + 1);
  }

  Lines lines_;
  std::string path_;
  WrittenEdits out_;
};

// Where a piece is in a text, by bytes, and what takes its place.
struct Place {
  std::size_t from = 0, to = 0;
  std::string text;
};

// Every run of lines that equals `wanted` as `same` sees it: the first line's index.
template <typename Same>
std::vector<std::size_t> runs_of(const Lines& lines, const Lines& wanted, const Same& same) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; !wanted.empty() && i + wanted.size() <= lines.size(); ++i) {
    if (std::equal(wanted.begin(), wanted.end(), lines.begin() + static_cast<std::ptrdiff_t>(i), same)) {
      out.push_back(i);
    }
  }
  return out;
}

std::string_view indent_of(std::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

// The new lines with the indentation that the file has where the piece was found.
std::string indented_as(const Lines& found, const Lines& wanted, const std::string& text) {
  std::string_view has, wrote;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!trimmed(wanted[i]).empty()) {
      has = indent_of(found[i]);
      wrote = indent_of(wanted[i]);
      break;
    }
  }
  std::string out;
  for (const std::string_view line : lines_of(text)) {
    const bool inside = line.starts_with(wrote) && !trimmed(line).empty();
    out += inside ? std::string(has) + std::string(line.substr(wrote.size())) : std::string(line);
    out += '\n';
  }
  return out;
}

class Finder {
 public:
  Finder(const std::string& text, const WrittenEdit& edit) : text_(text), edit_(edit), lines_(lines_of(text)) {}

  std::optional<Place> run(std::string& why) {
    if (edit_.find.empty()) {
      return by_line();
    }
    std::vector<std::size_t> exact;
    for (std::size_t at = text_.find(edit_.find); at != std::string::npos; at = text_.find(edit_.find, at + 1)) {
      exact.push_back(at);
    }
    if (const auto at = chosen(
            exact, [&](std::size_t one) { return line_at(one); }, why)) {
      return Place{*at, *at + edit_.find.size(), edit_.text};
    }
    if (!exact.empty()) {
      return std::nullopt;
    }
    for (std::size_t cut = 0; cut <= context_cut_max; ++cut) {
      const std::size_t first = std::min(cut, edit_.before), last = std::min(cut, edit_.after);
      if (cut > 0 && first == 0 && last == 0) {
        break;
      }
      if (std::optional<Place> place = by_lines(first, last, why); place || !why.empty()) {
        return place;
      }
    }
    why = "is not in the file" + first_line();
    return std::nullopt;
  }

 private:
  std::uint32_t line_at(std::size_t byte) const {
    return static_cast<std::uint32_t>(
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(byte), '\n') + 1);
  }

  // The one place, or of several the nearest to the line that the edit gives.
  template <typename LineOf>
  std::optional<std::size_t> chosen(const std::vector<std::size_t>& places, const LineOf& line_of,
                                    std::string& why) const {
    if (places.empty() || (places.size() > 1 && edit_.line == 0)) {
      why =
          places.empty() ? "" : "is in the file " + std::to_string(places.size()) + " times: give more lines around it";
      return std::nullopt;
    }
    const auto away = [&](std::size_t one) {
      const std::int64_t from = line_of(one), to = edit_.line;
      return from > to ? from - to : to - from;
    };
    return *std::min_element(places.begin(), places.end(),
                             [&](std::size_t a, std::size_t b) { return away(a) < away(b); });
  }

  std::optional<Place> by_line() const {
    const std::size_t line = std::min<std::size_t>(edit_.line, lines_.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < line; ++i) {
      at = std::min(at + lines_[i].size() + 1, text_.size());
    }
    return Place{at, at, (at > 0 && text_[at - 1] != '\n' ? "\n" : "") + edit_.text};
  }

  // Line by line, without the blanks at their ends, then without indentation; some lines of context left out.
  std::optional<Place> by_lines(std::size_t first, std::size_t last, std::string& why) const {
    Lines wanted = lines_of(edit_.find), text = lines_of(edit_.text);
    const auto cut = [&](Lines& lines) {
      lines.erase(lines.end() - static_cast<std::ptrdiff_t>(last), lines.end());
      lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(first));
    };
    if (wanted.size() <= first + last || text.size() < first + last) {
      return std::nullopt;
    }
    cut(wanted);
    cut(text);
    for (const bool exact_indent : {true, false}) {
      const std::vector<std::size_t> runs = runs_of(lines_, wanted, [&](std::string_view one, std::string_view other) {
        return exact_indent ? without_end(one) == without_end(other) : trimmed(one) == trimmed(other);
      });
      const auto at = chosen(
          runs, [&](std::size_t one) { return static_cast<std::uint32_t>(one + 1); }, why);
      if (at) {
        const Lines found(lines_.begin() + static_cast<std::ptrdiff_t>(*at),
                          lines_.begin() + static_cast<std::ptrdiff_t>(*at + wanted.size()));
        const std::string plain = joined(text);
        return of_lines(*at, wanted.size(), exact_indent ? plain : indented_as(found, wanted, plain));
      }
      if (!runs.empty()) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  Place of_lines(std::size_t line, std::size_t count, std::string text) const {
    Place out;
    out.from = static_cast<std::size_t>(lines_[line].data() - text_.data());
    const std::string_view last = lines_[line + count - 1];
    const std::size_t end = static_cast<std::size_t>(last.data() - text_.data()) + last.size();
    const bool ends = end < text_.size();  // with a line end
    out.to = ends ? end + 1 : end;
    const bool returns = last.ends_with('\r');
    for (const char c : text) {
      out.text += c == '\n' && returns ? "\r\n" : std::string(1, c);
    }
    if (!ends && !out.text.empty() && out.text.back() == '\n') {
      out.text.pop_back();
    }
    return out;
  }

  std::string first_line() const {
    for (const std::string_view wanted : lines_of(edit_.find)) {
      const auto at = std::find_if(lines_.begin(), lines_.end(),
                                   [&](std::string_view one) { return trimmed(one) == trimmed(wanted); });
      if (!trimmed(wanted).empty() && at != lines_.end()) {
        return "; of its lines '" + json::excerpt(trimmed(wanted), 60) + "' is line " +
               std::to_string(at - lines_.begin() + 1);
      }
    }
    return "; none of its lines is";
  }

  const std::string& text_;
  const WrittenEdit& edit_;
  Lines lines_;
};

}  // namespace

WrittenEdits read_edit_blocks(std::string_view answer) { return BlockReader(answer).run(); }

std::vector<WrittenEdit> read_json_edits(const json::Value& edits) {
  std::vector<WrittenEdit> out;
  for (std::size_t i = 0; edits.is(json::Kind::array) && i < edits.size; ++i) {
    const json::Value& one = edits.array()[i];
    WrittenEdit edit;
    edit.path = json::text_of(one, "path");
    edit.find = json::text_of(one, "find");
    edit.text = json::text_of(one, one.find("find") != nullptr ? "replace" : "text");
    edit.kind = one.find("delete") != nullptr ? Kind::remove
                : one.find("find") != nullptr ? Kind::replace
                                              : Kind::whole;
    out.push_back(std::move(edit));
  }
  return out;
}

EditedFiles apply_edits(std::span<const WrittenEdit> edits,
                        const std::function<std::optional<std::string>(const std::string&)>& read) {
  EditedFiles out;
  std::map<std::string, std::optional<std::string>> now;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const WrittenEdit& edit = edits[i];
    const std::string which = "edit " + std::to_string(i + 1) + ", of '" + json::excerpt(edit.path, 200) + "': ";
    if (edit.kind == Kind::replace && now.find(edit.path) == now.end()) {
      now[edit.path] = read(edit.path);
    }
    if (std::find(order.begin(), order.end(), edit.path) == order.end()) {
      order.push_back(edit.path);
    }
    if (edit.kind != Kind::replace) {
      now[edit.path] = edit.kind == Kind::whole ? std::optional(edit.text) : std::nullopt;
      continue;
    }
    std::optional<std::string>& text = now[edit.path];
    if (!text && edit.find.empty()) {
      text = edit.text;  // a diff that makes the file
      continue;
    }
    std::string why = "there is no such text file";
    const std::optional<Place> place = text ? Finder(*text, edit).run(why) : std::nullopt;
    if (place) {
      text->replace(place->from, place->to - place->from, place->text);
    } else {
      out.wrong.push_back(which + (text ? "what it replaces " : "") + why);
    }
  }
  for (const std::string& path : order) {
    out.files.emplace_back(path, now[path]);
  }
  return out;
}

std::string edits_json(const EditedFiles& edited) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  for (const auto& [path, text] : edited.files) {
    json.begin_object().member("path", path);
    if (text) {
      json.member("text", *text);
    } else {
      json.member_boolean("delete", true);
    }
    json.end_object();
  }
  json.end_array();
  return out;
}

}  // namespace plumb::workflow
