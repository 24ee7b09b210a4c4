#include "native/store/run_result.hpp"

#include "core/json/arena.hpp"
#include "core/json/members.hpp"

namespace plumb::store {

void RunResult::write(json::Writer& json) const {
  if (!decision.empty()) {
    json.member("decision", decision);
  }
  if (kept > 0) {
    json.member_uint("asked", asked).member_uint("kept", kept);
  }
}

RunResult result_in(const RunRow& row, const JournalPart& last) {
  RunResult out;
  if (row.state != run::State::done || last.entries.empty()) {
    return out;
  }
  json::Arena arena;
  const Result<json::Value> line = json::parse(last.entries.back().line, arena);
  const json::Value* data = line ? line.value().find("data") : nullptr;
  if (data == nullptr) {
    return out;
  }
  out.decision = json::text_of(*data, "decision");
  if (json::flag_of(*data, "partial")) {
    out.asked = json::number_of(*data, "asked");
    out.kept = json::number_of(*data, "kept");
  }
  return out;
}

}  // namespace plumb::store
