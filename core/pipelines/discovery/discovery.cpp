#include "core/pipelines/discovery/discovery.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/pipelines/discovery/parts.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

Error failed(std::string message) {
  Error error;
  error.code = ErrorCode::unavailable;
  error.message = std::move(message);
  return error;
}

// A run while it goes through its stages.
struct Course {
  Data explored;  // Explored
  std::vector<Chain> chains;
  std::vector<Ranking> rankings;
  Attempts attempts{};
  Attempts agent_send_backs{};  // by the stage that sent back
  std::size_t next_id = 1;
  Decisions decisions;
  Lineage lineage;
  std::vector<std::string> fresh;     // findings of a second look that were not framed yet
  std::size_t people_send_backs = 0;  // so far
  bool keeps = false;                 // what the last of these does not concern stays; not so in runs of before

  // The agents of a stage may send back what they cannot work with.
  bool agents_may(Stage stage) const {
    const std::optional<Stage> to = stage_before(stage);
    return to && agent_send_backs[static_cast<std::size_t>(stage)] < agent_send_backs_max &&
           attempts[static_cast<std::size_t>(*to)] < attempts_max &&
           attempts[static_cast<std::size_t>(stage)] < attempts_max;
  }
};

std::size_t number_after(const std::vector<Chain>& chains, std::size_t next) {
  for (const Chain& chain : chains) {
    std::uint64_t number = 0;
    if (chain.id.size() > 1 && json::read_uint(chain.id.substr(1, chain.id.find('.') - 1), number)) {
      next = std::max(next, static_cast<std::size_t>(number) + 1);
    }
  }
  return next;
}

void note_lineage(Course& course) {
  for (const Chain& chain : course.chains) {
    const std::pair<std::string, std::string> one{chain.id, chain.revised_from};
    const bool known = std::find(course.lineage.begin(), course.lineage.end(), one) != course.lineage.end();
    if (!chain.revised_from.empty() && !known) {
      course.lineage.push_back(one);
    }
  }
}

// Each stage stands in a scope of its own, which is not entered again once it has finished.
Result<bool> run_exploration(run::Run& run, const Job& job, Course& course, const SentBack& why) {
  const std::size_t attempt = ++course.attempts[0];
  const Data before = course.explored;
  const bool again = course.keeps && !before.is_null();
  course.explored = run.scope("exploration", [&](run::Run& part) {
    note_stage(part, Stage::exploration, attempt, why);
    Explored explored = explore(part, job, why);
    if (again) {
      explored = looked_again(before.as<Explored>(), explored);
    }
    note_checkpoint(part, Stage::exploration, attempt, "{}", explored);
    return Data::of(std::move(explored));
  });
  const Explored& explored = course.explored.as<Explored>();
  course.fresh = again ? explored.fresh.value_or(std::vector<std::string>()) : std::vector<std::string>();
  if (!again && explored.failed) {
    return failed("exploration failed: " +
                  (explored.warnings.empty() ? "no explorer could work" : explored.warnings.front()));
  }
  return true;
}

// `why` is then about what was framed.
Result<bool> run_framing(run::Run& run, const Job& job, Course& course, SentBack& why) {
  const std::size_t attempt = ++course.attempts[1];
  const std::vector<Chain> before = course.chains;
  why.fresh = std::move(course.fresh);
  course.fresh.clear();
  const Data framed = run.scope("framing", [&](run::Run& part) {
    note_stage(part, Stage::opportunity_framing, attempt, why);
    Framed framing = frame(part, job, course.explored.as<Explored>(), course.next_id, why, before);
    gather_warnings(framing.made.opportunities);
    note_checkpoint(part, Stage::opportunity_framing, attempt, framing.quality_flags, framing.made);
    return Data::of(std::move(framing.made));
  });
  course.chains = framed.as<Opportunities>().opportunities;
  course.next_id = number_after(course.chains, course.next_id);
  note_lineage(course);
  const auto there = [](const std::vector<Chain>& chains, std::string_view id) {
    return std::any_of(chains.begin(), chains.end(), [&](const Chain& one) { return one.id == id; });
  };
  if (!why.about.empty()) {
    std::vector<SentBack::About> made;
    for (const Chain& chain : course.chains) {
      // What has come through already and was not framed anew goes on as it was.
      const bool done = course.keeps && (!chain.spec.is_null() || !chain.infeasible.is_null());
      if (!there(before, chain.id) || (why.concerns(chain.id) && !done)) {
        made.push_back({chain.id, {}});
      }
    }
    why.about = std::move(made);
    why.nothing = course.keeps && why.about.empty();
  }
  auto& decided = course.decisions.by_opportunity;
  decided.erase(
      std::remove_if(decided.begin(), decided.end(), [&](const auto& one) { return !there(course.chains, one.first); }),
      decided.end());
  const std::vector<std::string> warnings = framed.as<Opportunities>().warnings.value_or(std::vector<std::string>());
  if (course.chains.empty() && !course.explored.as<Explored>().findings.empty()) {
    return failed("framing failed: " + (warnings.empty() ? "there is no brief" : warnings.front()));
  }
  return true;
}

// Stages 2 and 3 have the same form.
void run_work(run::Run& run, const Job& job, Course& course, Stage stage, const SentBack& why) {
  const std::size_t attempt = ++course.attempts[static_cast<std::size_t>(stage)];
  const bool may = course.agents_may(stage);
  const Data done = run.scope(stage == Stage::solution_validation ? "solutions" : "feasibility", [&](run::Run& part) {
    note_stage(part, stage, attempt, why);
    std::vector<Chain> chains = course.chains;
    const std::string flags = stage == Stage::solution_validation
                                  ? design(part, job, course.explored.as<Explored>(), chains, why, may)
                                  : assess(part, job, chains, why, may);
    gather_warnings(chains);
    Opportunities made{std::move(chains), {}, {}};
    note_checkpoint(part, stage, attempt, flags, made);
    return Data::of(std::move(made));
  });
  course.chains = done.as<Opportunities>().opportunities;
  note_lineage(course);
}

void run_ranking(run::Run& run, const Job& job, Course& course, const SentBack& why) {
  const std::size_t attempt = ++course.attempts[4];
  const bool may = course.agents_may(Stage::prioritization);
  const Data ranked = run.scope("prioritization", [&](run::Run& part) {
    note_stage(part, Stage::prioritization, attempt, why);
    Ranked out = rank(part, job, course.chains, course.rankings, why, may);
    note_checkpoint(part, Stage::prioritization, attempt, "{}", Ranked{out.rankings, {}, out.failures});
    return Data::of(std::move(out));
  });
  const Ranked& made = ranked.as<Ranked>();
  // A run of an earlier version has the list itself.
  const bool is_list = ranked.text().starts_with('[');
  course.rankings = is_list ? json::records_of<Ranking>(ranked.value()) : made.rankings;
  if (course.keeps && !course.decisions.order.empty()) {
    keep_order(course.decisions, course.rankings, course.lineage, why);
  } else {
    course.decisions.order.clear();
  }
  for (const Returned& one : made.send_back.value_or(std::vector<Returned>())) {
    // What people sent back is theirs: nothing else is done again for it.
    if (course.keeps && !why.concerns(one.opportunity_id)) {
      continue;
    }
    for (Chain& chain : course.chains) {
      if (chain.id == one.opportunity_id) {
        (void)chain.sends_back(Stage::prioritization, one.reason);
      }
    }
  }
}

// What the agents of a stage could not work with; nothing where all goes on.
std::optional<SentBack> sent_back_by_agents(Course& course, Stage stage) {
  static constexpr std::array<std::string_view, 6> agents = {"", "", "Validation", "TechLead", "TPMAgent", ""};
  SentBack out;
  out.from = stage_name(stage);
  out.by = agents[static_cast<std::size_t>(stage)];
  for (const Chain& chain : course.chains) {
    if (!chain.send_back.empty()) {
      out.about.push_back({chain.id, chain.send_back});
      out.reason += (out.reason.empty() ? "" : "; ") + chain.id + ": " + chain.send_back;
    }
  }
  if (out.about.empty() || !stage_before(stage)) {
    return std::nullopt;
  }
  ++course.agent_send_backs[static_cast<std::size_t>(stage)];
  return out;
}

// A run that goes on from what another found, with what an experiment has shown.
void take_up(run::Run& run, const Reentry& reentry, Course& course, SentBack& why) {
  const ParentState& state = reentry.state.as<ParentState>();
  course.explored = state.explored;
  course.chains = state.opportunities;
  course.next_id = number_after(course.chains, 1);
  course.attempts = {1, 1, 0, 0, 0, 0};
  for (const Value& result : reentry.results.value().array()) {
    std::string reason = "An experiment was made. ";
    for (const std::string_view name : {"experiment_plan_executed", "success_criteria", "measured_outcome",
                                        "observations", "outcome_vs_criteria", "recommendation"}) {
      reason += (reason.back() == ' ' ? "" : "; ") + std::string(name) + ": " + std::string(text_of(result, name));
    }
    why.about.push_back({std::string(text_of(result, "opportunity_id")), std::move(reason)});
  }
  run.emit("reentry", Data::of(reentry));
}

Data result_of(const Course& course) {
  return object([&](json::Writer& json) {
    json.member_uint("findings", course.explored.as<Explored>().findings.size());
    json.member_uint("opportunities", course.chains.size());
    write_list(json, "rankings", course.rankings);
    write_list(json, "order", course.decisions.order);
    write_list(json, "decisions", course.decisions.all());
  });
}

}  // namespace

Result<Data> pipeline(run::Run& run) {
  const Job job = read_job(run.input());
  Course course;
  Stage from = Stage::exploration;  // where it was begun, or sent back to
  SentBack why;
  if (const std::optional<Reentry>& reentry = run.input().as<ReentryInput>().experiment) {
    take_up(run, *reentry, course, why);
    from = Stage::solution_validation;
  }
  for (Stage stage = from; !run.cancelled();) {
    // Why it was sent back is told to the stage that it was sent to; those behind it know only what it is about.
    SentBack own = stage == from ? why : why.only_about();
    Result<bool> done = true;
    switch (stage) {
      case Stage::exploration:
        // A run of before frames all anew.
        if (!course.keeps) {
          why.about.clear();
          own.about.clear();
        }
        done = run_exploration(run, job, course, own);
        break;
      case Stage::opportunity_framing:
        done = run_framing(run, job, course, own);
        why.about = own.about;
        why.nothing = own.nothing;
        break;
      case Stage::solution_validation:
      case Stage::feasibility_risk:
        run_work(run, job, course, stage, own);
        break;
      case Stage::prioritization:
        run_ranking(run, job, course, own);
        break;
      case Stage::human_review:
        break;
    }
    if (run.cancelled()) {
      break;
    }
    if (!done) {
      return done.error();
    }
    if (std::optional<SentBack> back = sent_back_by_agents(course, stage)) {
      why = std::move(*back);
      stage = from = *stage_before(stage);
    } else if (why.nothing && stage < Stage::human_review) {
      stage = Stage::human_review;
    } else if (stage < Stage::prioritization) {
      stage = static_cast<Stage>(static_cast<std::uint8_t>(stage) + 1);
    } else if (!job.input.review) {
      return result_of(course);
    } else {
      note_stage(run, Stage::human_review, ++course.attempts[5], {}, course.decisions.order);
      const Reviewed reviewed = review(run, course.chains, course.rankings, course.attempts, course.decisions);
      if (reviewed.sent_back.from.empty() && !run.cancelled()) {
        return result_of(course);
      }
      why = reviewed.sent_back;
      stage = from = reviewed.to;
      const std::string change = "send-back-" + json::uint_text(++course.people_send_backs);
      course.keeps = run.version(change, 1) > 0;
    }
  }
  return object([](json::Writer& json) { json.member("cancelled", "on request"); });
}

}  // namespace plumb::pipelines::discovery
