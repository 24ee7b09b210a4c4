#include "tests/runs/hostile_workflow.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "core/budget/risk.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/workflow/laws.hpp"
#include "core/run/reasons.hpp"
#include "core/workflow/plan.hpp"
#include "tests/runs/hostile_talk.hpp"

namespace plumb::test {

namespace {

using json::text_of;
using json::Value;
using run::Reply;
using run::Status;
using run::Want;
using workflow::TaskState;

constexpr int steps_max = 4000;
constexpr std::uint64_t answers_max = 8;

constexpr std::array<std::string_view, 8> some_paths = {"src/a.c",        "src/b.c",   "src/c.c", "docs/manual.md",
                                                        "src/new/file.c", "docs/n.md", "src/**",  "docs/"};
constexpr std::array<std::string_view, 4> gate_names = {"build", "test", "lint", "docs"};

// How the run of a seed is.
struct Wish {
  std::string request, settings;
  std::string developer;
  bool base_warn = false;
  std::uint64_t good = 1;   // one developer's answer in so many is as it should be
  std::uint64_t sound = 1;  // the same of reviews
  std::uint64_t killed = 0, lossy = 0, late = 0;
  bool cancelled = false;
  Talker talker;
  std::string models;  // their windows, where they are known
};

std::string some_task(Dice& dice, std::size_t number, bool gates, bool broken_base) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("id", "T" + json::uint_text(number));
  json.member("description", "Work number " + json::uint_text(number));
  json.key("files").begin_array();
  if (dice.one_in(12)) {  // too many: it is cut
    for (std::size_t i = 0; i < 6; ++i) {
      json.begin_object().member("path", "src/many" + json::uint_text(i) + ".c").member("access", "write").end_object();
    }
  } else if (dice.one_in(10)) {
    json.begin_object().member("path", "**").end_object();
  } else {
    const std::size_t first = dice.below(some_paths.size());
    for (std::size_t i = 0; i <= dice.below(3); ++i) {
      json.begin_object().member("path", some_paths[(first + i) % some_paths.size()]);
      json.member("access", dice.one_in(8) ? "read" : "write").end_object();
    }
    if (dice.one_in(12)) {
      json.begin_object().member("path", "tests/t.txt").member("access", "write").end_object();
    }
  }
  json.end_array();
  if (number > 1 && dice.one_in(3)) {
    json.key("after").begin_array().string("T" + json::uint_text(number - 1)).end_array();
  }
  json.key("acceptance").begin_array().string("it does what it should");
  if (dice.one_in(3)) {
    json.string("it does also what nobody asked for");
  }
  if (gates && dice.one_in(2)) {
    json.begin_object().member("text", "the gate says so").member("check", dice.of(gate_names)).end_object();
  }
  json.end_array();
  if (dice.one_in(3)) {
    json.key("scenarios").begin_array().begin_object().member("given", "a file").member("when", "it is read");
    json.member("then", "it is good");
    if (gates && dice.one_in(2)) {
      json.member("check", dice.of(gate_names));
    }
    json.end_object().end_array();
  }
  if (gates && (broken_base ? !dice.one_in(3) : dice.one_in(10))) {
    json.key("fixes").begin_array().string("build").end_array();
  }
  json.end_object();
  return out;
}

std::string some_sops(Dice& dice) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  const auto sop = [&](std::string_view slug, std::string_view text, std::string_view front) {
    json.begin_object().member("path", "docs/sops/" + std::string(slug) + ".md").member("text", text);
    json.member("front_matter", front).member_uint("line", 1).member("lines", "").end_object();
  };
  if (dice.one_in(2)) {
    sop("todo", "# Nothing is left open\n\nNothing MUST be left open.\n",
        R"({"applies_to":["src/**"],"severity":"error","checks":[{"forbidden":"TODO"}]})");
  }
  if (dice.one_in(3)) {
    sop("errors", "# Errors are told\n\nErrors MUST be told.\n",
        R"({"applies_to":"src/**","severity":"error","scope":"all"})");
  }
  if (dice.one_in(3)) {
    sop("manual", "# The manual is kept\n\nThe manual SHOULD be kept.\n",
        R"({"applies_to":["docs/**"],"severity":"warning"})");
  }
  json.end_array();
  return out;
}

Wish wish_of(Dice& dice, bool broken_base) {
  Wish out;
  out.good = 1 + dice.below(5);
  out.sound = 1 + dice.below(5);
  out.killed = dice.one_in(2) ? 4 + dice.below(40) : 0;
  out.lossy = dice.one_in(3) ? 4 + dice.below(12) : 0;
  out.late = dice.one_in(6) ? 20 : 0;
  out.cancelled = dice.one_in(8);
  constexpr std::array<std::string_view, 12> developers = {"model",  "model",        "model",        "agent",
                                                           "person", "conversation", "extract",      "agent",
                                                           "model",  "conversation", "conversation", "conversation"};
  out.developer = dice.of(developers);
  const bool gates = !dice.one_in(10);
  const bool by_model = !dice.one_in(3);
  json::Writer settings(out.settings);
  settings.begin_object().key("gates").raw(gates ? world_gates() : "[]").key("developers").begin_array();
  settings.string("agent").end_array().member("isolation", "partial").key("sops").raw(some_sops(dice));
  settings.member_boolean("setup", dice.one_in(8));
  if (dice.one_in(2)) {
    settings.member_boolean("repeats", true);
  }
  settings.end_object();
  json::Writer json(out.request);
  json.begin_object().member("repository", "here").member("developer", out.developer);
  json.member("reviewer", by_model ? "model" : "extract").member_boolean("promoted", !dice.one_in(5));
  out.base_warn = dice.one_in(3);
  json.member("base_failures", out.base_warn ? "warn" : "refuse");
  json.key("providers")
      .begin_object()
      .member("develop", "scripted/d")
      .member("review", by_model ? "scripted/r" : "extract");
  json.member("plan", "scripted/p").end_object();
  if (dice.one_in(10)) {
    json.member("idea", "Make it better");
  } else {
    json.key("plan").begin_object().member("title", "A plan").key("tasks").begin_array();
    const std::uint64_t tasks = 1 + dice.below(3);
    for (std::size_t i = 1; i <= tasks; ++i) {
      json.raw(some_task(dice, i, gates, broken_base));
    }
    json.end_array();
    if (dice.one_in(8)) {
      json.key("constraints").begin_object().key("do_not_touch").begin_array().string("docs/secret/**");
      json.end_array().end_object();
    }
    json.end_object();
  }
  constexpr std::array<std::uint64_t, 6> windows = {0, 200'000, 32'000, 24'000, 17'000, 9'000};
  out.talker.window = windows[dice.below(windows.size())];
  out.talker.good = 1 + dice.below(4);
  out.talker.fills = dice.one_in(2);
  out.talker.endless = dice.one_in(20);
  out.models = "[";
  if (out.talker.window > 0) {
    out.models += R"({"name":"scripted/d","context_window":)" + json::uint_text(out.talker.window) + "}";
  }
  if (dice.one_in(8)) {  // for a reviewer that sees little at once
    out.models += (out.models.size() > 1 ? "," : "") + std::string(R"({"name":"scripted/r","context_window":6000})");
  }
  out.models += "]";
  if (dice.one_in(12)) {
    json.member_uint("token_budget", 3000 + dice.below(6000));
  }
  json.end_object();
  return out;
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> out;
  if (list.rfind("there is none", 0) == 0) {
    return out;
  }
  for (std::size_t from = 0; from < list.size();) {
    const std::size_t end = std::min(list.find(", ", from), list.size());
    out.push_back(list.substr(from, end - from));
    from = end + 2;
  }
  return out;
}

// The run of a seed, and who takes part in it.
class Player {
 public:
  Player(std::uint64_t seed, WorkflowWorld& world, bool real, std::string run)
      : dice_{seed * 0x9E3779B97F4A7C15U + 11}, world_(world), real_(real) {
    wish_ = wish_of(dice_, workflow_texts(seed)["src/a.c"].find("BROKEN") != std::string::npos);
    prepared_ = prepared_workflow(wish_.request, wish_.settings, {}, world.commands(), wish_.models);
    run_.emplace(prepared_, std::move(run));
  }

  std::string play(WorkflowCounts& counts) {
    const std::uint64_t cancel_at = wish_.cancelled ? dice_.below(60) : ~std::uint64_t{0};
    int steps = 0;
    for (; run_->step() == run::State::waiting; ++steps) {
      if (steps > steps_max) {
        return "the run does not end";
      }
      if (killed() && !(wrong_ = run_->lose(dice_.below(run_->last_stored() + 1))).empty()) {
        return wrong_;
      }
      if (run_->machine().state() == run::State::waiting && static_cast<std::uint64_t>(steps) == cancel_at) {
        run_->cancel();
      }
      const Want* want = run_->begin();
      if (want == nullptr) {
        if (run_->machine().under_way().empty()) {
          continue;  // it was lost, or cancelled: the next step says what is wanted
        }
        return "an effect is under way, and nobody is at work on it";
      }
      if (wish_.late > 0 && dice_.one_in(wish_.late)) {
        run_->now += 1'000'000;
      }
      const Want asked = *want;
      if (const auto before = asked_.find(asked.key);
          before != asked_.end() && before->second != asked.request.text()) {
        return "it was killed, and asks otherwise than before: " + asked.key;
      }
      asked_.clear();
      if (killed()) {  // before it is done, or when it is and nobody knows
        if (!(real_ && asked.kind == run::EffectKind::command) && dice_.one_in(2)) {
          (void)reply_to(asked);
        }
        asked_.emplace(asked.key, asked.request.text());
        kills_talking_ += asked.key.find("/conversation") == std::string::npos ? 0 : 1;
        if (!(wrong_ = run_->lose(0)).empty()) {
          return wrong_;
        }
        continue;
      }
      run_->reply(asked, reply_to(asked));
    }
    return judged(counts, static_cast<std::uint64_t>(steps));
  }

  const run::Journal& journal() const { return run_->journal(); }

 private:
  bool killed() {
    if (wish_.killed == 0 || kills_ > 12 || !dice_.one_in(wish_.killed)) {
      return false;
    }
    ++kills_;
    return true;
  }

  Reply reply_to(const Want& want) {
    switch (want.kind) {
      case run::EffectKind::model:
        return model(want);
      case run::EffectKind::person:
        return person(want.request.value());
      case run::EffectKind::command:
        return command(want);
      case run::EffectKind::claim: {
        Reply reply;
        reply.value = run::Data::written(R"({"granted":true})");
        return reply;
      }
      default:
        return world_.work(want, run_->machine());
    }
  }

  // ------------------------------------------------------------------ developers

  struct Edit {
    std::string path, text;
    std::string find = {};  // else the whole text
    bool gone = false;
  };
  struct Work {
    std::vector<Edit> edits;
    std::vector<std::string> claims;
  };

  std::string text_for(const std::string& path, std::string_view more = {}) {
    return "the first line of " + path + "\nvalue " + json::uint_text(++texts_) + " of " + path + "\n" +
           std::string(more) + (more.empty() ? "" : " is in this line\n");
  }

  Work some_work(std::string_view task) {
    Work out;
    const std::string path = path_of(dice_, task);
    const auto write = [&](const std::string& to, std::string_view more = {}) {
      out.edits.push_back({to, text_for(to, more)});
      out.claims.push_back(to);
    };
    if (dice_.one_in(wish_.good)) {
      write(path);
      return out;
    }
    switch (dice_.below(17)) {
      case 0:
        write(path, "BROKEN");
        break;
      case 1:
        write(path, "WRONG");
        break;
      case 2:
        write(path, "ugly");
        break;
      case 3:
        write(path, "TODO");
        break;
      case 4:
        write("docs/manual.md", "typo");
        break;
      case 5:
        write("tests/t.txt");
        break;
      case 6:
        write(path);
        write("readme.md");
        break;
      case 7:
        out.claims = {path};
        break;
      case 8:
        break;
      case 9:
        write("../outside.txt");
        break;
      case 10:
        write(dice_.one_in(2) ? ".git/config" : ".gitattributes");
        break;
      case 11:
        write(path);
        out.claims.push_back("src/never.c");
        break;
      case 12:
        out.edits.push_back({"src/c.c", "", "", true});
        break;
      case 13:  // as it was at the beginning
        out.edits.push_back({"src/b.c", first_text("src/b.c")});
        break;
      case 14:
        write(".github/workflows/ci.yml");
        break;
      case 15:
        write("docs/secret/plan.md");
        break;
      default:  // a piece that occurs twice
        out.edits.push_back({"src/c.c", "other", "same"});
        break;
    }
    return out;
  }

  std::string developer_answer(std::string_view task) {
    switch (dice_.below(24)) {
      case 0:
        return "I would rather not.";
      case 1:
        return R"({"result":"done","changes_summary":"all")";
      case 2:
        return R"({"result":"done","edits":"none"})";
      case 3:
        return R"({"result":"blocked","changes_summary":"it cannot be done","edits":[]})";
      default:
        break;
    }
    const Work work = some_work(task);
    std::string out;
    json::Writer json(out);
    json.begin_object().member("result", "done").member("changes_summary", "what was asked for, and tests passed");
    json.key("edits").begin_array();
    for (const Edit& one : work.edits) {
      json.begin_object().member("path", one.path);
      if (one.gone) {
        json.member_boolean("delete", true);
      } else if (!one.find.empty()) {
        json.member("find", one.find).member("replace", one.text);
      } else {
        json.member("text", one.text);
      }
      json.end_object();
    }
    json.end_array().key("files_modified").begin_array();
    for (const std::string& path : work.claims) {
      json.string(path);
    }
    json.end_array();
    if (dice_.one_in(4)) {
      json.key("decisions")
          .begin_array()
          .begin_object()
          .member("id", "D1")
          .member("text", "so it is")
          .member("why", "it fits");
      json.end_object().end_array();
    }
    json.end_object();
    return dice_.one_in(6) ? "Here it is:\n```json\n" + out + "\n```\n" : out;
  }

  void write_into(const std::string& tree, std::string_view task) {
    for (const Edit& one : some_work(task).edits) {
      if (one.path.find("..") == std::string::npos) {
        world_.write(tree, one.path, one.gone ? "" : one.text);
      }
    }
  }

  // ------------------------------------------------------------------ models

  Reply model(const Want& want) {
    sound_.erase(want.key);
    if (dice_.one_in(30)) {
      constexpr std::array<Status, 3> bad = {Status::failed, Status::timed_out, Status::interrupted};
      return failed_reply("down", bad[dice_.below(3)]);
    }
    if (dice_.one_in(60)) {
      return model_reply("");
    }
    std::string asked;
    for (const Value& message : json::list_of(want.request.value(), "messages")) {
      asked += std::string(text_of(message, "content")) + "\n";
    }
    const std::string_view contract = text_of(want.request.value(), "contract");
    if (want.request.value().find("tools") != nullptr) {
      return turn_of(dice_, wish_.talker, want.request.value());
    }
    if (contract == "contract-revise") {
      return model_reply(revise_answer(dice_, asked));
    }
    if (contract == "contract-decompose") {
      return model_reply(decompose_answer(dice_, asked));
    }
    if (contract == "contract-develop") {
      return model_reply(developer_answer(asked));
    }
    if (contract == "contract-plan") {
      return model_reply(plan_answer());
    }
    if (contract == "contract-plan-review") {
      return model_reply(dice_.one_in(3) ? "{}"
                                         : R"({"verdict":"approved","feedback":"","findings":[)"
                                           R"({"sop_id":"source.doc.sops.errors","status":"compliant",)"
                                           R"("reason":"errors are told"}]})");
    }
    return model_reply(review_answer(want.key, asked));
  }

  std::string plan_answer() {
    switch (dice_.below(5)) {
      case 0:
        return "A plan? Later.";
      case 1:
        return R"({"title":"T","tasks":[{"id":"T1","description":"d","files":[{"path":"../x"}],"acceptance":["a"]}]})";
      default:
        break;
    }
    std::string out = R"({"title":"A model's plan","tasks":[)" + some_task(dice_, 1, false, false);
    return out + (dice_.one_in(2) ? "," + some_task(dice_, 2, false, false) : "") + "]}";
  }

  // What is asked for, as it should be, and what is wrong with it then.
  std::string review_answer(const std::string& key, const std::string& asked) {
    const std::vector<std::string> sops = names_in(between(asked, "and for no other: ", ". `status`"));
    const std::vector<std::string> criteria = names_in(between(asked, "one entry for each of these: ", ". `met`"));
    std::string line, file;
    bool todo = false;
    for (std::size_t from = asked.find("\n<<<diff "); from < asked.size();) {
      const std::size_t end = std::min(asked.find('\n', from), asked.size());
      const std::string_view one = std::string_view(asked).substr(from, end - from);
      if (one.substr(0, 4) == "+++ ") {
        file = one.substr(4);
      } else if (!one.empty() && (one.front() == '+' || one.front() == '-') && one.size() > 12 && one[1] != one[0]) {
        line = one.substr(1);
        todo =
            todo || (one.front() == '+' && one.find("TODO") != std::string_view::npos && file.rfind("b/src/", 0) == 0);
      }
      if (one.find(">>>") != std::string_view::npos) {
        break;
      }
      from = end + 1;
    }
    const bool held = std::find(sops.begin(), sops.end(), "source.doc.sops.todo") != sops.end();
    const std::uint64_t wrong = dice_.one_in(wish_.sound) ? 99 : dice_.below(15);
    if (wrong == 13) {
      return "Looks good to me!";
    }
    bool sound = !(todo && held);
    std::string out;
    json::Writer json(out);
    const bool rejected = wrong < 5;
    constexpr std::array<std::string_view, 5> types = {"fixable", "misscoped", "misscoped", "architectural", "too_big"};
    json.begin_object().member("verdict", rejected ? "rejected" : "approved").key("rejection_type");
    rejected ? json.string(types[static_cast<std::size_t>(wrong)]) : json.null();
    json.key("sop_review").begin_array();
    for (std::size_t i = 0; i < sops.size(); ++i) {
      const bool here = i == 0;
      if (wrong == 5 && here) {
        sound = false;  // no entry
        continue;
      }
      const bool violated = wrong == 6 && here && sops[i] != "source.doc.sops.manual";
      const bool blank = wrong == 7 && here;
      const bool aside = wrong == 8 && here;
      sound = sound && !violated && !blank && !aside;
      json.begin_object().member("sop_id", sops[i]);
      json.member("status", violated ? "violated" : aside ? "not_applicable" : "passed");
      json.member("evidence", blank ? " " : line).end_object();
    }
    json.end_array().key("criteria").begin_array();
    // The first that no gate decides.
    const std::vector<std::string> told = items_under(asked, "It is done when");
    const auto open = std::find_if(told.begin(), told.end(), [](const std::string& one) {
      return one.find("the gate says so") == std::string::npos;
    });
    // Where gates decide all there is, nothing is to be proven with a line.
    sound = sound && (!line.empty() || (sops.empty() && open == told.end()));
    for (std::size_t i = 0; i < criteria.size(); ++i) {
      const bool here = open != told.end() && open->rfind(criteria[i] + ":", 0) == 0;
      if (wrong == 9 && here) {
        sound = false;
        continue;
      }
      sound = sound && !(here && wrong >= 10 && wrong <= 11);
      json.begin_object().member("criterion", criteria[i]).member_boolean("met", !(wrong == 10 && here));
      json.member("evidence", wrong == 11 && here ? "nothing of the sort was ever written" : line).end_object();
    }
    json.end_array().key("confidence").raw(wrong == 12 ? "0.69" : "0.9");
    sound = sound && wrong != 12 && !rejected;
    json.member("feedback", rejected ? "mend it" : "").key("patterns").begin_array().end_array();
    if (wrong == 14) {
      json.member("extra", "beyond the form");
    }
    json.end_object();
    sound_[key] = sound;
    return out;
  }

  // ------------------------------------------------------------------ commands

  Reply command(const Want& want) {
    const Value& request = want.request.value();
    const std::string_view name = text_of(request, "command");
    const bool gate = name.rfind("gate.", 0) == 0;
    if (wish_.lossy > 0 && dice_.one_in(wish_.lossy)) {
      switch (dice_.below(7)) {
        case 0:
          return failed_reply("not done in its time", Status::timed_out);
        case 1:
          return command_reply(9, "cut short", "timed_out");
        case 2:
          return command_reply(9, "", "signalled");
        case 3:
          return command_reply(9, "yyyy", "too_much_output");
        case 4:
          return run::failed_reply("there is no program '" + std::string(name) + "'", Reason::no_program);
        case 5:
          return command_reply(0, "", "stopped");
        default:
          return failed_reply("its host was lost", Status::interrupted);
      }
    }
    if (gate || name == "setup" || real_) {
      return world_.work(want, run_->machine());
    }
    write_into(std::string(text_of(request, "tree")), text_of(request, "input"));
    return command_reply(dice_.one_in(6) ? 3 : 0, "done what was to be done\n");
  }

  // ------------------------------------------------------------------ persons

  Reply person(const Value& request) {
    const std::string_view signal = text_of(request, "signal");
    const bool enough = ++answers_ > answers_max;
    std::string decision, words, by, model;
    if (signal == "promote") {
      decision = dice_.one_in(8) ? "reject" : dice_.one_in(2) ? "promote" : "1";
    } else if (signal == "resume") {
      decision = enough || dice_.one_in(4) ? "stop" : "go on";
    } else if (text_of(request, "work") == "develop") {
      if (enough || dice_.one_in(10)) {
        decision = "give up";
      } else {
        write_into(std::string(text_of(request, "tree")), text_of(request, "text"));
        decision = "done";
      }
    } else if (enough) {
      decision = "stop";
    } else {
      constexpr std::array<std::string_view, 11> all = {
          "retry", "approve", "decompose", "model", "reject", "stop", "1", "2", "retry", "look at line 3", "approve"};
      decision = dice_.of(all);
      words = dice_.one_in(3) ? "" : "it is as I want it";
      by = dice_.one_in(4) ? "" : "Ada";
      model = dice_.one_in(2) ? "other/model" : "nobody/knows";
    }
    Reply reply;
    std::string value;
    json::Writer json(value);
    json.begin_object().member("decision", decision);
    if (!words.empty()) {
      json.member("words", words);
    }
    if (!by.empty()) {
      json.member("by", by);
    }
    json.member("model", model).end_object();
    reply.value = run::Data::written(std::move(value));
    return reply;
  }

  // ------------------------------------------------------------------ what came of it

  std::string judged(WorkflowCounts& counts, std::uint64_t steps) {
    const run::Machine& machine = run_->machine();
    const workflow::WorkflowRecord record = pipelines::workflow::record_of(run_->journal());
    ++counts.runs;
    counts.tasks += record.tasks.size();
    counts.entries += run_->journal().entries().size();
    counts.longest = std::max(counts.longest, steps);
    counts.kills += kills_;
    counts.kills_talking += kills_talking_;
    counts.persons += answers_;
    for (const run::Entry& entry : run_->journal().entries()) {
      if (entry.kind == run::EntryKind::note && entry.name == "conversation") {
        ++counts.talks[std::string(text_of(entry.data.value(), "ended"))];
        counts.turns += json::number_of(entry.data.value(), "turns");
      }
    }
    std::map<std::string, TaskState> states;
    for (const workflow::Record& one : record.records) {
      counts.checkpoints += one.kind == workflow::RecordKind::checkpoint ? 1 : 0;
      counts.revised += one.kind == workflow::RecordKind::revised ? 1 : 0;
      counts.cut += one.kind == workflow::RecordKind::cut ? 1 : 0;
      counts.developed += one.kind == workflow::RecordKind::developed ? 1 : 0;
      counts.gated += one.kind == workflow::RecordKind::gated && !one.lost ? 1 : 0;
      counts.lost += one.lost ? 1 : 0;
      counts.reviewed += one.kind == workflow::RecordKind::reviewed ? 1 : 0;
      counts.approving += one.kind == workflow::RecordKind::reviewed && one.passed ? 1 : 0;
      if (one.kind == workflow::RecordKind::moved) {
        states[one.task] = one.state;
      }
    }
    for (const auto& [task, state] : states) {
      ++counts.states[std::string(workflow::state_name(state))];
    }
    const std::string end(run::state_name(machine.state()));
    counts.cancelled += machine.state() == run::State::cancelled ? 1 : 0;
    ++counts.ends[machine.state() == run::State::done
                      ? std::string(text_of(machine.result().value(), "decision"))
                      : end + (machine.state() == run::State::failed ? ": " + machine.error().message.substr(0, 50)
                                                                     : "")];
    if (const std::vector<std::string> broken = workflow::broken_laws(record); !broken.empty()) {
      return broken.front();
    }
    if (std::string wrong = judged_approvals(); !wrong.empty()) {
      return wrong;
    }
    if (machine.state() == run::State::failed && !is_documented(machine.error().message)) {
      return "the run failed: " + machine.error().message + " (" + machine.error().where + ")";
    }
    return judged_view(states);
  }

  // What a run may fail with: gates and setup that this host cannot run, and a plan that nobody can make.
  bool is_documented(const std::string& message) const {
    constexpr std::array<std::string_view, 6> all = {
        "its command is not found", "could not be started", "the workflow's setup did not end with 0", "plan",
        "budget_exceeded",          "provider failed"};
    const bool of_plan = wish_.request.find("\"idea\"") != std::string::npos;
    return std::any_of(all.begin(), all.end(),
                       [&](std::string_view one) { return message.find(one) != std::string::npos; }) ||
           (of_plan && (message.find("timeout") == 0 || message.find("the model answered with nothing") == 0));
  }

  // Who approved, and whether that may be.
  std::string judged_approvals() const {
    std::map<std::string, std::string> said, last;  // by task: what a person answered; state
    std::map<std::string, std::string> asked;       // of which task a person was asked
    std::string last_review;
    for (const run::Entry& entry : run_->journal().entries()) {
      const Value& value = entry.data.value();
      if (entry.kind == run::EntryKind::attempt && entry.name == "person" && text_of(value, "signal") == "answer") {
        asked[entry.key] = text_of(value, "task");
      } else if (entry.kind == run::EntryKind::reply && asked.count(entry.key) != 0) {
        const bool approves = text_of(value, "decision") == "approve" || text_of(value, "decision") == "2";
        said[asked[entry.key]] = !approves                         ? "otherwise"
                                 : text_of(value, "words").empty() ? "without words"
                                 : text_of(value, "by").empty()    ? "without a name"
                                                                   : "";
      } else if (entry.kind == run::EntryKind::reply && entry.key.find("/review") != std::string::npos) {
        last_review = entry.key;
      } else if (entry.kind == run::EntryKind::note && entry.name == "review") {
        const auto sound = sound_.find(last_review);
        if (text_of(value, "by") == "model" && text_of(value, "outcome").rfind("approved", 0) == 0 &&
            (sound == sound_.end() || !sound->second)) {
          return "a review is taken as an approval that may not be one: " + last_review;
        }
      } else if (entry.kind == run::EntryKind::note && entry.name == "task_state") {
        const std::string task(text_of(value, "task"));
        if (text_of(value, "from") == "escalated" && text_of(value, "to") == "approved" && !said[task].empty()) {
          return task + " is approved by a person " + said[task];
        }
      }
    }
    return {};
  }

  std::string judged_view(const std::map<std::string, TaskState>& states) const {
    const pipelines::Known& known = *pipelines::known_pipeline("workflow");
    json::Arena arena;
    const std::string text = known.view(run_->journal());
    const Result<Value> view = json::parse(text, arena);
    if (!view) {
      return "the view is no JSON: " + view.error().message;
    }
    std::size_t shown = 0;
    for (const Value& task : json::list_of(view.value(), "tasks")) {
      const auto found = states.find(std::string(text_of(task, "id")));
      const std::string_view is = found == states.end() ? "draft" : workflow::state_name(found->second);
      if (text_of(task, "state") != is) {
        return "the view shows " + std::string(text_of(task, "id")) + " as " + std::string(text_of(task, "state")) +
               ", and it is " + std::string(is);
      }
      shown += found == states.end() ? 0 : 1;
    }
    if (shown != states.size()) {
      return "the view shows not all tasks";
    }
    if (view.value().find("asks") != nullptr) {
      return "the run is over, and the view shows that somebody is asked";
    }
    return known.log(run_->journal(), 0).empty() ? "the log is empty" : "";
  }

  Dice dice_;
  WorkflowWorld& world_;
  bool real_;
  Wish wish_;
  pipelines::Prepared prepared_;
  std::optional<WorkflowRun> run_;
  std::map<std::string, bool> sound_;         // of reviews, by the key of the call
  std::map<std::string, std::string> asked_;  // by key: when the process was killed
  std::uint64_t kills_ = 0, kills_talking_ = 0, answers_ = 0, texts_ = 0;
  std::string wrong_;
};

// What lies on the branch, task by task.
std::string judged_branch(const run::Journal& journal, const MemoryWorld& world) {
  for (const auto& [branch, commit] : world.branches()) {
    if (branch.rfind("plumb/", 0) != 0) {
      return "a branch that is not ours was moved: " + branch;
    }
  }
  const run::Entry& end = journal.entries().back();
  if (end.kind != run::EntryKind::end || end.status != Status::ok) {
    return {};
  }
  const Value& begun = *journal.begin().data.value().find("input");
  const bool warn = text_of(begun, "base_failures") == "warn";
  const bool gates = !json::list_of(*begun.find("settings"), "gates").empty();
  bool person = false;
  for (const Value& task : json::list_of(end.data.value(), "tasks")) {
    person = person || !text_of(task, "approved_by").empty();
  }
  const std::string commit(text_of(end.data.value(), "commit"));
  if (commit.empty()) {
    return {};  // its plan was rejected
  }
  const FileTexts& last = world.at(commit);
  if (person || !gates || last == world.at(world.head())) {
    return {};
  }
  for (const std::string_view gate : {"build", "test"}) {
    if (!warn && gate_says(gate, last).exit_code != 0) {
      return "what lies on the branch does not pass gate " + std::string(gate);
    }
  }
  const FileTexts& first = world.at(world.head());
  const auto test = last.find("tests/t.txt");
  const bool named = journal.begin().data.text().find("tests/t.txt\",\"access\":\"write") != std::string::npos;
  if (!named && (test == last.end() || test->second != first.at("tests/t.txt"))) {
    return "a protected file was changed, no task names it, and no person was asked";
  }
  for (const auto& [path, text] : last) {
    if (path.rfind(".git", 0) == 0 || path.find("..") != std::string::npos || path.rfind("docs/secret", 0) == 0) {
      const bool told = journal.begin().data.text().find("do_not_touch\":[\"docs") != std::string::npos;
      if (path.rfind("docs/secret", 0) != 0 || told) {
        return "it has the file " + path;
      }
    }
  }
  return {};
}

}  // namespace

FileTexts workflow_texts(std::uint64_t seed) {
  FileTexts out;
  for (const std::string path : {"src/a.c", "src/b.c", "src/c.c"}) {
    out[path] = "the first line of " + path + "\nsame\nsame\nthe end\n";
  }
  out["docs/manual.md"] = "# The manual\n\nwhat there is\n";
  out["tests/t.txt"] = "test one\ntest two\ntest three\n";
  out["readme.md"] = "# A repository\n";
  if (seed % 5 == 0) {
    out["src/a.c"] += "BROKEN is this\n";
  }
  if (seed % 9 == 0) {
    out["src/b.c"] += "WRONG is this\n";
  }
  return out;
}

std::string play_workflow(std::uint64_t seed, WorkflowCounts& counts) {
  MemoryWorld world(workflow_texts(seed));
  Player player(seed, world, false, "r" + json::uint_text(seed));
  std::string wrong = player.play(counts);
  return wrong.empty() ? judged_branch(player.journal(), world) : wrong;
}

std::string play_workflow(std::uint64_t seed, WorkflowWorld& world, const std::string& run, WorkflowCounts& counts) {
  return Player(seed, world, true, run).play(counts);
}

}  // namespace plumb::test
