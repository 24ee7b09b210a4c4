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
  Data explored, rankings;
  std::vector<Chain> chains;
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

void write_chains(json::Writer& json, const std::vector<Chain>& chains) {
  json.key("opportunities").begin_array();
  for (const Chain& chain : chains) {
    write_chain(json, chain);
  }
  json.end_array();
}

std::vector<Chain> chains_of(const Data& data) {
  std::vector<Chain> out;
  for (const Value& one : list_of(data.value(), "opportunities")) {
    out.push_back(chain_of(data, one));
  }
  return out;
}

void write_warnings(json::Writer& json, const std::vector<std::string>& warnings) {
  json.key("warnings").begin_array();
  for (const std::string& one : warnings) {
    json.string(one);
  }
  json.end_array();
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
    Data explored = explore(part, job, why);
    if (again) {
      explored = looked_again(before, explored);
    }
    note_checkpoint(part, Stage::exploration, attempt, {}, [&](json::Writer& json) {
      for (const json::Member& member : explored.value().object()) {
        json.key(member.key).value(member.value);
      }
    });
    return explored;
  });
  course.fresh = again ? texts_of(course.explored.value(), "fresh") : std::vector<std::string>();
  if (!again && flag_of(course.explored.value(), "failed")) {
    const std::vector<std::string> warnings = texts_of(course.explored.value(), "warnings");
    return failed("exploration failed: " +
                  (warnings.empty() ? std::string("no explorer could work") : warnings.front()));
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
    const Framed made = frame(part, job, course.explored, course.next_id, why, before);
    const auto write = [&](json::Writer& json) {
      write_chains(json, made.chains);
      write_warnings(json, made.warnings);
      write_failures(json, made.failures);
    };
    note_checkpoint(part, Stage::opportunity_framing, attempt, made.quality_flags, write);
    return object(write);
  });
  course.chains = chains_of(framed);
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
  const std::vector<std::string> warnings = texts_of(framed.value(), "warnings");
  if (course.chains.empty() && !list_of(course.explored.value(), "findings").empty()) {
    return failed("framing failed: " + (warnings.empty() ? std::string("there is no brief") : warnings.front()));
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
    const std::string flags = stage == Stage::solution_validation ? design(part, job, course.explored, chains, why, may)
                                                                  : assess(part, job, chains, why, may);
    const auto write = [&](json::Writer& json) { write_chains(json, chains); };
    note_checkpoint(part, stage, attempt, flags, write);
    return object(write);
  });
  course.chains = chains_of(done);
  note_lineage(course);
}

void run_ranking(run::Run& run, const Job& job, Course& course, const SentBack& why) {
  const std::size_t attempt = ++course.attempts[4];
  const bool may = course.agents_may(Stage::prioritization);
  const Data ranked = run.scope("prioritization", [&](run::Run& part) {
    note_stage(part, Stage::prioritization, attempt, why);
    Data out = rank(part, job, course.chains, course.rankings, why, may);
    note_checkpoint(part, Stage::prioritization, attempt, {}, [&](json::Writer& json) {
      json.key("rankings").value(*out.value().find("rankings"));
      write_failures(json, failures_of(out.value()));
    });
    return out;
  });
  // A run of an earlier version has the list itself.
  const bool is_list = ranked.value().is(json::Kind::array);
  course.rankings = Data::part(ranked, is_list ? &ranked.value() : ranked.value().find("rankings"));
  if (course.keeps && !course.decisions.order.empty()) {
    keep_order(course.decisions, course.rankings.value(), course.lineage, why);
  } else {
    course.decisions.order.clear();
  }
  for (const Value& one : list_of(ranked.value(), "send_back")) {
    // What people sent back is theirs: nothing else is done again for it.
    if (course.keeps && !why.concerns(text_of(one, "opportunity_id"))) {
      continue;
    }
    for (Chain& chain : course.chains) {
      if (chain.id == text_of(one, "opportunity_id")) {
        (void)chain.sends_back(Stage::prioritization, text_of(one, "reason"));
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
void take_up(run::Run& run, const Value& reentry, Course& course, SentBack& why) {
  const Value& state = *reentry.find("state");
  course.explored = Data::part(run.input(), state.find("explored"));
  for (const Value& one : list_of(state, "opportunities")) {
    course.chains.push_back(chain_of(run.input(), one));
  }
  course.next_id = number_after(course.chains, 1);
  course.attempts = {1, 1, 0, 0, 0, 0};
  for (const Value& result : list_of(reentry, "results")) {
    std::string reason = "An experiment was made. ";
    for (const std::string_view name : {"experiment_plan_executed", "success_criteria", "measured_outcome",
                                        "observations", "outcome_vs_criteria", "recommendation"}) {
      reason += (reason.back() == ' ' ? "" : "; ") + std::string(name) + ": " + std::string(text_of(result, name));
    }
    why.about.push_back({std::string(text_of(result, "opportunity_id")), std::move(reason)});
  }
  run.emit("reentry", object([&](json::Writer& json) {
             json.member("parent_run_id", text_of(reentry, "parent_run_id"));
             json.key("results").value(*reentry.find("results")).key("state").value(state);
           }));
}

Data result_of(const Course& course) {
  return object([&](json::Writer& json) {
    json.member_uint("findings", list_of(course.explored.value(), "findings").size());
    json.member_uint("opportunities", course.chains.size()).key("rankings").raw(course.rankings.text());
    json.key("order").begin_array();
    for (const std::string& id : course.decisions.order) {
      json.string(id);
    }
    json.end_array().key("decisions").begin_array();
    for (const auto& [id, decision] : course.decisions.by_opportunity) {
      json.raw(decision.text());
    }
    json.end_array();
  });
}

}  // namespace

Result<Data> pipeline(run::Run& run) {
  const Job job = read_job(run.input());
  Course course;
  Stage from = Stage::exploration;  // where it was begun, or sent back to
  SentBack why;
  if (const Value* reentry = run.input().value().find("experiment")) {
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
    } else if (!job.review) {
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
