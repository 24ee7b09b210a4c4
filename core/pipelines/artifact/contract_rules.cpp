#include "core/pipelines/artifact/contract_rules.hpp"

#include <algorithm>
#include <string_view>

#include "core/ascii.hpp"
#include "core/derive/derive.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"

namespace plumb::pipelines::artifact {

namespace {

// "/properties/questions/items/properties/options/minItems" -> "questions/*/options".
std::string readable_place(std::string_view location) {
  std::string out;
  const Result<std::vector<std::string>> tokens = json::parse_pointer(location);
  if (!tokens) {
    return out;
  }
  const std::vector<std::string>& all = tokens.value();
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const bool named = all[i] == "properties" || all[i] == "$defs";
    if (named) {
      out += (out.empty() ? "" : "/") + all[++i];
    } else if (all[i] == "items") {
      out += out.empty() ? "*" : "/*";
    }
  }
  return out;
}

}  // namespace

std::vector<Rule> rules_of(const contract::Contract& contract) {
  std::vector<Rule> out;
  const Result<derive::Derived> derived = derive::derive(contract, derive::Target::prompt);
  for (const derive::ResidualRule& rule : derived ? derived.value().residual : std::vector<derive::ResidualRule>()) {
    if (rule.keyword == "type") {
      continue;
    }
    const json::Value* own = json::resolve(contract.tree(), rule.schema_location);
    std::string sentence = rule.sentence;
    if (own != nullptr && own->find("ask") != nullptr) {
      sentence = text_of(*own, "ask");
    }
    while (!sentence.empty() && sentence.back() == '.') {
      sentence.pop_back();
    }
    out.push_back({rule.schema_location, readable_place(rule.schema_location), std::move(sentence),
                   rule.keyword == "required" || rule.keyword == "dependentRequired"});
  }
  return out;
}

std::string rules_text(const contract::Contract& contract, bool outlined, const std::string& more) {
  std::vector<Rule> places;
  std::string out;
  std::size_t number = 0;
  auto line = [&](const std::string& text) {
    ++number;
    out += (number == 1 ? "" : "\n") + json::uint_text(number) + ". " + text + ".";
  };
  for (Rule& rule : rules_of(contract)) {
    const auto known =
        std::find_if(places.begin(), places.end(), [&](const Rule& one) { return one.place == rule.place; });
    if (outlined && rule.is_outline) {
      continue;
    }
    if (rule.place.empty() || known == places.end()) {
      places.push_back(std::move(rule));
    } else if ((". " + known->text + ". ").find(". " + rule.text + ". ") == std::string::npos) {
      known->text += ". " + rule.text;  // both bounds of an exact number say the same
    }
  }
  for (const Rule& place : places) {
    line((place.place.empty() ? "" : "`" + place.place + "`: ") + place.text);
  }
  if (!more.empty()) {
    line(ascii::upper(more.front()) + more.substr(1));
  }
  if (number == 0) {
    line("The artifact keeps its contract");
  }
  return out;
}

}  // namespace plumb::pipelines::artifact
