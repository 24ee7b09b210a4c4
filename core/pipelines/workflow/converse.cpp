// A developer that converses: it reads and edits with tools, runs gates, and submits. Where its window fills, what it
// has done is a checkpoint, and a fresh conversation goes on with what is still to do (004-29 to 004-33).
#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/pipelines/conversation.hpp"
#include "core/pipelines/tool_envelope.hpp"
#include "core/pipelines/workflow/guard.hpp"
#include "core/pipelines/workflow/parts.hpp"
#include "core/pipelines/workflow/planning.hpp"
#include "core/wording.hpp"
#include "core/workflow/decompose.hpp"
#include "core/workflow/written_edits.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::continuations_max;
using plumb::workflow::EditedFiles;
using plumb::workflow::is_evidence;

namespace {

constexpr std::uint64_t turns_max = 60;
constexpr std::uint64_t lines_read_max = 400;
constexpr std::size_t bytes_read_max = 32'000;
constexpr std::size_t paths_listed_max = 500;
constexpr std::string_view use_it = "Go on with the task.";
constexpr std::string_view cancelled = "cancelled";

// What calls came to so far.
struct Progress {
  std::string at, tree_hash;
  std::vector<std::string> changed;
  std::vector<Decision> decisions;
  std::vector<Met> met;

  bool edited(const Work& work) const { return at != work.at; }
  static Fields fields() {
    static constexpr Field table[] = {field<&Progress::at>("at"), field<&Progress::tree_hash>("tree_hash"),
                                      field<&Progress::changed>("changed"), field<&Progress::decisions>("decisions"),
                                      field<&Progress::met>("met")};
    return table;
  }
};

void add_once(std::vector<std::string>& to, const std::vector<std::string>& more) {
  for (const std::string& one : more) {
    if (std::find(to.begin(), to.end(), one) == to.end()) {
      to.push_back(one);
    }
  }
}

Tool::Done refused(std::string_view error, std::string_view action) { return {failed_envelope(error, action), false}; }

// Lines of a text from `first` on, as many as there is room for.
struct Lines {
  std::string text;
  std::uint64_t last = 0, all = 0;
};
Lines lines_of(std::string_view text, std::uint64_t first, std::uint64_t most) {
  Lines out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    ++out.all;
    if (out.all >= first && out.all < first + most && out.text.size() + (end - at) <= bytes_read_max) {
      out.text += text.substr(at, end - at);
      out.last = out.all;
    }
    at = end;
  }
  return out;
}

// The tools of one task.
struct Bench {
  Work& work;
  Progress now = {};

  const std::string& repository() const { return work.desk.brief.repository; }
  std::vector<std::string> criteria() const {
    std::vector<std::string> out;
    for (const Criterion& one : work.task.acceptance) {
      out.push_back(one.id);
    }
    for (const Scenario& one : work.task.scenarios) {
      out.push_back(one.id);
    }
    return out;
  }
  std::vector<std::string> changed() const {
    std::vector<std::string> out = work.changed;
    add_once(out, now.changed);
    return out;
  }
  // What gates said of the tree as it is, where they were run on it.
  std::vector<GateResult> gated(const Run& run) const {
    const Data known = gated_before(run, work.desk, now.tree_hash);
    return results_of(known.value());
  }

  Tool::Done list_files(Run& part, const Value& said) const;
  Tool::Done read_file(Run& part, const Value& said) const;
  Tool::Done search(Run& part, const Value& said) const;
  Tool::Done edit_files(Run& part, const Value& said) const;
  Tool::Done run_gates(Run& part, const Value& said) const;
  Tool::Done note_met(Run& part, const Value& said) const;
  Tool::Done submit(const Value& said) const;

  void carried_out(std::string_view tool, const Value& said, const Value& envelope);
  std::vector<Tool> tools();
};

Tool::Done Bench::list_files(Run& part, const Value& said) const {
  const Reply& read = ask_worktree(part, repository(), "read", [&](json::Writer& json) { json.member("at", now.at); });
  if (!read.ok()) {
    return refused(read.error, use_it);
  }
  const std::string under(text_of(said, "under"));
  std::vector<std::string> paths;
  std::size_t left = 0;
  for (const std::string& path : json::texts_of(read.value.value(), "paths")) {
    const bool below = under.empty() || path == under || path.rfind(under.back() == '/' ? under : under + "/", 0) == 0;
    if (below && paths.size() < paths_listed_max) {
      paths.push_back(path);
    } else {
      left += below ? 1 : 0;
    }
  }
  if (paths.empty()) {
    return {envelope(
                "no_results", [&](json::Writer& json) { json.member("under", under); },
                "There is no file there: list another folder, or all of them."),
            true};
  }
  return {envelope(
              "success",
              [&](json::Writer& json) {
                write_texts(json, "paths", paths);
                if (left > 0 || json::flag_of(read.value.value(), "cut")) {
                  json.member_uint("left_out", left);
                }
              },
              left > 0 ? "There are more: list a folder of it." : "Read those that the task is about."),
          true};
}

Tool::Done Bench::read_file(Run& part, const Value& said) const {
  const std::string path(text_of(said, "path"));
  const std::optional<std::string> text = file_at(part, work, now.at, path);
  if (!text) {
    return refused("there is no text file '" + json::excerpt(path, 200) + "'",
                   "List the files, or make it with edit_files where it is new.");
  }
  const std::uint64_t first = json::number_of(said, "from_line", 1);
  const Lines lines = lines_of(*text, first, json::number_of(said, "lines", lines_read_max));
  if (lines.text.empty() && !text->empty()) {
    return refused("the file has " + json::uint_text(lines.all) +
                       " lines, and what was asked for lies behind them or "
                       "does not fit",
                   "Ask for lines that there are.");
  }
  return {envelope(
              "success",
              [&](json::Writer& json) {
                json.member("path", path).member("text", lines.text);
                json.member_uint("from_line", first).member_uint("to_line", lines.last).member_uint("of", lines.all);
              },
              lines.last < lines.all ? "There is more of it, from the next line on." : use_it),
          true};
}

Tool::Done Bench::search(Run& part, const Value& said) const {
  const std::string_view text = text_of(said, "text"), under = text_of(said, "under");
  if (text.find('\n') != std::string_view::npos) {
    return refused("the text has a line break", "Search for a part of one line.");
  }
  const Reply& read = ask_worktree(part, repository(), "read", [&](json::Writer& json) {
    json.member("at", now.at).member("search", text).member("under", under);
    json.member_boolean("ignore_case", json::flag_of(said, "ignore_case"));
  });
  if (!read.ok()) {
    return refused(read.error, use_it);
  }
  const Value* const found = read.value.value().find("found");
  if (found == nullptr || found->array().empty()) {
    return {envelope(
                "no_results", [&](json::Writer& json) { json.member("text", text); },
                "No line of a text file has it: search for less of it, or list the files."),
            true};
  }
  const std::uint64_t left = json::number_of(read.value.value(), "left_out");
  return {envelope(
              "success",
              [&](json::Writer& json) {
                json.key("found").raw(json::value_text(*found));
                if (left > 0) {
                  json.member_uint("left_out", left);
                }
              },
              left > 0 ? "There are more: search for a longer text, or in a folder." : "Read what the task is about."),
          true};
}

Tool::Done Bench::edit_files(Run& part, const Value& said) const {
  const Value* edits = said.find("edits");
  std::string made = json::value_text(*edits);
  std::string wrong;
  if (work.desk.brief.tolerant) {
    const EditedFiles edited = apply_edits(plumb::workflow::read_json_edits(*edits),
                                           [&](const std::string& path) { return file_at(part, work, now.at, path); });
    made = plumb::workflow::edits_json(edited);
    for (const std::string& one : edited.wrong) {
      wrong += "- " + one + "\n";
    }
  }
  wrong = wrong.empty() ? change(part, work, now.at, made)
                        : "None of the edits was made, since some do not apply:\n" + wrong;
  if (!wrong.empty()) {
    return refused(wrong, "Read the file as it is now, and make edits that fit it.");
  }
  const Reply& taken = ask_worktree(part, repository(), "take", [&](json::Writer& json) {
    json.member("tree", work.task.id).member("from", now.at).member("message", "Task " + work.task.id + ": edits");
  });
  if (taken.status == run::Status::cancelled) {
    return refused(cancelled, use_it);
  }
  if (!taken.ok()) {
    give_up(part, "take", taken);
  }
  const TreeTaken& now_there = taken.value.as<TreeTaken>();
  if (now_there.commit.empty()) {
    // They lie in the folder: gone with them, or they stand in the way of what comes.
    const Reply& put = ask_worktree(part, repository(), "reset", [&](json::Writer& json) {
      json.member("tree", work.task.id).member("to", now.at);
    });
    if (!put.ok() && put.status != run::Status::cancelled) {
      give_up(part, "reset", put);
    }
    return refused("the edits cannot be taken: " + findings_text(taken.value), "Make other edits.");
  }
  std::vector<std::string> paths;
  for (const ChangedFile& one : now_there.changed) {
    paths.push_back(one.path);
  }
  if (paths.empty()) {
    return refused("the edits change nothing: the files are like that already", use_it);
  }
  return {envelope(
              "success",
              [&](json::Writer& json) {
                json.member("commit", now_there.commit).member("tree_hash", now_there.tree_hash);
                write_texts(json, "changed", paths);
              },
              "Go on with the next edit, run the gates, or submit."),
          true};
}

Tool::Done Bench::run_gates(Run& part, const Value& said) const {
  const std::vector<std::string> names = gate_names(work.desk.brief);
  const std::string name(text_of(said, "gate"));
  if (names.empty()) {
    return refused("this project has declared no gates", "Submit when the task is done.");
  }
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
    return refused("there is no gate '" + json::excerpt(name, 60) + "'", "There are: " + joined(names) + ".");
  }
  std::vector<GateResult> results;
  // Where nothing was changed yet it stands on what was approved before it.
  const std::string tree = now.tree_hash.empty() ? work.desk.head_tree : now.tree_hash;
  if (tree.empty()) {
    results = work.desk.base_gates;
  } else {
    const bool known = !gated_before(part, work.desk, tree).is_null();
    results = gate(part, work.desk, now.at, tree, changed());
    if (!known) {
      part.emit("gated", work.desk.gated[tree]);
    }
    results = against_base(work.task, work.desk.base_gates, std::move(results),
                           held_against(work.desk.brief, names_tests(work.task, work.guards.tests)));
  }
  if (!name.empty()) {
    results.erase(
        std::remove_if(results.begin(), results.end(), [&](const GateResult& one) { return one.gate != name; }),
        results.end());
  }
  const GatesVerdict verdict = judge_gates(results);
  return {envelope(
              "success",
              [&](json::Writer& json) {
                json.member_boolean("passed", verdict.passed).key("gates").begin_array();
                for (const GateResult& one : results) {
                  json.string(one.words);
                }
                json.end_array().member("output", verdict.feedback);
              },
              verdict.passed ? "Note what is met, or submit." : "Mend what the output says."),
          true};
}

Tool::Done Bench::note_met(Run& part, const Value& said) const {
  const std::vector<std::string> ids = criteria();
  const std::string id(text_of(said, "criterion"));
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
    return refused("the task has no criterion '" + json::excerpt(id, 40) + "'", "There are: " + joined(ids) + ".");
  }
  const Reply& diff = ask_worktree(part, repository(), "diff",
                                   [&](json::Writer& json) { json.member("from", work.from).member("to", now.at); });
  if (diff.status == run::Status::cancelled) {
    return refused(cancelled, use_it);
  }
  if (!diff.ok()) {
    give_up(part, "diff", diff);
  }
  const Result<Changes> changes = read_diff_reply(diff.value.value());
  const std::vector<std::string> evidence =
      changes ? evidence_of(changes.value(), gated(part)) : std::vector<std::string>();
  if (!is_evidence(text_of(said, "evidence"), evidence)) {
    return refused("the evidence is neither in what was changed nor in what the gates wrote about it",
                   "Quote a changed line to the letter, or leave it to the reviewer.");
  }
  return {envelope(
              "success", [&](json::Writer& json) { json.member("criterion", id); }, use_it),
          true};
}

Tool::Done Bench::submit(const Value& said) const {
  if (text_of(said, "result") == "done" && !now.edited(work) && work.changed.empty()) {
    return refused("nothing was changed, so there is nothing to submit",
                   "Make the edits; where it cannot be done, submit with result \"blocked\" and say why.");
  }
  return {envelope("success", {}, "The work is judged now."), true};
}

void Bench::carried_out(std::string_view tool, const Value& said, const Value& envelope) {
  if (text_of(envelope, "result") != "success") {
    return;
  }
  if (tool == "edit_files") {
    now.at = text_of(envelope, "commit");
    now.tree_hash = text_of(envelope, "tree_hash");
    add_once(now.changed, json::texts_of(envelope, "changed"));
  } else if (tool == "note_decision") {
    Decision one = json::record_of<Decision>(said);
    one.derived_from = work.task.id;
    const auto same = std::find_if(now.decisions.begin(), now.decisions.end(),
                                   [&](const Decision& other) { return other.id == one.id; });
    same == now.decisions.end() ? now.decisions.push_back(std::move(one)) : void(*same = std::move(one));
  } else if (tool == "note_met") {
    Met one = json::record_of<Met>(said);
    if (std::none_of(now.met.begin(), now.met.end(),
                     [&](const Met& other) { return other.criterion == one.criterion; })) {
      now.met.push_back(std::move(one));
    }
  }
}

std::vector<Tool> Bench::tools() {
  const auto bound = [this](Tool::Done (Bench::*does)(Run&, const Value&) const) {
    return [this, does](Run& part, const Value& said) { return (this->*does)(part, said); };
  };
  const auto noted = [](Run&, const Value&) -> Tool::Done { return {envelope("success", {}, use_it), true}; };
  std::vector<Tool> out = {
      {.name = "list_files",
       .about = "Lists the files of the repository, or of a folder of it.",
       .contract = "contract-tool-list-files",
       .does = bound(&Bench::list_files)},
      {.name = "read_file",
       .about = "Reads a file as it is now, or lines of it.",
       .contract = "contract-tool-read-file",
       .does = bound(&Bench::read_file)},
      {.name = "edit_files",
       .about = "Changes files: all of the edits are made, or none.",
       .contract = "contract-tool-edit-files",
       .does = bound(&Bench::edit_files),
       .changes = true},
      {.name = "run_gates",
       .about = "Runs the project's own commands on the files as they are now.",
       .contract = "contract-tool-run-gates",
       .does = bound(&Bench::run_gates)},
      {.name = "note_decision",
       .about = "Notes a decision that later work should know.",
       .contract = "contract-tool-note-decision",
       .does = noted,
       .changes = true},
      {.name = "note_met",
       .about = "Notes that a criterion of the task is met, with a line that proves it.",
       .contract = "contract-tool-note-met",
       .does = bound(&Bench::note_met),
       .changes = true},
      {.name = "submit",
       .about = "Ends the work: it is done, or it cannot be done.",
       .contract = "contract-tool-submit-work",
       .does = [this](Run&, const Value& said) { return submit(said); },
       .ends = true},
  };
  if (work.desk.brief.searches) {
    out.insert(out.begin() + 2, {.name = "search",
                                 .about = "Finds lines of the files as they are now that have a text.",
                                 .contract = "contract-tool-search",
                                 .does = bound(&Bench::search)});
  }
  return out;
}

// What a fresh conversation is told of those before it.
std::string so_far(const Bench& bench, const std::vector<Met>& met) {
  std::string out;
  for (const std::string& path : bench.changed()) {
    out += "- changed: " + path + "\n";
  }
  for (const Met& one : met) {
    out += "- met: " + one.criterion + ": " + one.evidence + "\n";
  }
  for (const Decision& one : bench.now.decisions) {
    out += "- decided (" + one.id + "): " + one.text + (one.why.empty() ? "" : " Why: " + one.why) + "\n";
  }
  return out;
}

// What is met: noted with evidence, or decided by a gate that passed on the tree as it is.
std::vector<Met> met_by_now(const Run& run, const Bench& bench) {
  std::vector<Met> out = bench.now.met;
  const std::vector<GateResult> gates = bench.gated(run);
  const auto decided = [&](const std::string& id, const std::string& check) {
    const auto passed = std::find_if(gates.begin(), gates.end(),
                                     [&](const GateResult& one) { return one.gate == check && one.passed(); });
    const bool noted = std::any_of(out.begin(), out.end(), [&](const Met& one) { return one.criterion == id; });
    if (!check.empty() && passed != gates.end() && !noted) {
      out.push_back({id, passed->words});
    }
  };
  for (const Criterion& one : bench.work.task.acceptance) {
    decided(one.id, one.check);
  }
  for (const Scenario& one : bench.work.task.scenarios) {
    decided(one.id, one.check);
  }
  return out;
}

// The whole tree under a ref, and what is known, as the contract `checkpoint` has it; not where the run is cancelled.
bool keep_checkpoint(Run& run, const Bench& bench, std::uint32_t number, const std::string& reason,
                     const std::vector<Met>& met) {
  const Work& work = bench.work;
  const Reply& kept = ask_worktree(run, bench.repository(), "take", [&](json::Writer& json) {
    json.member("tree", work.task.id).member("from", work.at);
    json.member("message", "Task " + work.task.id + ": checkpoint " + json::uint_text(number));
    json.member_boolean("publish", true);
  });
  if (kept.status == run::Status::cancelled) {
    return false;
  }
  if (!kept.ok()) {
    give_up(run, "take", kept);
  }
  CheckpointNote note;
  note.task = work.task.id;
  note.number = number;
  note.commit = kept.value.as<TreeTaken>().commit;
  note.reason = reason;
  note.met = met;
  for (std::string& id : bench.criteria()) {
    if (std::none_of(met.begin(), met.end(), [&](const Met& one) { return one.criterion == id; })) {
      note.open.push_back(std::move(id));
    }
  }
  note.decisions = bench.now.decisions;
  note.files = bench.changed();
  run.emit("checkpoint", Data::of(std::move(note)));
  return true;
}

// What a conversation that is over has come to.
void settle(const Conversed& how, Did& out) {
  switch (how.ended) {
    case Ended::submitted: {
      const DeveloperSaid& said = how.value.as<DeveloperSaid>();
      out.claimed = said.files_modified;
      add_once(out.claimed, said.files_created);
      if (said.result == "blocked") {
        out.failed = "the developer says that it cannot go on: " + said.changes_summary;
      }
      break;
    }
    case Ended::invalid:
      out.unusable = "The conversation was ended: " + how.reason + ".";
      break;
    case Ended::cancelled:
      out.failed = cancelled;
      break;
    case Ended::tokens:
    case Ended::loop:
    case Ended::failed:
    case Ended::checkpoint:
      out.too_large = how.turns <= 1 && how.why == Reason::over_window;
      out.failed = how.reason;
      break;
    case Ended::answered:  // what lies in the tree is judged
    case Ended::turns:
    case Ended::time:
    case Ended::person:
      break;
  }
}

}  // namespace

Did converse_with_model(Run& run, Work& work) {
  const Brief& brief = work.desk.brief;
  Bench bench{work};
  bench.now.at = work.at;
  bench.now.tree_hash = work.tree_hash;
  std::vector<Met> met;
  Task task = work.task;
  Did out;
  const std::uint64_t begun_ms = run.now_ms();
  for (std::uint32_t number = 0;; ++number) {
    const std::string name = number == 0 ? "conversation" : "conversation-" + std::to_string(number + 1);
    Conversation talk;
    talk.name = name;
    talk.call.phase = "develop";
    talk.call.prompt = "prompt-converse";
    talk.call.provider = work.provider;
    talk.call.free = brief.develop_free;
    talk.call.token_budget = brief.token_budget;
    talk.call.only_noted = true;
    talk.call.again = work.runs > 1 && number == 0;
    talk.call.variables = [&](json::Writer& json) {
      json.member("task", task_text(work, task)).member("feedback", fenced("feedback", work.feedback));
      json.member("so_far", number == 0 ? "" : fenced("so_far", so_far(bench, met)));
    };
    talk.tools = bench.tools();
    talk.turns_max = turns_max;
    const std::uint64_t took_ms = run.now_ms() - begun_ms;
    talk.time_ms_max = brief.times.develop_ms > took_ms ? brief.times.develop_ms - took_ms : 1;
    talk.checkpoints = true;
    talk.carried_out = [&](std::string_view tool, const Value& said, const Value& envelope) {
      bench.carried_out(tool, said, envelope);
    };
    talk.leaves = [&](json::Writer& json) { json::write_fields(json, bench.now); };
    const Conversed how = converse(run, work.desk.spent, talk);
    bench.now = how.left.as<Progress>();
    if (how.ended != Ended::checkpoint) {
      settle(how, out);
      break;
    }
    if (number == continuations_max) {  // what it has done is kept as that of any developer run
      out.failed = "the task has filled " + std::to_string(number + 1) + " conversations, and is not done";
      break;
    }
    const std::size_t before = met.size();
    met = met_by_now(run, bench);
    if (!keep_checkpoint(run, bench, number + 1, how.reason, met)) {
      out.failed = cancelled;
      break;
    }
    if (how.evaluate && met.size() <= before) {
      out.failed = "the window is at red, and no criterion was met since the conversation began";
      break;
    }
    std::vector<std::string> ids;
    ids.reserve(met.size());
    for (const Met& one : met) {
      ids.push_back(one.criterion);
    }
    task = continuation_of(work.task, ids, number + 1);
  }
  out.decisions = bench.now.decisions;
  out.kept = bench.now.edited(work);
  if (out.kept) {
    const Reply& put = ask_worktree(run, bench.repository(), "reset", [&](json::Writer& json) {
      json.member("tree", work.task.id).member("to", bench.now.at);
    });
    if (put.status == run::Status::cancelled) {
      out.failed = cancelled;
    } else if (!put.ok()) {
      give_up(run, "reset", put);
    }
  }
  return out;
}

}  // namespace plumb::pipelines::workflow
