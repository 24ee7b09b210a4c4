#include "core/judge/judge.hpp"

#include <algorithm>

#include "core/contract/item_label.hpp"
#include "core/contract/render.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/positions.hpp"
#include "core/json/writer.hpp"
#include "core/text/rendered_quote.hpp"

namespace plumb::judge {

namespace {

using contract::Finding;
using contract::Outcome;
using contract::Severity;
using json::text_of;
using json::Value;

// The rule's own JSON in the contract; nullptr for one in another document.
const Value* rule_of(const Value& contract, std::string_view schema_location) {
  return !schema_location.empty() && schema_location.front() == '/' ? json::resolve(contract, schema_location)
                                                                    : nullptr;
}

Severity severity_of(const Value& rule) {
  const std::string_view name = text_of(rule, "severity");
  return name == "warning" ? Severity::warning : name == "info" ? Severity::info : Severity::error;
}

// Is `at` the place `under`, or in it?
bool is_at(std::string_view at, std::string_view under) {
  return at.starts_with(under) && (at.size() == under.size() || at[under.size()] == '/');
}

// What is said at a place. Of a choice, only what was chosen: a list that holds what a member beside it says is left
// out. What stands in lists of objects is judged by itself, unless there is nothing else.
void say(const Value& value, std::string& out) {
  if (value.is(json::Kind::string) || value.is(json::Kind::number)) {
    out += (out.empty() ? "" : " \n") + std::string(value.str());
  }
  const auto chosen = [&](const Value& list) {
    return std::any_of(value.object().begin(), value.object().end(), [&](const json::Member& member) {
      return member.value.is(json::Kind::string) &&
             std::any_of(list.array().begin(), list.array().end(), [&](const Value& one) {
               return one.is(json::Kind::string) && one.str() == member.value.str();
             });
    });
  };
  const auto is_of_objects = [](const Value& list) {
    return !list.array().empty() && list.array().front().is(json::Kind::object);
  };
  const std::size_t before = out.size();
  for (const json::Member& member : value.object()) {
    if (!is_of_objects(member.value) && !chosen(member.value)) {
      say(member.value, out);
    }
  }
  for (const json::Member& member : value.object()) {
    if (out.size() == before && is_of_objects(member.value)) {
      say(member.value, out);
    }
  }
  for (const Value& item : value.array()) {
    say(item, out);
  }
}

std::string said_at(const Value& artifact, std::string_view at) {
  const Value* value = json::resolve(artifact, at);
  std::string said;
  if (value != nullptr) {
    say(*value, said);
  }
  return said;
}

struct Quoted {
  bool verified = false;
  std::uint64_t chunk = 0;
  std::string quote;  // as the source has it
  std::string why;    // it is not verified
};

// The passages, each rendered when it is first looked at.
class Sources {
 public:
  explicit Sources(std::span<const Passage> passages) : passages_(passages), rendered_(passages.size()) {}

  // A quote is looked for where the claim says, then everywhere: models miscount passages.
  Quoted look_for(const Claim& claim, std::string_view said) {
    if (claim.quote.empty()) {
      return {false, 0, {}, "the judge gave no quote"};
    }
    Quoted out;
    for (const bool named : {true, false}) {
      for (std::size_t i = 0; i < passages_.size(); ++i) {
        if ((claim.chunk && passages_[i].number == *claim.chunk) == named && found_in(i, claim.quote, said, out)) {
          return out;
        }
      }
    }
    out.why = out.why.empty() ? "the judge's quote is not in the source" : out.why;
    return out;
  }

 private:
  bool found_in(std::size_t i, std::string_view quote, std::string_view said, Quoted& out) {
    if (!rendered_[i]) {
      rendered_[i].emplace(passages_[i].text);
    }
    text::QuoteResult found = rendered_[i]->find(quote);
    if (found.status == text::QuoteStatus::too_short) {
      found = rendered_[i]->find_all_of(said, quote);
    }
    if (found.status == text::QuoteStatus::too_short) {
      out.why = "the judge's quote is too short to prove anything";
    }
    if (found.status != text::QuoteStatus::found) {
      return false;
    }
    out = {true, passages_[i].number, std::string(text::piece(passages_[i].text, found.where)), {}};
    return true;
  }

  std::span<const Passage> passages_;
  std::vector<std::optional<text::RenderedSource>> rendered_;
};

// A quote without a word of what it proves is about something else. What says nothing itself has none to share.
bool is_about(std::string_view quote, std::string_view said) {
  return !text::shares_content_word(said, said) || text::shares_content_word(quote, said);
}

contract::Undecided undecided(const Question& question, std::string reason) {
  contract::Undecided out;
  out.rule = question.rule;
  out.at = question.at;
  out.schema_location = question.schema_location;
  out.ask = question.ask;
  out.reason = std::move(reason);
  return out;
}

}  // namespace

std::vector<Question> questions(const contract::Contract& contract, const contract::Verdict& verdict,
                                const Value& artifact, std::span<const std::string> items) {
  std::vector<Question> out;
  for (const contract::Undecided& open : verdict.undecided) {
    if (open.ask.empty()) {
      continue;
    }
    Question question;
    question.rule = open.rule;
    question.ask = open.ask;
    question.schema_location = open.schema_location;
    const Value* rule = rule_of(contract.tree(), open.schema_location);
    std::optional<json::PointerPattern> each;
    if (rule != nullptr) {
      question.title = text_of(*rule, "title");
      question.action = text_of(*rule, "action");
      question.severity = severity_of(*rule);
      const Value* blocks = rule->find("blocks");
      question.blocks = blocks != nullptr && blocks->boolean;
      if (const Value* pattern = rule->find("each"); pattern != nullptr) {
        if (Result<json::PointerPattern> read = json::parse_pattern(pattern->str(), json::Slash::here)) {
          each = std::move(read).value();
        }
      }
    }
    const std::size_t before = out.size();
    auto add = [&](std::string at) {
      if (out.size() == questions_max) {
        return false;
      }
      const contract::PlaceLabel label = contract::place_label(contract, artifact, at);
      question.at = std::move(at);
      question.item = label.text;
      question.prefix = label.prefix;
      out.push_back(question);
      return true;
    };
    const Value* start = json::resolve(artifact, open.at);
    if (each && start != nullptr) {
      json::for_each_match(*start, *each,
                           [&](const Value&, std::string_view pointer) { return add(open.at + std::string(pointer)); });
    }
    if (!each && open.at.empty()) {
      std::all_of(items.begin(), items.end(), [&](const std::string& at) { return add(at); });
    }
    if (out.size() == before) {
      add(open.at);
    }
  }
  return out;
}

std::vector<Claim> read_claims(const Value& answer) {
  std::vector<Claim> out;
  const Value* list = answer.find("claims");
  if (list == nullptr) {
    return out;
  }
  for (const Value& item : list->array()) {
    const Value* rule = item.find("rule");
    const Value* at = item.find("at");
    if (rule == nullptr || at == nullptr || out.size() == claims_max) {
      continue;
    }
    Claim claim;
    claim.rule = rule->str();
    claim.at = at->str();
    if (const Value* holds = item.find("holds"); holds != nullptr && holds->is(json::Kind::boolean)) {
      claim.outcome = holds->boolean ? Outcome::holds : Outcome::broken;
    }
    if (const Value* chunk = item.find("chunk"); chunk != nullptr && chunk->is(json::Kind::number)) {
      if (std::uint64_t number = 0; json::read_uint(chunk->str(), number)) {
        claim.chunk = number;
      }
    }
    claim.quote = text_of(item, "quote");
    claim.reason = text_of(item, "reason");
    out.push_back(std::move(claim));
  }
  return out;
}

Judgement settle(std::span<const Question> asked, std::span<const Claim> claims, std::span<const Passage> passages,
                 const Value& artifact, std::string_view artifact_text, ProofRules rules) {
  Judgement out;
  Sources sources(passages);
  // A claim speaks of the nearest place that was asked about: its own, else one that it stands in.
  std::vector<const Question*> meant(claims.size());
  for (std::size_t i = 0; i < claims.size(); ++i) {
    for (const Question& question : asked) {
      if (question.rule == claims[i].rule && is_at(claims[i].at, question.at) &&
          (meant[i] == nullptr || meant[i]->at.size() < question.at.size())) {
        meant[i] = &question;
      }
    }
    out.ignored += meant[i] == nullptr ? 1 : 0;
  }
  for (std::size_t number = 0; number < asked.size(); ++number) {
    const Question& question = asked[number];
    bool holds = false;
    bool broken = false;
    bool misquoted = false;
    const std::string said = said_at(artifact, question.at);
    std::string open;
    Proof proof;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const Claim& claim = claims[i];
      if (meant[i] != &question) {
        continue;
      }
      Quoted quoted = sources.look_for(claim, said);
      if (claim.outcome == Outcome::holds && quoted.verified && rules.shares_word && !is_about(quoted.quote, said)) {
        quoted = {false, 0, {}, "the judge's quote says nothing of what it is to prove"};
      }
      if (claim.outcome == Outcome::broken) {
        broken = true;
        Issue issue;
        Finding& finding = issue.finding;
        finding.id = static_cast<std::uint32_t>(out.issues.size() + 1);
        finding.rule = question.rule;
        finding.severity = question.severity;
        finding.finding_class = contract::FindingClass::meaning;
        finding.at = claim.at;
        finding.item = question.item;
        const std::string_view reason = claim.reason.empty() ? std::string_view(question.title) : claim.reason;
        finding.message = question.prefix.empty() ? "" : question.prefix + ": ";
        finding.message += claim.reason.empty() ? "Broken: " : "";
        finding.message += json::excerpt(reason, reason_code_points_max);
        finding.requirement = question.ask;
        finding.action = question.action;
        finding.schema_location = question.schema_location;
        finding.blocks = question.blocks;
        if (const Value* value = json::resolve(artifact, claim.at)) {
          const json::Place from = json::place_at(artifact_text, value->from);
          const json::Place to = json::place_at(artifact_text, value->to);
          finding.span = {from.byte, to.byte, from.utf16, to.utf16, from.line, from.column, to.line, to.column};
          finding.decided_at = to.byte;
        }
        if (quoted.verified) {
          issue.chunk = quoted.chunk;
          issue.quote = quoted.quote;
        }
        out.issues.push_back(std::move(issue));
      } else if (claim.outcome == Outcome::holds && quoted.verified) {
        holds = true;
        proof = {question.rule, question.at, quoted.chunk, quoted.quote};
      } else if (open.empty()) {
        misquoted = claim.outcome == Outcome::holds;
        open = claim.outcome == Outcome::holds ? quoted.why
               : claim.reason.empty()          ? "the judge could not tell"
                                               : json::excerpt(claim.reason, reason_code_points_max);
      }
    }
    if (broken) {
      continue;
    }
    if (!open.empty() || !holds) {
      if (open.empty() || misquoted) {
        out.again.push_back(number);
      }
      out.undecided.push_back(undecided(question, open.empty() ? "the judge said nothing of it" : open));
    } else {
      out.proofs.push_back(std::move(proof));
    }
  }
  return out;
}

std::string judgement_json(const Judgement& judgement) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("issues").begin_array();
  for (const Issue& issue : judgement.issues) {
    std::string text = contract::finding_json(issue.finding);
    if (issue.chunk) {
      text.pop_back();
      text += ",\"evidence\":";
      json::Writer(text).begin_object().member_uint("chunk", *issue.chunk).member("quote", issue.quote).end_object();
      text += '}';
    }
    json.raw(text);
  }
  json.end_array().key("undecided").begin_array();
  for (const contract::Undecided& one : judgement.undecided) {
    json.begin_object().member("rule", one.rule).member("at", one.at).member("reason", one.reason).end_object();
  }
  json.end_array().key("proofs").begin_array();
  for (const Proof& proof : judgement.proofs) {
    json.begin_object().member("rule", proof.rule).member("at", proof.at);
    json.member_uint("chunk", proof.chunk).member("quote", proof.quote).end_object();
  }
  json.end_array().member_uint("ignored", judgement.ignored).end_object();
  return out;
}

}  // namespace plumb::judge
