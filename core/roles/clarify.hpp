// What Intake asks the user instead of starting research: one question, about what the first broken rule of its
// scorecard says.
//
//   std::optional<Clarification> ask = clarify(verdict);     of a verdict under the contract `intake`
//   ask->message                        "What about electric cars do you need to know: a number, a date, ...?"
//   clarification_json(*ask)            the tool call: {"tool":"textInput","arguments":{"message":...,"reason":...}}
//
// An objective of two to four sentences becomes a multiChoiceSelect of them. Nothing to ask where no rule is broken
// that the user could help with; what is left to a judge asks nothing yet. The questions are English.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/verdict.hpp"

namespace plumb::roles {

struct Clarification {
  std::string message;
  std::string reason;                // the broken rule's title
  std::vector<std::string> options;  // two to four, or none: free text
};

std::optional<Clarification> clarify(const contract::Verdict& verdict);
// Which of the readings that a judge has named is meant: "Mercury: planet or metal", "it may be the planet or the
// metal". A choice where they can be told apart, else a question with the judge's own words.
Clarification clarify_reading(std::string_view readings);
std::string clarification_json(const Clarification& clarification);

}  // namespace plumb::roles
