#include "core/workflow/evidence.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/text/fold.hpp"
#include "core/text/quotes.hpp"
#include "core/workflow/review.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t characters_min = 8;
constexpr std::size_t pieces_max = 12;  // lines, and quotes, of one evidence

// Without the sign of a diff, and without the "src/a.cpp:12: " that people write before a line.
std::string_view plain_line(std::string_view line) {
  line = text::trim(line);
  if (!line.empty() && (line.front() == '+' || line.front() == '-')) {
    line = text::trim(line.substr(1));
  }
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos && line.substr(0, colon).find_first_of(" (\"") == std::string_view::npos &&
      colon + 1 < line.size() && ascii::is_digit(line[colon + 1])) {
    const std::size_t end = line.find_first_not_of("0123456789:", colon + 1);
    line = end == std::string_view::npos ? line : text::trim(line.substr(end));
  }
  return line;
}

}  // namespace

Evidence::Evidence(std::span<const std::string> texts) : texts_(texts) {
  for (const std::string& one : texts) {
    rendered_.emplace_back(one);
  }
}

bool Evidence::found(std::string_view quote) const {
  if (text::is_blank(quote)) {
    return false;
  }
  return std::any_of(texts_.begin(), texts_.end(),
                     [&](const std::string& one) {
                       return text::find_quote(quote, one, characters_min).status == text::QuoteStatus::found;
                     }) ||
         std::any_of(rendered_.begin(), rendered_.end(), [&](const text::RenderedSource& one) {
           return one.find(quote).status == text::QuoteStatus::found;
         });
}

bool Evidence::has(std::string_view evidence) const {
  if (found(evidence) || found(plain_line(evidence))) {
    return true;
  }
  std::size_t lines = 0, proved = 0;
  bool all = true;
  for (std::size_t from = 0; from < evidence.size() && all; ++lines) {
    const std::size_t to = std::min(evidence.find('\n', from), evidence.size());
    const std::string_view line = plain_line(evidence.substr(from, to - from));
    // A bracket alone proves nothing and speaks against nothing.
    if (line.size() >= characters_min) {
      all = lines < pieces_max && found(line);
      proved += all ? 1 : 0;
    }
    from = to + 1;
  }
  if (all && proved > 0) {
    return true;
  }
  for (const char mark : {'`', '"'}) {
    std::size_t tried = 0;
    for (std::size_t from = evidence.find(mark); from != std::string_view::npos && tried < pieces_max; ++tried) {
      const std::size_t to = evidence.find(mark, from + 1);
      if (to == std::string_view::npos) {
        break;
      }
      if (found(evidence.substr(from + 1, to - from - 1))) {
        return true;
      }
      from = evidence.find(mark, to + 1);
    }
  }
  return false;
}

std::vector<std::string> evidence_of(const Changes& changes, std::span<const GateResult> gates) {
  std::vector<std::string> out;
  for (const Change& change : changes.files) {
    std::string now, before, both;
    for (const Hunk& hunk : change.hunks) {
      for (const DiffLine& line : hunk.lines) {
        now += line.sign == '-' ? "" : line.text + "\n";
        before += line.sign == '+' ? "" : line.text + "\n";
        both += line.sign + line.text + "\n";
      }
    }
    for (std::string* text : {&now, &before, &both}) {
      if (!text->empty()) {
        out.push_back(std::move(*text));
      }
    }
  }
  for (const GateResult& gate : gates) {
    out.push_back(gate.words + "\n" + gate.output);
  }
  return out;
}

bool is_evidence(std::string_view said, std::span<const std::string> evidence) { return Evidence(evidence).has(said); }

}  // namespace plumb::workflow
