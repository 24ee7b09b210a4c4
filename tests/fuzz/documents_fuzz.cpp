// Whatever bytes a file has: each reader gives lines that lie in the text, one behind the other, with lines of the file
// that are there; passages keep all of them and their bounds; quotes lie in their passage; a query is FTS5 phrases.
#include <algorithm>
#include <array>
#include <string>

#include "core/text/utf8.hpp"
#include "native/search/document.hpp"
#include "native/search/passages.hpp"
#include "native/search/query.hpp"
#include "native/search/quote.hpp"
#include "tests/fuzz/fuzzing.hpp"

namespace {

using namespace plumb::search;
using plumb::fuzz::expect;

void hold(const Document& document, std::string_view bytes) {
  const auto lines_max = static_cast<std::uint32_t>(std::count(bytes.begin(), bytes.end(), '\n')) + 1;
  std::size_t end = 0;
  for (const DocumentLine& line : document.lines) {
    expect(line.from >= end && line.from <= line.to && line.to <= document.text.size(),
           "lines lie in the text, one behind the other", std::to_string(line.from), bytes);
    expect(line.line >= 1 && line.line <= lines_max, "a line of the file is there", std::to_string(line.line), bytes);
    end = line.to;
  }
  std::string all;
  for (const Passage& one : passages_of(document)) {
    expect(!one.text.empty() && one.text.size() <= passage_bytes * 4 / 3 + 8, "a passage keeps its bounds", one.text,
           bytes);
    expect(one.lines.size() == static_cast<std::size_t>(std::count(one.text.begin(), one.text.end(), '\n')) + 1,
           "a passage knows the line of each of its lines", one.text, bytes);
    const std::string lines = lines_text(one.lines);
    for (std::size_t i = 0; i < one.lines.size(); ++i)
      expect(line_of(lines, i) == one.lines[i], "lines are read as they were written", lines, bytes);
    const Quote quote = best_quote(one.text, {}, {});
    expect(quote.where.from <= quote.where.to && quote.where.to <= one.text.size(), "a quote lies in its passage",
           one.text, bytes);
    all += one.text;
  }
  auto content = [](char c) { return c != '\n' && c != '\r' && c != ' ' && c != '\t' && c != '\f' && c != '\v'; };
  std::size_t wanted = 0;
  for (const DocumentLine& line : document.lines) {
    if (line.heading == 0)
      wanted +=
          static_cast<std::size_t>(std::count_if(document.line(line).begin(), document.line(line).end(), content));
  }
  const auto got = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), content));
  expect(got >= wanted, "no text is lost", std::to_string(wanted) + " and " + std::to_string(got), bytes);
}

void hold(const Query& query, std::string_view bytes) {
  expect(query.terms.size() <= query_terms_max, "a query keeps its bound", "", bytes);
  for (const Term& term : query.terms) {
    const std::string& match = term.match;
    expect(match.size() > 2 && match.front() == '"' && match.back() == '"' &&
               std::count(match.begin(), match.end(), '"') == 2,
           "a term is one phrase", match, bytes);
    expect(plumb::text::is_utf8(match), "a term is text", match, bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);  // NOLINT
  hold(plain_document(std::string(bytes)), bytes);
  hold(markdown_document(std::string(bytes)), bytes);
  hold(html_document(bytes), bytes);
  hold(man_document(bytes), bytes);
  hold(paged_document(std::string(bytes)), bytes);
  hold(read_query(bytes), bytes);
  return 0;
}
