// Stage 2: a solution for each brief, in a dialogue of at most 3 rounds. The product manager proposes, Validation
// approves, challenges or asks for a revision, Experience says what users will notice. It converges when Validation
// approves; after the third round it is taken as it is, and says so.

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/pipelines/discovery/parts.hpp"
#include "core/pipelines/discovery/worst_case.hpp"
#include "core/text/sentences.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

struct Turn {
  std::size_t round = 0;
  std::string agent, text;
};

bool is_internal(const Value& brief) {
  const std::vector<std::string> hints = texts_of(brief, "stage_hints");
  if (std::find(hints.begin(), hints.end(), "skip_experience") != hints.end()) {
    return true;
  }
  const text::Words words(text_of(brief, "opportunity_nature"), 200);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words.folded(i);
    if (word == "internal" || word == "engineering" || word == "infrastructure" || word == "instrumentation") {
      return true;
    }
  }
  return false;
}

struct Dialogue {
  Data proposal;
  Data experience;
  std::vector<Turn> said;
  std::vector<std::pair<std::size_t, Data>> challenges;  // by round
  std::string left_out;
  std::vector<Failure> failures;
  std::string send_back;  // what is wrong with the brief
  bool forced = true;
  std::string note = "no model challenged this solution";
};

Call call_of(std::string_view name, const Chain& chain, const Data& explored, const SentBack& why,
             const std::function<void(json::Writer&)>& more) {
  Call call;
  call.phase = "design";
  call.name = name;
  call.variables = [&chain, &why, more](json::Writer& json) {
    json.member("brief", fenced("brief", chain.brief.text())).member("hint", fenced("hint", why.reason_for(chain.id)));
    more(json);
  };
  call.task = [&chain, &explored](json::Writer& json) {
    json.key("brief").raw(chain.brief.text()).key("evidence").value(*explored.value().find("evidence"));
  };
  return call;
}

Dialogue talk(run::Run& run, const Job& job, const Data& explored, const Chain& chain, const SentBack& why,
              bool may_send_back) {
  Dialogue out;
  std::string challenge;
  const auto failed = [&](std::string_view agent, const Answer& answer) {
    add_failure(out.failures, {std::string(stage_name(Stage::solution_validation)), std::string(agent), answer.error});
  };
  for (std::size_t round = 1; round <= dialogue_rounds_max; ++round) {
    const Answer proposal =
        ask(run, job, call_of("propose", chain, explored, why, [&](json::Writer& json) {
              json.member("proposal", out.proposal.is_null() ? "" : fenced("proposal", out.proposal.text()));
              json.member("challenge", fenced("challenge", challenge)).member_uint("round", round);
            }));
    if (!proposal.valid) {
      failed("OpportunityPM", proposal);
      if (out.proposal.is_null()) {
        out.left_out = "no solution was proposed: " + proposal.error;
      } else {
        out.note = "round " + json::uint_text(round) + " brought no revision (" + proposal.error + ")";
      }
      return out;
    }
    out.proposal = proposal.value;
    out.said.push_back({round, "OpportunityPM", std::string(text_of(proposal.value.value(), "proposed_solution"))});
    if (job.by_rule("design")) {
      return out;
    }
    const Answer judged =
        ask(run, job, call_of("challenge", chain, explored, why, [&](json::Writer& json) {
              json.member("proposal", fenced("proposal", out.proposal.text())).member_uint("round", round);
              json.member("may_send_back", may_send_back ? "yes" : "");
            }));
    if (!judged.valid) {
      failed("Validation", judged);
    }
    const std::string_view assessment =
        judged.valid ? text_of(judged.value.value(), "assessment") : std::string_view("not given");
    out.said.push_back({round, "Validation",
                        std::string(assessment) + ": " +
                            std::string(judged.valid ? text_of(judged.value.value(), "critique") : judged.error)});
    if (judged.valid && may_send_back && assessment != "approve") {
      out.send_back = text_of(judged.value.value(), "send_back_reason");
    }
    if (!out.send_back.empty()) {
      out.note = "the brief is sent back: " + out.send_back;
      return out;
    }
    if (!is_internal(chain.brief.value())) {
      const Answer felt =
          ask(run, job, call_of("experience", chain, explored, why, [&](json::Writer& json) {
                json.member("proposal", fenced("proposal", out.proposal.text())).member_uint("round", round);
              }));
      if (felt.valid) {
        out.experience = felt.value;
        out.said.push_back({round, "Experience", std::string(text_of(felt.value.value(), "notes"))});
      } else {
        failed("Experience", felt);
      }
    }
    if (assessment == "approve") {
      out.forced = false;
      return out;
    }
    challenge = judged.valid ? std::string(judged.value.text()) : std::string();
    if (judged.valid) {
      out.challenges.emplace_back(round, judged.value);
    }
    out.note = "not approved after " + json::uint_text(round) + " rounds; last: " + std::string(assessment) +
               (judged.valid ? ": " + std::string(text_of(judged.value.value(), "challenge_reason")) : "");
  }
  return out;
}

void write_conversation(json::Writer& json, const std::vector<Turn>& said) {
  json.key("conversation").begin_array();
  for (const Turn& one : said) {
    json.begin_object().member("stage", stage_name(Stage::solution_validation)).member_uint("round", one.round);
    json.member("agent", one.agent).member("text", one.text).end_object();
  }
  json.end_array();
}

Data solution_of(const Chain& chain, const Data& explored, const Dialogue& dialogue,
                 std::vector<std::string>& warnings) {
  std::vector<std::string> ids = texts_of(dialogue.proposal.value(), "evidence");
  for (const Value& one : ids.empty() ? list_of(chain.brief.value(), "evidence") : std::span<const Value>()) {
    ids.emplace_back(text_of(one, "source_id"));
  }
  const Data whole = object([&](json::Writer& json) {
    json.member("opportunity_id", chain.id).member("affected_area", text_of(chain.brief.value(), "affected_area"));
    for (const json::Member& member : dialogue.proposal.value().object()) {
      if (member.key != "evidence" && member.key != "opportunity_id" && member.key != "affected_area") {
        json.key(member.key).value(member.value);
      }
    }
    if (!dialogue.experience.is_null()) {
      json.key("experience_direction").raw(dialogue.experience.text());
    } else if (is_internal(chain.brief.value())) {
      json.member("skip_rationale", "users do not notice this work");
    }
    json.key("validation_challenges").begin_array();
    for (const auto& [round, said] : dialogue.challenges) {
      json.begin_object().member_uint("round", round);
      json.member("challenge_reason", text_of(said.value(), "challenge_reason"));
      json.member("critique", text_of(said.value(), "critique")).end_object();
    }
    json.end_array().member_boolean("convergence_forced", dialogue.forced);
    if (dialogue.forced) {
      json.member("convergence_note", dialogue.note);
    }
  });
  return with_evidence(whole, ids, explored, warnings);
}

// {"solution": {...} | null, "left_out", "send_back", "conversation"}
Data design_one(run::Run& run, const Job& job, const Data& explored, const Chain& chain, const SentBack& why,
                bool agents_may) {
  const bool may_send_back = agents_may && !chain.was_sent_back_by(Stage::solution_validation);
  const Dialogue dialogue = talk(run, job, explored, chain, why, may_send_back);
  std::vector<std::string> warnings;
  const Data solution = dialogue.proposal.is_null() ? Data() : solution_of(chain, explored, dialogue, warnings);
  std::string left_out = dialogue.left_out;
  if (left_out.empty()) {
    left_out = wrong_with(run, "contract-solution-brief", evidence_context(explored), solution);
  }
  return object([&](json::Writer& json) {
    json.key("solution").raw(solution.is_null() ? "null" : solution.text()).member("left_out", left_out);
    json.member("send_back", dialogue.send_back);
    write_failures(json, dialogue.failures);
    write_conversation(json, dialogue.said);
  });
}

}  // namespace

std::string design(run::Run& run, const Job& job, const Data& explored, std::vector<Chain>& chains, const SentBack& why,
                   bool agents_may) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const bool stopped_before =
        !chains[i].left_out.empty() && chains[i].stage == stage_name(Stage::opportunity_framing);
    // What was not designed for yet comes with those that were sent back.
    const bool waits = chains[i].solution.is_null() && chains[i].left_out.empty();
    if (!stopped_before && (waits || why.concerns(chains[i].id))) {
      open.push_back(i);
    }
  }
  const std::vector<Data> designed = run.each("solution", open.size(), [&](run::Run& part, std::size_t n) {
    return design_one(part, job, explored, chains[open[n]], why, agents_may);
  });
  std::vector<run::BoundaryItem> items;
  std::vector<std::size_t> of_item;
  for (std::size_t n = 0; n < open.size(); ++n) {
    Chain& chain = chains[open[n]];
    // Where nothing came of doing it again, what there was goes on.
    if (designed[n].value().find("solution")->is(json::Kind::null) && !chain.solution.is_null()) {
      for (Failure& one : failures_of(designed[n].value())) {
        add_failure(chain.failures, std::move(one));
      }
      chain.send_back.clear();
      continue;
    }
    chain.stage = stage_name(Stage::solution_validation);
    chain.left_out = text_of(designed[n].value(), "left_out");
    chain.solution = Data::part(designed[n], designed[n].value().find("solution"));
    chain.spec = Data();
    chain.infeasible = Data();
    chain.settled({"solutions", "specs"}, Stage::solution_validation);
    for (Failure& one : failures_of(designed[n].value())) {
      add_failure(chain.failures, std::move(one));
    }
    chain.conversation = Data::part(designed[n], designed[n].value().find("conversation"));
    if (chain.sends_back(Stage::solution_validation, text_of(designed[n].value(), "send_back"))) {
      continue;
    }
    if (chain.left_out.empty()) {
      items.push_back(
          {chain.id, std::string(text_of(chain.brief.value(), "affected_area")), chain.solution, chain.brief});
      of_item.push_back(open[n]);
    }
  }
  ContractBoundary what;
  what.name = "solutions";
  what.what = "solution";
  what.contract = "contract-solution-brief";
  what.context = evidence_context(explored);
  what.consumer = party("FeasibilityDesigner");
  what.producer = party("SolutionDesigner");
  what.window = job.window_tokens;
  what.free = [&job](std::string_view phase) { return job.by_rule(phase); };
  const run::Crossing crossing = run::cross_boundary(run, contract_boundary(run, what), items);
  chains = over_boundary(std::move(chains), crossing, what, of_item, &Chain::solution);
  return run::quality_flags_json(crossing, "solutions_produced", items.size());
}

}  // namespace plumb::pipelines::discovery
