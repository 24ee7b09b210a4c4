// What files a commit has, of those that trees were opened of last, and which of their lines have a text.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "core/json/members.hpp"
#include "native/git/operations.hpp"

namespace plumb::git {

namespace {

Error wrong(std::string why) { return Error{ErrorCode::invalid_argument, std::move(why), "", 0, 0}; }

}  // namespace

Result<std::shared_ptr<const Contents>> contents_of(Operation& what, const std::string& commit) {
  auto& known = what.remembered.contents;
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == commit; });
  if (found != known.end()) {
    std::rotate(known.begin(), found, found + 1);
    return known.front().second;
  }
  const Result<std::string> listed = git_text(what, {"ls-tree", "-r", "-l", "-z", "--full-tree", commit});
  if (!listed) {
    return listed.error();
  }
  Contents out;
  const std::string_view text = listed.value();
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\0', from), text.size());
    const std::string_view line = text.substr(from, end - from);  // MODE TYPE HASH SIZE\tPATH
    from = end + 1;
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) {
      continue;
    }
    if (line.starts_with("160000")) {
      out.submodules.emplace_back(line.substr(tab + 1));
      continue;
    }
    const std::size_t blank = line.rfind(' ', tab);
    std::uint64_t size = 0;
    std::from_chars(line.data() + blank + 1, line.data() + tab, size);
    out.bytes += size;
    out.files.emplace(line.substr(tab + 1), size);
    if (size > what.limits.file_max) {
      return wrong("'" + std::string(line.substr(tab + 1)) + "' has " + std::to_string(size) +
                   " bytes; a file may have " + std::to_string(what.limits.file_max));
    }
  }
  if (out.files.size() > what.limits.files_max || out.bytes > what.limits.bytes_max) {
    return wrong("the tree has " + std::to_string(out.files.size()) + " files of " + std::to_string(out.bytes) +
                 " bytes; there may be " + std::to_string(what.limits.files_max) + " of " +
                 std::to_string(what.limits.bytes_max));
  }
  auto held = std::make_shared<const Contents>(std::move(out));
  remember_contents(what.remembered, commit, held);
  return held;
}

void remember_contents(Remembered& known, const std::string& commit, std::shared_ptr<const Contents> contents) {
  constexpr std::size_t commits_max = 4, files_max = 500'000;
  known.contents.emplace_front(commit, std::move(contents));
  std::size_t files = 0, kept = 0;
  for (const auto& [one, held] : known.contents) {
    files += held->files.size();
    if (kept == 0 || (kept < commits_max && files <= files_max)) {
      ++kept;
    }
  }
  known.contents.resize(kept);
}

Outcome search_commit(Operation& what, const std::string& commit) {
  constexpr std::size_t found_max = 100, shown_max = 200;
  std::string under = what.text("under");
  while (!under.empty() && under.back() == '/') {
    under.pop_back();
  }
  if (const std::string bad = under.empty() ? "" : bad_path(under); !bad.empty()) {
    return wrong("'" + under + "' " + bad);
  }
  Call call;
  call.git_dir = what.git_dir;
  call.words = {"grep", "-n", "-I", "-z", "-F", "--no-color", "--full-name", "--threads=1"};
  if (json::flag_of(what.request, "ignore_case")) {
    call.words.emplace_back("-i");
  }
  call.words.insert(call.words.end(), {"-e", what.text("search"), commit, "--"});
  if (!under.empty()) {
    call.words.push_back(":(literal)" + under);
  }
  const Result<Done> done = run_git(call);
  if (!done) {
    return done.error();
  }
  if (!done.value().ok() && done.value().code != 1) {  // 1: no line has it
    return git_failed("grep", done.value());
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().key("found").begin_array();
  std::size_t count = 0;
  const std::string_view text = done.value().out;
  for (std::size_t from = 0; from < text.size();) {  // COMMIT:PATH\0LINE\0TEXT
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view one = text.substr(from, end - from);
    from = end + 1;
    const std::size_t path = one.find(':'), line = one.find('\0');
    const std::size_t shown = line == std::string_view::npos ? line : one.find_first_not_of("0123456789", line + 1);
    if (path >= line || shown == std::string_view::npos) {
      continue;
    }
    if (count++ < found_max) {
      std::uint64_t number = 0;
      std::from_chars(one.data() + line + 1, one.data() + shown, number);
      json.begin_object().member("path", one.substr(path + 1, line - path - 1)).member_uint("line", number);
      json.member("text", json::excerpt(one.substr(shown + 1), shown_max)).end_object();
    }
  }
  json.end_array();
  if (count > found_max) {
    json.member_uint("left_out", count - found_max);
  }
  json.end_object();
  return out;
}

}  // namespace plumb::git
