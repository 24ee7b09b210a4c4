// Gates: in a checkout of their own, never where a developer worked.
#include <algorithm>
#include <utility>

#include "core/pipelines/workflow/parts.hpp"
#include "core/run/reasons.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::read_gate_result;

namespace {

// `again`: may they all be run once more? Afterwards: they are to be, since one was lost.
std::vector<GateResult> run_gates(Run& run, const Desk& desk, const Called& called, bool& again) {
  const Brief& brief = desk.brief;
  const std::uint64_t since = run.now_ms();
  bool asked = false;  // not where no time was left
  const auto ask = [&](const Gate& one) {
    const std::uint64_t used = run.now_ms() - std::min(since, run.now_ms());
    if (used >= brief.times.gates_ms) {
      return gate_result(one, {"timed_out", nullptr, {}, 1});
    }
    CommandWish wish;
    const std::string name = "gate." + one.name;
    wish.name = name;
    wish.tree = gate_tree;
    wish.dir = one.dir;
    wish.time_ms = std::min(one.timeout_ms, brief.times.gates_ms - used);
    const bool own = wish.time_ms == one.timeout_ms;
    wish.isolation_full = brief.isolation_full;
    if (plumb::workflow::takes_files(one.argv)) {
      wish.files = plumb::workflow::files_of(one, called.changed);
    }
    wish.again = false;  // in a fresh checkout, with all gates: below
    const Reply& reply = ask_command(run, wish);
    std::optional<std::string_view> report;
    if (reply.ok() && !one.report.empty()) {
      const Reply& read = ask_worktree(run, brief.repository, "read", [&](json::Writer& json) {
        json.member("tree", gate_tree).member("path", one.report);
      });
      report = read.ok() ? text_of(read.value.value(), "text") : std::string_view();
    }
    const Value* value = reply.value.is_null() ? nullptr : &reply.value.value();
    again = again && one.repeatable;
    asked = true;
    return gate_result(
        one, {run::status_name(reply.status), value, reply.error, own ? 0 : wish.time_ms, run::reason_of(reply)},
        report, brief.guards ? plumb::workflow::Reports::decide : plumb::workflow::Reports::told);
  };
  bool cut = false;
  const auto ends = [&](const GateResult& last) {
    return cut = std::exchange(asked, false) && (run.cancelled() || (last.outcome == GateOutcome::lost && again));
  };
  std::vector<GateResult> out = ask_in_order(brief.gates, called.which, ask, ends);
  again = again && cut;
  return out;
}

}  // namespace

GatesRun run_in_checkout(Run& part, const Desk& desk, const std::string& commit, const Called& called,
                         const std::string& edits) {
  GatesRun out;
  for (std::uint32_t losses = 0; losses < losses_max; ++losses) {
    const auto tree = [](json::Writer& json) { json.member("tree", gate_tree); };
    (void)ask_worktree(part, desk.brief.repository, "close", tree);
    const Reply& opened = ask_worktree(part, desk.brief.repository, "open", [&](json::Writer& json) {
      json.member("tree", gate_tree).member("at", commit).member("since", desk.base);
      write_texts(json, "caches", desk.brief.caches);
    });
    if (opened.status == run::Status::cancelled) {
      break;  // who asked looks at that before at what came of it
    }
    if (!opened.ok()) {
      give_up(part, "open", opened);
    }
    out.folder = text_of(opened.value.value(), "folder");
    if (!edits.empty()) {
      const Reply& edited = ask_worktree(part, desk.brief.repository, "change", [&](json::Writer& json) {
        json.member("tree", gate_tree).member("from", commit).key("edits").raw(edits);
      });
      out.wrong = edited.ok() ? findings_text(edited.value) : edited.error;
      if (!out.wrong.empty()) {
        break;
      }
    }
    bool again = losses + 1 < losses_max;
    out.results = run_gates(part, desk, called, again);
    if (!again || part.cancelled()) {
      break;
    }
    part.emit("gate_lost", object([&](json::Writer& json) { json.member("gate", out.results.back().gate); }));
  }
  (void)ask_worktree(part, desk.brief.repository, "close", [](json::Writer& json) { json.member("tree", gate_tree); });
  return out;
}

std::vector<GateResult> results_of(const Value& gated) {
  std::vector<GateResult> out;
  for (const Value& one : json::list_of(gated, "results")) {
    if (Result<GateResult> read = read_gate_result(one)) {
      out.push_back(std::move(read).value());
    }
  }
  return out;
}

Data gated_before(const Run& run, const Desk& desk, const std::string& tree_hash) {
  if (const auto known = desk.gated.find(tree_hash); known != desk.gated.end()) {
    return known->second;
  }
  // A developer that converses has them run inside of a part that is over.
  for (const Data& note : run.notes("gated", 1'000, [](std::string_view) { return true; })) {
    if (text_of(note.value(), "tree_hash") == tree_hash) {
      return note;
    }
  }
  return {};
}

std::vector<GateResult> gate(Run& run, Desk& desk, const std::string& commit, const std::string& tree_hash,
                             const std::vector<std::string>& changed) {
  if (const Data known = gated_before(run, desk, tree_hash); !known.is_null()) {
    desk.gated[tree_hash] = known;
    run.emit("gates_known", object([&](json::Writer& json) { json.member("tree_hash", tree_hash); }));
    return results_of(known.value());
  }
  if (desk.brief.gates.empty()) {
    desk.gated[tree_hash] = Data::written(R"({"results":[]})");
    return {};
  }
  const Data gated = run.scope("gate", [&](Run& part) {
    GatesRun ran = run_in_checkout(part, desk, commit, {gates_for(desk.brief.gates, changed), changed});
    return Data::of(Gated{commit, tree_hash, std::move(ran.folder), std::move(ran.results)});
  });
  desk.gated[tree_hash] = gated;
  return results_of(gated.value());
}

}  // namespace plumb::pipelines::workflow
