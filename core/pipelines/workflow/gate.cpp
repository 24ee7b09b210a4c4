// Gates: in a checkout of their own, never where a developer worked.
#include <algorithm>

#include "core/pipelines/workflow/parts.hpp"

namespace plumb::pipelines::workflow {

namespace {

std::vector<GateResult> run_gates(Run& run, const Desk& desk, const std::vector<std::string>& changed) {
  const Brief& brief = desk.brief;
  const std::uint64_t since = run.now_ms();
  std::vector<GateResult> out;
  for (const std::uint32_t i : gates_for(brief.gates, changed)) {
    const Gate& one = brief.gates[i];
    if (const auto because = held_up_by(one, out)) {
      out.push_back(skipped_gate(one, *because));
      continue;
    }
    const std::uint64_t used = run.now_ms() - std::min(since, run.now_ms());
    if (used >= brief.times.gates_ms) {
      out.push_back(gate_result(one, {"timed_out", nullptr, "the time of all gates is over"}));
      continue;
    }
    CommandWish wish;
    const std::string name = "gate." + one.name;
    wish.name = name;
    wish.tree = gate_tree;
    wish.dir = one.dir;
    wish.time_ms = std::min(one.timeout_ms, brief.times.gates_ms - used);
    wish.isolation_full = brief.isolation_full;
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
    out.push_back(gate_result(one, {run::status_name(reply.status), value, reply.error}, report));
    if (out.back().outcome == GateOutcome::lost || run.cancelled()) {
      break;
    }
  }
  return out;
}

}  // namespace

std::vector<GateResult> results_of(const Data& gated) {
  std::vector<GateResult> out;
  for (const Value& one : json::list_of(gated.value(), "results")) {
    if (Result<GateResult> read = read_gate_result(one)) {
      out.push_back(std::move(read).value());
    }
  }
  return out;
}

std::vector<GateResult> gate(Run& run, Desk& desk, const std::string& commit, const std::string& tree_hash,
                             const std::vector<std::string>& changed) {
  if (const auto known = desk.gated.find(tree_hash); known != desk.gated.end()) {
    run.emit("gates_known", object([&](json::Writer& json) { json.member("tree_hash", tree_hash); }));
    return results_of(known->second);
  }
  if (desk.brief.gates.empty()) {
    desk.gated[tree_hash] = object([&](json::Writer& json) { json.key("results").begin_array().end_array(); });
    return {};
  }
  const Data gated = run.scope("gate", [&](Run& part) {
    std::vector<GateResult> results;
    std::string folder;
    for (std::uint32_t losses = 0; losses < losses_max; ++losses) {
      const auto tree = [](json::Writer& json) { json.member("tree", gate_tree); };
      (void)ask_worktree(part, desk.brief.repository, "close", tree);
      const Reply& opened = ask_worktree(part, desk.brief.repository, "open", [&](json::Writer& json) {
        json.member("tree", gate_tree).member("at", commit).member("since", desk.base);
        write_texts(json, "caches", desk.brief.caches);
      });
      if (!opened.ok()) {
        give_up(part, "open", opened);
      }
      folder = text_of(opened.value.value(), "folder");
      results = run_gates(part, desk, changed);
      const auto lost = std::find_if(results.begin(), results.end(),
                                     [](const GateResult& one) { return one.outcome == GateOutcome::lost; });
      if (lost == results.end()) {
        break;
      }
      part.emit("gate_lost", object([&](json::Writer& json) { json.member("gate", lost->gate); }));
      const auto declared = std::find_if(desk.brief.gates.begin(), desk.brief.gates.end(),
                                         [&](const Gate& one) { return one.name == lost->gate; });
      if (declared == desk.brief.gates.end() || !declared->repeatable) {
        break;
      }
    }
    (void)ask_worktree(part, desk.brief.repository, "close",
                       [](json::Writer& json) { json.member("tree", gate_tree); });
    return object([&](json::Writer& json) {
      json.member("commit", commit).member("tree_hash", tree_hash).member("folder", folder);
      json.key("results").begin_array();
      for (const GateResult& one : results) {
        write_gate_result(json, one);
      }
      json.end_array();
    });
  });
  desk.gated[tree_hash] = gated;
  return results_of(gated);
}

}  // namespace plumb::pipelines::workflow
