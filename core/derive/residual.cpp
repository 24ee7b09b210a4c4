// The list is read along the same ways as the copy: down through what is enforced, and not further than the first part
// that is left.

#include "core/derive/residual.hpp"

#include "core/derive/schema_copy.hpp"
#include "core/derive/wording.hpp"
#include "core/json/writer.hpp"

namespace plumb::derive {

using json::Kind;

namespace {

constexpr std::size_t rules_max = 10'000;

class RuleList {
 public:
  RuleList(const SchemaGraph& graph, std::vector<ResidualRule>& out)
      : graph_(graph), residues_(graph.residues()), seen_(graph.size(), false), out_(out) {}

  // In reading order, without recursion: the schemas still to be read are on a stack. Where a keyword for members or
  // items is left, all that is asked of them is.
  bool read() {
    struct Open {
      SchemaId id;
      std::uint32_t position;
      bool all;
    };
    std::vector<Open> stack{{graph_.root(), 0, false}};
    seen_[graph_.root()] = true;
    while (!stack.empty()) {
      Open& open = stack.back();
      const std::span<const json::Member> members = graph_.schema(open.id).object();
      if (open.position == members.size()) {
        stack.pop_back();
        continue;
      }
      const Open now = open;
      const json::Member& member = members[open.position++];
      const Role role = graph_.role(now.id, member);
      const bool left = role != Role::note && (now.all || graph_.left(now.id, now.position));
      const std::vector<SchemaId> below = graph_.below(now.id, member);
      const bool through = role == Role::places || role == Role::reference || role == Role::every;
      const bool closed = member.value.is(Kind::boolean);
      if (left && (!through || below.empty() || closed)) {
        if (out_.size() >= rules_max) {
          return false;
        }
        add(now.id, member);
        continue;
      }
      for (auto one = below.rbegin(); one != below.rend(); ++one) {
        if ((left || residues_[*one]) && !seen_[*one]) {
          seen_[*one] = true;
          stack.push_back({*one, 0, left});
        }
      }
    }
    return true;
  }

 private:
  void add(SchemaId id, const json::Member& member) {
    const std::string location = graph_.location(id, member.key);
    if (member.key != "rules") {
      out_.push_back(
          {std::string(member.key), location, sentence(phrase_in(graph_.schema(id), member.key, member.value))});
      return;
    }
    std::size_t i = 0;
    for (const json::Value& rule : member.value.array()) {
      const json::Value* name = rule.find("id");
      out_.push_back({name == nullptr ? std::string() : std::string(name->str()), location + "/" + std::to_string(i++),
                      sentence(rule_phrase(rule))});
    }
  }

  const SchemaGraph& graph_;
  std::vector<bool> residues_;
  std::vector<bool> seen_;
  std::vector<ResidualRule>& out_;
};

}  // namespace

Result<Residual> read_residual(const SchemaGraph& graph, const contract::Contract& contract, std::string_view target,
                               const Limits& limits) {
  Residual out;
  if (!RuleList(graph, out.rules).read()) {
    return Error{ErrorCode::limit, "more than 10,000 rules are left to the residual", "", 0, 0};
  }
  if (!graph.movable()) {
    out.contract = contract.text();
    return out;
  }
  json::Writer json(out.contract, 2);
  json.begin_object();
  const json::Value& root = graph.schema(graph.root());
  for (std::string_view key : {"$schema", "$id"}) {
    const json::Value* found = root.find(key);
    if (found != nullptr && found->is(Kind::string)) {
      json.member(key, found->str());
    }
  }
  json.member("$comment",
              "What the target " + std::string(target) + " does not enforce of the contract " + contract.name() + ".");
  SchemaCopy copy(graph, json, limits);
  copy.root_members(graph.root(), Copy::rest);
  json.end_object();
  out.contract += "\n";
  if (copy.error() != nullptr) {
    return *copy.error();
  }
  if (out.contract.size() > limits.output_bytes_max) {
    return Error{ErrorCode::limit, "the residual is larger than 1 MB", "", 0, 0};
  }
  return out;
}

}  // namespace plumb::derive
