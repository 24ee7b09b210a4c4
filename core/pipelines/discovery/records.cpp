#include "core/pipelines/discovery/records.hpp"

#include <algorithm>

namespace plumb::pipelines::discovery {

void add_failure(std::vector<Failure>& all, Failure more) {
  if (std::find(all.begin(), all.end(), more) == all.end()) {
    all.push_back(std::move(more));
  }
}

void add_failures(std::vector<Failure>& all, const std::vector<Failure>& more) {
  for (const Failure& one : more) {
    add_failure(all, one);
  }
}

bool ExplorerFinding::has_evidence(std::string_view source_id) const {
  return std::any_of(evidence.begin(), evidence.end(),
                     [&](const EvidencePointer& one) { return one.source_id == source_id; });
}

void Chain::settled(std::initializer_list<std::string_view> boundaries, Stage from) {
  failures.erase(
      std::remove_if(failures.begin(), failures.end(), [&](const Failure& one) { return one.stage >= from; }),
      failures.end());
  for (const std::string_view one : boundaries) {
    unverified.erase(std::remove(unverified.begin(), unverified.end(), one), unverified.end());
  }
}

bool Chain::was_sent_back_by(Stage from) const {
  return std::find(sent_back_by.begin(), sent_back_by.end(), stage_name(from)) != sent_back_by.end();
}

bool Chain::sends_back(Stage from, std::string_view reason) {
  send_back = reason;
  if (!reason.empty()) {
    sent_back_by.emplace_back(stage_name(from));
  }
  return !reason.empty();
}

Fields Failure::fields() {
  static constexpr Field table[] = {field<&Failure::stage>("stage"), field<&Failure::agent>("agent"),
                                    field<&Failure::why>("why")};
  return table;
}

Fields EvidencePointer::fields() {
  static constexpr Field table[] = {
      field<&EvidencePointer::source_type>("source_type"), field<&EvidencePointer::source_id>("source_id"),
      field<&EvidencePointer::retrieved_at>("retrieved_at"), field<&EvidencePointer::confidence>("confidence")};
  return table;
}

Fields ExplorerFinding::fields() {
  static constexpr Field table[] = {field_if_set<&ExplorerFinding::id>("id"),
                                    field<&ExplorerFinding::pattern_name>("pattern_name"),
                                    field<&ExplorerFinding::description>("description"),
                                    field<&ExplorerFinding::severity_assessment>("severity_assessment"),
                                    field<&ExplorerFinding::affected_users_estimate>("affected_users_estimate"),
                                    field<&ExplorerFinding::confidence>("confidence"),
                                    field_if_set<&ExplorerFinding::merged_findings>("merged_findings"),
                                    field<&ExplorerFinding::evidence>("evidence")};
  return table;
}

Fields ExplorerCoverage::fields() {
  static constexpr Field table[] = {field<&ExplorerCoverage::agent_name>("agent_name"),
                                    field<&ExplorerCoverage::source>("source"),
                                    field_if_set<&ExplorerCoverage::oldest>("oldest"),
                                    field_if_set<&ExplorerCoverage::newest>("newest"),
                                    field<&ExplorerCoverage::available>("available"),
                                    field<&ExplorerCoverage::reviewed>("reviewed"),
                                    field<&ExplorerCoverage::skipped>("skipped"),
                                    field<&ExplorerCoverage::skipped_why>("skipped_why"),
                                    field<&ExplorerCoverage::findings_count>("findings_count")};
  return table;
}

Fields Coverage::fields() {
  static constexpr Field table[] = {field<&Coverage::agent_name>("agent_name"),
                                    field_if_set<&Coverage::time_window_days>("time_window_days"),
                                    field_if_set<&Coverage::oldest>("oldest"),
                                    field_if_set<&Coverage::newest>("newest"),
                                    field<&Coverage::available>("conversations_available"),
                                    field<&Coverage::reviewed>("conversations_reviewed"),
                                    field<&Coverage::skipped>("conversations_skipped"),
                                    field<&Coverage::findings_count>("findings_count"),
                                    field<&Coverage::model>("model"),
                                    field<&Coverage::explorers>("explorers")};
  return table;
}

Fields Piece::fields() {
  static constexpr Field table[] = {field<&Piece::source>("source"), field<&Piece::path>("path"),
                                    field<&Piece::line>("line"), field<&Piece::text>("text")};
  return table;
}

Fields Explored::fields() {
  static constexpr Field table[] = {
      field<&Explored::findings>("findings"), field<&Explored::coverage>("coverage"),
      field<&Explored::evidence>("evidence"), field_if_set<&Explored::failures>("failures"),
      field<&Explored::failed>("failed"),     field_if_set<&Explored::fresh>("fresh"),
      field<&Explored::warnings>("warnings")};
  return table;
}

Fields Brief::fields() {
  static constexpr Field table[] = {field<&Brief::affected_area>("affected_area"),
                                    field<&Brief::opportunity_nature>("opportunity_nature"),
                                    field<&Brief::source_findings>("source_findings"),
                                    field<&Brief::stage_hints>("stage_hints"), field<&Brief::evidence>("evidence")};
  return table;
}

Fields Turn::fields() {
  static constexpr Field table[] = {field<&Turn::stage>("stage"), field<&Turn::round>("round"),
                                    field<&Turn::agent>("agent"), field<&Turn::text>("text")};
  return table;
}

Fields Chain::fields() {
  static constexpr Field table[] = {field<&Chain::id>("opportunity_id"),
                                    field<&Chain::stage>("stage"),
                                    field<&Chain::left_out>("left_out"),
                                    field<&Chain::unverified>("unverified"),
                                    field<&Chain::warnings>("warnings"),
                                    field_if_set<&Chain::revised_from>("revised_from"),
                                    field_if_set<&Chain::send_back>("send_back"),
                                    field_if_set<&Chain::sent_back_by>("sent_back_by"),
                                    field_if_set<&Chain::failures>("failures"),
                                    field_if_set<&Chain::brief>("brief"),
                                    field_if_set<&Chain::solution>("solution"),
                                    field_if_set<&Chain::spec>("spec"),
                                    field_if_set<&Chain::infeasible>("infeasible"),
                                    field_if_set<&Chain::conversation>("conversation")};
  return table;
}

void Chain::write_shown(json::Writer& json) const {
  json::write_members(json, this, fields().subspan(3, 3));  // unverified, warnings, revised_from
  json::write_members(json, this, fields().subspan(8));     // failures and all behind them
}

Fields Opportunities::fields() {
  static constexpr Field table[] = {field<&Opportunities::opportunities>("opportunities"),
                                    field_if_set<&Opportunities::warnings>("warnings"),
                                    field_if_set<&Opportunities::failures>("failures")};
  return table;
}

Fields Ranking::fields() {
  static constexpr Field table[] = {field<&Ranking::opportunity_id>("opportunity_id"),
                                    field<&Ranking::recommended_rank>("recommended_rank"),
                                    field<&Ranking::rationale>("rationale"),
                                    field<&Ranking::dependencies>("dependencies"), field<&Ranking::flags>("flags")};
  return table;
}

Fields Returned::fields() {
  static constexpr Field table[] = {field<&Returned::opportunity_id>("opportunity_id"),
                                    field<&Returned::reason>("reason")};
  return table;
}

Fields Ranked::fields() {
  static constexpr Field table[] = {field<&Ranked::rankings>("rankings"), field_if_set<&Ranked::send_back>("send_back"),
                                    field_if_set<&Ranked::failures>("failures")};
  return table;
}

}  // namespace plumb::pipelines::discovery
