// However a text is cut, its edits, the edited text, the verdict and the findings on the way are the same; strict JSON
// is not edited; the changes give the edited text; and nothing that is accepted after edits is no JSON.
#include <algorithm>
#include <map>

#include "core/contract/contract.hpp"
#include "core/contract/render.hpp"
#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/repair/check.hpp"
#include "tests/fuzz/fuzzing.hpp"

namespace {

using plumb::contract::Contract;
using plumb::contract::Edit;
using plumb::contract::EditLevel;
using plumb::contract::Finding;
using plumb::contract::Verdict;
using plumb::fuzz::expect;

struct Told {
  std::string verdict;
  std::string findings;  // completed, by id
  std::string text;
  bool mended = false;
  bool valid = false;
  std::vector<Edit> edits;
};

Told told_of(plumb::repair::Check& check, Verdict verdict, std::string_view text) {
  Told told;
  told.verdict = plumb::contract::verdict_json(verdict);
  told.text = check.text();
  told.mended = check.mended();
  told.valid = verdict.valid;
  for (const Finding& finding : verdict.findings) {
    expect(finding.span.from <= finding.span.to && finding.span.to <= text.size(), "a span lies inside the original",
           plumb::contract::finding_json(finding), text);
  }
  told.edits = std::move(verdict.edits);
  return told;
}

Told run(plumb::repair::Check& check, std::string_view text, unsigned way) {
  check.reset();
  std::vector<Finding> certain;
  std::map<std::uint32_t, std::string> completed;
  const auto take = [&] {
    for (const Finding& finding : certain) {
      if (!finding.partial) {
        completed[finding.id] = plumb::contract::finding_json(finding);
      }
    }
    certain.clear();
  };
  for (const std::string_view piece : plumb::fuzz::pieces_of(text, way)) {
    const plumb::fuzz::OwnPiece own(piece);
    check.push(own.view(), certain);
    take();
  }
  Verdict verdict = check.end(certain);
  take();
  Told told = told_of(check, std::move(verdict), text);
  for (const auto& [id, finding] : completed) {
    told.findings += finding + "\n";
  }
  return told;
}

// The original with the changes of all edits that were made.
std::string changed(std::string_view text, const std::vector<Edit>& edits) {
  std::vector<const plumb::contract::Change*> changes;
  for (const Edit& edit : edits) {
    for (const plumb::contract::Change& change : edit.changes) {
      expect(change.from <= change.to && change.to <= text.size(), "a change lies inside the original");
      if (edit.applied) {
        changes.push_back(&change);
      }
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto* a, const auto* b) { return a->from != b->from ? a->from < b->from : a->to < b->to; });
  std::string out;
  std::uint64_t at = 0;
  for (const plumb::contract::Change* change : changes) {
    expect(change->from >= at, "changes do not overlap");
    out += text.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(change->from - at));
    out += change->text;
    at = change->to;
  }
  return out + std::string(text.substr(static_cast<std::size_t>(at)));
}

void judge(const Contract& contract, bool anything, std::string_view text) {
  plumb::contract::CheckOptions options;
  options.limits.depth_max = 64;
  options.limits.findings_max = 100;
  for (const EditLevel level : {EditLevel::certain, EditLevel::guess}) {
    plumb::repair::Check check(contract, options, {.level = level, .keep_text = true});
    const Told first = run(check, text, 0);
    for (unsigned way = 1; way < plumb::fuzz::ways; ++way) {
      const Told other = run(check, text, way);
      expect(first.verdict == other.verdict, "the cut of the text changes the verdict", first.verdict, other.verdict);
      expect(first.findings == other.findings, "the cut of the text changes the findings", first.findings,
             other.findings);
      expect(first.text == other.text, "the cut of the text changes the edited text", first.text, other.text);
    }
    check.reset();
    const Told whole = told_of(check, check.whole(text), text);
    expect(first.verdict == whole.verdict, "the whole text has another verdict", first.verdict, whole.verdict);
    if (first.mended) {
      expect(first.text == whole.text, "the whole text is edited otherwise", first.text, whole.text);
      expect(changed(text, first.edits) == first.text, "the changes give the edited text", first.verdict, first.text);
    }
    plumb::json::Arena arena;
    if (anything && plumb::json::parse(text, arena, {.depth_max = 64})) {
      expect(first.edits.empty() && first.text == text, "strict JSON is not edited", first.verdict, text);
    }
    if (anything && first.valid) {
      expect(static_cast<bool>(plumb::json::parse(first.text, arena, {.depth_max = 64})),
             "what is accepted after edits is JSON", first.text, text);
    }
  }
}

const std::vector<Contract>& contracts() {
  static const std::vector<Contract> all = [] {
    std::vector<Contract> read;
    for (const char* text :
         {"true", R"({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "array", "items": {"type": ["object", "string", "number"]}}, "n": {"type": "integer"},
            "e": {"enum": ["x y", "Z"]}, "r": {"$ref": "#"}, "code": {"edits": "none"}, "t": {"edits": "guess"}}})",
          R"({"type": "array", "items": {"type": "object", "properties": {"n": {"type": "number"}}}})"}) {
      auto contract = Contract::read(text);
      expect(static_cast<bool>(contract), "the contract can be read", text);
      read.push_back(std::move(contract).value());
    }
    return read;
  }();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (std::size_t i = 0; i < contracts().size(); ++i) {
    judge(contracts()[i], i == 0, text);
  }
  return 0;
}
