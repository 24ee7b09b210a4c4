#include "native/cli/story_files.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "core/ascii.hpp"
#include "core/story/findings.hpp"

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t files_max = 10'000;
constexpr std::uint64_t bytes_max = std::uint64_t{64} << 20U;

bool is_twee(const std::string& text) {
  return story::form_of(text) == story::StoryForm::twee && (text.starts_with("::") || text.find("\n::") != text.npos);
}

bool has_story_data(const std::string& text) {
  for (std::size_t at = text.find("StoryData"); at != std::string::npos; at = text.find("StoryData", at + 1)) {
    const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    if (text.compare(line, 2, "::") == 0 &&
        ascii::trim(std::string_view(text).substr(line + 2, at - line - 2)).empty()) {
      return true;
    }
  }
  return false;
}

}  // namespace

StoryFiles StoryFiles::folder(const std::string& path) {
  StoryFiles out;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().string();
    if (at->is_regular_file(error) && (ascii::ends_in_any_case(name, ".twee") || ascii::ends_in_any_case(name, ".tw") ||
                                       ascii::ends_in_any_case(name, ".twine"))) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  if (error || names.empty() || names.size() > files_max) {
    const std::string why = error           ? "cannot be read: " + error.message()
                            : names.empty() ? "has no Twee file (.twee, .tw)"
                                            : "has more than 10,000 Twee files";
    out.error_ = Error{ErrorCode::invalid_argument, why, path, 0, 0};
    return out;
  }
  std::vector<std::string> whole;
  for (const std::string& name : names) {
    if (fs::file_size(name, error) == 0) {
      continue;
    }
    Result<StorySource> source = StorySource::read(name);
    if (!source) {
      out.error_ = source.error();
      return out;
    }
    if (has_story_data(source.value().text())) {
      whole.push_back(name);
    }
    out.parts_.push_back({name, std::move(source).value()});
  }
  if (whole.size() > 1) {
    out.error_ = Error{ErrorCode::invalid_argument,
                       "has " + std::to_string(whole.size()) + " stories (" + story::some_of(whole, 3) +
                           " have StoryData): check each by itself",
                       path, 0, 0};
  }
  return out;
}

// Files of which one alone has StoryData are one story, which begins with that one.
void StoryFiles::join(std::vector<StoryFiles>& stories) {
  std::vector<std::size_t> twee;
  std::size_t whole = 0, first = 0;
  for (std::size_t i = 0; i < stories.size(); ++i) {
    if (stories[i].parts_.size() == 1 && !stories[i].error_ && is_twee(stories[i].parts_[0].source.text())) {
      const bool data = has_story_data(stories[i].parts_[0].source.text());
      whole += data ? 1U : 0U;
      first = data ? i : first;
      twee.push_back(i);
    }
  }
  if (whole != 1 || twee.size() < 2) {
    return;
  }
  for (auto at = twee.rbegin(); at != twee.rend(); ++at) {
    if (*at != first) {
      stories[first].parts_.insert(stories[first].parts_.begin() + 1, std::move(stories[*at].parts_[0]));
      stories[*at].parts_.clear();
    }
  }
  stories.erase(std::remove_if(stories.begin(), stories.end(),
                               [](const StoryFiles& one) { return one.parts_.empty() && !one.error_; }),
                stories.end());
}

std::vector<StoryFiles> StoryFiles::of(const std::vector<std::string>& paths) {
  std::vector<StoryFiles> out;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      out.push_back(folder(path));
      continue;
    }
    out.emplace_back();
    Result<StorySource> source = StorySource::read(path);
    if (source) {
      out.back().parts_.push_back({path, std::move(source).value()});
    } else {
      out.back().error_ = source.error();
      out.back().error_->where = path;
    }
  }
  join(out);
  return out;
}

Result<std::vector<StoryFiles::Told>> StoryFiles::check() const {
  if (error_) {
    return *error_;
  }
  if (parts_.size() > 1) {
    return check_joined();
  }
  const Part& part = parts_[0];
  Result<story::Checked> checked = story::check_story(part.source.text());
  if (!checked) {
    Error error = checked.error();
    error.where = part.path;
    return error;
  }
  part.source.relocate(checked.value().verdict);
  std::vector<Told> out;
  out.push_back({part.path, part.source.text(), std::move(checked.value().verdict)});
  return out;
}

// Each finding goes to the file that it is in; what is undecided goes to the first.
Result<std::vector<StoryFiles::Told>> StoryFiles::check_joined() const {
  std::string text;
  std::vector<std::uint64_t> from;
  for (const Part& part : parts_) {
    from.push_back(text.size());
    text += part.source.text();
    text += text.ends_with('\n') ? "" : "\n";
    if (text.size() > bytes_max) {
      return Error{ErrorCode::limit, "has more than 64 MB with the files before it", part.path, 0, 0};
    }
  }
  Result<story::Checked> checked = story::check_story(text);
  if (!checked) {
    Error error = checked.error();
    error.where = parts_[0].path;
    return error;
  }
  contract::Verdict& all = checked.value().verdict;
  const auto part_at = [&](std::uint64_t byte) {
    return static_cast<std::size_t>(std::upper_bound(from.begin(), from.end(), byte) - from.begin()) - 1;
  };
  std::vector<Told> out;
  for (const Part& part : parts_) {
    out.push_back({part.path, part.source.text(), {}});
    out.back().verdict.contract = all.contract;
    out.back().verdict.hash = all.hash;
    out.back().verdict.bytes = part.source.text().size();
  }
  for (contract::Finding& one : all.findings) {
    const std::size_t i = part_at(one.span.from);
    const std::uint64_t end = out[i].text.size();
    one.span.from -= from[i];
    one.span.to = std::max(one.span.from, std::min(one.span.to - std::min(one.span.to, from[i]), end));
    out[i].verdict.findings.push_back(std::move(one));
  }
  for (contract::Undecided& one : all.undecided) {
    if (one.rule == "coverage") {
      const std::size_t i = part_at(checked.value().unread_at);
      const contract::Span at =
          story::span_of(out[i].text, checked.value().unread_at - from[i], checked.value().unread_at - from[i]);
      one.reason = story::coverage_text(
          checked.value(), out[i].path + ", line " + std::to_string(at.line) + ", column " + std::to_string(at.column));
    }
  }
  out[0].verdict.undecided = std::move(all.undecided);
  out[0].verdict.more = std::move(all.more);
  for (Told& one : out) {
    story::locate(one.verdict.findings, {}, one.text);
    story::settle(one.verdict);
  }
  return out;
}

}  // namespace plumb::cli
