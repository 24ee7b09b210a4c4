// What a check measures of a history, so that rules and labels need not take a model's word for it.
//
// A context that has a list `history` of searches, oldest first, each {query, answer, sources: [{title, url}]}, is
// given a member `measured`, unless it has one. A contract reads it by a pointer: "context:/measured/no_change_streak".
//
//   searches            how many
//   duplicate_queries   how many asked, nearly, what one before had asked (core/text/novelty.hpp)
//   no_change_streak    how many at the end brought no progress
//   facts               different concrete facts in all answers, and in no query; options and paths are facts too
//   sources, domains    different addresses, and the hosts among them
//   last                the last of the cycles as a list of one; empty without a search
//   cycles              for each search {evidence_delta, novelty, grounding, facts_new, sources_new}
//
//   evidence_delta   progress    a concrete fact or a source that no earlier result had, from an answer with a source
//                                that is no generic narrative
//                    dead_end    no answer, or one that says that nothing was found and adds nothing
//                    no_change   everything else: the same again in other words
//   grounding        cited       sources, and the answer says which claim is from where ([1], an address, a title)
//                    weakly_cited  one of these alone       uncited  neither
//   novelty          of the query: new, near_duplicate, duplicate
//
// At most the last 1,000 searches are measured, and of an answer the first 20,000 bytes; `searches` counts them all.
#pragma once

#include <string>
#include <string_view>

#include "core/json/value.hpp"

namespace plumb::contract {

// {searches, ...} as JSON; `history` is the list.
std::string measure_history(const json::Value& history);

// The text of an answer that tells nothing that could be looked up: no number, date, quote, address, option,
// path, nor two names.
bool is_generic_narrative(std::string_view answer);

}  // namespace plumb::contract
