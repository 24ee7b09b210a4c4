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

// What the tech lead says of how it is built.
struct Plan {
  std::string approach, effort_estimate, dependencies, acceptance_criteria, constraints;
  static Fields fields() {
    static constexpr Field table[] = {field_if_set<&Plan::approach>("approach"),
                                      field_if_set<&Plan::effort_estimate>("effort_estimate"),
                                      field_if_set<&Plan::dependencies>("dependencies"),
                                      field_if_set<&Plan::acceptance_criteria>("acceptance_criteria"),
                                      field_if_set<&Plan::constraints>("constraints")};
    return table;
  }
};
// And of whether it can be.
struct Judgement {
  std::string feasibility_assessment, infeasibility_reason, revision_reason;
  static Fields fields() {
    static constexpr Field table[] = {field<&Judgement::feasibility_assessment>("feasibility_assessment"),
                                      field<&Judgement::infeasibility_reason>("infeasibility_reason"),
                                      field<&Judgement::revision_reason>("revision_reason")};
    return table;
  }
};

// What came of the dialogue.
struct Assessed {
  Data spec, infeasible;  // null: there is none
  std::string left_out;
  std::string send_back;  // what is wrong with the solution
  std::vector<Failure> failures;
  std::vector<Turn> conversation;
  static Fields fields() {
    static constexpr Field table[] = {field<&Assessed::spec>("spec"),
                                      field<&Assessed::infeasible>("infeasible"),
                                      field<&Assessed::left_out>("left_out"),
                                      field<&Assessed::send_back>("send_back"),
                                      field_if_set<&Assessed::failures>("failures"),
                                      field<&Assessed::conversation>("conversation")};
    return table;
  }
};

struct Dialogue {
  Data lead, risk;
  std::string infeasible;  // why
  Assessed made;
  bool forced = false;

  void said(std::size_t round, std::string_view agent, std::string_view what, std::string_view text) {
    made.conversation.push_back(
        {Stage::feasibility_risk, round, std::string(agent), std::string(what) + ": " + std::string(text)});
  }
};

Dialogue talk(run::Run& run, const Job& job, const Chain& chain, const SentBack& why, bool may_send_back) {
  Dialogue out;
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
      add_failure(out.made.failures, {Stage::feasibility_risk, "TechLead", lead.error});
      out.made.left_out = out.lead.is_null() ? "no assessment was given: " + lead.error : "";
      out.forced = true;
      return out;
    }
    out.lead = lead.value;
    const Judgement& judged = out.lead.as<Judgement>();
    const Plan& plan = out.lead.as<Plan>();
    const std::string& assessment = judged.feasibility_assessment;
    out.said(round, "TechLead", assessment, plan.approach);
    if (assessment == "infeasible") {
      out.infeasible = judged.infeasibility_reason.empty() ? "no reason was given" : judged.infeasibility_reason;
      return out;
    }
    if (assessment == "needs_revision" && may_send_back) {
      for (const std::string& reason : {judged.revision_reason, judged.infeasibility_reason, plan.constraints,
                                        plan.approach, std::string("the solution needs a revision")}) {
        out.made.send_back = out.made.send_back.empty() ? reason : out.made.send_back;
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
      out.said(round, "Risk", text_of(risk.value.value(), "overall_risk_level"), text_of(risk.value.value(), "notes"));
    } else {
      add_failure(out.made.failures, {Stage::feasibility_risk, "Risk", risk.error});
    }
    const std::string_view level = risk.valid ? text_of(risk.value.value(), "overall_risk_level") : "not given";
    if (assessment == "feasible" && (level == "low" || level == "medium")) {
      return out;
    }
  }
  out.forced = true;
  if (const Judgement& last = out.lead.as<Judgement>(); last.feasibility_assessment != "feasible") {
    const std::string& reason = last.infeasibility_reason;
    out.infeasible = "not feasible after 3 rounds" + (reason.empty() ? "" : ": " + reason);
  }
  return out;
}

Data spec_of(const Chain& chain, const Dialogue& assessed) {
  return object([&](json::Writer& json) {
    json.member("opportunity_id", chain.id);
    write_fields(json, assessed.lead.as<Plan>());
    json.key("risks").begin_array();
    const std::span<const Value> risks = list_of(assessed.risk.value(), "risks");
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

Data infeasible_of(const Chain& chain, const Dialogue& assessed) {
  return object([&](json::Writer& json) {
    json.member("opportunity_id", chain.id);
    json.member("solution_summary", text_of(chain.solution.value(), "proposed_solution"));
    json.member("feasibility_assessment", assessed.lead.as<Judgement>().feasibility_assessment);
    json.member("infeasibility_reason", assessed.infeasible).key("constraints_identified").begin_array();
    if (const std::string& one = assessed.lead.as<Plan>().constraints; !one.empty()) {
      json.string(one);
    }
    json.end_array();
  });
}

Assessed assess_one(run::Run& run, const Job& job, const Chain& chain, const SentBack& why, bool agents_may) {
  const bool may_send_back = agents_may && !chain.was_sent_back_by(Stage::feasibility_risk);
  Dialogue dialogue = talk(run, job, chain, why, may_send_back);
  Assessed& out = dialogue.made;
  if (!dialogue.infeasible.empty()) {
    out.infeasible = infeasible_of(chain, dialogue);
  } else if (out.left_out.empty() && out.send_back.empty()) {
    out.spec = spec_of(chain, dialogue);
    out.left_out = wrong_with(run, "contract-technical-spec", {}, out.spec);
  }
  return std::move(out);
}

}  // namespace

std::string assess(run::Run& run, const Job& job, std::vector<Chain>& chains, const SentBack& why, bool agents_may) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const bool has_solution =
        !chains[i].solution.is_null() && (chains[i].left_out.empty() || chains[i].stage == Stage::feasibility_risk);
    // What was not assessed yet comes with those that were sent back.
    const bool waits = chains[i].spec.is_null() && chains[i].infeasible.is_null() && chains[i].left_out.empty();
    if (has_solution && (waits || why.concerns(chains[i].id))) {
      open.push_back(i);
    }
  }
  const std::vector<Data> assessed = run.each("spec", open.size(), [&](run::Run& part, std::size_t n) {
    return Data::of(assess_one(part, job, chains[open[n]], why, agents_may));
  });
  std::vector<run::BoundaryItem> items;
  std::vector<std::size_t> of_item;
  for (std::size_t n = 0; n < open.size(); ++n) {
    Chain& chain = chains[open[n]];
    const Assessed& made = assessed[n].as<Assessed>();
    // Where nothing came of doing it again, what there was goes on.
    const bool nothing = !made.left_out.empty() && made.spec.is_null();
    if (nothing && (!chain.spec.is_null() || !chain.infeasible.is_null())) {
      add_failures(chain.failures, made.failures);
      chain.send_back.clear();
      continue;
    }
    chain.stage = Stage::feasibility_risk;
    chain.left_out = made.left_out;
    chain.settled({"specs"}, Stage::feasibility_risk);
    add_failures(chain.failures, made.failures);
    chain.spec = made.spec;
    chain.infeasible = made.infeasible;
    std::vector<Turn>& said = chain.conversation ? *chain.conversation : chain.conversation.emplace();
    said.insert(said.end(), made.conversation.begin(), made.conversation.end());
    if (chain.sends_back(Stage::feasibility_risk, made.send_back)) {
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
  what.way = job.input.way;
  what.window = job.input.window_tokens;
  what.free = [&job](std::string_view phase) { return job.by_rule(phase); };
  const run::Crossing crossing = run::cross_boundary(run, contract_boundary(run, what), items);
  chains = over_boundary(std::move(chains), crossing, what, of_item, &Chain::spec);
  return run::quality_flags_json(crossing, "specs_produced", items.size());
}

}  // namespace plumb::pipelines::discovery
