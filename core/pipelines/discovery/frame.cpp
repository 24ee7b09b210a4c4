// Stage 1: findings become briefs, and the briefs cross to whoever designs solutions.

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/discovery/parts.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

using Findings = std::vector<ExplorerFinding>;

// What a model was asked for.
struct Briefs {
  std::vector<Data> briefs;
  std::string error;
  static Fields fields() {
    static constexpr Field table[] = {field<&Briefs::briefs>("briefs"), field<&Briefs::error>("error")};
    return table;
  }
};

Findings with_ids(const Explored& explored, const std::vector<std::string>& ids) {
  Findings out;
  std::copy_if(explored.findings.begin(), explored.findings.end(), std::back_inserter(out),
               [&](const ExplorerFinding& one) { return std::find(ids.begin(), ids.end(), one.id) != ids.end(); });
  return out;
}

// As a model or a person reads them.
std::string list_text(const Findings& findings) {
  std::string out;
  json::Writer json(out);
  json::TypeOf<Findings>::write(json, &findings);
  return out;
}

std::vector<std::string> evidence_ids(const Value& brief, const Explored& explored) {
  std::vector<std::string> ids;
  for (const Value& one : list_of(brief, "evidence")) {
    ids.emplace_back(one.is(json::Kind::object) ? text_of(one, "source_id") : one.str());
  }
  if (!ids.empty()) {
    return ids;
  }
  for (const ExplorerFinding& finding : with_ids(explored, texts_of(brief, "source_findings"))) {
    for (const EvidencePointer& one : finding.evidence) {
      ids.push_back(one.source_id);
    }
  }
  return ids;
}

std::string coverage_words(const Coverage& coverage) {
  std::string names;
  for (const char c : coverage.agent_name) {
    names += c == ',' ? ", " : std::string(1, c);
  }
  return json::uint_text(coverage.reviewed) + " of " + json::uint_text(coverage.available) + " records of " + names;
}

// The brief with what the model need not write; and only hints that are known.
Data completed(const Value& brief, const Explored& explored, std::vector<std::string>& warnings) {
  const Data out = object([&](json::Writer& json) {
    for (const json::Member& member : brief.object()) {
      if (member.key != "explorer_coverage" && member.key != "stage_hints" && member.key != "evidence") {
        json.key(member.key).value(member.value);
      }
    }
    const std::string_view coverage = text_of(brief, "explorer_coverage");
    json.member("explorer_coverage", coverage.empty() ? coverage_words(explored.coverage) : coverage);
    json.key("stage_hints").begin_array();
    for (const std::string& hint : texts_of(brief, "stage_hints")) {
      if (hint == "skip_experience" || hint == "internal_risk_framing") {
        json.string(hint);
      } else {
        warnings.push_back("stage hint '" + json::excerpt(hint, 60) + "' is not known");
      }
    }
    json.end_array();
  });
  return with_evidence(out, evidence_ids(brief, explored), explored, warnings);
}

Data ask_briefs(run::Run& run, const Job& job, const Explored& explored, const SentBack& why,
                const std::vector<const Chain*>& anew) {
  Call call;
  call.phase = "frame";
  call.name = "frame";
  call.variables = [&](json::Writer& json) {
    json.member("findings", fenced("findings", list_text(explored.findings)));
    json.member("coverage", coverage_words(explored.coverage)).member("hint", fenced("hint", why.reason));
    std::string briefs;
    for (const Chain* chain : anew) {
      briefs += (briefs.empty() ? "" : "\n") + std::string(chain->brief.text());
    }
    json.member("brief", briefs.empty() ? briefs : fenced("brief", briefs));
  };
  call.task = [&](json::Writer& json) {
    write_list(json, "findings", explored.findings);
    json.key("evidence").raw(explored.evidence.text());
  };
  const Answer answer = ask(run, job, call);
  return Data::of(Briefs{answer.value.as<Briefs>().briefs, answer.valid ? "" : answer.error});
}

// What was explored, with the findings only that these were made from, and those that are fresh; all where they name
// none.
Explored explored_for(const Explored& explored, const std::vector<const Chain*>& anew,
                      const std::vector<std::string>& fresh) {
  std::vector<std::string> ids = fresh;
  for (const Chain* chain : anew) {
    const std::vector<std::string>& sources = chain->brief.as<Brief>().source_findings;
    ids.insert(ids.end(), sources.begin(), sources.end());
  }
  Explored out = explored;
  if (Findings findings = with_ids(explored, ids); !findings.empty()) {
    out.findings = std::move(findings);
  }
  return out;
}

// Whether it is made of what the one that is framed anew was made of, and not of fresh findings alone.
bool descends(const Chain& made, const std::vector<std::string>& fresh) {
  const std::vector<std::string>& sources = made.brief.as<Brief>().source_findings;
  return sources.empty() || std::any_of(sources.begin(), sources.end(), [&](const std::string& id) {
           return std::find(fresh.begin(), fresh.end(), id) == fresh.end();
         });
}

// The chains as they were, with the new ones in the place of those that were framed anew; what fresh findings alone
// have brought comes last. Where nothing took their place they stay.
std::vector<Chain> in_place(const std::vector<Chain>& before, const std::vector<const Chain*>& anew,
                            std::vector<Chain> made, const SentBack& why, std::vector<std::string>& warnings) {
  std::vector<Chain> instead;
  std::vector<Chain> more;
  for (Chain& chain : made) {
    if (!descends(chain, why.fresh)) {
      more.push_back(std::move(chain));
      continue;
    }
    chain.revised_from = anew.front()->id;
    for (const Chain* one : anew) {
      chain.sent_back_by.insert(chain.sent_back_by.end(), one->sent_back_by.begin(), one->sent_back_by.end());
    }
    instead.push_back(std::move(chain));
  }
  if (instead.empty()) {
    warnings.push_back(anew.front()->id + " was not framed anew, and goes on as it was");
  }
  std::vector<Chain> out;
  for (const Chain& chain : before) {
    const bool goes = std::find(anew.begin(), anew.end(), &chain) != anew.end();
    if (&chain == anew.front()) {
      out.insert(out.end(), instead.begin(), instead.end());
    }
    if (!goes || instead.empty()) {
      out.push_back(chain);
      out.back().send_back.clear();
    }
  }
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return out;
}

}  // namespace

std::string evidence_context(const Explored& explored) {
  return object_text([&](json::Writer& json) {
    json.key("evidence").begin_array();
    for (const json::Member& member : explored.evidence.value().object()) {
      json.string(member.key);
    }
    json.end_array();
  });
}

Data with_evidence(const Data& value, const std::vector<std::string>& ids, const Explored& explored,
                   std::vector<std::string>& warnings) {
  std::vector<EvidencePointer> pointers;
  for (const std::string& id : ids) {
    const EvidencePointer* found = nullptr;
    for (const ExplorerFinding& finding : explored.findings) {
      for (const EvidencePointer& one : finding.evidence) {
        found = one.source_id == id ? &one : found;
      }
    }
    if (found == nullptr) {
      warnings.push_back("evidence '" + json::excerpt(id, 60) + "' is in no finding");
    } else if (std::none_of(pointers.begin(), pointers.end(),
                            [&](const EvidencePointer& one) { return one.source_id == id; })) {
      pointers.push_back(*found);
    }
  }
  return object([&](json::Writer& json) {
    for (const json::Member& member : value.value().object()) {
      if (member.key != "evidence") {
        json.key(member.key).value(member.value);
      }
    }
    write_list(json, "evidence", pointers);
  });
}

Framed frame(run::Run& run, const Job& job, const Explored& explored, std::size_t first, const SentBack& why,
             const std::vector<Chain>& before) {
  Framed out;
  std::vector<std::string>& warnings = out.made.warnings.emplace();
  std::vector<const Chain*> anew;
  for (const Chain& chain : before) {
    if (!why.about.empty() && why.concerns(chain.id)) {
      anew.push_back(&chain);
    }
  }
  if (explored.findings.empty()) {
    out.quality_flags = run::quality_flags_json({}, "briefs_produced", 0);
    warnings.emplace_back("there is no finding to frame");
    return out;
  }
  const Data asked = run.scope("briefs", [&](run::Run& part) {
    return ask_briefs(part, job, anew.empty() ? explored : explored_for(explored, anew, why.fresh), why, anew);
  });
  const Briefs& said = asked.as<Briefs>();
  if (!said.error.empty()) {
    warnings.push_back(said.error);
    out.made.failures.push_back({Stage::opportunity_framing, "OpportunityPM", said.error});
  }
  const std::string context = evidence_context(explored);
  std::vector<run::BoundaryItem> items;
  std::vector<Chain> left_out;
  for (const Data& brief : said.briefs) {
    const std::string id = "O" + json::uint_text(first++);
    const Data whole = completed(brief.value(), explored, warnings);
    if (const std::string wrong = wrong_with(run, "contract-opportunity-brief", context, whole); !wrong.empty()) {
      Chain& chain = left_out.emplace_back();
      chain.id = id;
      chain.brief = whole;
      chain.stage = Stage::opportunity_framing;
      chain.left_out = wrong;
      continue;
    }
    const Brief& read = whole.as<Brief>();
    items.push_back(
        {id, read.affected_area, whole, Data::written(list_text(with_ids(explored, read.source_findings)))});
  }
  ContractBoundary what;
  what.name = "briefs";
  what.what = "brief";
  what.contract = "contract-opportunity-brief";
  what.context = context;
  what.name_at = "/affected_area";
  what.consumer = party("SolutionDesigner");
  what.producer = party("OpportunityPM");
  what.way = job.input.way;
  what.window = job.input.window_tokens;
  what.free = [&job](std::string_view phase) { return job.by_rule(phase); };
  const run::Crossing crossing = run::cross_boundary(run, contract_boundary(run, what), items);
  std::vector<Chain> chains;
  for (const run::Crossed& item : crossing.items) {
    Chain chain;
    chain.stage = Stage::opportunity_framing;
    take_crossed(chain, item, crossing, what, &Chain::brief);
    chains.push_back(std::move(chain));
  }
  chains.insert(chains.end(), left_out.begin(), left_out.end());
  out.made.opportunities = anew.empty() ? std::move(chains) : in_place(before, anew, std::move(chains), why, warnings);
  out.quality_flags = run::quality_flags_json(crossing, "briefs_produced", items.size());
  return out;
}

}  // namespace plumb::pipelines::discovery
