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

using run::Data;

// What Validation did not approve of.
struct Challenge {
  std::uint64_t round = 0;
  std::string challenge_reason, critique;
  static Fields fields() {
    static constexpr Field table[] = {field<&Challenge::round>("round"),
                                      field<&Challenge::challenge_reason>("challenge_reason"),
                                      field<&Challenge::critique>("critique")};
    return table;
  }
};

// What came of the dialogue.
struct Designed {
  Data solution;  // null: there is none
  std::string left_out, send_back;
  std::vector<Failure> failures;
  std::vector<Turn> conversation;
  static Fields fields() {
    static constexpr Field table[] = {field<&Designed::solution>("solution"), field<&Designed::left_out>("left_out"),
                                      field<&Designed::send_back>("send_back"),
                                      field_if_set<&Designed::failures>("failures"),
                                      field<&Designed::conversation>("conversation")};
    return table;
  }
};

bool is_internal(const Brief& brief) {
  if (std::find(brief.stage_hints.begin(), brief.stage_hints.end(), "skip_experience") != brief.stage_hints.end()) {
    return true;
  }
  const text::Words words(brief.opportunity_nature, 200);
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
  std::vector<Challenge> challenges;
  Designed made;
  bool forced = true;
  std::string note = "no model challenged this solution";
};

Call call_of(std::string_view name, const Chain& chain, const Explored& explored, const SentBack& why,
             const std::function<void(json::Writer&)>& more) {
  Call call;
  call.phase = "design";
  call.name = name;
  call.variables = [&chain, &why, more](json::Writer& json) {
    json.member("brief", fenced("brief", chain.brief.text())).member("hint", fenced("hint", why.reason_for(chain.id)));
    more(json);
  };
  call.task = [&chain, &explored](json::Writer& json) {
    json.key("brief").raw(chain.brief.text()).key("evidence").raw(explored.evidence.text());
  };
  return call;
}

Dialogue talk(run::Run& run, const Job& job, const Explored& explored, const Chain& chain, const SentBack& why,
              bool may_send_back) {
  Dialogue out;
  std::string challenge;
  const auto failed = [&](std::string_view agent, const Answer& answer) {
    add_failure(out.made.failures, {Stage::solution_validation, std::string(agent), answer.error});
  };
  const auto said = [&](std::size_t round, std::string_view agent, std::string text) {
    out.made.conversation.push_back({Stage::solution_validation, round, std::string(agent), std::move(text)});
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
        out.made.left_out = "no solution was proposed: " + proposal.error;
      } else {
        out.note = "round " + json::uint_text(round) + " brought no revision (" + proposal.error + ")";
      }
      return out;
    }
    out.proposal = proposal.value;
    said(round, "OpportunityPM", std::string(text_of(proposal.value.value(), "proposed_solution")));
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
    Challenge critical = judged.value.as<Challenge>();
    critical.round = round;
    said(round, "Validation", std::string(assessment) + ": " + (judged.valid ? critical.critique : judged.error));
    if (judged.valid && may_send_back && assessment != "approve") {
      out.made.send_back = text_of(judged.value.value(), "send_back_reason");
    }
    if (!out.made.send_back.empty()) {
      out.note = "the brief is sent back: " + out.made.send_back;
      return out;
    }
    if (!is_internal(chain.brief.as<Brief>())) {
      const Answer felt =
          ask(run, job, call_of("experience", chain, explored, why, [&](json::Writer& json) {
                json.member("proposal", fenced("proposal", out.proposal.text())).member_uint("round", round);
              }));
      if (felt.valid) {
        out.experience = felt.value;
        said(round, "Experience", std::string(text_of(felt.value.value(), "notes")));
      } else {
        failed("Experience", felt);
      }
    }
    if (assessment == "approve") {
      out.forced = false;
      return out;
    }
    challenge = judged.valid ? std::string(judged.value.text()) : std::string();
    out.note = "not approved after " + json::uint_text(round) + " rounds; last: " + std::string(assessment) +
               (judged.valid ? ": " + critical.challenge_reason : "");
    if (judged.valid) {
      out.challenges.push_back(std::move(critical));
    }
  }
  return out;
}

Data solution_of(const Chain& chain, const Explored& explored, const Dialogue& dialogue,
                 std::vector<std::string>& warnings) {
  const Brief& brief = chain.brief.as<Brief>();
  std::vector<std::string> ids = texts_of(dialogue.proposal.value(), "evidence");
  for (const EvidencePointer& one : ids.empty() ? brief.evidence : std::vector<EvidencePointer>()) {
    ids.push_back(one.source_id);
  }
  const Data whole = object([&](json::Writer& json) {
    json.member("opportunity_id", chain.id).member("affected_area", brief.affected_area);
    for (const json::Member& member : dialogue.proposal.value().object()) {
      if (member.key != "evidence" && member.key != "opportunity_id" && member.key != "affected_area") {
        json.key(member.key).value(member.value);
      }
    }
    if (!dialogue.experience.is_null()) {
      json.key("experience_direction").raw(dialogue.experience.text());
    } else if (is_internal(brief)) {
      json.member("skip_rationale", "users do not notice this work");
    }
    write_list(json, "validation_challenges", dialogue.challenges);
    json.member_boolean("convergence_forced", dialogue.forced);
    if (dialogue.forced) {
      json.member("convergence_note", dialogue.note);
    }
  });
  return with_evidence(whole, ids, explored, warnings);
}

Designed design_one(run::Run& run, const Job& job, const Explored& explored, const Chain& chain, const SentBack& why,
                    bool agents_may) {
  const bool may_send_back = agents_may && !chain.was_sent_back_by(Stage::solution_validation);
  Dialogue dialogue = talk(run, job, explored, chain, why, may_send_back);
  std::vector<std::string> warnings;
  Designed& out = dialogue.made;
  out.solution = dialogue.proposal.is_null() ? Data() : solution_of(chain, explored, dialogue, warnings);
  if (out.left_out.empty()) {
    out.left_out = wrong_with(run, "contract-solution-brief", evidence_context(explored), out.solution);
  }
  return std::move(out);
}

}  // namespace

std::string design(run::Run& run, const Job& job, const Explored& explored, std::vector<Chain>& chains,
                   const SentBack& why, bool agents_may) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const bool stopped_before = !chains[i].left_out.empty() && chains[i].stage == Stage::opportunity_framing;
    // What was not designed for yet comes with those that were sent back.
    const bool waits = chains[i].solution.is_null() && chains[i].left_out.empty();
    if (!stopped_before && (waits || why.concerns(chains[i].id))) {
      open.push_back(i);
    }
  }
  const std::vector<Data> designed = run.each("solution", open.size(), [&](run::Run& part, std::size_t n) {
    return Data::of(design_one(part, job, explored, chains[open[n]], why, agents_may));
  });
  std::vector<run::BoundaryItem> items;
  std::vector<std::size_t> of_item;
  for (std::size_t n = 0; n < open.size(); ++n) {
    Chain& chain = chains[open[n]];
    const Designed& made = designed[n].as<Designed>();
    // Where nothing came of doing it again, what there was goes on.
    if (made.solution.is_null() && !chain.solution.is_null()) {
      add_failures(chain.failures, made.failures);
      chain.send_back.clear();
      continue;
    }
    chain.stage = Stage::solution_validation;
    chain.left_out = made.left_out;
    chain.solution = made.solution;
    chain.spec = Data();
    chain.infeasible = Data();
    chain.settled({"solutions", "specs"}, Stage::solution_validation);
    add_failures(chain.failures, made.failures);
    chain.conversation = made.conversation;
    if (chain.sends_back(Stage::solution_validation, made.send_back)) {
      continue;
    }
    if (chain.left_out.empty()) {
      items.push_back({chain.id, chain.brief.as<Brief>().affected_area, chain.solution, chain.brief});
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
  what.way = job.input.way;
  what.window = job.input.window_tokens;
  what.free = [&job](std::string_view phase) { return job.by_rule(phase); };
  const run::Crossing crossing = run::cross_boundary(run, contract_boundary(run, what), items);
  chains = over_boundary(std::move(chains), crossing, what, of_item, &Chain::solution);
  return run::quality_flags_json(crossing, "solutions_produced", items.size());
}

}  // namespace plumb::pipelines::discovery
