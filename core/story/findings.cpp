#include "core/story/findings.hpp"

#include <algorithm>

#include "core/json/pointer.hpp"
#include "core/json/positions.hpp"
#include "core/stable_sort.hpp"
#include "core/story/book.hpp"

namespace plumb::story {

contract::Span span_of(std::string_view text, std::uint64_t from, std::uint64_t to) {
  const json::Place a = json::place_at(text, from);
  const json::Place b = json::place_at(text, to);
  return {a.byte, b.byte, a.utf16, b.utf16, a.line, a.column, b.line, b.column};
}

contract::Finding& Findings::add(std::string rule, contract::Severity severity, contract::FindingClass finding_class,
                                 std::string_view node, std::string message) {
  contract::Finding one;
  one.rule = std::move(rule);
  one.severity = severity;
  one.finding_class = finding_class;
  one.at = "/nodes";
  if (!node.empty()) {
    json::append_token(one.at, node);
  }
  one.item = node;
  one.message = std::move(message);
  one.schema_location = "/stages/" + where_;
  all_.push_back(std::move(one));
  return all_.back();
}

void locate(std::vector<contract::Finding>& findings, const Places& places, std::string_view text) {
  std::vector<json::PlaceRequest> wanted;
  for (contract::Finding& one : findings) {
    const auto at = places.find(one.item);
    if (one.span.to == 0 && at != places.end()) {
      one.span.from = at->second.from;
      one.span.to = at->second.to;
    }
    wanted.push_back({one.span.from, {}});
    wanted.push_back({std::min<std::uint64_t>(one.span.to, text.size()), {}});
  }
  stable_sort(wanted, [](const auto& a, const auto& b) { return a.byte < b.byte; });
  json::Positions positions;
  positions.locate(text.data(), text.size(), 0, wanted);
  const auto place = [&](std::uint64_t byte) {
    return std::lower_bound(wanted.begin(), wanted.end(), byte,
                            [](const auto& one, std::uint64_t b) { return one.byte < b; })
        ->place;
  };
  for (contract::Finding& one : findings) {
    const json::Place from = place(one.span.from), to = place(std::min<std::uint64_t>(one.span.to, text.size()));
    one.span = {from.byte, to.byte, from.utf16, to.utf16, from.line, from.column, to.line, to.column};
  }
}

void settle(contract::Verdict& verdict) {
  std::uint32_t id = 0;
  bool warned = false;
  verdict.valid = true;
  for (contract::Finding& one : verdict.findings) {
    one.id = ++id;
    verdict.valid = verdict.valid && one.severity != contract::Severity::error;
    warned = warned || one.severity == contract::Severity::warning;
  }
  verdict.decision = !verdict.valid               ? contract::Decision::revise
                     : !verdict.undecided.empty() ? contract::Decision::undecided
                     : warned                     ? contract::Decision::accept_with_warnings
                                                  : contract::Decision::accept;
}

std::string authors_name(std::string_view id) {
  const std::optional<NodeType> type = type_of(id);
  std::string_view left = raw(id);
  if (type != NodeType::path && type != NodeType::answer && type != NodeType::codeword && type != NodeType::arc) {
    return std::string(left);
  }
  constexpr std::string_view end = "_committed";
  if (type == NodeType::codeword && left.size() > end.size() && left.ends_with(end)) {
    left.remove_suffix(end.size());
  }
  std::string out;
  while (!left.empty()) {
    const std::size_t size = left.starts_with("__") ? 2 : 1;
    out += size == 2 ? std::string("/") : left[0] == '+' ? std::string(" + ") : std::string(left.substr(0, 1));
    left.remove_prefix(size);
  }
  return out;
}

std::string authors_word(const Book& book, const std::string& name) {
  const bool answer = std::any_of(book.codewords.begin(), book.codewords.end(),
                                  [&](const BookCodeword& one) { return one.name == name && !one.group.empty(); });
  return answer ? authors_name("codeword::" + name) : name;
}

std::string some_of(const std::vector<std::string>& names, std::size_t shown) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) {
    out += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > shown ? out + " and " + std::to_string(names.size() - shown) + " more" : out;
}

}  // namespace plumb::story
