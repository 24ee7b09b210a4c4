#include "core/workflow/fixes.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/ascii.hpp"
#include "core/budget/risk.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"
#include "core/text/utf8.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t output_bytes_max = std::size_t{4} << 20U;
constexpr std::size_t folders_max = 40;
constexpr std::string_view between_words = " \t\n;&|()<>\"'=,";

// A number at the front of `text`, which is taken off.
bool take_number(std::string_view& text, std::uint32_t& into) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::uint64_t value = 0;
  if (!json::read_uint(text.substr(0, digits), value) || value > 0x7FFFFFFFU) {
    return false;
  }
  into = static_cast<std::uint32_t>(value);
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) {
    return false;
  }
  text.remove_prefix(what.size());
  return true;
}

// "..." as C writes it, taken off.
bool take_quoted(std::string_view& text, std::string& into) {
  if (!take(text, "\"")) {
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      text.remove_prefix(i + 1);
      return true;
    }
    if (c != '\\' || i + 1 == text.size()) {
      into += c;
      continue;
    }
    const char next = text[++i];
    if (next >= '0' && next <= '7') {
      unsigned value = 0;
      std::size_t digits = 0;
      for (; digits < 3 && i + digits < text.size() && text[i + digits] >= '0' && text[i + digits] <= '7'; ++digits) {
        value = value * 8 + static_cast<unsigned>(text[i + digits] - '0');
      }
      i += digits - 1;
      into += static_cast<char>(value & 0xFFU);
    } else {
      into += next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : next;
    }
  }
  return false;
}

bool is_one_of(const std::vector<std::string>& globs, const std::string& path) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return budget::path_fits(glob, path); });
}

class FixReader {
 public:
  FixReader(std::string_view output, const SeenFrom& from) : output_(output), from_(from) {}

  FixReading run() {
    if (output_.size() > output_bytes_max) {
      out_.left_out.push_back("of the output only the first 4 MB are read for fixes");
      output_ = output_.substr(0, output_bytes_max);
    }
    fix_its();
    sarif();
    diffs();
    return std::move(out_);
  }

 private:
  // What the path may mean, from the tree's top; nothing, with a sentence, where it lies beyond.
  std::vector<std::string> in_tree(const std::string& path) {
    std::vector<std::string> out;
    const auto offer = [&](std::string seen) {
      if (bad_task_path(seen).empty() && std::find(out.begin(), out.end(), seen) == out.end()) {
        out.push_back(std::move(seen));
      }
    };
    const std::string plain = budget::plain_path(path);
    const std::string top = budget::plain_path(from_.tree) + "/";
    if (plain.starts_with('/')) {
      offer(plain.starts_with(top) ? plain.substr(top.size()) : plain);
    } else {
      for (const std::string& folder : from_.folders) {
        offer(folder.empty() ? plain : budget::plain_path(std::string(folder).append("/").append(plain)));
      }
    }
    if (out.empty()) {
      leave_out("a fix of '" + json::excerpt(path, 100) + "' is left out: it lies beyond the tree");
    }
    return out;
  }

  void leave_out(std::string sentence) {
    if (std::find(out_.left_out.begin(), out_.left_out.end(), sentence) == out_.left_out.end() &&
        out_.left_out.size() < fixes_max) {
      out_.left_out.push_back(std::move(sentence));
    }
  }

  void add(const std::string& path, Fix fix) {
    fix.paths = in_tree(path);
    if (fix.paths.empty()) {
      return;
    }
    if (out_.fixes.size() == fixes_max) {
      return leave_out("there are more than " + std::to_string(fixes_max) + " fixes; the first of them are tried");
    }
    out_.fixes.push_back(std::move(fix));
  }

  // fix-it:"src/a.cpp":{3:5-3:9}:"text"
  void fix_its() {
    for (std::size_t from = 0; from < output_.size();) {
      const std::size_t end = std::min(output_.find('\n', from), output_.size());
      std::string_view line = output_.substr(from, end - from);
      from = end + 1;
      if (!take(line, "fix-it:")) {
        continue;
      }
      Fix fix;
      fix.from_tool = "fix-it";
      std::string path;
      const bool read = take_quoted(line, path) && take(line, ":{") && take_number(line, fix.line) && take(line, ":") &&
                        take_number(line, fix.column) && take(line, "-") && take_number(line, fix.line_to) &&
                        take(line, ":") && take_number(line, fix.column_to) && take(line, "}:") &&
                        take_quoted(line, fix.text);
      if (read) {
        add(path, std::move(fix));
      } else {
        leave_out("a line that begins with 'fix-it:' cannot be read");
      }
    }
  }

  void sarif() {
    std::size_t from = output_.starts_with('{') ? 0 : output_.find("\n{");
    for (int tried = 0; from != std::string_view::npos && tried < 20; ++tried) {
      from += output_[from] == '\n' ? 1 : 0;
      const std::size_t line_end = std::min(output_.find('\n', from), output_.size());
      const std::size_t last = output_.rfind('}');
      std::size_t behind = line_end;
      if (!sarif_document(output_.substr(from, line_end - from)) && last != std::string_view::npos && last > from &&
          sarif_document(output_.substr(from, last + 1 - from))) {
        behind = last;
      }
      from = output_.find("\n{", std::min(behind, output_.size()));
    }
  }

  bool sarif_document(std::string_view text) {
    if (text.find("\"runs\"") == std::string_view::npos) {
      return false;
    }
    json::Arena arena;
    const Result<json::Value> read = json::parse(text, arena);
    if (!read || read.value().find("runs") == nullptr) {
      return false;
    }
    for (const json::Value& run : json::list_of(read.value(), "runs")) {
      const Columns columns =
          json::text_of(run, "columnKind") == "unicodeCodePoints" ? Columns::code_points : Columns::utf16;
      for (const json::Value& result : json::list_of(run, "results")) {
        const std::span<const json::Value> fixes = json::list_of(result, "fixes");
        if (!fixes.empty()) {  // others are alternatives
          sarif_fix(fixes.front(), run, columns);
        }
      }
    }
    return true;
  }

  void sarif_fix(const json::Value& fix, const json::Value& run, Columns columns) {
    for (const json::Value& change : json::list_of(fix, "artifactChanges")) {
      const json::Value* const location = change.find("artifactLocation");
      if (location == nullptr) {
        continue;
      }
      std::string uri = ascii::percent_decoded(json::text_of(*location, "uri"));
      const json::Value* const bases = run.find("originalUriBaseIds");
      const json::Value* const base = bases == nullptr ? nullptr : bases->find(json::text_of(*location, "uriBaseId"));
      if (base != nullptr && uri.find(':') == std::string::npos) {
        uri.insert(0, ascii::percent_decoded(json::text_of(*base, "uri")));
      }
      std::string_view path = uri;
      if (take(path, "file://")) {
        path = path.substr(std::min(path.find('/'), path.size()));
      }
      for (const json::Value& one : json::list_of(change, "replacements")) {
        const json::Value* const region = one.find("deletedRegion");
        const std::uint64_t line = region == nullptr ? 0 : json::number_of(*region, "startLine");
        if (line == 0) {
          leave_out("a fix of '" + json::excerpt(path, 100) + "' is left out: its place is not told by lines");
          continue;
        }
        Fix made;
        made.from_tool = "sarif";
        made.columns = columns;
        const std::uint64_t line_to = json::number_of(*region, "endLine", line);
        const std::uint64_t column = json::number_of(*region, "startColumn", 1);
        const bool whole = region->find("startColumn") == nullptr && region->find("endColumn") == nullptr;
        made.line = static_cast<std::uint32_t>(std::min<std::uint64_t>(line, 0x7FFFFFFFU));
        made.column = static_cast<std::uint32_t>(std::min<std::uint64_t>(column, 0x7FFFFFFFU));
        // Without columns a region is its lines.
        made.line_to = static_cast<std::uint32_t>(std::min<std::uint64_t>(line_to + (whole ? 1 : 0), 0x7FFFFFFFU));
        made.column_to = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(whole ? 1 : json::number_of(*region, "endColumn", 0x7FFFFFFFU), 0x7FFFFFFFU));
        if (const json::Value* const inserted = one.find("insertedContent")) {
          made.text = json::text_of(*inserted, "text");
        }
        add(std::string(path), std::move(made));
      }
    }
  }

  void diffs() {
    std::size_t from = std::string_view::npos;
    for (const std::string_view mark : {"diff --git ", "--- "}) {
      const std::size_t found = output_.starts_with(mark) ? 0 : output_.find("\n" + std::string(mark));
      from = std::min(from, found == std::string_view::npos || found == 0 ? found : found + 1);
    }
    if (from == std::string_view::npos || output_.find("\n@@ -", from) == std::string_view::npos) {
      return;
    }
    const Result<Changes> read = read_changes(output_.substr(from));
    if (!read) {
      return leave_out("a diff in the output cannot be read: " + read.error().message);
    }
    for (const Change& change : read.value().files) {
      if (change.kind == ChangeKind::removed || change.binary) {
        leave_out("the diff of '" + change.path + "' is left out: it " +
                  (change.binary ? "is binary" : "removes the file"));
        continue;
      }
      for (const Hunk& hunk : change.hunks) {
        Fix fix;
        fix.from_tool = "diff";
        fix.expects.emplace();
        for (const DiffLine& line : hunk.lines) {
          *fix.expects += line.sign == '+' ? "" : line.text + "\n";
          fix.text += line.sign == '-' ? "" : line.text + "\n";
        }
        fix.line = hunk.old_from + (hunk.old_count == 0 ? 1 : 0);
        fix.line_to = fix.line + hunk.old_count;
        add(change.path, std::move(fix));
      }
    }
  }

  std::string_view output_;
  const SeenFrom& from_;
  FixReading out_;
};

// A fix as bytes of the file.
struct Placed {
  const Fix* fix = nullptr;
  std::size_t from = 0, to = 0;
  bool refused = false;
  bool inserts_lines() const {
    return from == to && fix->column == 1 && !fix->text.empty() && fix->text.back() == '\n';
  }
};

std::vector<std::size_t> line_begins(std::string_view text) {
  std::vector<std::size_t> out = {0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      out.push_back(i + 1);
    }
  }
  return out;
}

// The byte at a line and column; a column behind the line's end, when it is the last that a number can be, is its end.
std::optional<std::size_t> byte_at(std::string_view text, const std::vector<std::size_t>& lines, std::uint32_t line,
                                   std::uint32_t column, Columns unit) {
  const bool behind_last = line == lines.size() + 1 && column == 1 && (text.empty() || text.back() != '\n');
  if (behind_last) {
    return text.size();
  }
  if (line == 0 || column == 0 || line > lines.size()) {
    return std::nullopt;
  }
  const std::size_t begin = lines[line - 1];
  const std::size_t end = line < lines.size() ? lines[line] - 1 : text.size();
  if (column == 0x7FFFFFFFU) {
    return end;
  }
  std::size_t at = begin;
  for (std::uint32_t passed = 1; passed < column;) {
    if (at >= end) {
      return std::nullopt;
    }
    const text::Decoded c = text::decode(text.data() + at, text.data() + text.size());
    const std::size_t bytes = unit == Columns::bytes ? 1 : c.size;
    passed += unit == Columns::utf16 && c.code_point > 0xFFFF ? 2 : 1;
    at += bytes;
  }
  return at;
}

// The files of the task that it may be a fix of: those that are there, or else the first that it may make.
std::vector<std::string> meant_by(const Fix& fix, const std::vector<std::string>& allowed,
                                  const std::function<std::optional<std::string>(const std::string&)>& read) {
  std::vector<std::string> fits;
  std::copy_if(fix.paths.begin(), fix.paths.end(), std::back_inserter(fits),
               [&](const std::string& one) { return is_one_of(allowed, one); });
  std::vector<std::string> there;
  if (fits.size() > 1) {
    std::copy_if(fits.begin(), fits.end(), std::back_inserter(there),
                 [&](const std::string& one) { return read(one).has_value(); });
  }
  fits.resize(std::min<std::size_t>(fits.size(), 1));
  return there.empty() ? fits : there;
}

bool same(const Placed& a, const Placed& b) { return a.from == b.from && a.to == b.to && a.fix->text == b.fix->text; }

bool conflict(const Placed& a, const Placed& b) {
  if (a.from == a.to && b.from == b.to) {
    return a.from == b.from && !(a.inserts_lines() && b.inserts_lines());
  }
  return a.from < b.to && b.from < a.to;
}

}  // namespace

SeenFrom seen_from(const Gate& gate, std::string_view tree, std::string_view output) {
  SeenFrom out{std::string(tree), {budget::plain_path(gate.dir)}};
  const std::string top = budget::plain_path(tree) + "/";
  const auto add = [&](std::string_view told) {
    const std::string plain = budget::plain_path(told);
    const std::string& ran_in = out.folders.front();
    std::string folder = plain.starts_with(top)                     ? plain.substr(top.size())
                         : plain.starts_with('/') || ran_in.empty() ? plain
                                                                    : budget::plain_path(ran_in + "/" + plain);
    if (out.folders.size() < folders_max && bad_task_path(folder).empty() &&
        std::find(out.folders.begin(), out.folders.end(), folder) == out.folders.end()) {
      out.folders.push_back(std::move(folder));
    }
  };
  if (!out.folders.front().empty() && !bad_task_path(out.folders.front()).empty()) {
    out.folders.front().clear();
  }
  for (std::size_t i = 1; i < gate.argv.size(); ++i) {
    const std::string& word = gate.argv[i];
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t from = std::min(word.find_first_not_of(between_words, at), word.size());
      at = std::min(word.find_first_of(between_words, from), word.size());
      if (at > from && word[from] != '-') {
        add(std::string_view(word).substr(from, at - from));
      }
    }
  }
  // make and ninja: the name in quotes of either kind.
  constexpr std::string_view entering = "Entering directory ";
  for (std::size_t at = output.find(entering); at != std::string_view::npos; at = output.find(entering, at)) {
    at += entering.size();
    const std::size_t end = output.find('\n', at);
    std::string_view name = output.substr(at, std::min(end, output.size()) - at);
    while (!name.empty() && (name.front() == '\'' || name.front() == '`')) {
      name.remove_prefix(1);
    }
    add(name.substr(0, name.find('\'')));
  }
  return out;
}

FixReading read_fixes(std::string_view output, const SeenFrom& from) { return FixReader(output, from).run(); }

Fixed apply_fixes(std::span<const Fix> fixes, const Task& task,
                  const std::function<std::optional<std::string>(const std::string&)>& read) {
  Fixed out;
  const std::vector<std::string> allowed = task.written();
  std::map<std::string, std::vector<const Fix*>> by_path;
  for (const Fix& fix : fixes) {
    const std::vector<std::string> meant = meant_by(fix, allowed, read);
    if (meant.size() > 1) {
      std::string sentence = "a fix of line " + std::to_string(fix.line) + " is left out: it may be of '" + meant[0] +
                             "' or of '" + meant[1] + "'";
      if (std::find(out.left_out.begin(), out.left_out.end(), sentence) == out.left_out.end()) {
        out.left_out.push_back(std::move(sentence));
      }
      continue;
    }
    by_path[meant.empty() ? fix.paths.front() : meant[0]].push_back(&fix);
  }
  for (const auto& [path, of_file] : by_path) {
    const auto leave_out = [&, &name = path](const std::string& why) {
      out.left_out.push_back(std::string("'").append(name).append("': ").append(why));
    };
    if (!is_one_of(allowed, path)) {
      leave_out("its fixes are left out: it is no file of task " + task.id);
      continue;
    }
    const std::optional<std::string> before = read(path);
    const bool makes =
        of_file.size() == 1 && of_file[0]->expects && of_file[0]->expects->empty() && of_file[0]->line == 1;
    if (!before && !makes) {
      leave_out("its fixes are left out: there is no such file");
      continue;
    }
    const std::string text = before.value_or("");
    const std::vector<std::size_t> lines = line_begins(text);
    std::vector<Placed> placed;
    for (const Fix* fix : of_file) {
      const auto from = byte_at(text, lines, fix->line, fix->column, fix->columns);
      const auto to = byte_at(text, lines, fix->line_to, fix->column_to, fix->columns);
      const std::string where = "the fix of line " + std::to_string(fix->line);
      if (!from || !to || *to < *from) {
        leave_out(where + " is left out: the file has no such place");
        continue;
      }
      std::string there = text.substr(*from, *to - *from);
      if (!there.empty() && there.back() != '\n' && fix->expects && *to == text.size()) {
        there += '\n';
      }
      if (fix->expects && there != *fix->expects) {
        leave_out(where + " is left out: the file is no longer what the diff was made from");
        continue;
      }
      Placed one{fix, *from, *to, false};
      if (std::none_of(placed.begin(), placed.end(), [&](const Placed& other) { return same(one, other); })) {
        placed.push_back(one);
      }
    }
    stable_sort(placed,
                [](const Placed& a, const Placed& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
    std::size_t reach = 0;  // the fix so far that goes farthest
    for (std::size_t i = 1; i < placed.size(); ++i) {
      for (const std::size_t j : {reach, i - 1}) {
        if (j != i && conflict(placed[j], placed[i])) {
          if (!placed[i].refused || !placed[j].refused) {
            leave_out("two fixes touch line " + std::to_string(placed[i].fix->line) + ", '" +
                      json::excerpt(placed[j].fix->text, 40) + "' and '" + json::excerpt(placed[i].fix->text, 40) +
                      "': neither is applied");
          }
          placed[i].refused = placed[j].refused = true;
        }
      }
      reach = placed[i].to > placed[reach].to ? i : reach;
    }
    FixedFile file{path, {}, 0};
    std::size_t at = 0;
    for (const Placed& one : placed) {
      if (!one.refused) {
        file.text += text.substr(at, one.from - at) + one.fix->text;
        at = one.to;
        ++file.fixes;
      }
    }
    file.text += text.substr(at);
    if (file.text != text) {
      out.files.push_back(std::move(file));
    }
  }
  return out;
}

std::string edits_json(std::span<const FixedFile> files) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  for (const FixedFile& one : files) {
    json.begin_object().member("path", one.path).member("text", one.text).end_object();
  }
  json.end_array();
  return out;
}

}  // namespace plumb::workflow
