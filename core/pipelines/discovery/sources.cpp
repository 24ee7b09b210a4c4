#include "core/pipelines/discovery/sources.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/discovery/csv.hpp"
#include "core/pipelines/discovery/members.hpp"
#include "core/pipelines/discovery/source_type.hpp"
#include "core/pipelines/discovery/turns.hpp"
#include "core/run/stamp.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Kind;
using json::Value;

constexpr std::array<std::string_view, 4> id_names = {"conversation_id", "id", "ticket_id", "thread_id"};
constexpr std::array<std::string_view, 6> when_names = {"created_at", "createdAt", "date", "timestamp", "time", "at"};
constexpr std::array<std::string_view, 7> marks = {"TODO", "FIXME", "HACK", "XXX", "BUG:", "@deprecated", "DEPRECATED"};
constexpr std::size_t marks_of_a_file_max = 20;
constexpr std::size_t turns_max = 2'000;  // bytes of a conversation

bool has_ending(std::string_view path, std::span<const std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view one) { return path.ends_with(one); });
}

std::string place(std::string_view path, std::uint64_t line) { return std::string(path) + ":" + json::uint_text(line); }

// Cut between code points.
std::string cut(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) {
    return std::string(text);
  }
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string_view first_of(const Value& record, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (const Value* found = record.find(name);
        found != nullptr && (found->is(Kind::string) || found->is(Kind::number)) && !found->str().empty()) {
      return found->str();
    }
  }
  return {};
}

// "2026-01-31" of a date or a time; also of seconds or milliseconds since 1970, as APIs give them.
std::string day_of(std::string_view when) {
  std::uint64_t number = 0;
  if ((when.size() == 10 || when.size() == 13) && json::read_uint(when, number)) {
    return run::iso_time(when.size() == 10 ? number * 1'000 : number).substr(0, 10);
  }
  const bool day = when.size() >= 10 && when[4] == '-' && when[7] == '-' &&
                   std::all_of(when.begin(), when.begin() + 4, [](char c) { return ascii::is_digit(c); });
  return day ? std::string(when.substr(0, 10)) : std::string();
}

void add_record(Read& out, SourceKind kind, std::string_view path, std::uint64_t line, const Value& record) {
  if (!record.is(Kind::object)) {
    out.skip("is not a record", place(path, line));
    return;
  }
  Unit unit;
  unit.path = path;
  unit.line = line;
  unit.when = day_of(first_of(record, when_names));
  unit.id = place(path, line);
  unit.type = type_of(kind, path, record);
  if (kind == SourceKind::conversations) {
    const SaidIn said = said_in(record);
    unit.text = cut(said.text, limits_of(kind).text_max);
    if (const std::string_view id = first_of(record, id_names); !id.empty()) {
      unit.id = json::excerpt(id, 100);
    }
    // What only agents say in stays for now: turns of one conversation may stand apart.
    if (unit.text.empty() && !said.agents) {
      out.skip("has no text", place(path, line));
      return;
    }
  } else {
    for (const json::Member& member : record.object()) {
      unit.text += (unit.text.empty() ? "" : "; ") + std::string(member.key) + ": " +
                   (member.value.is(Kind::string) ? std::string(member.value.str()) : json::value_text(member.value));
    }
    unit.text = cut(unit.text, limits_of(kind).text_max);
  }
  out.units.push_back(std::move(unit));
}

void read_records(Read& out, SourceKind kind, std::string_view path, std::string_view text) {
  json::Arena arena;
  if (const Result<Value> whole = json::parse(text, arena); whole && !path.ends_with('l')) {
    const Value* list = &whole.value();
    for (const std::string_view name : {"conversations", "data", "results", "rows", "points", "items"}) {
      const Value* inner = list->find(name);
      list = inner != nullptr && inner->is(Kind::array) ? inner : list;
    }
    if (!list->is(Kind::array)) {
      add_record(out, kind, path, 1, *list);
      return;
    }
    std::uint64_t number = 0;
    for (const Value& record : list->array()) {
      add_record(out, kind, path, ++number, record);
    }
    return;
  }
  std::uint64_t line = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    const std::string_view one = text.substr(from, to - from);
    from = to + 1;
    ++line;
    if (ascii::only(one, ascii::line_blanks)) {
      continue;
    }
    json::Arena of_line;
    const Result<Value> record = json::parse(one, of_line);
    if (!record) {
      out.skip("is no JSON", place(path, line));
    } else {
      add_record(out, kind, path, line, record.value());
    }
  }
}

void read_table(Read& out, SourceKind kind, std::string_view path, std::string_view text) {
  const Table table = read_csv(text);
  for (const CsvRow& row : table.rows) {
    if (row.cells.size() != table.header.size()) {
      out.skip("has another number of cells than the header", place(path, row.line));
      continue;
    }
    std::string record;
    json::Writer json(record);
    json.begin_object();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      json.member(table.header[i], row.cells[i]);
    }
    json.end_object();
    json::Arena arena;
    const Result<Value> value = json::parse(record, arena);
    if (!value) {
      out.skip("has a column twice", place(path, row.line));
    } else {
      add_record(out, kind, path, row.line, value.value());
    }
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    out.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

// The mark stands in a comment, as a word of its own.
bool is_marked(std::string_view line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) {
    return false;
  }
  const std::string_view before = line.substr(0, at);
  const bool comment = before.find("//") != std::string_view::npos || before.find('#') != std::string_view::npos ||
                       before.find("/*") != std::string_view::npos || before.find("--") != std::string_view::npos ||
                       ascii::only(before, " \t*");
  const auto letter = [](char c) { return ascii::is_letter(c) || c == '"' || c == '\''; };
  const std::size_t end = at + mark.size();
  return comment && (at == 0 || !letter(line[at - 1])) && (end >= line.size() || !letter(line[end]));
}

// Places that somebody marked, each with the line before and behind it; and how the file begins.
void read_code(Read& out, std::string_view path, std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  const std::size_t before = out.units.size();
  for (std::size_t i = 0; i < lines.size() && out.units.size() - before < marks_of_a_file_max; ++i) {
    if (std::none_of(marks.begin(), marks.end(), [&](std::string_view mark) { return is_marked(lines[i], mark); })) {
      continue;
    }
    std::string around(lines[i]);
    for (std::size_t k = i + 1; k < std::min(i + 3, lines.size()); ++k) {
      around += "\n" + std::string(lines[k]);
    }
    out.units.push_back({place(path, i + 1), std::string(path), i + 1, {}, cut(around, 600)});
  }
  if (out.units.size() == before) {
    out.units.push_back({std::string(path), std::string(path), 1, {}, cut(text, limits_of(SourceKind::repo).text_max)});
  }
}

// A section of a document is a unit.
void read_document(Read& out, std::string_view path, std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  std::string section;
  std::uint64_t begun = 1;
  bool fenced = false;
  const auto close = [&] {
    if (!ascii::only(section, " \t\r\n#=-")) {
      out.units.push_back(
          {place(path, begun), std::string(path), begun, {}, cut(section, limits_of(SourceKind::docs).text_max)});
    }
    section.clear();
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    fenced = fenced != (lines[i].starts_with("```"));
    if (!fenced && lines[i].starts_with('#')) {
      close();
      begun = i + 1;
    }
    section += std::string(lines[i]) + "\n";
  }
  close();
}

}  // namespace

ReadLimits limits_of(SourceKind kind) {
  switch (kind) {
    case SourceKind::conversations:
      return {200, 2'000, 200, 20};
    case SourceKind::analytics:
      return {2'000, 1'000, 50, 50};
    case SourceKind::repo:
      return {1'000, 3'000, 400, 10};
    case SourceKind::docs:
      return {500, 4'000, 100, 15};
  }
  return {};
}

bool is_read(SourceKind kind, std::string_view path) {
  static constexpr std::array<std::string_view, 7> said = {".ndjson", ".jsonl", ".json", ".csv", ".txt", ".md", ".log"};
  static constexpr std::array<std::string_view, 4> measured = {".ndjson", ".jsonl", ".json", ".csv"};
  static constexpr std::array<std::string_view, 5> written = {".md", ".txt", ".rst", ".adoc", ".markdown"};
  static constexpr std::array<std::string_view, 28> code = {
      ".c",     ".h",   ".cc",  ".cpp", ".hpp", ".cxx",  ".rs",   ".go",    ".py", ".rb",
      ".js",    ".mjs", ".ts",  ".tsx", ".jsx", ".java", ".kt",   ".swift", ".cs", ".php",
      ".scala", ".sh",  ".sql", ".vue", ".lua", ".ex",   ".dart", ".pl"};
  switch (kind) {
    case SourceKind::conversations:
      return has_ending(path, said);
    case SourceKind::analytics:
      return has_ending(path, measured);
    case SourceKind::repo:
      return has_ending(path, code);
    case SourceKind::docs:
      return has_ending(path, written);
  }
  return false;
}

std::uint64_t Read::skipped_count() const {
  std::uint64_t out = 0;
  for (const Skipped& one : skipped) {
    out += one.count;
  }
  return out;
}

std::uint64_t Read::available() const { return units.size() + skipped_count(); }

void Read::skip(std::string_view why, std::string where, std::uint64_t count) {
  for (Skipped& one : skipped) {
    if (one.why == why) {
      one.count += count;
      return;
    }
  }
  skipped.push_back({std::string(why), count, std::move(where)});
}

Read read_file(SourceKind kind, std::string_view path, std::string_view text) {
  Read read;
  Read& out = read;
  if (ascii::only(text, ascii::spaces)) {
    out.skip("is empty", std::string(path));
  } else if (kind == SourceKind::repo) {
    read_code(out, path, text);
  } else if (kind == SourceKind::docs) {
    read_document(out, path, text);
  } else if (path.ends_with(".csv")) {
    read_table(out, kind, path, text);
  } else if (path.ends_with("json") || path.ends_with("jsonl")) {
    read_records(out, kind, path, text);
  } else {
    const std::string said = kind == SourceKind::conversations ? without_agents(text) : std::string(text);
    out.units.push_back({std::string(path), std::string(path), 1, {}, cut(said, limits_of(kind).text_max)});
    out.units.back().type = type_of(kind, path, {});
  }
  // Turns of one conversation may stand apart.
  Read all;
  add(all, std::move(read));
  for (const Unit& unit : all.units) {
    if (unit.text.empty()) {
      all.skip("has turns of agents only", place(unit.path, unit.line));
    }
  }
  all.units.erase(
      std::remove_if(all.units.begin(), all.units.end(), [](const Unit& unit) { return unit.text.empty(); }),
      all.units.end());
  return all;
}

void add(Read& all, Read file) {
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < all.units.size(); ++i) {
    known.emplace(all.units[i].id, i);
  }
  for (Unit& unit : file.units) {
    const auto [found, fresh] = known.emplace(unit.id, all.units.size());
    if (fresh) {
      all.units.push_back(std::move(unit));
    } else if (Unit& same = all.units[found->second]; same.text.empty()) {
      same.text = std::move(unit.text);
      same.line = unit.line;
    } else if (same.text.size() < turns_max && !unit.text.empty()) {
      same.text = cut(same.text + "\n" + unit.text, turns_max);
    }
  }
  for (Skipped& one : file.skipped) {
    all.skip(one.why, std::move(one.where), one.count);
  }
}

Fields Unit::fields() {
  static constexpr Field table[] = {field<&Unit::id>("id"),
                                    field<&Unit::path>("path"),
                                    field<&Unit::line>("line"),
                                    field_if_set<&Unit::when>("when"),
                                    field_if_set<&Unit::type>("type"),
                                    field<&Unit::text>("text")};
  return table;
}

Fields Skipped::fields() {
  static constexpr Field table[] = {field<&Skipped::why>("why"), field<&Skipped::count>("count"),
                                    field<&Skipped::where>("where")};
  return table;
}

Fields Read::fields() {
  static constexpr Field table[] = {field<&Read::units>("units"), field<&Read::skipped>("skipped")};
  return table;
}

}  // namespace plumb::pipelines::discovery
