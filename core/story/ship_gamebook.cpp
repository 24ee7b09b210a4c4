// The gamebook: numbered sections in an order that tells nothing. What play proves for every reader of a section is
// printed; where how an entity looks differs among them, the passage has a section for each case, at most four, and the
// ways lead to the right one. Beyond four, or where play walked not all states, the cases are sections of their own
// that the passage's refers to. Only words that something asks for are written down.
#include <algorithm>
#include <map>
#include <set>

#include "core/ascii.hpp"
#include "core/story/idle.hpp"
#include "core/story/looks.hpp"
#include "core/story/reader_page.hpp"
#include "core/story/ship.hpp"
#include "core/story/ship_parts.hpp"

namespace plumb::story {

namespace {

constexpr std::size_t cases_max = 4, shuffles = 20;
constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

using Case = std::vector<const BookOverlay*>;  // of each of the passage's looks the one that is shown; nullptr: none

struct Section {
  std::size_t passage = 0;
  Case shown;                          // empty: none is printed here
  std::vector<std::uint64_t> held;     // with what readers come here
  const BookOverlay* aside = nullptr;  // the section is this look alone
  const BookEntity* entity = nullptr;
  std::size_t from = nowhere;  // and returns there
};

// A line of a section: if all these words are written down, on to that section.
struct Turn {
  Texts words;
  std::size_t to = nowhere;
  std::string label;
};

class Gamebook {
 public:
  Gamebook(const Book& book, const ReaderWords& words)
      : book_(book), words_(words), reached_(reached_states(book)), looks_(looks_of(book)) {
    for (std::size_t p = 0; p < book.passages.size(); ++p) {
      split(p);
    }
    for (std::size_t s = 0; s < sections_.size(); ++s) {
      turns_.emplace_back();
      asides_.emplace_back();
      for (std::size_t w = 0; sections_[s].aside == nullptr && w < passage(s).ways.size(); ++w) {
        turns_[s].push_back(turns_of(sections_[s], w));
      }
    }
    refer_to_asides();
    name_words();
    number();
  }

  std::string text() const;

 private:
  const BookPassage& passage(std::size_t section) const { return book_.passages[sections_[section].passage]; }

  void split(std::size_t p);
  std::vector<Turn> turns_of(const Section& from, std::size_t way) const;
  void add_turns(std::vector<Turn>& out, const Route& route, const std::vector<std::uint64_t>& rest,
                 const std::vector<std::uint64_t>& taking, const PlainRoute& plain) const;
  void refer_to_asides();
  void name_words();
  void number();
  bool is_start(std::size_t section) const;
  std::vector<std::size_t> shuffled(std::uint64_t& state) const;
  std::size_t neighbours(const std::vector<std::size_t>& order) const;

  Case case_of(std::size_t p, std::uint64_t held) const;
  // Of these words those that not every one of these readers has.
  Texts open_words(Texts words, const std::vector<std::uint64_t>& held) const;
  std::string condition(const Turn& turn, bool first) const;
  std::string names_of(const Texts& words) const;
  std::string turn_to(Word word, std::size_t section) const;
  std::string ways_text(std::size_t section) const;
  std::string body_text(std::size_t section) const;
  std::string section_text(std::size_t section) const;

  const Book& book_;
  const ReaderWords& words_;
  Reached reached_;
  std::vector<std::vector<Look>> looks_;
  std::vector<Section> sections_;
  std::vector<std::vector<std::size_t>> of_passage_;
  std::vector<std::vector<std::vector<Turn>>> turns_;   // of each section, way
  std::vector<std::vector<std::vector<Turn>>> asides_;  // of each section, look
  std::map<std::string, std::string> written_;          // words that are asked for, and how a reader writes them down
  std::vector<std::size_t> numbers_, order_;
};

Case Gamebook::case_of(std::size_t p, std::uint64_t held) const {
  Case out;
  for (const Look& one : looks_[p]) {
    out.push_back(overlay_for(*one.entity, reached_.plain, held));
  }
  return out;
}

void Gamebook::split(std::size_t p) {
  of_passage_.emplace_back();
  std::vector<Section> cases;
  for (const std::uint64_t held : reached_.held[p]) {
    Case shown = case_of(p, held);
    const auto at = std::find_if(cases.begin(), cases.end(), [&](const Section& one) { return one.shown == shown; });
    Section& into = at == cases.end() ? cases.emplace_back(Section{p, std::move(shown), {}}) : *at;
    into.held.push_back(held);
  }
  if (cases.empty() || cases.size() > cases_max) {
    cases = {Section{p, {}, reached_.held[p]}};
  }
  for (Section& one : cases) {
    of_passage_[p].push_back(sections_.size());
    sections_.push_back(std::move(one));
  }
}

Texts Gamebook::open_words(Texts words, const std::vector<std::uint64_t>& held) const {
  if (!held.empty()) {
    const auto sure = [&](const std::string& word) {
      const std::uint64_t bit = reached_.plain.bits({word});
      return std::all_of(held.begin(), held.end(), [bit](std::uint64_t one) { return (one & bit) != 0; });
    };
    words.erase(std::remove_if(words.begin(), words.end(), sure), words.end());
  }
  return words;
}

// The sections of where the route leads, each with the words that tell it from those behind it. A reader whose words
// fit several has the first: it is that of the overlays that win.
void Gamebook::add_turns(std::vector<Turn>& out, const Route& route, const std::vector<std::uint64_t>& rest,
                         const std::vector<std::uint64_t>& taking, const PlainRoute& plain) const {
  const std::vector<std::size_t>& targets = of_passage_[plain.to];
  const Texts asked = open_words(route.when.empty() ? Texts() : route.when.front().held, rest);
  if (taking.empty() || targets.size() == 1) {
    out.push_back({asked, targets.front(), route.label});
    return;
  }
  struct Candidate {
    std::size_t rank = 0, section = 0;
    Texts words;
  };
  std::vector<Candidate> candidates;
  for (const std::size_t target : targets) {
    const Section& section = sections_[target];
    const bool comes = std::any_of(taking.begin(), taking.end(), [&](std::uint64_t one) {
      const std::uint64_t held = (one & ~plain.take) | plain.add;
      const PlainBook& book = reached_.plain;
      return case_of(section.passage, (held & ~book.take[section.passage]) | book.add[section.passage]) ==
             section.shown;
    });
    if (!comes) {
      continue;
    }
    Candidate next{0, target, asked};
    for (std::size_t i = 0; i < section.shown.size(); ++i) {
      const std::vector<const BookOverlay*> order = overlay_order(*looks_[section.passage][i].entity);
      next.rank += static_cast<std::size_t>(std::find(order.begin(), order.end(), section.shown[i]) - order.begin());
      for (const std::string& word : section.shown[i] == nullptr ? Texts() : section.shown[i]->when) {
        if (std::find(next.words.begin(), next.words.end(), word) == next.words.end()) {
          next.words.push_back(word);
        }
      }
    }
    candidates.push_back(std::move(next));
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool last = i + 1 == candidates.size();
    out.push_back({last ? asked : open_words(candidates[i].words, rest), candidates[i].section, route.label});
  }
}

std::vector<Turn> Gamebook::turns_of(const Section& from, std::size_t way) const {
  std::vector<Turn> out;
  const Way& routes = book_.passages[from.passage].ways[way];
  if (!reached_.complete) {
    for (const Route& route : routes.routes) {
      const auto to = std::find_if(book_.passages.begin(), book_.passages.end(),
                                   [&](const BookPassage& one) { return one.id == route.to; });
      if (to != book_.passages.end()) {
        const std::size_t p = static_cast<std::size_t>(to - book_.passages.begin());
        out.push_back({route.when.empty() ? Texts() : route.when.front().held, of_passage_[p].front(), route.label});
      }
    }
    return out;
  }
  const std::vector<PlainRoute>& plain = reached_.plain.ways[from.passage][way];
  std::vector<std::uint64_t> rest = from.held;
  for (std::size_t r = 0; r < plain.size() && !rest.empty(); ++r) {
    std::vector<std::uint64_t> taking, left;
    for (const std::uint64_t one : rest) {
      (plain[r].open(one) ? taking : left).push_back(one);
    }
    if (!taking.empty() && plain[r].to != none) {
      add_turns(out, routes.routes[r], rest, taking, plain[r]);
    }
    rest = std::move(left);
  }
  return out;
}

// What is not printed where its passage is: a section for each overlay, to be read first.
void Gamebook::refer_to_asides() {
  const std::size_t count = sections_.size();
  for (std::size_t s = 0; s < count; ++s) {
    const std::size_t p = sections_[s].passage;
    if (!sections_[s].shown.empty()) {
      continue;
    }
    for (const Look& look : looks_[p]) {
      asides_[s].emplace_back();
      for (const BookOverlay* one : overlay_order(*look.entity)) {
        asides_[s].back().push_back({open_words(one->when, sections_[s].held), sections_.size(), ""});
        sections_.push_back(Section{p, {}, {}, one, look.entity, s});
        turns_.emplace_back();
        asides_.emplace_back();
      }
    }
  }
}

// The author's words, and neutral ones where the author gave none.
void Gamebook::name_words() {
  const auto use = [&](const std::vector<Turn>& turns) {
    for (const Turn& turn : turns) {
      for (const std::string& word : turn.words) {
        written_[word];
      }
    }
  };
  for (std::size_t s = 0; s < turns_.size(); ++s) {
    std::for_each(turns_[s].begin(), turns_[s].end(), use);
    std::for_each(asides_[s].begin(), asides_[s].end(), use);
  }
  std::set<std::string> taken;
  for (const BookCodeword& one : book_.codewords) {
    std::string made = one.name.substr(0, one.name.rfind("_committed"));
    std::transform(made.begin(), made.end(), made.begin(), [](char c) { return ascii::upper(c); });
    const auto at = written_.find(one.name);
    if (at != written_.end() && one.word != made && taken.insert(one.word).second) {
      at->second = one.word;
    }
  }
  std::size_t next = static_cast<std::size_t>(book_hash(book_).back());
  for (auto& [name, word] : written_) {
    while (word.empty()) {
      std::string neutral = neutral_word(book_.language, next++);
      word = taken.insert(neutral).second ? neutral : "";
    }
  }
}

bool Gamebook::is_start(std::size_t section) const {
  const Section& here = sections_[section];
  if (here.aside != nullptr || passage(section).id != book_.start) {
    return false;
  }
  const PlainBook& plain = reached_.plain;
  return !reached_.complete || std::binary_search(here.held.begin(), here.held.end(),
                                                  (plain.begin & ~plain.take[here.passage]) | plain.add[here.passage]);
}

std::vector<std::size_t> Gamebook::shuffled(std::uint64_t& state) const {
  std::vector<std::size_t> order(sections_.size());
  std::size_t start = 0;
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    order[s] = s;
    start = is_start(s) ? s : start;
  }
  std::swap(order[0], order[start]);
  for (std::size_t i = order.size(); i > 2; --i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::swap(order[i - 1], order[1 + static_cast<std::size_t>((state >> 33U) % (i - 1))]);
  }
  return order;
}

// How many sections stand beside one that they lead to: a reader's eye would fall on it.
std::size_t Gamebook::neighbours(const std::vector<std::size_t>& order) const {
  std::size_t out = 0;
  const auto leads = [&](std::size_t from, std::size_t to) {
    return std::any_of(turns_[from].begin(), turns_[from].end(), [&](const std::vector<Turn>& way) {
      return std::any_of(way.begin(), way.end(), [&](const Turn& one) { return one.to == to; });
    });
  };
  for (std::size_t i = 1; i < order.size(); ++i) {
    out += leads(order[i - 1], order[i]) || leads(order[i], order[i - 1]) ? 1U : 0U;
  }
  return out;
}

void Gamebook::number() {
  std::uint64_t state = 0;
  for (const char c : book_hash(book_)) {
    state = state * 131 + static_cast<unsigned char>(c);
  }
  std::size_t least = nowhere;
  for (std::size_t i = 0; i < shuffles && least > 0; ++i) {
    std::vector<std::size_t> order = shuffled(state);
    if (const std::size_t count = neighbours(order); count < least) {
      least = count;
      order_ = std::move(order);
    }
  }
  numbers_.resize(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    numbers_[order_[i]] = i + 1;
  }
}

std::string html_pieces(std::string_view text) {
  std::string out;
  for (const Piece& one : pieces_of(text)) {
    out += one.emphasis ? "<em>" + html_text(one.text) + "</em>" : html_text(one.text);
  }
  return out;
}

std::string Gamebook::names_of(const Texts& words) const {
  std::string out;
  for (const std::string& one : words) {
    out += (out.empty() ? "" : html_text(words_[Word::conjunction])) + "<b>" + html_text(written_.at(one)) + "</b>";
  }
  return out;
}

std::string filled(const ReaderWords& words, Word word, const std::string& html) {
  const std::string text = html_text(words[word]);
  const std::size_t at = text.find('%');
  return at == std::string::npos ? text : text.substr(0, at) + html + text.substr(at + 1);
}

std::string Gamebook::turn_to(Word word, std::size_t section) const {
  const std::string number = std::to_string(numbers_[section]);
  return filled(words_, word, "<a href=\"#s" + number + "\">" + number + "</a>");
}

std::string Gamebook::condition(const Turn& turn, bool first) const {
  return turn.words.empty() ? (first ? "" : html_text(words_[Word::otherwise]))
                            : filled(words_, first ? Word::if_word : Word::otherwise_if, names_of(turn.words));
}

std::string Gamebook::ways_text(std::size_t section) const {
  std::string out;
  for (const std::vector<Turn>& look : asides_[section]) {
    out += "<li>";
    for (std::size_t i = 0; i < look.size(); ++i) {
      std::string line = (i == 0 ? "" : "; ") + condition(look[i], i == 0) + turn_to(Word::look_at, look[i].to);
      line.front() = i == 0 ? ascii::upper(line.front()) : line.front();
      out += line;
    }
    out += ".</li>\n";
  }
  for (const std::vector<Turn>& way : turns_[section]) {
    for (std::size_t i = 0; i < way.size(); ++i) {
      const bool labelled = i == 0 || way[i].label != way[i - 1].label;
      out += labelled ? (i == 0 ? "<li>" : ".</li>\n<li>") + ("<bdi>" + html_pieces(way[i].label) + "</bdi>: ") : "; ";
      out += condition(way[i], i == 0) + turn_to(Word::turn_to, way[i].to);
    }
    out += way.empty() ? "" : ".</li>\n";
  }
  return out.empty() ? "" : "<ul class=\"ways\">\n" + out + "</ul>\n";
}

std::string Gamebook::body_text(std::size_t section) const {
  const Section& here = sections_[section];
  const BookPassage& text = passage(section);
  std::string out = std::string("<div class=\"text") + (text.draft ? " draft" : "") + "\">\n";
  const std::vector<std::string_view> paragraphs = paragraphs_of(text.text);
  for (std::size_t i = 0; i < paragraphs.size(); ++i) {
    out += "<p>" + html_pieces(paragraphs[i]) + "</p>\n";
    for (std::size_t k = 0; k < here.shown.size(); ++k) {
      const Look& look = looks_[here.passage][k];
      if (look.after == i && here.shown[k] != nullptr) {
        out += "<p>" + html_pieces(look_sentence(*look.entity, *here.shown[k])) + "</p>\n";
      }
    }
  }
  return out + "</div>\n";
}

std::string Gamebook::section_text(std::size_t section) const {
  constexpr std::size_t short_bytes = 1500;
  const Section& here = sections_[section];
  const BookPassage& text = passage(section);
  const std::string number = std::to_string(numbers_[section]);
  std::string out = "<section id=\"s" + number + "\"" + (text.text.size() < short_bytes ? " class=\"short\"" : "") +
                    ">\n<h2>" + number + "</h2>\n";
  if (here.aside != nullptr) {
    return out + "<div class=\"text\">\n<p>" + html_pieces(look_sentence(*here.entity, *here.aside)) +
           "</p>\n</div>\n<ul class=\"ways\">\n<li>" + turn_to(Word::go_back, here.from) + "</li>\n</ul>\n</section>\n";
  }
  Texts grants;
  for (const std::string& one : text.grants) {
    if (written_.count(one) > 0) {
      grants.push_back(one);
    }
  }
  out += grants.empty() ? "" : "<p class=\"word\">" + filled(words_, Word::write_down, names_of(grants)) + "</p>\n";
  out += text.draft ? "<p class=\"note\">" + html_text(words_[Word::draft]) + "</p>\n" : "";
  out += body_text(section) + ways_text(section);
  out += text.ending ? "<p class=\"end\">" + html_text(words_[Word::end]) + "</p>\n" : "";
  return out + "</section>\n";
}

std::string Gamebook::text() const {
  std::string out = html_head(book_, "default-src 'none'; style-src " + hash_source(gamebook_style)) + "<style>" +
                    std::string(gamebook_style) + "</style>\n</head>\n<body>\n<header class=\"title\">\n" +
                    title_page(book_) + "<p class=\"rules\">" + html_text(words_[Word::rules]) + "</p>\n";
  if (!written_.empty()) {
    out += "<p class=\"words\">" + html_text(words_[Word::words]) + "</p>\n<ul class=\"lines\">\n";
    for (std::size_t i = 0; i < written_.size(); ++i) {
      out += "<li></li>\n";
    }
    out += "</ul>\n";
  }
  out += "</header>\n<main class=\"sections\">\n";
  for (const std::size_t section : order_) {
    out += section_text(section);
  }
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace

std::string ship_gamebook(const Book& book, const ReaderWords& words) { return Gamebook(book, words).text(); }

}  // namespace plumb::story
