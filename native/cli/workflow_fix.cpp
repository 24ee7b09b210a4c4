#include "native/cli/workflow_fix.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/workflow/findings.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/fixed_file.hpp"
#include "native/cli/workflow_guard.hpp"
#include "native/cli/workflow_seen.hpp"
#include "native/workflow/gate_runs.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t file_bytes_max = std::uint64_t{100} << 20U;

// A file of the change: as it is judged, and as the fixes left it.
struct FixedText {
  std::string path, judged, fixed;
};

std::optional<std::string> text_at(const std::string& path) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return std::nullopt;
  }
  const Result<std::string> text = read_file(path, file_bytes_max);
  return text ? std::optional(text.value()) : std::nullopt;
}

// Whether a path below a folder names a file, and no link leads to it.
bool is_own_file(const std::string& top, const std::string& path) {
  struct stat about {};
  for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    if (::lstat((top + "/" + path.substr(0, at)).c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
      return false;
    }
  }
  return ::lstat((top + "/" + path).c_str(), &about) == 0 && S_ISREG(about.st_mode);
}

// A text with the line ends of the file that it goes into.
std::string with_line_ends(const std::string& text, const std::string& of) {
  const bool plain = text.find('\r') != std::string::npos || of.find("\r\n") == std::string::npos;
  std::string out;
  for (const char c : text) {
    out += c == '\n' && !plain ? "\r\n" : std::string(1, c);
  }
  return out;
}

// In one step, and not where it is so already.
Result<bool> put(const std::string& file, const std::string& now, const std::string& text) {
  if (text == now) {
    return true;
  }
  Result<FixedFile> out = FixedFile::begin(file);
  if (!out) {
    return out.error();
  }
  Result<bool> written = out.value().add(text);
  return written ? out.value().commit() : written;
}

class Fixing {
 public:
  Fixing(const git::Checkout& checkout, const git::View& view, bool staged, std::vector<std::string>& told)
      : checkout_(checkout), view_(view), staged_(staged), told_(told) {}

  // The fixes of gates, one after another in the same copy.
  Result<bool> run(const workflow::GateGround& ground, const std::vector<std::string>& skipped);
  Result<bool> take_over(const workflow::GateGround& ground);

 private:
  // The file of the checkout with the fixes in it; nothing: they touch the same lines as changes that are only there.
  Result<std::optional<std::string>> merged(const FixedText& one, const std::string& now);

  const git::Checkout& checkout_;
  const git::View& view_;
  bool staged_;
  std::vector<std::string>& told_;
};

Result<bool> Fixing::run(const workflow::GateGround& ground, const std::vector<std::string>& skipped) {
  bool any = false;
  for (const workflow::Gate& gate : ground.section.gates) {
    const bool skips = std::find(skipped.begin(), skipped.end(), gate.name) != skipped.end();
    if (gate.fix.empty() || skips || workflow::files_of(gate, ground.changed).empty()) {
      continue;
    }
    const Result<process::Outcome> done = workflow::run_fix(ground, gate);
    if (!done) {
      Error error = done.error();
      error.where = "the fix of gate '" + gate.name + "'";
      return error;
    }
    const process::Outcome& outcome = done.value();
    if (outcome.end != process::End::exited) {
      return Error{ErrorCode::unavailable,
                   "ended early (" + std::string(process::end_name(outcome.end)) + "); nothing was changed",
                   "the fix of gate '" + gate.name + "'", 0, 0};
    }
    any = true;
    if (outcome.exit_code != 0) {
      told_.push_back("the fix of gate '" + gate.name + "' ended with exit code " + std::to_string(outcome.exit_code));
    }
  }
  return any;
}

Result<std::optional<std::string>> Fixing::merged(const FixedText& one, const std::string& now) {
  const std::string judged = with_line_ends(one.judged, now), fixed = with_line_ends(one.fixed, now);
  if (now == judged || now == fixed) {
    return std::optional(fixed);
  }
  const std::string folder = view_.scratch();
  for (const auto& [name, text] :
       {std::pair{"/now", &now}, std::pair{"/judged", &judged}, std::pair{"/fixed", &fixed}}) {
    if (const Result<bool> written = write_file(folder + name, *text); !written) {
      return written.error();
    }
  }
  git::Call merge;
  merge.git_dir = folder + "/git";
  merge.words = {"merge-file", "-p", "-q", folder + "/now", folder + "/judged", folder + "/fixed"};
  Result<git::Done> done = git::run_git(merge);
  if (!done) {
    return done.error();
  }
  return done.value().ok() ? std::optional(std::move(done.value().out)) : std::optional<std::string>();
}

Result<bool> Fixing::take_over(const workflow::GateGround& ground) {
  std::vector<std::string> fixed, left;
  std::vector<git::Restaged> found;
  for (const std::string& path : ground.changed) {
    const Result<std::optional<std::string>> judged = view_.text(path);
    if (!judged) {
      return judged.error();
    }
    const std::optional<std::string> after = text_at(ground.folder + "/" + path);
    if (!judged.value() || !after || *after == *judged.value()) {
      continue;
    }
    found.push_back({path, view_.hash(path), *after});
  }
  // Puts the fix into the file of the checkout; false: it cannot go there.
  const auto into_file = [&](const git::Restaged& one) -> Result<bool> {
    const std::string& path = one.path;
    const Result<std::optional<std::string>> judged = view_.text(path);
    if (!judged) {
      return judged.error();
    }
    const std::string file = checkout_.top + "/" + path;
    const std::optional<std::string> now = is_own_file(checkout_.top, path) ? text_at(file) : std::nullopt;
    if (now) {
      const Result<std::optional<std::string>> text = merged({path, judged.value().value_or(""), one.text}, *now);
      if (!text) {
        return text.error();
      }
      if (!text.value()) {
        told_.push_back("the fix of '" + path + "' touches lines that you changed and did not stage, so the file and " +
                        "its staged version stay as they are: stage these lines, or commit without them");
        return false;
      }
      if (const Result<bool> written = put(file, *now, *text.value()); !written) {
        return written.error();
      }
    }
    fixed.push_back(path);
    return true;
  };
  const bool stages = staged_ && !found.empty() && !checkout_.index_is_passing();
  if (stages) {
    Result<std::vector<std::string>> done = checkout_.stage(found, into_file);
    if (!done) {
      return done.error();
    }
    left = std::move(done).value();
  } else {
    for (const git::Restaged& one : found) {
      if (const Result<bool> put = into_file(one); !put) {
        return put;
      }
    }
  }
  if (!left.empty()) {
    told_.push_back("while the fixes ran, others were staged of " + workflow::some_of(left, 20) +
                    ", so these files stay as they are: run the check again");
  }
  if (!fixed.empty()) {
    told_.push_back("fixed" + std::string(stages ? " and staged " : " ") + workflow::some_of(fixed, 20));
  }
  if (staged_ && !stages && !fixed.empty()) {
    told_.push_back(
        "`git commit FILE` commits from an index of its own, so the fixes are only in your files: commit again");
  }
  return !fixed.empty();
}

}  // namespace

Result<bool> fix_changes(const Arguments& arguments, const git::Checkout& checkout, const ReadyWork& work,
                         const std::vector<std::string>& skipped, std::vector<std::string>& told) {
  const WorkflowSection& section = work.here().section;
  if (std::all_of(section.gates.begin(), section.gates.end(), [](const auto& gate) { return gate.fix.empty(); })) {
    return false;
  }
  if (std::all_of(section.gates.begin(), section.gates.end(),
                  [](const workflow::Gate& one) { return one.fix.empty(); })) {
    told.emplace_back("no gate has a `fix`, so there is nothing to run for --fix");
    return false;
  }
  const bool staged = arguments.has("--staged");
  const Result<git::View> view = staged ? git::View::of_index(checkout) : git::View::of_files(checkout);
  const Result<std::string> base = view ? base_of(arguments, checkout) : Result<std::string>(view.error());
  const Result<std::vector<std::string>> changed =
      base ? view.value().present_paths(base.value()) : Result<std::vector<std::string>>(base.error());
  if (!changed || changed.value().empty()) {
    return changed ? Result<bool>(false) : Result<bool>(changed.error());
  }
  const auto isolation = isolation_of(arguments);
  const std::string scratch = view.value().scratch() + "/fixes";
  const std::optional<git::KeptCopy> kept = kept_copy(arguments, checkout, work);
  const Result<std::string> folder =
      lay_out_copy({checkout, view.value(), base.value()}, section, scratch,
                   staged || isolation ? bring_of(isolation) : Bring::all, kept ? &*kept : nullptr);
  if (!folder) {
    return folder.error();
  }
  // A fix that writes to a link would write to what it leads to.
  std::vector<std::string> own = changed.value();
  own.erase(std::remove_if(own.begin(), own.end(),
                           [&](const std::string& path) { return !is_own_file(folder.value(), path); }),
            own.end());
  const workflow::GateGround ground{section, folder.value(), scratch, isolation, own};
  if (const std::optional<workflow::GateResult> setup =
          staged || isolation ? workflow::failed_setup(ground) : std::nullopt) {
    return Error{ErrorCode::unavailable, setup->words + "\n" + setup->output, "", 0, 0};
  }
  Fixing fixing(checkout, view.value(), staged, told);
  const Result<bool> ran = fixing.run(ground, skipped);
  return ran && ran.value() ? fixing.take_over(ground) : ran;
}

}  // namespace plumb::cli
