// `plumb workflow prove`: each gate has to notice breaks that are planted for it in a copy of the checkout. One that
// stays green checks nothing.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "core/workflow/canaries.hpp"
#include "core/workflow/guarded.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"
#include "native/cli/workflow_guard.hpp"
#include "native/cli/workflow_parts.hpp"
#include "native/cli/workflow_seen.hpp"
#include "native/git/tree_files.hpp"
#include "native/workflow/gate_runs.hpp"
#include "native/workflow/proofs.hpp"

namespace plumb::cli {

namespace {

using workflow::Answer;
using workflow::Answers;
using workflow::Canary;
using workflow::GateResult;
using workflow::Proof;

constexpr std::size_t broken_files_max = 5'000;

// A copy of the checkout in which breaks are planted.
struct ProvingGround {
  const CheckBase& base;
  const workflow::GateGround& ground;
  std::vector<std::string> paths;                   // of the copy, but for files that gates run
  std::map<std::string, std::string> planted = {};  // what these files were before

  // How many files have the break; 0: there is no place for it.
  Result<std::size_t> plant(Canary canary, const std::vector<std::string>& tests);
  Result<bool> put_back();
  Result<bool> write(const std::string& path, const std::string& text) const;
};

Result<bool> ProvingGround::write(const std::string& path, const std::string& text) const {
  struct stat about {};
  const std::string file = ground.folder + "/" + path;
  const bool runs = ::lstat(file.c_str(), &about) == 0 && (about.st_mode & S_IXUSR) != 0;
  return git::write_in(ground.folder, path, text, runs);
}

Result<std::size_t> ProvingGround::plant(Canary canary, const std::vector<std::string>& tests) {
  for (const std::string& path : paths) {
    const bool test = workflow::is_test_file(path, tests);
    // Go keeps its tests beside the code, Rust inside of it; other code has no assertions that a test would reach.
    const bool inside = path.ends_with(".rs");
    if (planted.size() == broken_files_max || (canary == Canary::assertion && !test && !inside)) {
      continue;
    }
    const std::optional<std::string> was = base.text_now(path);
    const std::optional<std::string> text = was ? workflow::broken(canary, path, *was) : std::nullopt;
    if (!text) {
      continue;
    }
    planted.emplace(path, *was);
    if (const Result<bool> written = write(path, *text); !written) {
      return written.error();
    }
  }
  return planted.size();
}

Result<bool> ProvingGround::put_back() {
  for (const auto& [path, text] : planted) {
    if (Result<bool> written = write(path, text); !written) {
      return written;
    }
  }
  planted.clear();
  return true;
}

const GateResult* result_of(const std::vector<GateResult>& results, const std::string& gate) {
  const auto found =
      std::find_if(results.begin(), results.end(), [&](const GateResult& one) { return one.gate == gate; });
  return found == results.end() ? nullptr : &*found;
}

std::vector<std::uint32_t> all_of(const std::vector<workflow::Gate>& gates) {
  std::vector<std::uint32_t> out(gates.size());
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    out[i] = i;
  }
  return out;
}

// Runs all gates with one kind of break, and those that were held up once more by themselves.
Result<bool> answer(ProvingGround& place, Canary canary, std::vector<Answers>& out) {
  const WorkflowSection& section = place.ground.section;
  const Result<std::size_t> planted = place.plant(canary, section.tests);
  if (!planted || planted.value() == 0) {
    return planted ? Result<bool>(true) : Result<bool>(planted.error());
  }
  const std::vector<GateResult> results = workflow::run_gates(place.ground, all_of(section.gates));
  for (std::uint32_t i = 0; i < section.gates.size(); ++i) {
    const GateResult* result = result_of(results, section.gates[i].name);
    const bool held_up = result != nullptr && result->outcome == workflow::GateOutcome::skipped;
    const std::vector<std::uint32_t> itself = {i};
    const std::vector<GateResult> again =
        held_up && canary == Canary::syntax ? workflow::run_gates(place.ground, itself) : std::vector<GateResult>();
    if (!again.empty()) {
      result = &again.front();
      out[i].alone = true;
    }
    if (result == nullptr || result->outcome == workflow::GateOutcome::skipped) {
      continue;
    }
    (canary == Canary::assertion ? out[i].assertion : out[i].syntax) =
        result->passed() ? Answer::green : Answer::noticed;
  }
  return place.put_back();
}

std::string told(const workflow::Gate& gate, Proof proof, const Answers& answers) {
  std::string seen;
  for (const auto& [canary, said] :
       {std::pair{Canary::assertion, answers.assertion}, std::pair{Canary::syntax, answers.syntax}}) {
    if (said == (proof == Proof::hollow ? Answer::green : Answer::noticed)) {
      seen += (seen.empty() ? "" : " and ") + std::string(workflow::canary_name(canary));
    }
  }
  const std::string name = "gate '" + gate.name + "'";
  switch (proof) {
    case Proof::proven:
      return name + " is proven: it fails with " + seen;
    case Proof::hollow:
      return name + " is hollow: it passes with " + seen +
             ". Make its command run the checks and give their exit code, or remove the gate";
    case Proof::fails_now:
      return name + " fails before any break, so nothing was proven: run `plumb workflow check`";
    case Proof::unproven:
      break;
  }
  return name + " is not proven: no break of source files or tests reaches it";
}

// The paths that breaks may be planted in: a gate whose own script is broken fails whatever it checks.
Result<std::vector<std::string>> breakable(const CheckBase& base, const WorkflowSection& section) {
  const Result<std::vector<std::string>> all = base.view.present_paths(base.checkout.empty_tree());
  if (!all) {
    return all.error();
  }
  const workflow::Guards guards =
      workflow::guards_of(section.gates, section.tests, [&](const std::string& path) { return base.text_now(path); });
  std::vector<std::string> out;
  for (const std::string& path : all.value()) {
    const bool run = std::any_of(guards.gates.begin(), guards.gates.end(), [&](const workflow::GateFiles& one) {
      return std::any_of(one.files.begin(), one.files.end(),
                         [&](const workflow::RunFile& file) { return workflow::fits(file, path); });
    });
    if (!run) {
      out.push_back(path);
    }
  }
  return out;
}

Result<std::vector<Answers>> proofs_in(const CheckBase& base, const workflow::GateGround& ground) {
  const std::vector<workflow::Gate>& gates = ground.section.gates;
  std::vector<Answers> out(gates.size());
  Result<std::vector<std::string>> paths = breakable(base, ground.section);
  if (!paths) {
    return paths.error();
  }
  if (const std::optional<GateResult> setup = workflow::failed_setup(ground)) {
    return Error{ErrorCode::unavailable, setup->words + "\n" + setup->output, "", 0, 0};
  }
  const std::vector<GateResult> before = workflow::run_gates(ground, all_of(gates));
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const GateResult* result = result_of(before, gates[i].name);
    out[i].passes_before = result != nullptr && result->passed();
  }
  ProvingGround place{base, ground, std::move(paths).value()};
  for (const Canary canary : {Canary::assertion, Canary::syntax}) {
    if (const Result<bool> answered = answer(place, canary, out); !answered) {
      return answered.error();
    }
  }
  return out;
}

}  // namespace

int run_workflow_prove(const Arguments& arguments) {
  remove_views_on_signals();
  const Result<git::Checkout> checkout = git::find_checkout(repository_of(arguments), arguments.has("--repo"));
  if (!checkout) {
    return fail(checkout.error());
  }
  const Result<ReadyWork> work = ready_work(arguments);
  if (!work) {
    return fail(work.error());
  }
  const workflow::Repository& here = work.value().here();
  if (here.not_held) {
    return fail(*here.not_held);
  }
  if (here.section.gates.empty()) {
    note(std::string(workflow::no_gates_warning));
    return exit_undecided;
  }
  const Result<git::View> view = git::View::of_files(checkout.value());
  if (!view) {
    return fail(view.error());
  }
  const CheckBase base{checkout.value(), view.value(), ""};
  const auto isolation = isolation_of(arguments);
  const std::string scratch = view.value().scratch() + "/proof";
  const Result<std::string> folder = lay_out_copy(base, here.section, scratch, isolation ? Bring::nothing : Bring::all);
  if (!folder) {
    return fail(folder.error());
  }
  const Result<std::vector<std::string>> all = view.value().present_paths(checkout.value().empty_tree());
  if (!all) {
    return fail(all.error());
  }
  const Result<std::vector<Answers>> answers =
      proofs_in(base, {here.section, folder.value(), scratch, isolation, all.value()});
  if (!answers) {
    return fail(answers.error());
  }
  const auto now_ms = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
  std::vector<workflow::GateProof> proofs;
  std::string text;
  int code = exit_clean;
  for (std::size_t i = 0; i < here.section.gates.size(); ++i) {
    const workflow::Gate& gate = here.section.gates[i];
    const Proof proof = workflow::proof_of(gate, answers.value()[i]);
    proofs.push_back({gate.name, proof, now_ms});
    text += told(gate, proof, answers.value()[i]) + "\n";
    code = proof == Proof::hollow                            ? exit_findings
           : proof == Proof::proven || code == exit_findings ? code
                                                             : exit_undecided;
  }
  if (const Result<bool> kept = workflow::keep_proofs(work.value().repositories.at(here), here.section.gates, proofs);
      !kept) {
    note(error_line(kept.error()));
  }
  const int printed = print(text);
  return printed == exit_clean ? code : printed;
}

}  // namespace plumb::cli
