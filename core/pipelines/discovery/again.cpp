// A second look at the sources, put to what was found before: chains that stay name findings and evidence by their ids.

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/pipelines/discovery/parts.hpp"
#include "core/pipelines/discovery/synthesis.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

constexpr std::size_t evidence_of_a_finding_max = 1'000;

std::string source_of(const Explored& explored, const ExplorerFinding& finding) {
  const Value* piece =
      finding.evidence.empty() ? nullptr : explored.evidence.value().find(finding.evidence.front().source_id);
  return piece == nullptr ? std::string() : json::record_of<Piece>(*piece).source;
}

// A known finding with what a second look says of the same pattern.
ExplorerFinding with_more(const ExplorerFinding& known, const std::vector<const ExplorerFinding*>& more) {
  ExplorerFinding out = known;
  for (const ExplorerFinding* finding : more) {
    if (!finding->description.empty() && !same_pattern(finding->description, out.description)) {
      out.description += " " + finding->description;
    }
    for (const EvidencePointer& one : finding->evidence) {
      if (!known.has_evidence(one.source_id) && out.evidence.size() < evidence_of_a_finding_max) {
        out.evidence.push_back(one);
      }
    }
  }
  return out;
}

std::size_t number_after(const std::vector<ExplorerFinding>& findings) {
  std::size_t next = 1;
  for (const ExplorerFinding& one : findings) {
    std::uint64_t number = 0;
    if (one.id.size() > 1 && json::read_uint(one.id.substr(1), number)) {
      next = std::max(next, static_cast<std::size_t>(number) + 1);
    }
  }
  return next;
}

// Pieces that were there before keep their words: what was decided was decided by these.
Data with_new_pieces(const Value& known, const Value& now, std::vector<std::string>& warnings) {
  return object([&](json::Writer& json) {
    for (const json::Member& member : known.object()) {
      json.key(member.key).value(member.value);
    }
    for (const json::Member& member : now.object()) {
      const Value* was = known.find(member.key);
      if (was == nullptr) {
        json.key(member.key).value(member.value);
      } else if (json::record_of<Piece>(*was).text != json::record_of<Piece>(member.value).text) {
        warnings.push_back("'" + json::excerpt(member.key, 60) +
                           "' has changed since; it is shown as it was first read");
      }
    }
  });
}

}  // namespace

Explored looked_again(const Explored& before, const Explored& now) {
  std::vector<std::vector<const ExplorerFinding*>> same(before.findings.size());
  std::vector<const ExplorerFinding*> fresh;
  for (const ExplorerFinding& one : now.findings) {
    const auto found = std::find_if(before.findings.begin(), before.findings.end(), [&](const ExplorerFinding& known) {
      return source_of(before, known) == source_of(now, one) && same_pattern(one.pattern_name, known.pattern_name);
    });
    if (found == before.findings.end()) {
      fresh.push_back(&one);
    } else {
      same[static_cast<std::size_t>(found - before.findings.begin())].push_back(&one);
    }
  }
  Explored out = now;
  if (now.failed) {
    out.coverage = before.coverage;
    out.warnings.emplace_back("the second look failed; what was found before holds");
  }
  out.findings.clear();
  out.fresh.emplace();
  for (std::size_t i = 0; i < before.findings.size(); ++i) {
    out.findings.push_back(with_more(before.findings[i], same[i]));
  }
  std::size_t next = number_after(before.findings);
  for (const ExplorerFinding* one : fresh) {
    out.findings.push_back(*one);
    out.findings.back().id = "F" + json::uint_text(next++);
    out.fresh->push_back(out.findings.back().id);
  }
  out.coverage.findings_count = out.findings.size();
  out.evidence = with_new_pieces(before.evidence.value(), now.evidence.value(), out.warnings);
  return out;
}

}  // namespace plumb::pipelines::discovery
