// A file is cut into passages by the lines that begin with `::`. Their texts are gone through once for the words that
// conditions ask for, and again for settings and ways, since a setting is read by the words of its variable.
#include "core/story/twee.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/stable_sort.hpp"
#include "core/story/ship.hpp"
#include "core/story/twee_body.hpp"
#include "core/story/twee_expression.hpp"
#include "core/text/suggest.hpp"

namespace plumb::story {

namespace {

using contract::FindingClass;

struct Header {
  std::string name;
  Texts tags;
  std::size_t at = 0, body = 0, end = 0;
};

// ":: name [tag tag] {json}", with backslashes before what would end the name.
Header header_of(std::string_view line, std::size_t at) {
  Header out;
  out.at = at;
  std::size_t i = 2;
  std::string name;
  for (; i < line.size() && line[i] != '[' && line[i] != '{'; ++i) {
    i += line[i] == '\\' && i + 1 < line.size() ? 1U : 0U;
    name += line[i];
  }
  out.name = ascii::trim(name, ascii::line_blanks);
  if (i < line.size() && line[i] == '[') {
    std::string tag;
    for (++i; i < line.size(); ++i) {
      if (line[i] == ']' || line[i] == ' ') {
        if (!tag.empty()) {
          out.tags.push_back(std::move(tag));
        }
        tag.clear();
        if (line[i] == ']') {
          break;
        }
      } else {
        tag += line[i];
      }
    }
  }
  return out;
}

std::vector<Header> headers_of(std::string_view text) {
  std::vector<Header> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with("::")) {
      if (!out.empty()) {
        out.back().end = at;
      }
      out.push_back(header_of(line, at));
      out.back().body = std::min(end + 1, text.size());
      out.back().end = text.size();
    }
    at = end + 1;
  }
  return out;
}

bool has(const Texts& texts, std::string_view one) { return std::find(texts.begin(), texts.end(), one) != texts.end(); }

bool is_media(const Header& header) {
  return std::any_of(header.tags.begin(), header.tags.end(),
                     [](const std::string& tag) { return tag.starts_with("Twine."); });
}

// What is no passage that a reader stands at.
bool is_special(const Header& header, bool sugarcube) {
  constexpr std::array<std::string_view, 16> names = {
      "StoryTitle",    "StoryData",     "StoryInit",     "StoryMenu",  "StoryCaption",   "StoryBanner",
      "StoryAuthor",   "StorySubtitle", "StorySettings", "StoryShare", "StoryInterface", "StoryDisplayTitle",
      "PassageHeader", "PassageFooter", "PassageReady",  "PassageDone"};
  constexpr std::array<std::string_view, 9> tags = {"script", "stylesheet", "widget",  "init",      "Twine.private",
                                                    "header", "footer",     "startup", "annotation"};
  const std::size_t known = sugarcube ? 5 : tags.size();  // the others are Harlowe's
  return std::find(names.begin(), names.end(), header.name) != names.end() || is_media(header) ||
         std::any_of(tags.begin(), tags.begin() + known, [&](std::string_view tag) { return has(header.tags, tag); });
}

// Of these, what readers see beside every passage: menus, captions, widgets.
bool is_shown(const Header& header) {
  constexpr std::array<std::string_view, 3> hidden = {"script", "stylesheet", "annotation"};
  return !is_media(header) &&
         std::none_of(hidden.begin(), hidden.end(), [&](std::string_view tag) { return has(header.tags, tag); });
}

class File {
 public:
  explicit File(std::string_view text) : text_(text), headers_(headers_of(text)) {}

  Result<TweeReading> read() {
    if (headers_.empty()) {
      return Error{ErrorCode::invalid_argument, "is not Twee: no line begins with '::'", "", 1, 1};
    }
    story();
    for (const Header& header : headers_) {
      if (!special(header)) {
        known_.passages.insert(header.name);
      }
    }
    std::vector<TweeBody> bodies = read_bodies();
    for (const TweeBody& body : bodies) {
      known_.asked.insert(body.asked.begin(), body.asked.end());
      for (const auto& [name, nodes] : body.widgets) {
        known_.widgets.insert(name);
      }
    }
    if (!known_.widgets.empty() || std::any_of(known_.asked.begin(), known_.asked.end(), [](const std::string& word) {
          return word.find(' ') != std::string::npos;
        })) {
      bodies = read_bodies();
    }
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      beside(headers_[i], bodies[i]);
      anything_ = anything_ || bodies[i].sets_anything;
      markup_.insert(bodies[i].markup.begin(), bodies[i].markup.end());
    }
    included(bodies);
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      add(headers_[i], bodies[i]);
    }
    endings();
    links();
    stable_sort(out_.book.unread, [](const Unread& a, const Unread& b) { return a.at < b.at; });
    return std::move(out_);
  }

 private:
  contract::Finding& find(std::string rule, bool error, FindingClass c, const std::string& passage, std::uint64_t at,
                          std::uint64_t to, std::string message) {
    contract::Finding& one =
        findings_.add(std::move(rule), error ? contract::Severity::error : contract::Severity::warning, c,
                      "passage::" + passage, std::move(message));
    one.span.from = at;
    one.span.to = to;
    return one;
  }

  bool sugarcube() const { return out_.format.empty() || out_.format == "SugarCube"; }
  bool special(const Header& header) const { return is_special(header, out_.format == "SugarCube"); }

  // A passage that shows one with ways has them; so has one that uses a widget with ways.
  void included(std::vector<TweeBody>& bodies) const {
    TweeNames leading, acting;
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        const auto any = [](const TweeNames& names, const TweeNames& in) {
          return std::any_of(names.begin(), names.end(), [&](const std::string& one) { return in.count(one) != 0; });
        };
        const bool shows = any(bodies[i].included, leading) || any(bodies[i].used, acting);
        if (!(shows || bodies[i].doubtful || !bodies[i].ways.empty())) {
          continue;
        }
        bodies[i].doubtful = bodies[i].doubtful || shows;
        more = leading.insert(headers_[i].name).second || more;
        for (const auto& [name, nodes] : bodies[i].widgets) {
          more = acting.insert(name).second || more;
        }
      }
    }
  }

  std::vector<TweeBody> read_bodies() const {
    std::vector<TweeBody> out;
    for (const Header& header : headers_) {
      const std::string_view text = text_.substr(header.body, header.end - header.body);
      if (special(header) && (!is_shown(header) || is_data(header))) {
        out.emplace_back();
        continue;
      }
      out.push_back(sugarcube() ? read_body(text, known_) : read_foreign_body(text, known_));
      place(out.back().nodes, header.body);
      for (auto& [name, nodes] : out.back().widgets) {
        place(nodes, header.body);
      }
      TweeBody& body = out.back();
      const std::size_t code = out_.format.empty() ? foreign_code(text) : std::string_view::npos;
      if (code != std::string_view::npos) {
        body.doubtful = foreign_ = true;
        body.shown.clear();
        body.unread.push_back({code, "", "this looks like another notation than SugarCube's; StoryData names none"});
        for (Way& way : body.ways) {
          for (Route& route : way.routes) {
            route.unread = true;
          }
        }
      }
    }
    return out;
  }

  void unread(const Header& header, std::uint64_t at, std::string reason) {
    out_.book.unread.push_back({at, header.name, std::move(reason)});
  }

  // Passages that nobody stands at: code, and what is shown beside each passage.
  void beside(const Header& header, TweeBody& body) {
    const std::string_view text = text_.substr(header.body, header.end - header.body);
    if (has(header.tags, "script") && !is_settings(text) && !is_inert_code(text)) {
      everywhere_ = out_.script.leads_anywhere = out_.script.sets_anything = true;
      unread(header, header.at, "this is code: it may set variables and lead anywhere");
    }
    // Harlowe's code is recognised wherever it is, so a Harlowe story of words and links alone has been read.
    if (header.name == "StoryData" && !sugarcube() && out_.format != "Harlowe") {
      unread(header, header.at, "the story is written for " + out_.format + ", of which links alone are read");
    }
    if (!special(header) || !is_shown(header) || is_data(header)) {
      return;
    }
    if (header.name == "StoryInterface" && text.find("data-passage") != std::string_view::npos) {
      everywhere_ = out_.script.leads_anywhere = true;
      unread(header, header.at, "passages that stand beside every other are not read");
    }
    if (has(header.tags, "widget")) {
      for (auto& [name, nodes] : body.widgets) {
        out_.script.widgets[name] = std::move(nodes);
      }
      return;
    }
    if (!sugarcube() || foreign_) {
      everywhere_ = everywhere_ || body.doubtful || !body.ways.empty();
      if (!body.ways.empty()) {
        unread(header, header.body + body.ways.front().at, "this way stands beside every passage, and is not followed");
      }
      return;
    }
    if (is_first(header)) {
      out_.book.begin.insert(out_.book.begin.end(), body.grants.begin(), body.grants.end());
    }
    const bool before = header.name == "PassageHeader" || header.name == "PassageReady";
    ScriptNodes& into = is_first(header) ? out_.script.first : before ? out_.script.before : out_.script.after;
    into.insert(header.name == "StoryInit" ? into.end()
                : before                   ? into.begin()
                                           : into.end(),
                std::make_move_iterator(body.nodes.begin()), std::make_move_iterator(body.nodes.end()));
  }

  // Lines such as `Config.history.controls = false;`, which change nothing of where a reader can go.
  static bool is_settings(std::string_view script) {
    for (std::size_t at = 0; at < script.size();) {
      const std::size_t end = std::min(script.find('\n', at), script.size());
      const std::string_view line = ascii::trim(script.substr(at, end - at));
      at = end + 1;
      const bool setting = line.starts_with("Config.") && line.find_first_of("(>`") == std::string_view::npos &&
                           line.find("start") == std::string_view::npos &&
                           line.find("function") == std::string_view::npos;
      if (!line.empty() && !line.starts_with("//") && !setting) {
        return false;
      }
    }
    return true;
  }
  static bool is_first(const Header& header) { return header.name == "StoryInit" || has(header.tags, "init"); }
  static bool is_data(const Header& header) {
    constexpr std::array<std::string_view, 4> names = {"StoryTitle", "StoryData", "StorySettings", "StoryGraph"};
    return std::find(names.begin(), names.end(), header.name) != names.end();
  }

  // Nodes count from the passage's first byte when they are read.
  static void place(ScriptExpression& expression, std::uint64_t body) {
    expression.at += body;
    if (expression.value.kind == ScriptValue::Kind::unread) {
      expression.value.number += static_cast<double>(body);
    }
    for (ScriptExpression& one : expression.of) {
      place(one, body);
    }
  }
  static void place(ScriptNodes& nodes, std::uint64_t body) {
    for (ScriptNode& node : nodes) {
      node.at += body;
      place(node.expression, body);
      for (ScriptBranch& branch : node.branches) {
        place(branch.when, body);
        place(branch.nodes, body);
      }
    }
  }

  std::string_view body_of(std::string_view name) const {
    for (const Header& header : headers_) {
      if (header.name == name) {
        return text_.substr(header.body, header.end - header.body);
      }
    }
    return {};
  }

  void story() {
    out_.book.title = plain_text(ascii::trim(body_of("StoryTitle")));
    out_.book.graph_hash = ascii::trim(body_of("StoryGraph"));
    out_.book.start = "Start";
    json::Arena arena;
    const std::string_view data = ascii::trim(body_of("StoryData"));
    const Result<json::Value> read = json::parse(data.empty() ? "{}" : data, arena);
    if (read) {
      out_.format = json::text_of(read.value(), "format");
      out_.book.ifid = json::text_of(read.value(), "ifid");
      const std::string_view start = json::text_of(read.value(), "start");
      out_.book.start = start.empty() ? out_.book.start : std::string(start);
    } else {
      for (const Header& header : headers_) {
        if (header.name == "StoryData") {
          find("story_data", true, FindingClass::inner, "StoryData", header.at, header.end,
               "StoryData is not valid JSON: " + read.error().message);
        }
      }
    }
    for (const Header& header : headers_) {
      if (has(header.tags, "start") && out_.book.start == "Start") {
        out_.book.start = header.name;
      }
    }
  }

  void add(const Header& header, TweeBody& body) {
    const std::uint64_t last =
        std::max<std::uint64_t>(header.body, std::min<std::uint64_t>(header.end, header.body + body.last_byte));
    for (const auto& [name, at] : body.shown) {
      if (markup_.count(name) != 0 || (anything_ && name[0] != '_')) {
        body.doubtful = true;
        ScriptNode node;
        node.kind = ScriptNode::Kind::leads;
        node.at = header.body + at;
        node.reason = "what $" + name + " holds is not known, and may be a link";
        (special(header) ? out_.script.after : body.nodes).push_back(std::move(node));
      }
    }
    for (const Unread& one : body.unread) {
      unread(header, header.body + one.at, one.reason);
    }
    if (special(header)) {
      for (const Way& way : body.ways) {
        for (const Route& route : way.routes) {
          beside_.insert(route.to);
        }
      }
      return;
    }
    for (const std::uint64_t at : body.nowhere) {
      find("broken_link", true, FindingClass::reference, header.name, header.body + at, header.body + at + 1,
           "a link in '" + header.name + "' names no passage");
    }
    if (!body.unclosed.empty()) {
      find("unclosed", true, FindingClass::inner, header.name, header.body + body.unclosed_at, last,
           "'" + body.unclosed + "' is not closed in the passage '" + header.name + "'");
    }
    if (out_.places.find("passage::" + header.name) != out_.places.end()) {
      find("duplicate_passage", true, FindingClass::inner, header.name, header.at, header.body,
           "the passage '" + header.name + "' is defined twice");
      return;
    }
    out_.places.emplace("passage::" + header.name, TextPlace{header.at, last, ""});
    BookPassage passage;
    passage.id = header.name;
    passage.at = header.at;
    passage.to = last;
    passage.ending = has(header.tags, "ending");
    passage.draft = has(header.tags, "draft");
    passage.residue = has(header.tags, "residue");
    passage.fallback = has(header.tags, "fallback");
    passage.doubtful = body.doubtful;
    passage.text = std::move(body.text);
    if (passage.draft && passage.text.starts_with("(draft) ")) {
      passage.text.erase(0, 8);
    }
    passage.grants = std::move(body.grants);
    passage.clears = std::move(body.clears);
    shows_.push_back(body.shows);
    out_.script.passages.emplace(header.name, std::move(body.nodes));
    for (Way& way : body.ways) {
      way.at += header.body;
      for (Route& route : way.routes) {
        route.at += header.body;
      }
      passage.ways.push_back(std::move(way));
    }
    any_ending_ = any_ending_ || passage.ending;
    out_.book.passages.push_back(std::move(passage));
  }

  void endings() {
    for (std::size_t i = 0; i < out_.book.passages.size(); ++i) {
      BookPassage& passage = out_.book.passages[i];
      const bool empty = passage.text.empty() && !shows_[i];
      if (!passage.ways.empty() || passage.doubtful || passage.ending) {
        continue;
      }
      const auto at = out_.places.find("passage::" + passage.id);
      if (empty) {
        find("dead_end", false, FindingClass::meaning, passage.id, at->second.from, at->second.to,
             "the passage '" + passage.id + "' is empty, and nothing leads on");
      } else if (any_ending_ && !passage.fallback) {
        find("dead_end", false, FindingClass::meaning, passage.id, at->second.from, at->second.to,
             "nothing leads on from '" + passage.id + "', and it is not tagged as an ending");
      }
      passage.ending = !any_ending_ || empty;
    }
    restarts();
    for (BookPassage& passage : out_.book.passages) {
      passage.doubtful = passage.doubtful || everywhere_;
    }
    out_.is_script = sugarcube() && !foreign_;
  }

  // A passage from which all ways lead to the start may be meant as an ending, where the story has no other. It is one
  // where the way says so.
  void restarts() {
    auto& passages = out_.book.passages;
    if (std::any_of(passages.begin(), passages.end(), [](const BookPassage& one) { return one.ending; })) {
      return;
    }
    const bool doubtful =
        std::any_of(passages.begin(), passages.end(), [](const BookPassage& one) { return one.doubtful; });
    for (BookPassage& passage : passages) {
      bool back = passage.id != out_.book.start && !passage.ways.empty(), again = false;
      for (const Way& way : passage.ways) {
        for (const Route& route : way.routes) {
          back = back && route.to == out_.book.start;
          again = again || begins_again(route.label);
        }
      }
      passage.ending = back && again;
      if (back && !again && !doubtful) {
        passage.doubtful = true;
        out_.script.maybe_endings.insert(passage.id);
        out_.book.unread.push_back({passage.at, passage.id,
                                    "every way leads back to the start: whether this is an ending is not said. "
                                    "Tag it `ending` if it is one"});
      }
    }
  }

  // "Play again?", "Restart", "Try again", "Noch einmal", "Recommencer"
  static bool begins_again(std::string_view label) {
    constexpr std::array<std::string_view, 9> words = {"again",       "restart",  "start over",
                                                       "start anew",  "replay",   "begin anew",
                                                       "noch einmal", "von vorn", "recommencer"};
    const std::string lower = ascii::lower(label);
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return lower.find(word) != std::string::npos; });
  }

  // "; did you mean 'Kitchen'?"
  std::string near(const std::string& wrong) {
    constexpr std::size_t looked_up_max = 100;
    if (++looked_up_ > looked_up_max) {
      return {};
    }
    std::vector<std::string_view> names;
    for (const BookPassage& passage : out_.book.passages) {
      names.push_back(passage.id);
    }
    const std::optional<std::size_t> at = text::nearest(wrong, names);
    return at ? "; did you mean '" + std::string(names[*at]) + "'?" : std::string();
  }

  void links() {
    std::set<std::string> reached;
    std::vector<std::string> open;
    if (out_.places.find("passage::" + out_.book.start) == out_.places.end()) {
      find("no_start", true, FindingClass::reference, out_.book.start, 0, 0,
           "there is no passage '" + out_.book.start + "' to begin with")
          .span.to = headers_[0].body;
    } else {
      reached.insert(out_.book.start);
      open.push_back(out_.book.start);
    }
    for (const BookPassage& passage : out_.book.passages) {
      for (const Way& way : passage.ways) {
        for (const Route& route : way.routes) {
          if (!route.to.empty() && out_.places.find("passage::" + route.to) == out_.places.end()) {
            find("broken_link", true, FindingClass::reference, passage.id, way.at, way.at + 1,
                 "'" + passage.id + "' leads to '" + route.to + "', and there is no such passage" + near(route.to))
                .provided = route.to;
          }
        }
      }
    }
    std::map<std::string_view, const BookPassage*> by_id;
    for (const BookPassage& passage : out_.book.passages) {
      by_id.emplace(passage.id, &passage);
    }
    for (const std::string& one : beside_) {
      if (by_id.count(one) != 0 && reached.insert(one).second) {
        open.push_back(one);
      }
    }
    for (const char quote : {'"', '\''}) {  // what code names may be led to by it
      std::size_t from = text_.find(quote);
      while (from != std::string_view::npos) {
        const std::size_t to = text_.find(quote, from + 1);
        const auto named = by_id.find(text_.substr(from + 1, to == std::string_view::npos ? to : to - from - 1));
        if (to != std::string_view::npos && named != by_id.end() && reached.insert(named->second->id).second) {
          open.push_back(named->second->id);
        }
        from = to;
      }
    }
    while (!open.empty()) {
      const std::string one = open.back();
      open.pop_back();
      for (const Way& way : by_id.find(one)->second->ways) {
        for (const Route& route : way.routes) {
          if (by_id.count(route.to) != 0 && reached.insert(route.to).second) {
            open.push_back(route.to);
          }
        }
      }
    }
    for (const BookPassage& passage : out_.book.passages) {
      if (reached.count(passage.id) == 0) {
        find("orphan", false, FindingClass::meaning, passage.id, passage.at, passage.to,
             "no link from the start leads to '" + passage.id + "'");
      }
    }
    // What nobody comes to is told of as that alone; so is a link that names nothing.
    std::vector<contract::Finding>& all = findings_.all();
    std::set<std::string> told;
    for (const contract::Finding& one : all) {
      if (one.rule == "orphan" || one.rule == "broken_link") {
        told.insert(one.item);
      }
    }
    all.erase(std::remove_if(
                  all.begin(), all.end(),
                  [&](const contract::Finding& one) { return one.rule == "dead_end" && told.count(one.item) != 0; }),
              all.end());
    out_.findings = std::move(all);
  }

  std::string_view text_;
  std::vector<Header> headers_;
  TweeReading out_;
  Findings findings_{"ship/twee"};
  TweeStory known_;
  TweeNames markup_;
  bool anything_ = false;         // code that is not read may set any variable
  bool everywhere_ = false;       // and a way that is not read may lead on from every passage
  std::vector<bool> shows_;       // of the book's passages
  std::set<std::string> beside_;  // what the passages that are shown beside all others lead to
  bool any_ending_ = false;
  std::size_t looked_up_ = 0;     // near names
  mutable bool foreign_ = false;  // without a format, and in another notation than SugarCube's
};

}  // namespace

Result<TweeReading> read_twee(std::string_view text) {
  if (text.size() > twee_bytes_max) {
    return Error{ErrorCode::limit, "has " + std::to_string(text.size()) + " bytes; at most 64 MB of Twee are read", "",
                 0, 0};
  }
  return File(text).read();
}

}  // namespace plumb::story
