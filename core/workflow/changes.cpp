#include "core/workflow/changes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/ascii.hpp"
#include "core/budget/risk.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t patch_bytes_max = std::size_t{64} << 20U;
constexpr std::size_t files_max = 100'000;
constexpr std::size_t lines_max = 4'000'000;

Error wrong(std::size_t line, std::string message, ErrorCode code = ErrorCode::invalid_argument) {
  return {code, "line " + std::to_string(line) + " of the patch: " + std::move(message), "", line, 1};
}

// A path as git quotes it where it holds quotes, controls or bytes that are no ASCII; `end` is where it stops.
std::string unquoted(std::string_view text, std::size_t& end) {
  std::string out;
  std::size_t at = 1;
  for (; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const char c = text[++at];
    constexpr std::string_view names = "abfnrtv", codes = "\a\b\f\n\r\t\v";
    if (const std::size_t known = names.find(c); known != std::string_view::npos) {
      out += codes[known];
    } else if (c >= '0' && c <= '7') {
      unsigned value = 0;
      std::size_t digits = 0;
      for (; digits < 3 && at + digits < text.size() && text[at + digits] >= '0' && text[at + digits] <= '7';
           ++digits) {
        value = value * 8 + static_cast<unsigned>(text[at + digits] - '0');
      }
      at += digits - 1;
      out += static_cast<char>(value & 0xFFU);
    } else {
      out += c;
    }
  }
  end = std::min(at + 1, text.size());
  return out;
}

std::string named(std::string_view text) {
  if (!text.empty() && text.front() == '"') {
    std::size_t end = 0;
    return unquoted(text, end);
  }
  return std::string(text.substr(0, text.find('\t')));
}

class DiffReader {
 public:
  explicit DiffReader(std::string_view patch) : patch_(patch) {}

  Result<Changes> run(std::uint64_t cut) {
    if (cut > 0) {  // a line in the middle says nothing
      patch_ = patch_.substr(0, patch_.rfind('\n') == std::string_view::npos ? 0 : patch_.rfind('\n') + 1);
    }
    while (at_ < patch_.size() && !error_) {
      const std::size_t end = std::min(patch_.find('\n', at_), patch_.size());
      std::string_view line = patch_.substr(at_, end - at_);
      at_ = end + 1;
      ++number_;
      if (number_ > lines_max) {
        return wrong(number_, "it has more than " + std::to_string(lines_max) + " lines", ErrorCode::limit);
      }
      take(line);
    }
    if (!error_ && (old_left_ > 0 || new_left_ > 0) && cut == 0) {
      fail("the hunk is shorter than its head says", hunk_line_);
    }
    if (error_) {
      return *error_;
    }
    close();
    out_.cut = cut;
    return std::move(out_);
  }

 private:
  void fail(std::string message, std::size_t line = 0) {
    if (!error_) {
      error_ = wrong(line == 0 ? number_ : line, std::move(message));
    }
  }

  void take(std::string_view line) {
    if (old_left_ > 0 || new_left_ > 0) {
      in_hunk(line);
    } else if (line.starts_with("diff --git ")) {
      open();
      git_ = true;
      from_header(line.substr(11));
    } else if (line.starts_with("--- ") && at_ < patch_.size() && patch_.substr(at_).starts_with("+++ ")) {
      if (!git_ || change_ == std::nullopt || !change_->hunks.empty()) {
        open();
        git_ = false;
      }
      old_ = named(line.substr(4));
    } else if (line.starts_with("+++ ") && change_) {
      names(named(line.substr(4)));
    } else if (line.starts_with("@@ -")) {
      hunk(line);
    } else if (change_ && line.starts_with("new file mode")) {
      change_->kind = ChangeKind::added;
    } else if (change_ && line.starts_with("deleted file mode")) {
      change_->kind = ChangeKind::removed;
    } else if (change_ && line.starts_with("old mode")) {
      change_->mode = true;
    } else if (change_ && (line.starts_with("Binary files ") || line.starts_with("GIT binary patch"))) {
      change_->binary = true;
    }
    // What else stands between files (an index, a commit's message, an end without a line end) says nothing.
  }

  void open() {
    close();
    change_.emplace();
    old_.clear();
  }

  void close() {
    if (change_ && !change_->path.empty()) {
      if (out_.files.size() == files_max) {
        error_ = wrong(number_, "it changes more than " + std::to_string(files_max) + " files", ErrorCode::limit);
      } else {
        out_.files.push_back(std::move(*change_));
      }
    }
    change_.reset();
  }

  // "a/x b/x": both are the same, since renames are told as two changes.
  void from_header(std::string_view text) {
    if (!text.empty() && text.front() == '"') {
      std::size_t end = 0;
      change_->path = unquoted(text, end);
      change_->path.erase(0, std::min<std::size_t>(2, change_->path.size()));
    } else if (text.size() > 5 && text.size() % 2 == 1) {
      change_->path = text.substr(2, text.size() / 2 - 2);
    }
  }

  void names(std::string fresh) {
    const bool gone = fresh == "/dev/null";
    if (old_ == "/dev/null") {
      change_->kind = ChangeKind::added;
    } else if (gone) {
      change_->kind = ChangeKind::removed;
    }
    std::string path = gone ? old_ : std::move(fresh);
    const bool prefixed =
        path.starts_with(gone ? "a/" : "b/") && (git_ || old_.starts_with("a/") || old_ == "/dev/null");
    change_->path = prefixed ? path.substr(2) : path;
    if (change_->path.starts_with("./")) {
      change_->path.erase(0, 2);
    }
  }

  static bool count(std::string_view& text, char sign, std::uint32_t& from, std::uint32_t& size) {
    if (text.empty() || text.front() != sign) {
      return false;
    }
    text.remove_prefix(1);
    const auto number = [&](std::uint32_t& into) {
      const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
      std::uint64_t value = 0;
      const bool read = json::read_uint(text.substr(0, digits), value) && value <= 0x7FFFFFFFU;
      text.remove_prefix(digits);
      into = static_cast<std::uint32_t>(value);
      return read;
    };
    size = 1;
    if (!number(from)) {
      return false;
    }
    if (!text.empty() && text.front() == ',') {
      text.remove_prefix(1);
      return number(size);
    }
    return true;
  }

  void hunk(std::string_view line) {
    Hunk one;
    std::string_view rest = line.substr(3);
    const bool read = count(rest, '-', one.old_from, one.old_count) && rest.starts_with(' ');
    rest.remove_prefix(read ? 1 : 0);
    if (!read || !count(rest, '+', one.new_from, one.new_count) || !rest.starts_with(" @@")) {
      return fail("'" + json::excerpt(line, 60) + "' is no head of a hunk");
    }
    if (!change_ || change_->path.empty()) {
      return fail("a hunk comes before the name of its file");
    }
    old_left_ = one.old_count;
    new_left_ = one.new_count;
    old_at_ = one.old_from;
    new_at_ = one.new_from;
    hunk_line_ = number_;
    change_->hunks.push_back(std::move(one));
  }

  void in_hunk(std::string_view line) {
    const char sign = line.empty() || line == "\r" ? ' ' : line.front();
    if (sign == '\\') {
      return;
    }
    if ((sign != ' ' && sign != '+' && sign != '-') || (sign != '+' && old_left_ == 0) ||
        (sign != '-' && new_left_ == 0)) {
      return fail("'" + json::excerpt(line, 60) + "' cannot be in the hunk that begins in line " +
                  std::to_string(hunk_line_));
    }
    DiffLine one;
    one.sign = sign;
    one.line = sign == '-' ? old_at_ : new_at_;
    one.text = line.empty() || line.front() != sign ? line : line.substr(1);
    change_->added += sign == '+' ? 1 : 0;
    change_->removed += sign == '-' ? 1 : 0;
    old_left_ -= sign == '+' ? 0 : 1;
    old_at_ += sign == '+' ? 0 : 1;
    new_left_ -= sign == '-' ? 0 : 1;
    new_at_ += sign == '-' ? 0 : 1;
    change_->hunks.back().lines.push_back(std::move(one));
  }

  std::string_view patch_;
  std::size_t at_ = 0;
  std::size_t number_ = 0;
  std::size_t hunk_line_ = 0;
  std::uint32_t old_left_ = 0, new_left_ = 0, old_at_ = 0, new_at_ = 0;
  bool git_ = false;
  std::string old_;
  std::optional<Change> change_;
  std::optional<Error> error_;
  Changes out_;
};

bool fits_any(std::span<const std::string> globs, std::string_view path) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& one) { return budget::path_fits(one, path); });
}

std::string item_of(const Task& task) { return "Task " + task.id; }

}  // namespace

std::string_view change_kind_name(ChangeKind kind) {
  constexpr std::string_view names[] = {"added", "modified", "removed"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<std::string> Changes::present() const {
  std::vector<std::string> out;
  for (const Change& one : files) {
    if (one.kind != ChangeKind::removed) {
      out.push_back(one.path);
    }
  }
  return out;
}

std::vector<std::string> Changes::paths() const {
  std::vector<std::string> out;
  for (const Change& one : files) {
    out.push_back(one.path);
  }
  return out;
}

Result<Changes> read_changes(std::string_view patch, std::uint64_t cut) {
  if (patch.size() > patch_bytes_max) {
    return Error{ErrorCode::limit, "The patch has " + std::to_string(patch.size()) + " bytes; at most 64 MB are read.",
                 "", 0, 0};
  }
  return DiffReader(patch).run(cut);
}

Change ChangedFile::change() const {
  Change out;
  out.path = path;
  out.kind = status == "A" ? ChangeKind::added : status == "D" ? ChangeKind::removed : ChangeKind::modified;
  out.binary = binary;
  out.listed = true;
  out.added = added.value_or(0);
  out.removed = removed.value_or(0);
  return out;
}

std::span<const json::Field> ChangedFile::fields() {
  static constexpr json::Field table[] = {
      json::field<&ChangedFile::path>("path"), json::field<&ChangedFile::status>("status"),
      json::field<&ChangedFile::binary>("binary"), json::field_if_set<&ChangedFile::added>("added"),
      json::field_if_set<&ChangedFile::removed>("removed")};
  return table;
}

Result<Changes> read_diff_reply(const json::Value& reply) {
  Result<Changes> out = read_changes(json::text_of(reply, "patch"), json::number_of(reply, "cut"));
  if (!out) {
    return out;
  }
  Changes& changes = out.value();
  changes.paths_cut = json::number_of(reply, "changed_cut") > 0;
  std::map<std::string, std::size_t, std::less<>> known;
  for (std::size_t i = 0; i < changes.files.size(); ++i) {
    known.emplace(changes.files[i].path, i);
  }
  const json::Value* const changed = reply.find("changed");
  for (const ChangedFile& one :
       changed == nullptr ? std::vector<ChangedFile>() : json::records_of<ChangedFile>(*changed)) {
    const auto at = known.find(one.path);
    if (at == known.end()) {
      changes.files.push_back(one.change());
      continue;
    }
    Change& change = changes.files[at->second];
    change.binary = change.binary || one.binary;
    change.added = one.added.value_or(change.added);
    change.removed = one.removed.value_or(change.removed);
  }
  return out;
}

std::string changes_summary(const Changes& changes) {
  std::string out;
  for (const Change& one : changes.files) {
    out += one.path + ": " + std::string(change_kind_name(one.kind));
    out += one.binary ? ", binary" : ", +" + std::to_string(one.added) + " -" + std::to_string(one.removed);
    out += one.listed ? ", its lines are not known: the patch was cut" : "";
    out += "\n";
  }
  return out;
}

std::vector<FileFinding> beyond_task(const Task& task, const Changes& changes) {
  std::vector<FileFinding> out;
  const std::vector<std::string> allowed = task.written();
  for (const Change& one : changes.files) {
    if (!fits_any(allowed, one.path)) {
      out.push_back(in_file(
          one.path, 0,
          make_finding("scope", contract::Severity::warning, contract::FindingClass::reference, "", item_of(task),
                       "'" + one.path + "' was " + std::string(change_kind_name(one.kind)) + " and is no file of " +
                           item_of(task) + " (" + some_of(allowed, 3) + ")")));
    }
  }
  return out;
}

std::vector<FileFinding> protected_changes(const Task& task, std::span<const std::string> globs,
                                           std::span<const std::string> do_not_touch, const Changes& changes,
                                           contract::Severity severity) {
  std::vector<FileFinding> out;
  // A pattern that names all files names none in particular.
  std::vector<std::string> named;
  for (const std::string& one : task.written()) {
    if (!ascii::only(one, "*/.")) {
      named.push_back(one);
    }
  }
  for (const Change& one : changes.files) {
    const auto forbidden = [&](const std::string& glob) { return budget::path_fits(glob, one.path); };
    const auto touched = std::find_if(do_not_touch.begin(), do_not_touch.end(), forbidden);
    const auto guarded = std::find_if(globs.begin(), globs.end(), forbidden);
    if (touched != do_not_touch.end()) {
      out.push_back(in_file(
          one.path, 0,
          make_finding("do-not-touch", contract::Severity::error, contract::FindingClass::reference, "", item_of(task),
                       "'" + one.path + "' was " + std::string(change_kind_name(one.kind)) +
                           ", and the plan says not to touch '" + *touched + "'")));
    } else if (guarded != globs.end() && !fits_any(named, one.path)) {
      out.push_back(
          in_file(one.path, 0,
                  make_finding("protected", severity, contract::FindingClass::reference, "",
                               task.id.empty() ? "" : item_of(task),
                               "'" + one.path + "' is protected ('" + *guarded + "') and " +
                                   (task.id.empty() ? "no task names it" : item_of(task) + " does not name it") +
                                   ": put it back, or have the task name it")));
    }
  }
  return out;
}

std::span<const std::string_view> protected_usual() {
  static constexpr std::string_view globs[] = {
      "plumb.yaml",  ".semspec/**",  ".github/**",        ".gitlab-ci.yml", ".ci/**",         ".circleci/**",
      "Jenkinsfile", "Makefile",     "CMakePresets.json", "**/test/**",     "**/tests/**",    "**/__tests__/**",
      "**/*_test.*", "**/test_*.py", "**/*.test.*",       "**/*.spec.*",    "**/conftest.py", "**/*Test.java",
      "pytest.ini",  "tox.ini",      ".golangci.yml",     ".clang-tidy",
  };
  return globs;
}

std::span<const std::string_view> protected_configuration() { return protected_usual().first(7); }

std::vector<FileFinding> claims_without_diff(std::span<const std::string> claimed, const Changes& changes) {
  std::vector<FileFinding> out;
  const auto add = [&](std::string path, std::string message) {
    out.push_back(in_file(std::move(path), 0,
                          make_finding("no-diff", contract::Severity::error, contract::FindingClass::reference, "", "",
                                       std::move(message))));
  };
  if (changes.empty()) {
    add("", claimed.empty() ? "nothing was changed"
                            : "nothing was changed, though the developer says it changed " +
                                  some_of({claimed.begin(), claimed.end()}));
    return out;
  }
  std::set<std::string> known;
  for (const Change& one : changes.files) {
    known.insert(one.path);
  }
  std::set<std::string> told;
  for (const std::string& one : claimed) {
    const std::string path = budget::plain_path(one);
    if (known.count(path) == 0 && !changes.paths_cut && told.insert(path).second) {
      add(path, "the developer says it changed '" + path + "', and the diff does not have it");
    }
  }
  return out;
}

}  // namespace plumb::workflow
