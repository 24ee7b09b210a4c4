// A file is cut into passages by the lines that begin with `::`; a passage's text is gone through once for what it sets
// and once for its ways, since a condition can be read only when every setting of its variables can.
#include "core/story/twee.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/story/ship.hpp"
#include "core/story/twee_body.hpp"

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

// What is no passage that a reader stands at.
bool is_special(const Header& header) {
  constexpr std::array<std::string_view, 16> names = {
      "StoryTitle",    "StoryData",     "StoryInit",     "StoryMenu",  "StoryCaption",   "StoryBanner",
      "StoryAuthor",   "StorySubtitle", "StorySettings", "StoryShare", "StoryInterface", "StoryDisplayTitle",
      "PassageHeader", "PassageFooter", "PassageReady",  "PassageDone"};
  constexpr std::array<std::string_view, 9> tags = {"script", "stylesheet", "widget",  "init",      "Twine.private",
                                                    "header", "footer",     "startup", "annotation"};
  return std::find(names.begin(), names.end(), header.name) != names.end() ||
         std::any_of(tags.begin(), tags.end(), [&](std::string_view tag) { return has(header.tags, tag); });
}

// Of these, what readers see beside every passage: menus, captions, widgets.
bool is_shown(const Header& header) {
  constexpr std::array<std::string_view, 4> hidden = {"script", "stylesheet", "Twine.private", "annotation"};
  return std::none_of(hidden.begin(), hidden.end(), [&](std::string_view tag) { return has(header.tags, tag); });
}

class File {
 public:
  explicit File(std::string_view text) : text_(text), headers_(headers_of(text)) {}

  Result<TweeReading> read() {
    if (headers_.empty()) {
      return Error{ErrorCode::invalid_argument, "is no Twee: no line begins with '::'", "", 1, 1};
    }
    story();
    std::vector<TweeBody> bodies;
    std::set<std::string> opaque;
    const bool macros = out_.format.empty() || out_.format == "SugarCube";
    for (const Header& header : headers_) {
      bodies.push_back(read_body(text_.substr(header.body, header.end - header.body), macros));
      opaque.insert(bodies.back().opaque.begin(), bodies.back().opaque.end());
    }
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      add(headers_[i], bodies[i], opaque);
    }
    endings();
    links();
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
               "StoryData is no JSON: " + read.error().message);
        }
      }
    }
    for (const Header& header : headers_) {
      if (has(header.tags, "start") && out_.book.start == "Start") {
        out_.book.start = header.name;
      }
    }
  }

  void add(const Header& header, TweeBody& body, const std::set<std::string>& opaque) {
    const std::uint64_t last =
        std::max<std::uint64_t>(header.body, std::min<std::uint64_t>(header.end, header.body + body.last_byte));
    if (header.name == "StoryInit" || has(header.tags, "init")) {
      begin_.insert(begin_.end(), body.grants.begin(), body.grants.end());
    }
    if (is_special(header)) {
      for (const Way& way : is_shown(header) ? body.ways : std::vector<Way>()) {
        for (const Route& route : way.routes) {
          beside_.insert(route.to);
        }
      }
      return;
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
    out_.book.unread += body.unread;
    for (Way& way : body.ways) {
      way.at += header.body;
      for (Route& route : way.routes) {
        settle(route, opaque);
      }
      passage.ways.push_back(std::move(way));
    }
    any_ending_ = any_ending_ || passage.ending;
    out_.book.passages.push_back(std::move(passage));
  }

  // A condition over a variable that is set in a way nobody reads is one that nobody reads.
  void settle(Route& route, const std::set<std::string>& opaque) {
    const auto unread = [&](const Condition& condition) {
      return std::any_of(condition.begin(), condition.end(), [&](const Clause& one) {
        const auto known = [&](const std::string& word) { return opaque.count(word) != 0; };
        return std::any_of(one.held.begin(), one.held.end(), known) ||
               std::any_of(one.lacking.begin(), one.lacking.end(), known);
      });
    };
    if (!route.unread && (unread(route.when) || std::any_of(route.unless.begin(), route.unless.end(), unread))) {
      route.unread = true;
      ++out_.book.unread;
    }
  }

  void endings() {
    for (BookPassage& passage : out_.book.passages) {
      if (passage.id == out_.book.start) {
        passage.grants.insert(passage.grants.end(), begin_.begin(), begin_.end());
      }
      if (!passage.ways.empty() || passage.doubtful || passage.ending) {
        continue;
      }
      const auto at = out_.places.find("passage::" + passage.id);
      if (passage.text.empty()) {
        find("dead_end", false, FindingClass::meaning, passage.id, at->second.from, at->second.to,
             "the passage '" + passage.id + "' is empty, and nothing leads on");
      } else if (any_ending_ && !passage.fallback) {
        find("dead_end", false, FindingClass::meaning, passage.id, at->second.from, at->second.to,
             "nothing leads on from '" + passage.id + "', and it is not tagged as an ending");
      }
      passage.ending = !any_ending_ || passage.text.empty();
    }
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
                 "'" + passage.id + "' leads to '" + route.to + "', and there is no such passage")
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
    out_.findings = std::move(findings_.all());
  }

  std::string_view text_;
  std::vector<Header> headers_;
  TweeReading out_;
  Findings findings_{"ship/twee"};
  Texts begin_;
  std::set<std::string> beside_;  // what the passages that are shown beside all others lead to
  bool any_ending_ = false;
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
