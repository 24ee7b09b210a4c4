// What `plumb search` and `plumb corpus` print.
#pragma once

#include <string>

#include "core/contract/render.hpp"
#include "core/pipelines/research/search_effect.hpp"
#include "native/search/corpus.hpp"

namespace plumb::cli {

std::string hits_text(const search::Hits& hits, const contract::TextStyle& style, std::size_t columns);
std::string web_text(const pipelines::research::SearchReply& reply, const contract::TextStyle& style,
                     std::size_t columns);

std::string refresh_text(const search::Corpus& corpus, const search::Refresh& done, const search::CorpusState& state);
std::string refresh_json(const search::Corpus& corpus, const search::Refresh& done, const search::CorpusState& state);
std::string state_text(const search::Corpus& corpus, const search::CorpusState& state);
std::string state_json(const search::Corpus& corpus, const search::CorpusState& state);

}  // namespace plumb::cli
