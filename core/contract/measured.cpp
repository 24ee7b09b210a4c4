#include "core/contract/measured.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "core/ascii.hpp"
#include "core/json/writer.hpp"
#include "core/text/code_names.hpp"
#include "core/text/facts.hpp"
#include "core/text/fold.hpp"
#include "core/text/novelty.hpp"
#include "core/text/quotes.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::size_t cycles_max = 1000;
constexpr std::size_t answer_bytes_max = 20000;
constexpr std::size_t nothing_found_bytes_max = 400;

struct Cycle {
  std::string_view delta;
  std::string_view novelty;
  std::string_view grounding;
  std::size_t facts_new = 0;
  std::size_t sources_new = 0;
};

std::string_view answer_text(const json::Value& object, std::string_view name) {
  const json::Value* member = object.find(name);
  const std::string_view text = member != nullptr && member->is(Kind::string) ? member->str() : std::string_view();
  return text.substr(0, answer_bytes_max);
}

// An address, reduced to what identifies a page: https://www.Example.org/a/#b becomes example.org/a.
std::string address_of(std::string_view url) {
  std::string folded = text::fold(url, {.trim = true, .lowercase = true});
  std::string_view rest = folded;
  if (const std::size_t at = rest.find("://"); at != std::string_view::npos) {
    rest.remove_prefix(at + 3);
  }
  if (rest.starts_with("www.")) {
    rest.remove_prefix(4);
  }
  rest = rest.substr(0, rest.find('#'));
  while (!rest.empty() && rest.back() == '/') {
    rest.remove_suffix(1);
  }
  return std::string(rest);
}

bool has_citation_mark(std::string_view answer) {
  for (std::size_t at = answer.find('['); at != std::string_view::npos; at = answer.find('[', at + 1)) {
    std::size_t end = at + 1;
    while (end < answer.size() && ascii::is_digit(answer[end])) {
      ++end;
    }
    if (end > at + 1 && end < answer.size() && (answer[end] == ']' || answer[end] == ',')) {
      return true;
    }
  }
  return false;
}

// True if the answer itself names the source of a claim.
bool attributes(std::string_view answer, const std::vector<std::string_view>& titles) {
  if (has_citation_mark(answer) || !text::facts(answer, text::fact_bit(text::FactKind::url)).empty()) {
    return true;
  }
  constexpr std::size_t title_bytes_min = 4;
  return std::any_of(titles.begin(), titles.end(), [&](std::string_view title) {
    return title.size() >= title_bytes_min && text::find_folded(title, answer, {.lowercase = true}).has_value();
  });
}

bool says_nothing_found(std::string_view answer) {
  if (answer.size() > nothing_found_bytes_max) {
    return false;
  }
  for (const std::string_view phrase :
       {"no results", "no information", "no data", "not found", "nothing found", "could not find", "couldn't find",
        "unable to find", "no relevant", "did not find", "didn't find", "not available"}) {
    if (text::find_folded(phrase, answer, {.lowercase = true})) {
      return true;
    }
  }
  return false;
}

// Everything that earlier searches have brought.
class History {
 public:
  Cycle add(const json::Value& search) {
    Cycle cycle;
    const std::string_view query = answer_text(search, "query");
    const std::string_view answer = answer_text(search, "answer");
    cycle.novelty = text::novelty_name(queries_.judge(query).novelty);
    queries_.add(query);
    for (const text::TextSpan where : facts_of(query)) {
      asked_.insert(folded(query, where));
    }
    for (const text::TextSpan where : facts_of(answer)) {
      std::string one = folded(answer, where);
      if (asked_.count(one) == 0 && facts_.insert(std::move(one)).second) {
        ++cycle.facts_new;
      }
    }
    std::vector<std::string_view> titles;
    std::size_t count = 0;
    if (const json::Value* sources = search.find("sources"); sources != nullptr) {
      for (const json::Value& source : sources->array()) {
        const std::string_view url = source.is(Kind::string) ? source.str() : answer_text(source, "url");
        const std::string address = address_of(url);
        titles.push_back(answer_text(source, "title"));
        if (address.empty()) {
          continue;
        }
        ++count;
        domains_.insert(address.substr(0, address.find_first_of("/?:")));
        cycle.sources_new += sources_.insert(address).second ? 1 : 0;
      }
    }
    const bool attributed = attributes(answer, titles);
    cycle.grounding = count > 0 && attributed ? "cited" : count > 0 || attributed ? "weakly_cited" : "uncited";
    const bool added = cycle.facts_new + cycle.sources_new > 0;
    if (count > 0 && added && !is_generic_narrative(answer)) {
      cycle.delta = "progress";
    } else if (text::is_blank(answer) || (cycle.sources_new == 0 && says_nothing_found(answer))) {
      cycle.delta = "dead_end";
    } else {
      cycle.delta = "no_change";
    }
    return cycle;
  }

  std::size_t facts() const { return facts_.size(); }
  std::size_t sources() const { return sources_.size(); }
  std::size_t domains() const { return domains_.size(); }

 private:
  static std::vector<text::TextSpan> facts_of(std::string_view text) {
    std::vector<text::TextSpan> out = text::code_names(text);
    for (const text::Fact& fact : text::facts(text)) {
      out.push_back(fact.where);
    }
    return out;
  }

  static std::string folded(std::string_view text, text::TextSpan where) {
    return text::fold(text::piece(text, where), {.trim = true, .lowercase = true});
  }

  text::Earlier queries_;
  std::set<std::string> asked_;
  std::set<std::string> facts_;
  std::set<std::string> sources_;
  std::set<std::string> domains_;
};

void write_cycle(json::Writer& json, const Cycle& cycle) {
  json.begin_object();
  json.member("evidence_delta", cycle.delta).member("novelty", cycle.novelty).member("grounding", cycle.grounding);
  json.member_uint("facts_new", cycle.facts_new).member_uint("sources_new", cycle.sources_new);
  json.end_object();
}

}  // namespace

bool is_generic_narrative(std::string_view answer) {
  if (text::is_blank(answer)) {
    return false;
  }
  const auto names = text::fact_bit(text::FactKind::name);
  const auto others = static_cast<text::FactKinds>(text::all_facts & ~names);
  return text::code_names(answer).empty() && text::has_facts(answer, others, 1) == text::Judgement::broken &&
         text::has_facts(answer, names, 2) == text::Judgement::broken;
}

std::string measure_history(const json::Value& history) {
  const std::size_t size = history.array().size();
  History known;
  std::vector<Cycle> cycles;
  for (const json::Value& search : history.array().subspan(size - std::min(size, cycles_max))) {
    cycles.push_back(known.add(search));
  }
  std::size_t duplicates = 0;
  std::size_t streak = 0;
  for (const Cycle& cycle : cycles) {
    duplicates += cycle.novelty != text::novelty_name(text::Novelty::fresh) ? 1 : 0;
    streak = cycle.delta == "progress" ? 0 : streak + 1;
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member_uint("searches", size).member_uint("duplicate_queries", duplicates);
  json.member_uint("no_change_streak", streak).member_uint("facts", known.facts());
  json.member_uint("sources", known.sources()).member_uint("domains", known.domains());
  json.key("last").begin_array();
  if (!cycles.empty()) {
    write_cycle(json, cycles.back());
  }
  json.end_array().key("cycles").begin_array();
  for (const Cycle& cycle : cycles) {
    write_cycle(json, cycle);
  }
  json.end_array().end_object();
  return out;
}

}  // namespace plumb::contract
