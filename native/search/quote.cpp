#include "native/search/quote.hpp"

#include <algorithm>

#include "core/ascii.hpp"

namespace plumb::search {

namespace {

using text::TextSpan;

constexpr std::size_t unit_bytes_max = 280;

void add_trimmed(std::string_view passage, std::size_t from, std::size_t to, std::vector<TextSpan>& out) {
  while (from < to && ascii::is_space(passage[from])) {
    ++from;
  }
  while (to > from && ascii::is_space(passage[to - 1])) {
    --to;
  }
  if (from < to) {
    out.push_back({from, to});
  }
}

// A long sentence at its line ends; a long line at a blank.
void add_unit(std::string_view passage, TextSpan span, std::vector<TextSpan>& out) {
  while (span.to - span.from > unit_bytes_max) {
    std::size_t at = passage.rfind('\n', span.from + unit_bytes_max);
    if (at == std::string_view::npos || at <= span.from) {
      at = passage.rfind(' ', span.from + unit_bytes_max);
    }
    if (at == std::string_view::npos || at <= span.from) {
      at = span.from + unit_bytes_max;
      while (at < span.to && (static_cast<unsigned char>(passage[at]) & 0xC0U) == 0x80U) {
        ++at;
      }
    }
    add_trimmed(passage, span.from, at, out);
    span.from = at;
  }
  add_trimmed(passage, span.from, span.to, out);
}

std::vector<TextSpan> units_of(std::string_view passage) {
  std::vector<TextSpan> out;
  for (const TextSpan& sentence : text::sentences(passage)) {
    add_unit(passage, sentence, out);
  }
  if (out.empty()) {
    add_unit(passage, {0, passage.size()}, out);
  }
  return out;
}

}  // namespace

Quote best_quote(std::string_view passage, const std::vector<TermPlace>& places, const std::vector<double>& weights) {
  const std::vector<TextSpan> units = units_of(passage);
  Quote best;
  if (units.empty()) {
    return best;
  }
  double best_score = -1;
  std::vector<char> seen(weights.size());
  for (std::size_t first = 0; first < units.size(); ++first) {
    for (std::size_t last = first; last < units.size() && last < first + 3; ++last) {
      const TextSpan where{units[first].from, units[last].to};
      if (last > first && where.to - where.from > quote_bytes_max) {
        break;
      }
      std::fill(seen.begin(), seen.end(), '\0');
      double weight = 0;
      for (const TermPlace& place : places) {
        if (place.where.from >= where.from && place.where.to <= where.to && seen[place.term] == 0) {
          seen[place.term] = 1;
          weight += weights[place.term];
        }
      }
      // Of two that hold the same the one with fewer sentences, then the first.
      const double score = weight * (1.0 - 0.06 * static_cast<double>(last - first));
      if (score > best_score + 1e-9) {
        best_score = score;
        best = {where, weight};
      }
    }
  }
  // What follows a short piece explains it.
  for (const TextSpan& unit : units) {
    if (unit.from >= best.where.to && best.where.to - best.where.from < 80 &&
        unit.to - best.where.from <= quote_bytes_max) {
      best.where.to = unit.to;
    }
  }
  return best;
}

}  // namespace plumb::search
