#include "tests/native/case_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"

namespace plumb::cases {

namespace {

constexpr std::string_view fence = "```";

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool starts_with(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

std::string_view stripped(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\n')) {
    text.remove_suffix(1);
  }
  return text;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool unescape(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) {
      return false;
    }
    switch (text[i]) {
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case '\\':
        out += '\\';
        break;
      case 'x': {
        if (i + 2 >= text.size() || hex_digit(text[i + 1]) < 0 || hex_digit(text[i + 2]) < 0) {
          return false;
        }
        out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
        i += 2;
        break;
      }
      case '*': {
        const std::size_t open = text.find('{', i);
        const std::size_t close = text.find('}', open == std::string_view::npos ? i : open + 2);
        std::uint64_t count = 0;
        if (open == std::string_view::npos || close == std::string_view::npos ||
            !json::read_uint(text.substr(i + 1, open - i - 1), count) || count > 10'000'000) {
          return false;
        }
        for (std::uint64_t k = 0; k < count; ++k) {
          out += text.substr(open + 1, close - open - 1);
        }
        i = close;
        break;
      }
      default:
        return false;
    }
  }
  return true;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = stripped(text.substr(0, end));
    if (!line.empty()) {
      lines.emplace_back(line);
    }
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

// Reads one file; the parser's place is the line it is at.
class Parser {
 public:
  Parser(CaseFile& file, std::string top) : file_(file), top_(std::move(top)) {}

  void run() {
    const bool markdown = file_.path.size() > 3 && file_.path.substr(file_.path.size() - 3) == ".md";
    bool inside = !markdown;
    std::size_t from = 0;
    std::size_t line_number = 1;
    const std::string& text = file_.text;
    while (from < text.size()) {
      std::size_t end = text.find('\n', from);
      end = end == std::string::npos ? text.size() : end + 1;
      const std::string_view line = std::string_view(text).substr(from, end - from);
      if (markdown && starts_with(line, fence)) {
        if (inside) {
          section_ends(from);
          case_ends();
        }
        inside = !inside && starts_with(line, "```case");
      } else if (inside) {
        take(line, from, line_number);
      }
      from = end;
      ++line_number;
    }
    section_ends(text.size());
    case_ends();
  }

 private:
  void problem(std::size_t line, std::string what) { file_.problems.push_back(json::uint_text(line) + ": " + what); }

  void take(std::string_view line, std::size_t from, std::size_t number) {
    if (starts_with(line, "===")) {
      section_ends(from);
      case_ends();
      case_.emplace();
      case_->name = std::string(stripped(line.substr(3)));
      case_->line = number;
      return;
    }
    const std::string_view bare = stripped(line);
    if (!case_) {
      if (!bare.empty() && bare.front() != '#') {
        problem(number, "a case begins with `=== NAME`");
      }
      return;
    }
    const std::size_t colon = header_end(line);
    if (colon != std::string_view::npos) {
      section_ends(from);
      section_ = std::string(line.substr(0, colon));
      section_line_ = number;
      section_from_ = from + colon + 1;
      return;
    }
    if (section_.empty() && !bare.empty() && bare.front() != '#') {
      problem(number, "text outside of a section");
    }
  }

  // The colon of a section's header, or npos when the line is no header.
  static std::size_t header_end(std::string_view line) {
    static constexpr std::string_view names[] = {"contract", "document ", "options", "context",
                                                 "artifact", "expect",    "refused", "warns"};
    for (const std::string_view name : names) {
      if (!starts_with(line, name)) {
        continue;
      }
      if (name == "document ") {  // a URI holds colons itself
        const std::size_t end = line.find(": ") != std::string_view::npos ? line.find(": ") : line.find(":\n");
        if (end != std::string_view::npos) {
          return end;
        }
        continue;
      }
      const std::string_view rest = line.substr(name.size());
      if (starts_with(rest, ":")) {
        return name.size();
      }
      if (name == "artifact" && starts_with(rest, " ")) {
        return line.find(':');
      }
    }
    return std::string_view::npos;
  }

  void section_ends(std::size_t to) {
    if (section_.empty() || !case_) {
      section_.clear();
      return;
    }
    const std::string_view raw = std::string_view(file_.text).substr(section_from_, to - section_from_);
    const std::string_view content = stripped(raw.substr(raw.empty() || raw.front() != '\n' ? 0 : 1));
    const std::string section = std::move(section_);
    section_.clear();
    if (section == "contract") {
      case_->contract = std::string(content);
      const bool json = !content.empty() && (content.front() == '{' || content == "true" || content == "false");
      const contract::BuiltIn* built_in = json ? nullptr : contract::built_in_contract(content);
      if (built_in != nullptr) {
        case_->contract_name = std::string(content);
        case_->contract = std::string(built_in->text);
      }
    } else if (starts_with(section, "document ")) {
      case_->documents.emplace_back(section.substr(9), content);
    } else if (section == "options") {
      for (const std::string& line : lines_of(content)) {
        const std::size_t blank = line.find(' ');
        case_->options.emplace_back(line.substr(0, blank), blank == std::string::npos ? "" : line.substr(blank + 1));
      }
    } else if (section == "context") {
      case_->context = std::string(content);
    } else if (starts_with(section, "artifact")) {
      artifact(section, content);
    } else if (section == "expect") {
      expect(content, to);
    } else if (section == "refused") {
      case_->refused = lines_of(content);
      if (case_->refused.empty()) {
        problem(section_line_, "`refused:` names a place");
      }
    } else {
      case_->warns = lines_of(content);
      case_->has_warns = true;
    }
  }

  void artifact(const std::string& section, std::string_view content) {
    if (!case_->artifacts.empty() && case_->artifacts.back().line == 0) {
      problem(section_line_, "the artifact before has no `expect:`");
    }
    Artifact artifact;
    if (section == "artifact") {
      artifact.text = std::string(content);
    } else if (section == "artifact (escaped)") {
      if (!unescape(content, artifact.text)) {
        problem(section_line_, "an escape is \\n \\r \\t \\\\ \\xNN or \\*N{text}");
      }
    } else {
      const std::string path = top_ + "/tests/cases/" + section.substr(9);
      if (!std::filesystem::is_regular_file(path)) {
        problem(section_line_, "there is no file tests/cases/" + section.substr(9));
      }
      artifact.text = read_file(path);
    }
    case_->artifacts.push_back(std::move(artifact));
  }

  void expect(std::string_view content, std::size_t to) {
    if (case_->artifacts.empty() || case_->artifacts.back().line != 0) {
      problem(section_line_, "`expect:` follows an artifact");
      return;
    }
    Artifact& artifact = case_->artifacts.back();
    artifact.expected = lines_of(content);
    artifact.line = section_line_;
    artifact.from = section_from_;
    artifact.to = to;
    // Blank lines and comments before what comes next belong to that, not to this section.
    const std::string_view raw = std::string_view(file_.text).substr(section_from_, to - section_from_);
    std::size_t size = raw.size();
    for (;;) {
      const std::size_t line = raw.rfind('\n', size >= 2 ? size - 2 : 0);
      if (size < 2 || line == std::string_view::npos || !stripped(raw.substr(line + 1, size - line - 1)).empty()) {
        break;
      }
      size = line + 1;
    }
    artifact.to = section_from_ + size;
  }

  void case_ends() {
    if (!case_) {
      return;
    }
    if (case_->contract.empty()) {
      problem(case_->line, "a case has a contract");
    }
    if (case_->artifacts.empty() && case_->refused.empty() && !case_->has_warns) {
      problem(case_->line, "a case expects something");
    }
    if (!case_->artifacts.empty() && case_->artifacts.back().line == 0) {
      problem(case_->line, "the last artifact has no `expect:`");
    }
    file_.cases.push_back(std::move(*case_));
    case_.reset();
  }

  CaseFile& file_;
  std::string top_;
  std::optional<Case> case_;
  std::string section_;
  std::size_t section_line_ = 0;
  std::size_t section_from_ = 0;
};

void append_pointer(std::string& out, std::string_view pointer) {
  const bool quoted = pointer.empty() || pointer.find_first_of(" :\"\\\n\t") != std::string_view::npos;
  if (quoted) {
    json::append_string(out, pointer);
  } else {
    out += pointer;
  }
}

std::string finding_line(const contract::Finding& finding, bool message) {
  std::string out = finding.rule;
  if (finding.severity != contract::Severity::error) {
    out += ' ';
    out += contract::severity_name(finding.severity);
  }
  out += " at ";
  append_pointer(out, finding.at);
  out += " decided " + json::uint_text(finding.decided_at);
  out += finding.shadowed_by != 0 ? " shadowed" : "";
  if (message) {
    out += ": ";
    for (const char c : finding.message) {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out;
}

bool has_kind(const std::vector<std::string>& lines, std::string_view kind) {
  return std::any_of(lines.begin(), lines.end(), [kind](const std::string& line) { return starts_with(line, kind); });
}

// Splits a line at the colon before its message: the first ": " outside of a quoted pointer.
std::pair<std::string_view, std::string_view> at_message(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && quoted) {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && line[i] == ':' && (i + 1 == line.size() || line[i + 1] == ' ')) {
      return {line.substr(0, i), line.substr(i)};
    }
  }
  return {line, std::string_view()};
}

}  // namespace

CaseFile parse_case_file(std::string path, std::string text, const std::string& top) {
  CaseFile file;
  file.path = std::move(path);
  file.text = std::move(text);
  Parser(file, top).run();
  return file;
}

std::vector<CaseFile> read_case_files(const std::string& top) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(top + "/tests/cases")) {
    if (entry.is_regular_file() && entry.path().extension() == ".case") {
      paths.push_back(std::filesystem::relative(entry.path(), top).generic_string());
    }
  }
  paths.emplace_back("docs/contract-reference.md");
  std::sort(paths.begin(), paths.end());
  std::vector<CaseFile> files;
  for (const std::string& path : paths) {
    files.push_back(parse_case_file(path, read_file(top + "/" + path), top));
  }
  return files;
}

std::vector<std::string> expectation(const contract::Verdict& verdict, const std::string& text,
                                     const std::vector<std::string>& like, bool messages) {
  std::vector<std::string> lines;
  if (verdict.valid) {
    lines.emplace_back("valid");
  }
  for (const contract::Finding& finding : verdict.findings) {
    lines.push_back(finding_line(finding, messages));
  }
  if (has_kind(like, "more ")) {
    for (const auto& [rule, count] : verdict.more) {
      lines.push_back("more " + rule + " " + json::uint_text(count));
    }
  }
  if (has_kind(like, "decision ")) {
    lines.push_back("decision " + std::string(contract::decision_name(verdict.decision)));
  }
  if (has_kind(like, "undecided ")) {
    for (const contract::Undecided& undecided : verdict.undecided) {
      std::string line = "undecided " + undecided.rule + " at ";
      append_pointer(line, undecided.at);
      line += undecided.wants_context.empty() ? "" : ": " + undecided.wants_context;
      lines.push_back(std::move(line));
    }
  }
  if (has_kind(like, "score ")) {
    for (const contract::ScorecardLine& score : verdict.scorecard) {
      std::string line = "score " + score.id + " at ";
      append_pointer(line, score.at);
      line += ' ';
      line += contract::outcome_name(score.outcome);
      lines.push_back(std::move(line));
    }
  }
  if (has_kind(like, "label ")) {
    for (const auto& [name, value] : verdict.labels) {
      lines.push_back("label " + name + " " + value);
    }
  }
  if (has_kind(like, "signal ")) {
    for (const contract::Signal& signal : verdict.signals) {
      lines.push_back("signal " + signal.kind);
    }
  }
  for (const contract::Edit& edit : verdict.edits) {
    std::string line = "edit " + std::string(contract::edit_class_name(edit.edit_class)) + (edit.certain ? "" : "?");
    line += " at ";
    append_pointer(line, edit.at);
    line += edit.applied ? "" : " offered";
    lines.push_back(std::move(line));
  }
  if (!text.empty() && (has_kind(like, "text ") || messages)) {
    std::string line = "text ";
    json::append_string(line, text);
    lines.push_back(std::move(line));
  }
  return lines;
}

bool agrees(std::string_view line, std::string_view actual) {
  const auto [head, message] = at_message(line);
  const auto [actual_head, actual_message] = at_message(actual);
  if (!message.empty() && message != actual_message) {
    return false;
  }
  if (head == actual_head) {
    return true;
  }
  // Without `decided` the byte is not compared.
  const std::size_t decided = actual_head.rfind(" decided ");
  if (decided == std::string_view::npos || head.find(" decided ") != std::string_view::npos) {
    return false;
  }
  const std::size_t after = actual_head.find(' ', decided + 9);
  std::string shorter(actual_head.substr(0, decided));
  shorter += after == std::string_view::npos ? std::string_view() : actual_head.substr(after);
  return head == shorter;
}

bool apply_options(const Case& one, contract::ReadOptions& read, contract::CheckOptions& check,
                   repair::EditOptions& edits) {
  for (const auto& [name, value] : one.options) {
    if (name == "dialect") {
      if (value == "draft2020-12") {
        read.dialect = contract::Dialect::draft2020_12;
      } else if (value == "draft2019-09") {
        read.dialect = contract::Dialect::draft2019_09;
      } else if (value == "draft7") {
        read.dialect = contract::Dialect::draft7;
      } else if (value == "v1") {
        read.dialect = contract::Dialect::v1;
      } else if (value == "draft6") {
        read.dialect = contract::Dialect::draft6;
      } else if (value == "draft4") {
        read.dialect = contract::Dialect::draft4;
      } else {
        return false;
      }
      continue;
    }
    if (name == "edits") {
      edits.level = contract::edit_level_named(value);
      edits.keep_text = true;
      if (edits.level == contract::EditLevel::unset) {
        return false;
      }
      continue;
    }
    if (name == "assert_formats") {
      read.assert_formats = value == "true";
      continue;
    }
    std::uint64_t number = 0;
    if (!json::read_uint(value, number)) {
      return false;
    }
    contract::Limits& limits = check.limits;
    if (name == "bytes_max") {
      limits.bytes_max = number;
    } else if (name == "depth_max") {
      limits.depth_max = static_cast<std::uint32_t>(number);
    } else if (name == "findings_max") {
      limits.findings_max = static_cast<std::uint32_t>(number);
    } else if (name == "held_max") {
      limits.held_max = static_cast<std::uint32_t>(number);
    } else if (name == "evaluations_max") {
      limits.evaluations_max = static_cast<std::uint32_t>(number);
    } else if (name == "exponent_max") {
      limits.exponent_max = static_cast<std::uint32_t>(number);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace plumb::cases
