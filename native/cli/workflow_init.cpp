// `plumb workflow init`: finds the gates of a project, writes them to plumb.yaml, runs each once on a copy, and
// installs the hook that is wanted.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/workflow/gate_results.hpp"
#include "core/workflow/project.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"
#include "native/cli/workflow_guard.hpp"
#include "native/cli/workflow_install.hpp"
#include "native/cli/workflow_parts.hpp"
#include "native/cli/workflow_seen.hpp"
#include "native/git/checkout.hpp"
#include "native/workflow/gate_runs.hpp"
#include "native/workflow/trusted_section.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t known_text_max = std::uint64_t{1} << 20U;
constexpr std::size_t shown_output_max = 1'500;

struct Project {
  std::vector<std::string> paths;
  std::vector<workflow::ProjectText> texts;
};

Result<Project> project_in(const git::Checkout& checkout) {
  const Result<std::string> listed = checkout.says({"ls-files", "--cached", "--others", "--exclude-standard", "-z"});
  if (!listed) {
    return listed.error();
  }
  Project out{git::pieces_of(listed.value()), {}};
  std::vector<std::string> ignored;
  for (const std::string& one : out.paths) {
    if (!workflow::is_project_file(one)) {
      continue;
    }
    struct stat about {};
    if (::stat((checkout.top + "/" + one).c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
      continue;  // a pipe would be waited for
    }
    if (const Result<std::string> text = read_file(checkout.top + "/" + one, known_text_max)) {
      out.texts.emplace_back(one, text.value());
    }
    // git ignores a venv, and its interpreter tells that there is one.
    const std::string venv = (std::filesystem::path(one).parent_path() / ".venv/bin/python3").string();
    if (::access((checkout.top + "/" + venv).c_str(), X_OK) == 0) {
      ignored.push_back(venv);
    }
  }
  out.paths.insert(out.paths.end(), ignored.begin(), ignored.end());
  return out;
}

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : git::pieces_of(workflow::first_and_last(text, shown_output_max), '\n')) {
    out += "    " + line + "\n";
  }
  return out;
}

std::string told(const workflow::GateResult& result) {
  const bool skipped = result.outcome == workflow::GateOutcome::skipped;
  return result.words + "\n" + (result.passed() || skipped ? "" : indented(result.output));
}

// Each gate once, on a copy: the checkout stays as it is.
Result<std::string> run_once(const git::Checkout& checkout, const WorkflowSection& section) {
  const Result<git::View> view = git::View::of_files(checkout);
  const Result<std::vector<std::string>> all =
      view ? view.value().present_paths(checkout.empty_tree()) : Result<std::vector<std::string>>(view.error());
  if (!all) {
    return all.error();
  }
  const std::string scratch = view.value().scratch() + "/init";
  const Result<std::string> folder = lay_out_copy({checkout, view.value(), ""}, section, scratch, Bring::all);
  if (!folder) {
    return folder.error();
  }
  const workflow::GateGround ground{section, folder.value(), scratch, {}, all.value()};
  std::string out;
  std::error_code failed;
  const bool prepared = std::all_of(section.gates.begin(), section.gates.end(), [&](const workflow::Gate& gate) {
    return std::all_of(gate.caches.begin(), gate.caches.end(), [&](const std::string& one) {
      return std::filesystem::exists(checkout.top + "/" + one, failed);
    });
  });
  if (!prepared) {
    if (const std::optional<workflow::GateResult> setup = workflow::failed_setup(ground)) {
      return told(*setup) + "no gate was run, since the setup fails\n";
    }
    const bool any = command::find_command(section.commands, "setup") != nullptr;
    out += any ? "the setup passed on a copy. `check` runs in your checkout, where you run it once yourself\n" : "";
  }
  std::vector<std::uint32_t> which(section.gates.size());
  for (std::uint32_t i = 0; i < which.size(); ++i) {
    which[i] = i;
  }
  for (const workflow::GateResult& one : workflow::run_gates(ground, which)) {
    out += told(one);
  }
  return out;
}

Result<std::string> write_gates(const Arguments& arguments, const git::Checkout& checkout, int& code) {
  const std::string path = checkout.top + "/plumb.yaml";
  const Result<Project> project = project_in(checkout);
  if (!project) {
    return project.error();
  }
  const std::vector<std::string>& paths = project.value().paths;
  const bool sops = std::any_of(paths.begin(), paths.end(),
                                [](const std::string& one) { return one.starts_with(".semspec/sources/docs/sops/"); });
  const std::vector<workflow::Detected> found = workflow::detect_gates(paths, project.value().texts);
  const std::string yaml = workflow::project_yaml(found, sops);
  struct stat about {};
  const bool there = ::lstat(path.c_str(), &about) == 0;
  if (there && (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode))) {
    return Error{ErrorCode::invalid_argument, "is no file, so nothing was written: remove it", path, 0, 0};
  }
  if (there) {
    note(path + " is there already and stays as it is" + (arguments.has("--hook") ? "" : "; this would be its part:"));
    return arguments.has("--hook") ? std::string() : yaml;
  }
  const Result<workflow::SectionText> section = workflow::section_of(path, yaml);
  const Result<bool> written = section ? write_file(path, yaml) : Result<bool>(section.error());
  if (!written) {
    return written.error();
  }
  for (const workflow::Detected& one : found) {
    note("gates of " + one.preset + " (" + one.because + ")");
  }
  if (found.empty()) {
    note("no gates were found: name the project's own commands in " + path);
  }
  std::string out;
  if (!arguments.has("--no-run") && !found.empty()) {
    const Result<std::string> ran = run_once(checkout, section.value().section);
    if (!ran) {
      note("the gates were not run: " + error_line(ran.error()));
      code = exit_undecided;
    }
    out = ran ? ran.value() : std::string();
  }
  return out + "wrote " + path +
         (is_terminal(STDIN_FILENO) ? "; next: plumb workflow trust\n" : "; its commands run once they are trusted\n");
}

}  // namespace

int run_workflow_init(const Arguments& arguments) {
  remove_views_on_signals();
  const Result<git::Checkout> checkout = git::find_checkout(repository_of(arguments), arguments.has("--repo"));
  if (!checkout) {
    return fail(checkout.error());
  }
  int code = exit_clean;
  Result<std::string> text = write_gates(arguments, checkout.value(), code);
  if (!text) {
    return fail(text.error());
  }
  if (arguments.has("--hook")) {
    const Result<std::string> done = install_hook(arguments.text("--hook"), checkout.value());
    if (!done) {
      (void)print(text.value());
      return fail(done.error());
    }
    text.value() += done.value() + "\n";
  }
  const int printed = print(text.value());
  return printed == exit_clean ? code : printed;
}

}  // namespace plumb::cli
