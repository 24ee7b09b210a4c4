// Stage 1: findings become briefs, and the briefs cross to whoever designs solutions.

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/discovery/parts.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

// The findings with these ids, as a model or a person reads them.
std::string findings_of(const Data& explored, const std::vector<std::string>& ids) {
  std::string out = "[";
  for (const Value& finding : list_of(explored.value(), "findings")) {
    if (std::find(ids.begin(), ids.end(), text_of(finding, "id")) != ids.end()) {
      out += (out.size() == 1 ? "" : ",") + json::value_text(finding);
    }
  }
  return out + "]";
}

std::vector<std::string> evidence_ids(const Value& brief, const Data& explored) {
  std::vector<std::string> ids;
  for (const Value& one : list_of(brief, "evidence")) {
    ids.emplace_back(one.is(json::Kind::object) ? text_of(one, "source_id") : one.str());
  }
  if (!ids.empty()) {
    return ids;
  }
  const std::vector<std::string> sources = texts_of(brief, "source_findings");
  for (const Value& finding : list_of(explored.value(), "findings")) {
    if (std::find(sources.begin(), sources.end(), text_of(finding, "id")) != sources.end()) {
      for (const Value& one : list_of(finding, "evidence")) {
        ids.emplace_back(text_of(one, "source_id"));
      }
    }
  }
  return ids;
}

std::string coverage_words(const Data& explored) {
  const Value& coverage = *explored.value().find("coverage");
  std::string names;
  for (const char c : text_of(coverage, "agent_name")) {
    names += c == ',' ? ", " : std::string(1, c);
  }
  return json::uint_text(number_of(coverage, "conversations_reviewed")) + " of " +
         json::uint_text(number_of(coverage, "conversations_available")) + " records of " + names;
}

// The brief with what the model need not write; and only hints that are known.
Data completed(const Value& brief, const Data& explored, std::vector<std::string>& warnings) {
  const Data out = object([&](json::Writer& json) {
    for (const json::Member& member : brief.object()) {
      if (member.key != "explorer_coverage" && member.key != "stage_hints" && member.key != "evidence") {
        json.key(member.key).value(member.value);
      }
    }
    const std::string_view coverage = text_of(brief, "explorer_coverage");
    json.member("explorer_coverage", coverage.empty() ? coverage_words(explored) : coverage);
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

Data ask_briefs(run::Run& run, const Job& job, const Data& explored, const SentBack& why,
                const std::vector<const Chain*>& anew) {
  Call call;
  call.phase = "frame";
  call.name = "frame";
  call.variables = [&](json::Writer& json) {
    json.member("findings", fenced("findings", json::value_text(*explored.value().find("findings"))));
    json.member("coverage", coverage_words(explored)).member("hint", fenced("hint", why.reason));
    std::string briefs;
    for (const Chain* chain : anew) {
      briefs += (briefs.empty() ? "" : "\n") + std::string(chain->brief.text());
    }
    json.member("brief", briefs.empty() ? briefs : fenced("brief", briefs));
  };
  call.task = [&](json::Writer& json) {
    json.key("findings").value(*explored.value().find("findings"));
    json.key("evidence").value(*explored.value().find("evidence"));
  };
  const Answer answer = ask(run, job, call);
  return object([&](json::Writer& json) {
    json.key("briefs").begin_array();
    for (const Value& one :
         answer.value.is_null() ? std::span<const Value>() : list_of(answer.value.value(), "briefs")) {
      json.value(one);
    }
    json.end_array().member("error", answer.valid ? "" : answer.error);
  });
}

// What was explored, with the findings only that these were made from, and those that are fresh; all where they name
// none.
Data explored_for(const Data& explored, const std::vector<const Chain*>& anew, const std::vector<std::string>& fresh) {
  std::vector<std::string> ids = fresh;
  for (const Chain* chain : anew) {
    for (std::string& id : texts_of(chain->brief.value(), "source_findings")) {
      ids.push_back(std::move(id));
    }
  }
  const std::string findings = findings_of(explored, ids);
  if (findings == "[]") {
    return explored;
  }
  return object([&](json::Writer& json) {
    for (const json::Member& member : explored.value().object()) {
      json.key(member.key);
      member.key == "findings" ? json.raw(findings) : json.value(member.value);
    }
  });
}

// Whether it is made of what the one that is framed anew was made of, and not of fresh findings alone.
bool descends(const Chain& made, const std::vector<std::string>& fresh) {
  const std::vector<std::string> sources = texts_of(made.brief.value(), "source_findings");
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

std::string evidence_context(const Data& explored) {
  return object_text([&](json::Writer& json) {
    json.key("evidence").begin_array();
    for (const json::Member& member : explored.value().find("evidence")->object()) {
      json.string(member.key);
    }
    json.end_array();
  });
}

Data with_evidence(const Data& value, const std::vector<std::string>& ids, const Data& explored,
                   std::vector<std::string>& warnings) {
  std::vector<const Value*> pointers;
  std::vector<std::string> taken;
  for (const std::string& id : ids) {
    const Value* found = nullptr;
    for (const Value& finding : list_of(explored.value(), "findings")) {
      for (const Value& one : list_of(finding, "evidence")) {
        found = text_of(one, "source_id") == id ? &one : found;
      }
    }
    if (found == nullptr) {
      warnings.push_back("evidence '" + json::excerpt(id, 60) + "' is in no finding");
    } else if (std::find(taken.begin(), taken.end(), id) == taken.end()) {
      pointers.push_back(found);
      taken.push_back(id);
    }
  }
  return object([&](json::Writer& json) {
    for (const json::Member& member : value.value().object()) {
      if (member.key != "evidence") {
        json.key(member.key).value(member.value);
      }
    }
    json.key("evidence").begin_array();
    for (const Value* one : pointers) {
      json.value(*one);
    }
    json.end_array();
  });
}

Framed frame(run::Run& run, const Job& job, const Data& explored, std::size_t first, const SentBack& why,
             const std::vector<Chain>& before) {
  Framed out;
  std::vector<const Chain*> anew;
  for (const Chain& chain : before) {
    if (!why.about.empty() && why.concerns(chain.id)) {
      anew.push_back(&chain);
    }
  }
  const Data looked_at = anew.empty() ? explored : explored_for(explored, anew, why.fresh);
  if (list_of(explored.value(), "findings").empty()) {
    out.quality_flags = run::quality_flags_json({}, "briefs_produced", 0);
    out.warnings.emplace_back("there is no finding to frame");
    return out;
  }
  const Data asked = run.scope("briefs", [&](run::Run& part) { return ask_briefs(part, job, looked_at, why, anew); });
  if (const std::string_view error = text_of(asked.value(), "error"); !error.empty()) {
    out.warnings.emplace_back(error);
    out.failures.push_back({std::string(stage_name(Stage::opportunity_framing)), "OpportunityPM", std::string(error)});
  }
  const std::string context = evidence_context(explored);
  std::vector<run::BoundaryItem> items;
  for (const Value& brief : list_of(asked.value(), "briefs")) {
    const std::string id = "O" + json::uint_text(first++);
    const Data whole = completed(brief, explored, out.warnings);
    if (const std::string wrong = wrong_with(run, "contract-opportunity-brief", context, whole); !wrong.empty()) {
      Chain chain;
      chain.id = id;
      chain.brief = whole;
      chain.stage = stage_name(Stage::opportunity_framing);
      chain.left_out = wrong;
      out.chains.push_back(std::move(chain));
      continue;
    }
    const Data upstream = Data::written(findings_of(explored, texts_of(brief, "source_findings")));
    items.push_back({id, std::string(text_of(whole.value(), "affected_area")), whole, upstream});
  }
  ContractBoundary what;
  what.name = "briefs";
  what.what = "brief";
  what.contract = "contract-opportunity-brief";
  what.context = context;
  what.name_at = "/affected_area";
  what.consumer = party("SolutionDesigner");
  what.producer = party("OpportunityPM");
  what.window = job.window_tokens;
  what.free = [&job](std::string_view phase) { return job.by_rule(phase); };
  const run::Crossing crossing = run::cross_boundary(run, contract_boundary(run, what), items);
  std::vector<Chain> chains;
  for (const run::Crossed& item : crossing.items) {
    Chain chain;
    chain.stage = stage_name(Stage::opportunity_framing);
    take_crossed(chain, item, crossing, what, &Chain::brief);
    chains.push_back(std::move(chain));
  }
  chains.insert(chains.end(), out.chains.begin(), out.chains.end());
  out.chains = anew.empty() ? std::move(chains) : in_place(before, anew, std::move(chains), why, out.warnings);
  out.quality_flags = run::quality_flags_json(crossing, "briefs_produced", items.size());
  return out;
}

}  // namespace plumb::pipelines::discovery
