// The text of a source that an artifact is made from: Markdown and plain text as they are, HTML and PDF as a corpus
// reads them (native/search/document_file.hpp), HTML with its headings as Markdown has them.
#pragma once

#include <string>

#include "core/result.hpp"

namespace plumb::search {

// `name`: of the file, for its kind. `encoding`: of its bytes, or empty: UTF-8, or what an HTML page says itself. An
// error says what is wrong and what to do; its place is left to the caller.
Result<std::string> source_text(const std::string& name, std::string bytes, const std::string& encoding);

}  // namespace plumb::search
