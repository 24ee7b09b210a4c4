#include "native/search/readings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/ascii.hpp"
#include "core/text/fold.hpp"
#include "core/text/mentions.hpp"
#include "core/text/phrases.hpp"
#include "core/text/sentences.hpp"

namespace plumb::search {

namespace {

constexpr std::size_t looked_at = 40;      // hits
constexpr std::size_t words_of_hit = 400;  // of a passage
constexpr double as_good = 0.5;            // of the best score: what competes with it
constexpr std::size_t as_many = 4;         // a group with less than a quarter of the largest's hits is chance
constexpr double one_group_from = 0.16;    // cosine of two passages about the same thing
constexpr std::size_t word_letters_min = 3;

// The content words of a hit, by what is left of them without their ending; headings say most of what it is about.
struct Weighed {
  double weight = 0;
  std::string word;  // the shortest of its forms
};
using Profile = std::map<std::string, Weighed>;

void add(Profile& profile, std::string_view stem, std::string_view word, double weight) {
  Weighed& one = profile[std::string(stem)];
  one.weight += weight;
  if (one.word.empty() || word.size() < one.word.size()) {
    one.word = std::string(word);
  }
}

bool is_of_query(std::string_view word, const Query& query) {
  for (const Term& term : query.terms) {
    const text::Words words(term.match);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view other = words.folded(i);
      if (text::same_word(word, other) || (other.size() > 3 && word.starts_with(other))) {
        return true;
      }
    }
  }
  return false;
}

bool has_digit(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return ascii::is_digit(c); });
}

void add_words(std::string_view from, double weight, const Query& query, Profile& out) {
  const text::Words words(from, words_of_hit);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words.folded(i);
    if (word.size() < word_letters_min || has_digit(word) || text::is_function_word(word) ||
        text::is_request_word(word) || is_of_query(word, query)) {
      continue;
    }
    add(out, text::without_ending(word), word, weight);
  }
}

Profile profile_of(const Hit& hit, const Query& query) {
  Profile out;
  add_words(hit.title, 2, query, out);
  add_words(hit.heading, 2, query, out);
  add_words(hit.passage, 1, query, out);
  return out;
}

double cosine(const Profile& a, const Profile& b) {
  double dot = 0;
  double aa = 0;
  double bb = 0;
  for (const auto& [stem, one] : a) {
    aa += one.weight * one.weight;
    if (const auto found = b.find(stem); found != b.end()) {
      dot += one.weight * found->second.weight;
    }
  }
  for (const auto& [stem, one] : b) {
    bb += one.weight * one.weight;
  }
  return aa > 0 && bb > 0 ? dot / std::sqrt(aa * bb) : 0;
}

std::vector<std::string> words_of(std::string_view title) {
  std::vector<std::string> out;
  const text::Words words(title, 32);
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.emplace_back(words.folded(i));
  }
  return out;
}

// "crontab(5)" for crontab: what the title says besides the query; false: it is titled with something else.
bool is_titled(const Hit& hit, const Query& query, std::string& besides) {
  std::vector<std::string> wanted;
  for (const Term& term : query.terms) {
    for (std::string& word : words_of(term.match)) {
      wanted.push_back(std::move(word));
    }
  }
  const std::vector<std::string> title = words_of(hit.title);
  if (title.size() < wanted.size() || title.size() > wanted.size() + 1 ||
      !std::equal(wanted.begin(), wanted.end(), title.begin())) {
    return false;
  }
  besides = title.size() > wanted.size() ? title.back() : std::string();
  return true;
}

struct Group {
  Profile words;
  std::vector<std::size_t> hits;
  std::set<std::string> paths;
};

std::string query_text(const Query& query) {
  std::string out;
  for (const Term& term : query.terms) {
    out += (out.empty() ? "" : " ") + term.written;
  }
  return out;
}

std::string reading_text(const Query& query, const std::string& word, const Hit& hit) {
  std::string out = query_text(query) + " (" + word + "): " + hit.title;
  const std::string section =
      hit.heading.substr(hit.heading.rfind(" > ") == std::string::npos ? 0 : hit.heading.rfind(" > ") + 3);
  if (!section.empty() && section != hit.title) {
    out += ", " + section;
  }
  return out;
}

// The readings with their hits: the best hit of each first, then the others as long as there is room.
std::vector<HitReading> settle(std::vector<HitReading> readings, std::vector<Hit>& hits, std::size_t limit) {
  std::vector<Hit> kept;
  const std::size_t most = std::max(limit, readings.size());
  std::vector<std::vector<std::size_t>> own(readings.size());
  for (std::size_t round = 0; round < looked_at && kept.size() < most; ++round) {
    for (std::size_t i = 0; i < readings.size() && kept.size() < most; ++i) {
      if (round < readings[i].hits.size()) {
        own[i].push_back(kept.size());
        kept.push_back(hits[readings[i].hits[round]]);
      }
    }
  }
  for (std::size_t i = 0; i < readings.size(); ++i) {
    readings[i].hits = std::move(own[i]);
  }
  hits = std::move(kept);
  return readings;
}

std::vector<HitReading> titled_readings(const Query& query, const std::vector<Hit>& hits, bool& meant) {
  std::map<std::string, HitReading> by_word;
  std::set<std::string> paths;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    std::string besides;
    if (!is_titled(hits[i], query, besides)) {
      continue;
    }
    paths.insert(hits[i].path);
    HitReading& reading = by_word[besides];
    if (reading.hits.empty()) {
      reading.word = besides;
      reading.reading = hits[i].title;
    }
    reading.hits.push_back(i);
  }
  meant = !paths.empty() && by_word.size() < 2;
  std::vector<HitReading> out;
  if (by_word.size() < 2 || by_word.find("") != by_word.end()) {
    return out;
  }
  for (auto& [word, reading] : by_word) {
    out.push_back(std::move(reading));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const HitReading& a, const HitReading& b) { return a.hits.front() < b.hits.front(); });
  if (out.size() > readings_max) {
    out.resize(readings_max);
  }
  return out;
}

std::vector<Group> groups_of(const Query& query, const std::vector<Hit>& hits) {
  std::vector<Group> groups;
  double best = 0;
  for (const Hit& hit : hits) {
    best = std::max(best, hit.score);
  }
  for (std::size_t i = 0; i < hits.size() && i < looked_at; ++i) {
    const Hit& hit = hits[i];
    if (hit.terms.size() < query.terms.size() || hit.score < as_good * best) {
      continue;
    }
    const Profile profile = profile_of(hit, query);
    Group* near = nullptr;
    double nearest = one_group_from;
    for (Group& group : groups) {
      const double how = group.paths.count(hit.path) > 0 ? 1.0 : cosine(profile, group.words);
      if (how >= nearest) {
        nearest = how;
        near = &group;
      }
    }
    if (near == nullptr) {
      groups.emplace_back();
      near = &groups.back();
    }
    near->hits.push_back(i);
    near->paths.insert(hit.path);
    for (const auto& [stem, one] : profile) {
      add(near->words, stem, one.word, one.weight);
    }
  }
  return groups;
}

// The word that is most frequent in the group and in no other.
std::string own_word(const std::vector<Group>& groups, std::size_t which) {
  std::string best;
  double most = 1.5;  // a word that comes once may be chance
  for (const auto& [stem, one] : groups[which].words) {
    bool elsewhere = false;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      elsewhere = elsewhere || (i != which && groups[i].words.find(stem) != groups[i].words.end());
    }
    if (!elsewhere && one.weight > most) {
      most = one.weight;
      best = one.word;
    }
  }
  return best;
}

}  // namespace

std::vector<HitReading> readings_of(const Query& query, std::vector<Hit>& hits, std::size_t limit) {
  bool meant = false;
  std::vector<HitReading> titled = titled_readings(query, hits, meant);
  if (titled.size() >= 2) {
    return settle(std::move(titled), hits, limit);
  }
  if (meant) {
    return {};
  }
  std::vector<Group> groups = groups_of(query, hits);
  if (groups.size() > readings_max) {
    groups.resize(readings_max);
  }
  std::size_t largest = 0;
  for (const Group& group : groups) {
    largest = std::max(largest, group.hits.size());
  }
  std::vector<HitReading> out;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].hits.size() * as_many < largest) {
      continue;
    }
    const std::string word = own_word(groups, i);
    if (!word.empty()) {
      out.push_back({reading_text(query, word, hits[groups[i].hits.front()]), word, groups[i].hits});
    }
  }
  return out.size() < 2 ? std::vector<HitReading>() : settle(std::move(out), hits, limit);
}

}  // namespace plumb::search
