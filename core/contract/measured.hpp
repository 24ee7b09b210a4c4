// Measures a search history, so that rules and labels need not believe a model's own account of its progress.
//
// If the context has a list `history` of searches, oldest first, each {query, answer, sources: [{title, url}]}, and no
// member `measured`, a check adds `measured`. A contract reads it by a pointer such as
// "context:/measured/no_change_streak".
//
//   searches            the number of searches
//   duplicate_queries   the number of queries that nearly repeat an earlier one (core/text/novelty.hpp)
//   no_change_streak    the number of searches at the end that brought no progress
//   facts               the number of different concrete facts, options and paths in answers that are in no query
//   sources, domains    the number of different addresses, and of their hosts
//   last                a list of one: the last entry of `cycles`; empty if there was no search
//   cycles              for each search {evidence_delta, novelty, grounding, facts_new, sources_new}
//
//   evidence_delta   progress    a concrete fact or a source that no earlier result had, in an answer that has a source
//                                and is not a generic narrative
//                    dead_end    no answer, or one that says that nothing was found and adds nothing
//                    no_change   all others: they repeat what was known
//   grounding        cited       there are sources, and the answer says which claim is from which ([1], an address,
//                                a title)
//                    weakly_cited  only one of these
//                    uncited       neither
//   novelty          of the query: new, near_duplicate or duplicate
//
// Only the last 1,000 searches, and the first 20,000 bytes of each answer, are measured; `searches` counts them all.
#pragma once

#include <string>
#include <string_view>

#include "core/json/value.hpp"

namespace plumb::contract {

// The member `measured` as JSON text. `history` is the list of searches.
std::string measure_history(const json::Value& history);

// True for an answer in which nothing can be looked up: no number, date, quote, address, option or path, and not two
// names.
bool is_generic_narrative(std::string_view answer);

}  // namespace plumb::contract
