// How patterns are found. Conversations: topics.cpp. Code: places with the same mark in the same folder. Documents:
// sentences that say what is missing. Figures: columns whose later half differs from the earlier one.

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "core/ascii.hpp"
#include "core/extract/blocks.hpp"
#include "core/extract/discovery.hpp"
#include "core/extract/topics.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"
#include "core/wording.hpp"

namespace plumb::extract {

namespace {

using json::text_of;
using json::Value;

constexpr std::array<std::string_view, 6> marks = {"FIXME", "BUG:", "HACK", "XXX", "TODO", "deprecated"};
constexpr std::array<std::string_view, 14> gaps = {
    "not yet",    "not supported", "known issue",     "limitation",       "not implemented",
    "workaround", "unsupported",   "is experimental", "does not support", "to be done",
    "no support", "does not work", "coming soon",     "in a future"};
// "core/run" of "core/run/machine.cpp".
std::string folder_of(std::string_view path) {
  const std::size_t first = path.find('/');
  if (first == std::string_view::npos) {
    return "the top folder";
  }
  const std::size_t second = path.find('/', first + 1);
  return std::string(path.substr(0, second == std::string_view::npos ? first : second));
}

std::string folded(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c == '\n' ? ' ' : ascii::lower(c);
  }
  return out;
}

bool begins_with_one(std::string_view text, std::string_view list) {
  const text::Words words(text, 1);
  return words.size() > 0 && list.find(" " + std::string(words.folded(0)) + " ") != std::string_view::npos;
}

// A list of changes tells what was mended, and no opportunity: by its file's name, or a heading that is a version.
bool tells_changes(std::string_view path, std::string_view text) {
  const std::string name = folded(path.substr(path.rfind('/') + 1));
  for (const std::string_view start : {"change", "news", "history", "release"}) {
    if (name.starts_with(start)) {
      return true;
    }
  }
  std::string_view title = text.substr(0, text.find('\n'));
  title = ascii::trim_front(title, "# ");
  if (title.size() < 40 && begins_with_one(title,
                                           " added changed changelog changes deprecated fixed fixes release "
                                           "releases removed security unreleased ")) {
    return true;
  }
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    line = ascii::trim_front(line, "#= ");
    if (is_version(line)) {
      return true;
    }
  }
  return false;
}

std::vector<Pattern> marked_places(const std::vector<Piece>& pieces) {
  std::map<std::pair<std::string, std::string>, std::vector<const Piece*>> groups;
  for (const Piece& piece : pieces) {
    const std::string_view line = piece.text.substr(0, piece.text.find('\n'));
    for (const std::string_view mark : marks) {
      if (piece.id != piece.path && !tells_changes(piece.path, {}) && line.find(mark) != std::string_view::npos) {
        groups[{folder_of(piece.path), std::string(mark)}].push_back(&piece);
        break;
      }
    }
  }
  std::vector<Pattern> out;
  for (const auto& [key, places] : groups) {
    Pattern one;
    one.name = key.second + " in " + key.first;
    one.users = counted(places.size(), "place");
    one.description =
        one.users + " in " + key.first + (places.size() == 1 ? " is" : " are") + " marked " + key.second + ":";
    for (std::size_t i = 0; i < places.size(); ++i) {
      one.evidence.push_back(places[i]->id);
      if (i < 3) {
        const std::string_view line = places[i]->text.substr(0, places[i]->text.find('\n'));
        const std::size_t begin = std::min(line.find_first_not_of(" \t/*#"), line.size());
        one.description += " \"" + json::excerpt(line.substr(begin), 140) + "\" (" + std::string(places[i]->id) + ")";
      }
    }
    const bool bad = key.second == "FIXME" || key.second == "BUG:";
    one.severity = bad ? "high: marked as wrong" : "medium: marked as unfinished";
    one.confidence = confidence_of(places.size());
    out.push_back(std::move(one));
  }
  plumb::stable_sort(out, [](const Pattern& a, const Pattern& b) { return a.evidence.size() > b.evidence.size(); });
  return out;
}

std::vector<Pattern> told_gaps(const std::vector<Piece>& pieces) {
  std::map<std::string, Pattern> by_document;
  for (const Piece& piece : pieces) {
    if (tells_changes(piece.path, piece.text)) {
      continue;
    }
    const std::string text = folded(piece.text);
    for (const std::string_view gap : gaps) {
      const std::size_t at = text.find(gap);
      if (at == std::string::npos) {
        continue;
      }
      const std::size_t from = std::min(text.find_last_of(".!?#|", at) + 1, at);
      const std::size_t to = std::min(text.find_first_of(".!?|", at + gap.size()), text.size());
      std::string_view sentence = std::string_view(text).substr(from, to - from);
      sentence = ascii::trim_front(sentence, " -*");
      if (begins_with_one(sentence,
                          " add added adds changed drop dropped fix fixed fixes improved remove removed "
                          "removes renamed update updated ")) {
        break;
      }
      Pattern& one = by_document[std::string(piece.path)];
      one.evidence.push_back(piece.id);
      if (one.evidence.size() <= 3) {
        one.description += " \"" + json::excerpt(sentence, 160) + "\" (" + std::string(piece.id) + ")";
      }
      break;
    }
  }
  std::vector<Pattern> out;
  for (auto& [path, one] : by_document) {
    one.name = "Limits told in " + path;
    one.users = counted(one.evidence.size(), "section");
    one.description = one.users + " of " + path + " say what is missing or limited:" + one.description;
    one.severity = "low: it is documented";
    one.confidence = confidence_of(one.evidence.size());
    out.push_back(std::move(one));
  }
  plumb::stable_sort(out, [](const Pattern& a, const Pattern& b) { return a.evidence.size() > b.evidence.size(); });
  return out;
}

// "12.5" in thousandths; false where it is no number.
bool read_figure(std::string_view text, std::int64_t& out) {
  std::int64_t number = 0;
  std::size_t decimals = 0;
  bool point = false;
  bool any = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
    } else if (ascii::is_digit(c) && number < 1'000'000'000'000) {
      any = true;
      if (decimals < 3) {
        number = number * 10 + (c - '0');
        decimals += point ? 1 : 0;
      }
    } else {
      return false;
    }
  }
  for (; decimals < 3; ++decimals) {
    number *= 10;
  }
  out = number;
  return any;
}

// Thousandths as a number with at most two decimals.
std::string figure_text(std::int64_t thousandths) {
  const auto hundredths = static_cast<std::uint64_t>((thousandths + 5) / 10);
  const std::string decimals = json::uint_text(hundredths % 100 + 100).substr(1);
  const std::size_t end = decimals == "00" ? 0 : decimals.back() == '0' ? 1 : 2;
  return json::uint_text(hundredths / 100) + (end == 0 ? "" : "." + decimals.substr(0, end));
}

std::vector<Pattern> changed_figures(const std::vector<Piece>& pieces) {
  std::map<std::string, std::vector<std::pair<std::int64_t, std::size_t>>> columns;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    for (std::string_view rest = pieces[p].text; !rest.empty();) {
      const std::size_t end = std::min(rest.find("; "), rest.size());
      const std::string_view cell = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 2, rest.size()));
      const std::size_t colon = cell.find(": ");
      std::int64_t figure = 0;
      if (colon != std::string_view::npos && read_figure(cell.substr(colon + 2), figure)) {
        columns[std::string(cell.substr(0, colon))].emplace_back(figure, p);
      }
    }
  }
  std::vector<Pattern> out;
  for (const auto& [name, figures] : columns) {
    if (figures.size() < 4) {
      continue;
    }
    const std::size_t half = figures.size() / 2;
    std::int64_t before = 0;
    std::int64_t after = 0;
    for (std::size_t i = 0; i < figures.size(); ++i) {
      (i < half ? before : after) += figures[i].first;
    }
    before /= static_cast<std::int64_t>(std::max<std::size_t>(half, 1));
    after /= static_cast<std::int64_t>(std::max<std::size_t>(figures.size() - half, 1));
    const std::int64_t change = before == 0 ? 0 : (after - before) * 100 / before;
    if (change > -20 && change < 25) {
      continue;
    }
    Pattern one;
    const bool falls = change < 0;
    const std::string percent = json::uint_text(static_cast<std::uint64_t>(falls ? -change : change));
    one.name = name;
    if (change >= 200) {
      one.name += " is " + json::uint_text(static_cast<std::uint64_t>(change) / 100 + 1) + " times as high";
    } else {
      one.name.append(falls ? " falls by " : " rises by ").append(percent).append("%");
    }
    one.description = name;
    one.description += ": " + figure_text(before) + " on average in the earlier half of " +
                       json::uint_text(figures.size()) + " points, " + figure_text(after) + " in the later half.";
    one.users = json::uint_text(figures.size()) + " points";
    one.severity = change < -50 || change > 100 ? "high: it changes by more than half" : "medium: it changes";
    one.confidence = confidence_of(figures.size());
    for (const std::size_t i : {std::size_t{0}, half, figures.size() - 1}) {
      one.evidence.push_back(pieces[figures[i].second].id);
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::string patterns_in(std::string_view source, const Value& units) {
  std::vector<Piece> pieces;
  for (const Value& unit : units.array()) {
    pieces.push_back({text_of(unit, "id"), text_of(unit, "path"), text_of(unit, "text")});
  }
  const std::vector<Pattern> found = source == "repo"        ? marked_places(pieces)
                                     : source == "docs"      ? told_gaps(pieces)
                                     : source == "analytics" ? changed_figures(pieces)
                                                             : topics(pieces);
  std::string out;
  json::Writer json(out);
  json.begin_object().key("findings").begin_array();
  for (std::size_t i = 0; i < std::min(found.size(), patterns_max); ++i) {
    const Pattern& one = found[i];
    json.begin_object().member("pattern_name", one.name).member("description", one.description);
    json.member("severity_assessment", one.severity).member("affected_users_estimate", one.users);
    json.key("evidence").begin_array();
    for (const std::string_view id : one.evidence) {
      json.string(id);
    }
    json.end_array().member("confidence", one.confidence).end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace plumb::extract
