// One HTML file: the book as data that is no script, a reader of some eighty lines, and a policy that lets nothing else
// run and nothing be asked for. Texts reach the page as text nodes only.
#include <array>

#include "core/json/sha256.hpp"
#include "core/story/ship.hpp"

namespace plumb::story {

namespace {

constexpr std::string_view style = R"css(
:root { color-scheme: light dark; }
body { font: 1.15rem/1.6 Georgia, "Liberation Serif", serif; max-width: 36rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; font-weight: normal; }
h1, .text, button, li { unicode-bidi: plaintext; text-align: start; overflow-wrap: anywhere; }
.text { white-space: pre-line; }
.draft { border-left: .3rem solid; padding-left: .7rem; font-style: italic; }
ul { list-style: none; padding: 0; }
button { font: inherit; padding: .5rem .8rem; margin: .25rem 0; width: 100%; cursor: pointer; }
footer { margin-top: 3rem; font-size: .85rem; }
footer button { width: auto; }
)css";

// The walk is play's: on arrival what the passage grants is held; of a way the first route whose words are held.
constexpr std::string_view script = R"js(
(function () {
  "use strict";
  var book = JSON.parse(document.getElementById("book").textContent);
  var key = "plumb-story:" + document.documentElement.dataset.hash;
  var passages = new Map(book.passages.map(function (p) { return [p.id, p]; }));
  var entities = new Map(book.entities.map(function (e) { return [e.id, e]; }));
  var state = load() || begin();
  function begin() { return arrive(book.start, []); }
  function arrive(id, held) {
    return { passage: id, held: Array.from(new Set(held.concat(passages.get(id).grants))).sort() };
  }
  function load() {
    try {
      var kept = JSON.parse(localStorage.getItem(key));
      return kept && passages.has(kept.passage) && Array.isArray(kept.held) ? kept : null;
    } catch (e) { return null; }
  }
  function save() { try { localStorage.setItem(key, JSON.stringify(state)); } catch (e) { /* not kept */ } }
  function holds(words) { return words.every(function (w) { return state.held.indexOf(w) >= 0; }); }
  function element(name, text, className) {
    var e = document.createElement(name);
    if (text !== undefined) { e.textContent = text; }
    if (className) { e.className = className; }
    return e;
  }
  function go(id) { state = arrive(id, state.held); save(); show(true); }
  function looks(passage) {
    var list = element("ul");
    passage.entities.forEach(function (id) {
      var entity = entities.get(id), best = null;
      entity.overlays.forEach(function (o) {
        if (holds(o.when) && (!best || o.when.length >= best.when.length)) { best = o; }
      });
      if (best) { list.append(element("li", entity.name + ": " + Object.values(best.details).join("; "))); }
    });
    return list;
  }
  function show(moved) {
    var passage = passages.get(state.passage), main = document.getElementById("passage"), list = element("ul");
    main.replaceChildren();
    main.dataset.passage = passage.id;
    main.dataset.held = state.held.join(" ");
    if (passage.draft) { main.append(element("p", "Draft: the author's summary, not yet written.", "note")); }
    main.append(element("div", passage.text, passage.draft ? "text draft" : "text"));
    passage.ways.forEach(function (way) {
      var route = way.find(function (r) { return holds(r.requires); });
      if (!route) { return; }
      var button = element("button", route.label), item = element("li");
      button.type = "button";
      button.dataset.to = route.to;
      button.addEventListener("click", function () { go(route.to); });
      item.append(button);
      list.append(item);
    });
    if (list.children.length) { main.append(list); }
    if (passage.ending) { main.append(element("p", "\u2042", "ending")); }
    var seen = looks(passage);
    document.getElementById("looks").replaceChildren(seen);
    document.getElementById("who").hidden = !seen.children.length;
    if (moved) { window.scrollTo(0, 0); main.focus(); }
  }
  document.getElementById("again").addEventListener("click", function () { state = begin(); save(); show(true); });
  show(false);
})();
)js";

std::string base64(const json::Sha256::Digest& bytes) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8U | (i + k < bytes.size() ? bytes[i + k] : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? alphabet[three >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return out;
}

std::string hash_source(std::string_view text) {
  json::Sha256 hash;
  hash.update(text);
  return "'sha256-" + base64(hash.digest()) + "'";
}

// JSON in a script element: no `<` may stand there, so that nothing ends the element or opens a comment.
std::string in_script(std::string_view json) {
  std::string out;
  for (const char c : json) {
    out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  }
  return out;
}

std::string head(const Book& book, const std::string& policy) {
  return "<!doctype html>\n<html lang=\"" + html_text(book.language) + "\" data-hash=\"" + html_text(book_hash(book)) +
         "\" data-graph=\"" + html_text(book.graph_hash) +
         "\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy +
         "\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"ifid\" content=\"" +
         html_text(book.ifid) + "\">\n<title>" + html_text(book.title) + "</title>\n";
}

constexpr std::string_view data_begins = "<script type=\"application/json\" id=\"book\">";

constexpr std::string_view gamebook_style = R"css(
body { font: 11pt/1.45 Georgia, "Liberation Serif", serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
section { break-inside: avoid; margin: 0 0 1.6rem; }
h1, .text, li { unicode-bidi: plaintext; text-align: start; overflow-wrap: anywhere; }
h2 { font-size: 1rem; text-align: center; }
.text { white-space: pre-line; }
.draft { font-style: italic; }
li { margin: .2rem 0; }
.words li { display: inline-block; min-width: 12rem; }
.looks { list-style: none; padding: 0; font-style: italic; }
)css";

std::string word_of(const Book& book, const std::string& name) {
  for (const BookCodeword& one : book.codewords) {
    if (one.name == name) {
      return one.word;
    }
  }
  return name;
}

std::string words_text(const Book& book, const Texts& names) {
  std::string out;
  for (const std::string& name : names) {
    out += (out.empty() ? "<b>" : " and <b>") + html_text(word_of(book, name)) + "</b>";
  }
  return out;
}

std::string turn_to(const Book& book, const std::vector<std::size_t>& numbers, const std::string& id) {
  for (std::size_t i = 0; i < book.passages.size(); ++i) {
    if (book.passages[i].id == id) {
      const std::string number = std::to_string(numbers[i]);
      return "turn to <a href=\"#s" + number + "\">" + number + "</a>";
    }
  }
  return "stop here";
}

std::string way_text(const Book& book, const std::vector<std::size_t>& numbers, const Way& way) {
  std::string out = "<li>";
  bool first = true;
  for (const Route& route : way.routes) {
    const Texts words = route.when.empty() ? Texts() : route.when.front().held;
    out += first ? "" : " ";
    if (!words.empty()) {
      out += (first ? "If you have " : "Otherwise, if you have ") + words_text(book, words) + ": ";
    } else if (!first) {
      out += "Otherwise: ";
    }
    out += "<bdi>" + html_text(route.label) + "</bdi> \u2013 " + turn_to(book, numbers, route.to) + ".";
    first = false;
  }
  return out + "</li>\n";
}

// How an entity appears, by what was written down.
std::string looks_text(const Book& book, const BookEntity& entity) {
  std::string out = "<li>" + html_text(entity.name) + ":";
  bool first = true;
  for (const BookOverlay* one : overlay_order(entity)) {
    const std::string words = words_text(book, one->when);
    out += words.empty() ? (first ? " " : " Otherwise ")
                         : (first ? " if you have " : " Otherwise, if you have ") + words + ", ";
    out += html_text(overlay_text(*one)) + ".";
    first = false;
    if (words.empty()) {
      break;
    }
  }
  return out + "</li>\n";
}

}  // namespace

std::string ship_html(const Book& book) {
  const std::string policy = "default-src 'none'; script-src " + hash_source(script) + "; style-src " +
                             hash_source(style) + "; base-uri 'none'; form-action 'none'";
  std::string out = head(book, policy) + "<style>" + std::string(style) + "</style>\n</head>\n<body>\n<h1>" +
                    html_text(book.title) + "</h1>\n";
  out +=
      "<main id=\"passage\" tabindex=\"-1\" aria-live=\"polite\"></main>\n<details id=\"who\"><summary>Who is "
      "here</summary><div id=\"looks\"></div></details>\n";
  out += "<footer><button id=\"again\" type=\"button\">Begin again</button></footer>\n";
  out += std::string(data_begins) + in_script(book_json(book)) + "</script>\n<script>" + std::string(script) +
         "</script>\n</body>\n</html>\n";
  return out;
}

Result<Book> read_html_book(std::string_view html) {
  const std::size_t at = html.find(data_begins);
  const std::size_t end = at == std::string_view::npos ? at : html.find("</script>", at);
  if (end == std::string_view::npos) {
    return Error{ErrorCode::invalid_argument, "holds no story: it is not an HTML file that `plumb story make` wrote",
                 "", 0, 0};
  }
  const std::size_t from = at + data_begins.size();
  return read_book(html.substr(from, end - from));
}

std::string ship_gamebook(const Book& book) {
  const std::vector<std::size_t> numbers = section_numbers(book);
  std::vector<std::size_t> by_number(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    by_number[numbers[i] - 1] = i;
  }
  std::string out =
      head(book, "default-src 'none'; style-src " + hash_source(gamebook_style)) + "<style>" +
      std::string(gamebook_style) + "</style>\n</head>\n<body>\n<h1>" + html_text(book.title) +
      "</h1>\n<p>Begin at 1. When a section tells you to write down a word, tick it here.</p>\n<ul class=\"words\">\n";
  for (const BookCodeword& one : book.codewords) {
    out += "<li>\u2610 " + html_text(one.word) + "</li>\n";
  }
  out += "</ul>\n";
  for (const std::size_t i : by_number) {
    const BookPassage& passage = book.passages[i];
    const std::string number = std::to_string(numbers[i]);
    out += "<section id=\"s" + number + "\">\n<h2>" + number + "</h2>\n";
    if (!passage.grants.empty()) {
      out += "<p>Write down " + words_text(book, passage.grants) + ".</p>\n";
    }
    out += passage.draft ? "<p>Draft: the author's summary, not yet written.</p>\n" : "";
    out += std::string("<div class=\"") + (passage.draft ? "text draft" : "text") + "\">" + html_text(passage.text) +
           "</div>\n";
    const std::vector<const BookEntity*> changing = changing_entities(book, passage);
    out += changing.empty() ? "" : "<ul class=\"looks\">\n";
    for (const BookEntity* one : changing) {
      out += looks_text(book, *one);
    }
    out += changing.empty() ? "" : "</ul>\n";
    out += passage.ways.empty() ? "" : "<ul>\n";
    for (const Way& way : passage.ways) {
      out += way_text(book, numbers, way);
    }
    out += passage.ways.empty() ? "" : "</ul>\n";
    out += passage.ending ? "<p>\u2042</p>\n" : "";
    out += "</section>\n";
  }
  return out + "</body>\n</html>\n";
}

}  // namespace plumb::story
