// Stage 3: can it be built? The tech lead assesses, Risk says what can go wrong, at most 3 rounds. Infeasible ends it
// at once; it converges when it is feasible with a low or medium risk; a feasible one with a high risk is taken after
// the third round, and says so.

#include <algorithm>

#include "core/pipelines/discovery/parts.hpp"
#include "core/pipelines/discovery/worst_case.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

struct Assessed {
  Data lead, risk;
  std::string conversation;  // JSON items
  std::string left_out;
  std::string infeasible;  // why
  std::string send_back;   // what is wrong with the solution
  std::vector<Failure> failures;
  bool forced = false;
};

void add_said(Assessed& out, std::size_t round, std::string_view agent, std::string_view text) {
  out.conversation += (out.conversation.empty() ? "" : ",") + object_text([&](json::Writer& json) {
                        json.member("stage", stage_name(Stage::feasibility_risk)).member_uint("round", round);
                        json.member("agent", agent).member("text", text);
                      });
}

Assessed talk(run::Run& run, const Job& job, const Chain& chain, const SentBack& why, bool may_send_back) {
  Assessed out;
  const auto call_of = [&](std::string_view name, std::size_t round) {
    Call call;
    call.phase = "assess";
    call.name = name;
    call.variables = [&, round](json::Writer& json) {
      json.member("brief", fenced("brief", chain.brief.text()))
          .member("solution", fenced("solution", chain.solution.text()));
      json.member("assessment", out.lead.is_null() ? "" : fenced("assessment", out.lead.text()));
      json.member("risk", out.risk.is_null() ? "" : fenced("risk", out.risk.text()));
      json.member("hint", fenced("hint", why.reason_for(chain.id))).member_uint("round", round);
      json.member("may_send_back", may_send_back ? "yes" : "");
    };
    call.task = [&](json::Writer& json) {
      json.key("brief").raw(chain.brief.text()).key("solution").raw(chain.solution.text());
    };
    return call;
  };
  for (std::size_t round = 1; round <= dialogue_rounds_max; ++round) {
    const Answer lead = ask(run, job, call_of("assess", round));
    if (!lead.valid) {
      add_failure(out.failures, {std::string(stage_name(Stage::feasibility_risk)), "TechLead", lead.error});
      out.left_out = out.lead.is_null() ? "no assessment was given: " + lead.error : "";
      out.forced = true;
      return out;
    }
    out.lead = lead.value;
    const std::string_view assessment = text_of(lead.value.value(), "feasibility_assessment");
    add_said(out, round, "TechLead",
             std::string(assessment) + ": " + std::string(text_of(lead.value.value(), "approach")));
    if (assessment == "infeasible") {
      const std::string_view reason = text_of(lead.value.value(), "infeasibility_reason");
      out.infeasible = reason.empty() ? "no reason was given" : reason;
      return out;
    }
    if (assessment == "needs_revision" && may_send_back) {
      for (const std::string_view name : {"revision_reason", "infeasibility_reason", "constraints", "approach"}) {
        if (out.send_back.empty()) {
          out.send_back = text_of(lead.value.value(), name);
        }
      }
      if (out.send_back.empty()) {
        out.send_back = "the solution needs a revision";
      }
      return out;
    }
    if (job.by_rule("assess")) {
      out.forced = true;
      return out;
    }
    const Answer risk = ask(run, job, call_of("risk", round));
    if (risk.valid) {
      out.risk = risk.value;
      add_said(out, round, "Risk",
               std::string(text_of(risk.value.value(), "overall_risk_level")) + ": " +
                   std::string(text_of(risk.value.value(), "notes")));
    }
    if (!risk.valid) {
      add_failure(out.failures, {std::string(stage_name(Stage::feasibility_risk)), "Risk", risk.error});
    }
    const std::string_view level = risk.valid ? text_of(risk.value.value(), "overall_risk_level") : "not given";
    if (assessment == "feasible" && (level == "low" || level == "medium")) {
      return out;
    }
  }
  out.forced = true;
  if (text_of(out.lead.value(), "feasibility_assessment") != "feasible") {
    const std::string_view reason = text_of(out.lead.value(), "infeasibility_reason");
    out.infeasible = "not feasible after 3 rounds" + (reason.empty() ? "" : ": " + std::string(reason));
  }
  return out;
}

Data spec_of(const Chain& chain, const Assessed& assessed) {
  return object([&](json::Writer& json) {
    json.member("opportunity_id", chain.id);
    for (const std::string_view name :
         {"approach", "effort_estimate", "dependencies", "acceptance_criteria", "constraints"}) {
      if (const std::string_view text = text_of(assessed.lead.value(), name); !text.empty()) {
        json.member(name, text);
      }
    }
    json.key("risks").begin_array();
    const std::span<const Value> risks =
        assessed.risk.is_null() ? std::span<const Value>() : list_of(assessed.risk.value(), "risks");
    for (const Value& risk : risks) {
      json.value(risk);
    }
    if (risks.empty()) {
      json.begin_object().member("description", "No risk was named.").member("severity", "low");
      json.member("mitigation", "Look for risks before it is begun.").end_object();
    }
    json.end_array();
    if (!assessed.risk.is_null()) {
      json.member("overall_risk_level", text_of(assessed.risk.value(), "overall_risk_level"));
    }
    json.member_boolean("convergence_forced", assessed.forced);
  });
}

// {"spec": ... | null, "infeasible": ... | null, "left_out", "send_back", "conversation"}
Data assess_one(run::Run& run, const Job& job, const Chain& chain, const SentBack& why, bool agents_may) {
  const bool may_send_back = agents_may && !chain.was_sent_back_by(Stage::feasibility_risk);
  const Assessed assessed = talk(run, job, chain, why, may_send_back);
  Data spec;
  std::string left_out = assessed.left_out;
  if (left_out.empty() && assessed.infeasible.empty() && assessed.send_back.empty()) {
    spec = spec_of(chain, assessed);
    left_out = wrong_with(run, "contract-technical-spec", {}, spec);
  }
  return object([&](json::Writer& json) {
    json.key("spec").raw(spec.is_null() ? "null" : spec.text()).key("infeasible");
    if (assessed.infeasible.empty()) {
      json.null();
    } else {
      json.begin_object().member("opportunity_id", chain.id);
      json.member("solution_summary", text_of(chain.solution.value(), "proposed_solution"));
      json.member("feasibility_assessment", text_of(assessed.lead.value(), "feasibility_assessment"));
      json.member("infeasibility_reason", assessed.infeasible).key("constraints_identified").begin_array();
      if (const std::string_view one = text_of(assessed.lead.value(), "constraints"); !one.empty()) {
        json.string(one);
      }
      json.end_array().end_object();
    }
    json.member("left_out", left_out).member("send_back", assessed.send_back);
    write_failures(json, assessed.failures);
    json.key("conversation").raw("[" + assessed.conversation + "]");
  });
}

Data joined(const Data& before, const Value& more) {
  std::string out = "[";
  for (const std::span<const Value> list :
       {before.is_null() ? std::span<const Value>() : before.value().array(), more.array()}) {
    for (const Value& one : list) {
      out += (out.size() == 1 ? "" : ",") + json::value_text(one);
    }
  }
  return Data::written(out + "]");
}

}  // namespace

std::string assess(run::Run& run, const Job& job, std::vector<Chain>& chains, const SentBack& why, bool agents_may) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const bool has_solution = !chains[i].solution.is_null() &&
                              (chains[i].left_out.empty() || chains[i].stage == stage_name(Stage::feasibility_risk));
    // What was not assessed yet comes with those that were sent back.
    const bool waits = chains[i].spec.is_null() && chains[i].infeasible.is_null() && chains[i].left_out.empty();
    if (has_solution && (waits || why.concerns(chains[i].id))) {
      open.push_back(i);
    }
  }
  const std::vector<Data> assessed = run.each("spec", open.size(), [&](run::Run& part, std::size_t n) {
    return assess_one(part, job, chains[open[n]], why, agents_may);
  });
  std::vector<run::BoundaryItem> items;
  std::vector<std::size_t> of_item;
  for (std::size_t n = 0; n < open.size(); ++n) {
    Chain& chain = chains[open[n]];
    const Value& value = assessed[n].value();
    // Where nothing came of doing it again, what there was goes on.
    const bool nothing = !text_of(value, "left_out").empty() && value.find("spec")->is(json::Kind::null);
    if (nothing && (!chain.spec.is_null() || !chain.infeasible.is_null())) {
      for (Failure& one : failures_of(value)) {
        add_failure(chain.failures, std::move(one));
      }
      chain.send_back.clear();
      continue;
    }
    chain.stage = stage_name(Stage::feasibility_risk);
    chain.left_out = text_of(value, "left_out");
    chain.settled({"specs"}, Stage::feasibility_risk);
    for (Failure& one : failures_of(value)) {
      add_failure(chain.failures, std::move(one));
    }
    chain.spec = Data::part(assessed[n], value.find("spec"));
    chain.infeasible = Data::part(assessed[n], value.find("infeasible"));
    chain.conversation = joined(chain.conversation, *value.find("conversation"));
    if (chain.sends_back(Stage::feasibility_risk, text_of(value, "send_back"))) {
      continue;
    }
    if (chain.left_out.empty() && !chain.spec.is_null()) {
      const Data upstream = object([&](json::Writer& json) {
        json.key("brief").raw(chain.brief.text()).key("solution").raw(chain.solution.text());
      });
      items.push_back({chain.id, chain.id, chain.spec, upstream});
      of_item.push_back(open[n]);
    }
  }
  ContractBoundary what;
  what.name = "specs";
  what.what = "specification";
  what.contract = "contract-technical-spec";
  what.consumer = party("TPMAgent");
  what.producer = party("FeasibilityDesigner");
  what.window = job.window_tokens;
  what.free = [&job](std::string_view phase) { return job.by_rule(phase); };
  const run::Crossing crossing = run::cross_boundary(run, contract_boundary(run, what), items);
  chains = over_boundary(std::move(chains), crossing, what, of_item, &Chain::spec);
  return run::quality_flags_json(crossing, "specs_produced", items.size());
}

}  // namespace plumb::pipelines::discovery
