// However an artifact is cut, verdict and findings are the same, and no valid artifact is ever called broken on the
// way.
//
// An input is a contract (the name of a built-in one, or its text), a line `---`, and the artifact; without that line
// it is an artifact, judged by the built-in contracts.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "core/contract/render.hpp"
#include "tests/fuzz/fuzzing.hpp"

namespace {

using plumb::contract::Check;
using plumb::contract::CheckOptions;
using plumb::contract::Contract;
using plumb::contract::Finding;
using plumb::contract::Verdict;

struct Told {
  std::string verdict;
  std::map<std::uint32_t, std::string> completed;  // by id
};

Told run(const Contract& contract, const CheckOptions& options, std::string_view artifact, unsigned way) {
  Check check(contract, options);
  std::vector<Finding> certain;
  Told told;
  std::uint64_t pushed = 0;
  std::uint64_t before = 0;  // the piece at hand
  std::uint32_t newest = 0;
  std::uint64_t newest_decided = 0;
  bool error_told = false;
  const auto take = [&](bool at_end) {
    for (const Finding& finding : certain) {
      plumb::fuzz::expect(finding.decided_at <= pushed, "a finding is told when it is certain, not before");
      plumb::fuzz::expect(finding.id >= 1, "a finding has an id");
      if (finding.id > newest) {
        plumb::fuzz::expect(finding.decided_at >= newest_decided,
                            "findings come in the order in which they are decided",
                            plumb::contract::finding_json(finding), artifact);
        // The name of a member is judged when it is complete, wherever in it its fault was decided.
        const bool of_name = finding.schema_location.find("/propertyNames") != std::string::npos;
        const std::uint64_t known = of_name ? std::max(finding.decided_at, finding.span.to) : finding.decided_at;
        plumb::fuzz::expect(at_end || known > before, "a finding is told with the piece that decides it",
                            plumb::contract::finding_json(finding), artifact);
        newest = finding.id;
        newest_decided = finding.decided_at;
      }
      error_told = error_told || (finding.severity == plumb::contract::Severity::error && finding.rule != "limit" &&
                                  finding.shadowed_by == 0);
      plumb::fuzz::expect(!at_end || !finding.partial, "at the end every finding is complete");
      if (!finding.partial) {
        told.completed[finding.id] = plumb::contract::finding_json(finding);
      } else {
        plumb::fuzz::expect(told.completed.count(finding.id) == 0, "a completed finding does not come again");
      }
    }
    certain.clear();
  };
  for (const std::string_view piece : plumb::fuzz::pieces_of(artifact, way)) {
    const plumb::fuzz::OwnPiece own(piece);
    before = pushed;
    pushed += piece.size();
    check.push(own.view(), certain);
    take(false);
  }
  const Verdict verdict = check.end(certain);
  take(true);
  plumb::fuzz::expect(!(verdict.valid && error_told), "no valid artifact is broken on the way",
                      plumb::contract::verdict_json(verdict), artifact);
  for (const Finding& finding : verdict.findings) {
    plumb::fuzz::expect(!finding.partial, "a verdict holds completed findings");
    plumb::fuzz::expect(finding.span.from <= finding.span.to && finding.span.to <= artifact.size(),
                        "a span lies inside the artifact", plumb::contract::finding_json(finding), artifact);
  }
  told.verdict = plumb::contract::verdict_json(verdict);
  return told;
}

void judge(const Contract& contract, std::string_view artifact) {
  CheckOptions options;
  options.limits.depth_max = 64;
  options.limits.evaluations_max = 1000;
  options.limits.findings_max = 100;
  const Told first = run(contract, options, artifact, 0);
  const std::string whole = plumb::contract::verdict_json(plumb::contract::check_text(contract, artifact, options));
  plumb::fuzz::expect(whole == first.verdict, "a text that is there whole has another verdict", whole, first.verdict);
  for (unsigned way = 1; way < plumb::fuzz::ways; ++way) {
    options.hash_seed = way;  // no output depends on it
    const Told other = run(contract, options, artifact, way);
    plumb::fuzz::expect(first.verdict == other.verdict, "the cut of the text changes the verdict", first.verdict,
                        other.verdict);
    std::string a;
    std::string b;
    for (const auto& [id, text] : first.completed) {
      a += text + "\n";
    }
    for (const auto& [id, text] : other.completed) {
      b += text + "\n";
    }
    plumb::fuzz::expect(a == b, "the cut of the text changes the findings", a, b);
  }
}

// The built-in contracts, read once.
const std::vector<Contract>& built_in() {
  static const std::vector<Contract> all = [] {
    std::vector<Contract> read;
    for (const plumb::contract::BuiltIn& one : plumb::contract::built_in_contracts()) {
      plumb::contract::ReadOptions options;
      options.name = one.name;
      auto contract = Contract::read(one.text, options);
      plumb::fuzz::expect(static_cast<bool>(contract), "a built-in contract can be read", one.name);
      read.push_back(std::move(contract).value());
    }
    return read;
  }();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line = input.find("\n---\n");
  if (line == std::string_view::npos) {
    for (const Contract& contract : built_in()) {
      judge(contract, input);
    }
    return 0;
  }
  const std::string_view wanted = input.substr(0, line);
  const std::string_view artifact = input.substr(line + 5);
  for (const Contract& contract : built_in()) {
    if (contract.name() == wanted) {
      judge(contract, artifact);
      return 0;
    }
  }
  auto contract = Contract::read(wanted);
  if (contract) {
    judge(contract.value(), artifact);
  }
  return 0;
}
