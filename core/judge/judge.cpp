#include "core/judge/judge.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/ascii.hpp"
#include "core/contract/item_label.hpp"
#include "core/contract/render.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/positions.hpp"
#include "core/json/writer.hpp"
#include "core/text/fold.hpp"
#include "core/text/rendered_quote.hpp"
#include "core/wording.hpp"

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
  // A quote with an ellipsis: its parts, each behind the one before.
  static text::QuoteResult find_parts(std::string_view source, std::string_view quote) {
    text::QuoteResult out;
    bool long_enough = false;
    for (std::size_t from = 0; !quote.empty();) {
      const auto [end, size] = ellipsis_in(quote);
      const std::string_view part = quote.substr(0, end);
      quote.remove_prefix(std::min(end + size, quote.size()));
      if (part.find_first_not_of(" \t\n") == std::string_view::npos) {
        continue;
      }
      const text::RenderedSource rest(source.substr(from));
      text::QuoteResult found = rest.find(part);
      long_enough = long_enough || found.status == text::QuoteStatus::found;
      if (found.status == text::QuoteStatus::too_short) {
        found = rest.find_all_of(part, part);
      }
      if (found.status != text::QuoteStatus::found) {
        return {text::QuoteStatus::not_found, {}};
      }
      out.where.from = out.where.to == 0 ? from + found.where.from : out.where.from;
      out.where.to = from + found.where.to;
      from = out.where.to;
    }
    out.status = long_enough ? text::QuoteStatus::found : text::QuoteStatus::too_short;
    return out;
  }

  // Where the first ellipsis begins, and its bytes.
  static std::pair<std::size_t, std::size_t> ellipsis_in(std::string_view quote) {
    std::pair<std::size_t, std::size_t> out{quote.size(), 0};
    for (const std::string_view sign : {"[...]", "(...)", "[\xE2\x80\xA6]", "...", "\xE2\x80\xA6"}) {
      if (const std::size_t at = quote.find(sign); at < out.first) {
        out = {at, sign.size()};
      }
    }
    return out;
  }

  bool found_in(std::size_t i, std::string_view quote, std::string_view said, Quoted& out) {
    if (!rendered_[i]) {
      rendered_[i].emplace(passages_[i].text);
    }
    text::QuoteResult found = rendered_[i]->find(quote);
    if (found.status == text::QuoteStatus::not_found && ellipsis_in(quote).second > 0) {
      found = find_parts(passages_[i].text, quote);
    }
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

// The places that a claim names: as pointers, where one that was asked about is meant.
std::string place_in(std::string_view written, std::span<const Question> asked) {
  while (!written.empty() && (written.front() == ' ' || written.front() == '#' || written.front() == '$')) {
    written.remove_prefix(1);
  }
  while (!written.empty() && written.back() == ' ') {
    written.remove_suffix(1);
  }
  std::string pointer = written.empty() || written.front() == '/' ? "" : "/";
  for (const char c : written) {
    pointer += c == '[' || c == '.' ? "/" : c == ']' ? "" : std::string(1, c);
  }
  pointer.erase(0, pointer.starts_with("//") ? 1 : 0);
  const Question* named = nullptr;
  for (const Question& one : asked) {
    if (is_at(written, one.at)) {
      return std::string(written);
    }
    if (is_at(pointer, one.at)) {
      return pointer;
    }
    const std::string folded = text::fold(written, {.trim = true, .lowercase = true});
    const std::string label = text::fold(one.item, {.trim = true, .lowercase = true});
    if (!label.empty() && folded.starts_with(label) &&
        (folded.size() == label.size() || !ascii::is_alphanumeric(folded[label.size()]))) {
      named = &one;
    }
  }
  return named == nullptr ? std::string(written) : named->at;
}

std::vector<std::string> places_in(std::string_view written, std::span<const Question> asked) {
  const auto is_asked = [&](const std::string& place) {
    return std::any_of(asked.begin(), asked.end(), [&](const Question& one) { return is_at(place, one.at); });
  };
  if (asked.empty() || is_asked(std::string(written))) {
    return {std::string(written)};
  }
  std::vector<std::string> out;
  for (std::string_view rest = written; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    out.push_back(place_in(rest.substr(0, end), asked));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!is_asked(out.back())) {
      return {std::string(written)};
    }
  }
  return out.empty() ? std::vector<std::string>{std::string(written)} : out;
}

constexpr std::string_view rule_answerable = "answerable";
constexpr std::string_view rule_invented = "no-invention";
constexpr std::string_view rule_one_quote = "one-quote";
constexpr std::size_t one_quote_places_min = 3;
constexpr std::size_t label_code_points_max = 80;

class Settlement {
 public:
  Settlement(std::span<const Question> asked, std::span<const Claim> claims, std::span<const Passage> passages,
             const Value& artifact, std::string_view artifact_text, ProofRules rules)
      : asked_(asked), claims_(claims), sources_(passages), artifact_(artifact), text_(artifact_text), rules_(rules) {
    if (rules.floor) {
      floor_.emplace(passages);
    }
  }

  Judgement take() {
    // A claim belongs to its own place if a question asked about it, and otherwise to the nearest enclosing place that
    // a question asked about.
    meant_.resize(claims_.size());
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      for (const Question& question : asked_) {
        if (question.rule == claims_[i].rule && is_at(claims_[i].at, question.at) &&
            (meant_[i] == nullptr || meant_[i]->at.size() < question.at.size())) {
          meant_[i] = &question;
        }
      }
      out_.ignored += meant_[i] == nullptr ? 1 : 0;
    }
    for (std::size_t number = 0; number < asked_.size(); ++number) {
      settle_question(number);
    }
    doubt_inventions();
    warn_of_one_quote();
    return std::move(out_);
  }

 private:
  struct Place {
    Item item;
    std::string doubt;  // what words alone say against it
    bool of_answer = false;
    bool foreign = false;
  };

  const Place& place_of(const std::string& at) {
    const auto [found, is_new] = places_.try_emplace(at);
    Place& out = found->second;
    const Value* value = is_new ? json::resolve(artifact_, at) : nullptr;
    if (value == nullptr) {
      return out;
    }
    out.item = item_of(*value);
    if (!floor_) {
      return out;
    }
    out.foreign = floor_->is_foreign(out.item.said);
    const std::string lacking = floor_->lacking(out.item.stated);
    const std::string_view other = floor_->contradicting(out.item);
    if (!out.item.said.empty() && !says_something(out.item.said)) {
      out.doubt = "It says nothing that the source could prove";
    } else if (!lacking.empty()) {
      out.doubt = "Not in the source: " + lacking;
    } else if (!other.empty()) {
      out.doubt = "The source gives '" + json::excerpt(other, reason_code_points_max) + "' as the answer";
      out.of_answer = true;
    }
    return out;
  }

  // Checks whether a quote from the source proves the claim.
  void hold_to_rules(const Question& question, const Place& place, Quoted& quoted) const {
    const bool about = is_about(quoted.quote, place.item.said) ||
                       (floor_ && text::shares_content_word(quoted.quote, place.item.below));
    if (rules_.shares_word && !place.foreign && !about) {
      quoted = {false, 0, {}, "the judge's quote says nothing of what it is to prove"};
    } else if (floor_ && question.rule == rule_correct && !place.item.answer.empty() &&
               !floor_->holds_answer(place.item, quoted.quote)) {
      quoted = {false, 0, {}, "the judge's quote does not hold the answer"};
    }
  }

  void settle_question(std::size_t number) {
    const Question& question = asked_[number];
    const Place& place = place_of(question.at);
    bool holds = false;
    bool broken = false;
    bool misquoted = false;
    std::string open;
    Proof proof;
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      const Claim& claim = claims_[i];
      if (meant_[i] != &question) {
        continue;
      }
      Quoted quoted = sources_.look_for(claim, place.item.said);
      if (claim.outcome == Outcome::holds && quoted.verified) {
        hold_to_rules(question, place, quoted);
      }
      if (claim.outcome == Outcome::broken || (claim.outcome == Outcome::undecided && floor_)) {
        broken = true;
        report(question, claim.at, claim.reason.empty() ? without_reason(question, claim) : claim.reason, quoted);
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
    if (!broken && !place.doubt.empty() && !(place.of_answer && question.rule == rule_answerable)) {
      broken = true;
      report(question, question.at, place.doubt, {});
    }
    if (broken) {
      return;
    }
    if (!open.empty() || !holds) {
      if (open.empty() || misquoted) {
        out_.again.push_back(number);
      }
      out_.undecided.push_back(undecided(question, open.empty() ? "the judge said nothing of it" : open));
    } else {
      out_.proofs.push_back(std::move(proof));
    }
  }

  static std::string without_reason(const Question& question, const Claim& claim) {
    return (claim.outcome == Outcome::broken ? "Broken: " : "The source does not say: ") + question.title;
  }

  // What a message begins with. Where the contract has no label for it, a node is named by its own.
  std::string label_of(const Question& question) const {
    if (!question.prefix.empty()) {
      return question.prefix + ": ";
    }
    const Value* value = floor_ && !question.at.empty() ? json::resolve(artifact_, question.at) : nullptr;
    for (const json::Member& member : value == nullptr ? std::span<const json::Member>() : value->object()) {
      if (member.value.is(json::Kind::string)) {
        return "'" + json::excerpt(member.value.str(), label_code_points_max) + "': ";
      }
    }
    return {};
  }

  void report(const Question& question, const std::string& at, std::string_view reason, const Quoted& quoted) {
    Issue issue;
    Finding& finding = issue.finding;
    finding.id = static_cast<std::uint32_t>(out_.issues.size() + 1);
    finding.rule = question.rule;
    finding.severity = question.severity;
    finding.finding_class = contract::FindingClass::meaning;
    finding.at = at;
    finding.item = question.item;
    finding.message = label_of(question);
    finding.message += json::excerpt(reason, reason_code_points_max);
    finding.requirement = question.ask;
    finding.action = question.action;
    finding.schema_location = question.schema_location;
    finding.blocks = question.blocks;
    if (const Value* value = json::resolve(artifact_, at)) {
      const json::Place from = json::place_at(text_, value->from);
      const json::Place to = json::place_at(text_, value->to);
      finding.span = {from.byte, to.byte, from.utf16, to.utf16, from.line, from.column, to.line, to.column};
      finding.decided_at = to.byte;
    }
    if (quoted.verified) {
      issue.chunk = quoted.chunk;
      issue.quote = quoted.quote;
    }
    out_.issues.push_back(std::move(issue));
  }

  // An answer that nothing proves may be invented, whatever proves the rest of its question.
  void doubt_inventions() {
    const auto is_doubtful = [&](const Proof& proof) {
      const auto place = places_.find(proof.at);
      return floor_ && proof.rule == rule_invented && place != places_.end() && !place->second.item.answer.empty() &&
             std::any_of(
                 out_.undecided.begin(), out_.undecided.end(),
                 [&](const contract::Undecided& one) { return one.rule == rule_correct && one.at == proof.at; }) &&
             !floor_->holds_answer(place->second.item, proof.quote);
    };
    for (const Question& question : asked_) {
      const bool doubtful = std::any_of(out_.proofs.begin(), out_.proofs.end(), [&](const Proof& proof) {
        return proof.rule == question.rule && proof.at == question.at && is_doubtful(proof);
      });
      if (doubtful) {
        out_.undecided.push_back(undecided(question, "the judge has not proved the answer, which may be invented"));
      }
    }
    std::erase_if(out_.proofs, is_doubtful);
  }

  // A judge who proves everything by the same words has hardly read them.
  void warn_of_one_quote() {
    const std::vector<Proof>& proofs = out_.proofs;
    const bool same =
        std::all_of(proofs.begin(), proofs.end(), [&](const Proof& one) { return one.quote == proofs.front().quote; });
    std::vector<std::string_view> places;
    for (const Proof& one : proofs) {
      if (std::find(places.begin(), places.end(), one.at) == places.end()) {
        places.push_back(one.at);
      }
    }
    if (!floor_ || !same || places.size() < one_quote_places_min) {
      return;
    }
    Question warning;
    warning.rule = rule_one_quote;
    warning.severity = Severity::warning;
    report(warning, "", "The judge proved all " + counted(proofs.size(), "claim") + " by the same quote", {});
  }

  std::span<const Question> asked_;
  std::span<const Claim> claims_;
  Sources sources_;
  const Value& artifact_;
  std::string_view text_;
  ProofRules rules_;
  std::optional<Floor> floor_;
  std::vector<const Question*> meant_;
  std::map<std::string, Place> places_;
  Judgement out_;
};

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

std::vector<Claim> read_claims(const Value& answer, std::span<const Question> asked) {
  std::vector<Claim> out;
  const Value* list = answer.find("claims");
  if (list == nullptr) {
    return out;
  }
  for (const Value& item : list->array()) {
    const Value* rule = item.find("rule");
    const Value* at = item.find("at");
    if (rule == nullptr || at == nullptr) {
      continue;
    }
    Claim claim;
    claim.rule = rule->str();
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
    for (std::string& place : places_in(at->str(), asked)) {
      if (out.size() < claims_max) {
        out.push_back(claim);
        out.back().at = std::move(place);
      }
    }
  }
  return out;
}

Judgement settle(std::span<const Question> asked, std::span<const Claim> claims, std::span<const Passage> passages,
                 const Value& artifact, std::string_view artifact_text, ProofRules rules) {
  return Settlement(asked, claims, passages, artifact, artifact_text, rules).take();
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
