#include "core/story/twee_body.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/story/ship.hpp"
#include "core/story/twee.hpp"

namespace plumb::story {

namespace {

template <std::size_t n>
bool among(const std::array<std::string_view, n>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Macros that neither lead anywhere nor change what is asked for.
constexpr std::array<std::string_view, 27> harmless = {
    "print",          "=",           "-",           "nobr",  "/nobr",       "silently",
    "/silently",      "silent",      "/silent",     "audio", "cacheaudio",  "playlist",
    "addclass",       "removeclass", "toggleclass", "do",    "/do",         "redo",
    "type",           "/type",       "done",        "/done", "masteraudio", "waitforaudio",
    "createplaylist", "stop",        "notify"};
// Macros whose contents may or may not happen.
constexpr std::array<std::string_view, 17> sometimes = {
    "for",         "switch", "timed",   "repeat",  "linkappend", "linkprepend",
    "linkreplace", "append", "prepend", "replace", "capture",    "createaudiogroup",
    "widget",      "cycle",  "listbox", "case",    "dialog"};

// What stands between is shown, or given to the browser, as it is; where the end is missing, it is text.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> verbatim = {{{"\"\"\"", "\"\"\""},
                                                                                    {"<nowiki>", "</nowiki>"},
                                                                                    {"<html>", "</html>"},
                                                                                    {"<script>", "</script>"},
                                                                                    {"<style>", "</style>"}}};

// The macro's arguments that are texts or one [[link]], in order.
Texts quoted(std::string_view args) {
  Texts out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] != '"' && args[i] != '\'') {
      continue;
    }
    std::string text;
    std::size_t k = i + 1;
    for (; k < args.size() && args[k] != args[i]; ++k) {
      k += args[k] == '\\' && k + 1 < args.size() ? 1U : 0U;
      text += args[k];
    }
    out.push_back(std::move(text));
    i = k;
  }
  return out;
}

// "text->to", "to<-text", "text|to", "to".
Route link_of(std::string_view inside) {
  Route out;
  const std::size_t right = inside.rfind("->");
  const std::size_t left = inside.find("<-");
  const std::size_t bar = inside.rfind('|');
  if (right != std::string_view::npos) {
    out.label = ascii::trim(inside.substr(0, right));
    out.to = ascii::trim(inside.substr(right + 2));
  } else if (left != std::string_view::npos) {
    out.label = ascii::trim(inside.substr(left + 2));
    out.to = ascii::trim(inside.substr(0, left));
  } else if (bar != std::string_view::npos) {
    out.label = ascii::trim(inside.substr(0, bar));
    out.to = ascii::trim(inside.substr(bar + 1));
  } else {
    out.label = out.to = ascii::trim(inside);
  }
  return out;
}

// `<<if>>` and its branches, as far as they have been read.
struct Frame {
  std::string name;
  std::size_t at = 0;
  bool unread = false;                 // of the branch that is open
  Condition when;                      // of it; empty: always
  std::vector<Condition> before;       // of the branches before it
  bool any_unread = false;             // some branch so far
  std::vector<std::vector<Way>> ways;  // by branch
};

class Body {
 public:
  Body(std::string_view body, bool macros) : body_(body), macros_(macros) {}

  TweeBody read() {
    frames_.emplace_back();
    frames_.back().ways.emplace_back();
    for (std::size_t i = 0; i < body_.size();) {
      i = step(i);
    }
    while (frames_.size() > 1) {
      unclosed("<<" + frames_.back().name + ">>", frames_.back().at);
      close();
    }
    out_.ways = std::move(frames_.back().ways.back());
    finish();
    return std::move(out_);
  }

 private:
  bool at(std::size_t i, std::string_view wanted) const { return body_.substr(i, wanted.size()) == wanted; }

  std::size_t behind(std::size_t i, std::string_view end) const {
    const std::size_t found = body_.find(end, i);
    return found == std::string_view::npos ? body_.size() : found + end.size();
  }

  void unclosed(std::string what, std::size_t where) {
    if (out_.unclosed.empty()) {
      out_.unclosed = std::move(what);
      out_.unclosed_at = where;
    }
  }

  std::size_t step(std::size_t i) {
    if (at(i, "<!--")) {
      return behind(i + 4, "-->");
    }
    if (macros_) {
      if (at(i, "/*") || at(i, "/%")) {
        return behind(i + 2, at(i, "/*") ? "*/" : "%/");
      }
      if (at(i, "{{{")) {
        return behind(i + 3, "}}}");
      }
      for (const auto& [begin, end] : verbatim) {
        const std::size_t closed = at(i, begin) ? body_.find(end, i + begin.size()) : std::string_view::npos;
        if (closed != std::string_view::npos) {
          if (frames_.size() == 1) {
            shown_ += body_.substr(i + begin.size(), closed - i - begin.size());
          }
          return closed + end.size();
        }
      }
      if (at(i, "\\\n")) {
        return i + 2;
      }
      if (at(i, "<<")) {
        return macro(i);
      }
    } else if (body_[i] == '(') {
      foreign_macro(i);
    }
    if (!macros_ && at(i, "[[[")) {
      return i + 1;  // a hook begins before the link: (if: $lit)[[[Go on]]]
    }
    if (at(i, "[[")) {
      return link(i);
    }
    if (frames_.size() == 1) {  // what is shown whatever is held
      shown_ += body_[i];
    }
    return i + 1;
  }

  // Harlowe and its like: "(if: ...)". Whatever leads on from here hangs on it.
  void foreign_macro(std::size_t i) {
    std::size_t k = i + 1;
    while (k < body_.size() && (ascii::is_lower(body_[k]) || body_[k] == '-' || ascii::is_upper(body_[k]))) {
      ++k;
    }
    if (k == i + 1 || k >= body_.size() || body_[k] != ':') {
      return;
    }
    const std::string_view name = body_.substr(i + 1, k - i - 1);
    ++out_.unread;
    foreign_ = true;
    if (name == "link-goto" || name == "goto" || name == "go-to" || name == "display") {
      const Texts texts = quoted(body_.substr(k, std::min(body_.find(')', k), body_.size()) - k));
      if (!texts.empty()) {
        Route route;
        route.label = texts.front();
        route.to = texts.back();
        push(std::move(route), i);
      } else {
        out_.doubtful = true;
      }
    } else if (name == "undo" || name == "link-undo" || name == "restart" || name == "reload" ||
               name.starts_with("link")) {
      out_.doubtful = true;
    }
  }

  std::size_t link(std::size_t i) {
    const std::size_t end = body_.find("]]", i);
    const std::size_t next = body_.find("[[", i + 2);
    if (end == std::string_view::npos || (next < end)) {
      unclosed("[[", i);
      return i + 2;
    }
    std::string_view inside = body_.substr(i + 2, end - i - 2);
    std::string_view setter;
    if (const std::size_t middle = inside.find("]["); macros_ && middle != std::string_view::npos) {
      setter = inside.substr(middle + 2);
      inside = inside.substr(0, middle);
    }
    Route route = link_of(inside);
    if (!route.to.empty() && (route.to.front() == '$' || route.to.front() == '_')) {
      ++out_.unread;
      out_.doubtful = true;
      return end + 2;
    }
    if (!setter.empty()) {
      set(setter, &route, false);
    }
    if (route.to.find("://") == std::string::npos) {
      push(std::move(route), i);
    }
    return end + 2;
  }

  void push(Route route, std::size_t where) {
    Way way;
    way.at = where;
    way.routes.push_back(std::move(route));
    frames_.back().ways.back().push_back(std::move(way));
  }

  std::size_t macro(std::size_t i) {
    std::size_t end = i + 2;
    char quote = 0;
    for (; end + 1 < body_.size(); ++end) {
      if (quote != 0) {
        end += body_[end] == '\\' ? 1U : 0U;
        quote = end < body_.size() && body_[end] == quote && body_[end - 1] != '\\' ? '\0' : quote;
      } else if (body_[end] == '"' || body_[end] == '\'') {
        quote = body_[end];
      } else if (at(end, ">>")) {
        break;
      }
    }
    if (end + 1 >= body_.size()) {
      unclosed("<<", i);
      return i + 2;
    }
    const std::string_view inside = ascii::trim(body_.substr(i + 2, end - i - 2));
    const std::size_t blank = std::min(inside.find_first_of(ascii::spaces), inside.size());
    const std::string_view name = inside.substr(0, blank);
    const std::string_view args = ascii::trim(inside.substr(blank));
    if (name == "script" || name == "<script") {
      ++out_.unread;
      return behind(end + 2, "<</script>>");
    }
    run(name, args, i);
    return end + 2;
  }

  void run(std::string_view name, std::string_view args, std::size_t where) {
    if (name == "if") {
      open("if", where);
      branch(args);
    } else if ((name == "elseif" || name == "else") && frames_.back().name == "if") {
      next_branch(name == "else" && args.empty() ? std::string_view() : args);
    } else if (name == "link" || name == "button") {
      open("link", where);
      link_macro(args, where);
    } else if (name == "set") {
      set(args, nullptr, frames_.size() > 1);
    } else if (name == "unset") {
      unset(args);
    } else if (name == "goto" || name == "include" || name == "display" || name == "actions") {
      const Texts texts = quoted(args);
      Route route;
      route.label = route.to = texts.empty() ? "" : texts.front();
      route.unread = name != "goto";
      out_.unread += route.unread || texts.empty() ? 1U : 0U;
      out_.doubtful = out_.doubtful || texts.empty();
      if (!texts.empty()) {
        push(std::move(route), where);
      }
    } else if (name == "back" || name == "return") {
      ++out_.unread;
      out_.doubtful = true;
    } else if (!name.empty() && name.front() == '/') {
      const std::string_view opened = name.substr(1);
      if (frames_.size() > 1 &&
          (frames_.back().name == opened || (opened == "button" && frames_.back().name == "link"))) {
        close();
      }
    } else if (among(sometimes, name) &&
               body_.find("<</" + std::string(name) + ">>", where) != std::string_view::npos) {
      ++out_.unread;
      open(std::string(name), where);
      frames_.back().unread = true;
    } else if (!among(harmless, name)) {
      ++out_.unread;
      macro_ = true;
    }
  }

  void open(std::string name, std::size_t where) {
    Frame frame;
    frame.name = std::move(name);
    frame.at = where;
    frame.ways.emplace_back();
    frames_.push_back(std::move(frame));
  }

  void branch(std::string_view condition) {
    Frame& frame = frames_.back();
    frame.when.clear();
    frame.unread = false;
    if (!read_condition(condition, frame.when)) {
      frame.when.clear();
      frame.unread = true;
      frame.any_unread = true;
      ++out_.unread;
    }
    for (const Clause& one : frame.when) {
      asked_.insert(one.held.begin(), one.held.end());
      asked_.insert(one.lacking.begin(), one.lacking.end());
    }
  }

  void next_branch(std::string_view condition) {
    Frame& frame = frames_.back();
    conditions_of(frame);
    if (!frame.unread) {
      frame.before.push_back(frame.when);
    }
    frame.ways.emplace_back();
    if (condition.empty()) {
      frame.when.clear();
      frame.unread = frame.any_unread;
    } else {
      branch(condition);
      frame.unread = frame.unread || frame.any_unread;
    }
  }

  // The branch's ways get its condition, and that no branch before it holds.
  void conditions_of(Frame& frame) {
    for (Way& way : frame.ways.back()) {
      for (Route& route : way.routes) {
        if (frame.unread) {
          route.unread = true;
          continue;
        }
        limit(route, frame.when);
        route.unless.insert(route.unless.end(), frame.before.begin(), frame.before.end());
      }
    }
  }

  static void limit(Route& route, const Condition& when) {
    if (when.empty()) {
      return;
    }
    if (route.when.empty()) {
      route.when = when;
      return;
    }
    // Both must hold: that the outer one does not is what it must not be.
    Condition opposite;
    if (negate(when, opposite)) {
      route.unless.push_back(std::move(opposite));
    } else {
      route.unread = true;
    }
  }

  // A chain whose branches have one link each is one choice with routes; any other gives a way for each link.
  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (frame.name == "if") {
      conditions_of(frame);
      const bool set = !frame.any_unread && std::all_of(frame.ways.begin(), frame.ways.end(), [](const auto& ways) {
        return ways.size() == 1 && ways[0].routes.size() == 1 && !ways[0].routes[0].unread;
      });
      if (set) {
        Way way;
        way.at = frame.ways.front().front().at;
        for (auto& ways : frame.ways) {
          way.routes.push_back(std::move(ways.front().routes.front()));
          way.routes.back().unless.clear();
        }
        frames_.back().ways.back().push_back(std::move(way));
        return;
      }
    }
    for (auto& ways : frame.ways) {
      for (Way& way : ways) {
        for (Route& route : way.routes) {
          route.unread = route.unread || (frame.name != "if" && frame.name != "link" && frame.unread);
        }
        frames_.back().ways.back().push_back(std::move(way));
      }
    }
  }

  // <<link "label" "passage">>...<</link>>: what is set inside is set by taking it.
  void link_macro(std::string_view args, std::size_t where) {
    Route route;
    if (args.starts_with("[[")) {
      route = link_of(args.substr(2, std::min(args.find("]]"), args.size()) - 2));
    } else {
      const Texts texts = quoted(args);
      if (texts.size() >= 2) {
        route.label = plain_text(texts[0]);
        route.to = texts[1];
      }
    }
    if (route.to.empty()) {
      ++out_.unread;
      frames_.back().unread = true;
      return;
    }
    push(std::move(route), where);
  }

  // "$a to true, $b = false". What is set inside a link is the link's; in a branch it hangs on the branch.
  void set(std::string_view args, Route* route, bool inside) {
    Route* of_link = route;
    if (of_link == nullptr && frames_.back().name == "link" && frames_.size() == 2 &&
        !frames_.back().ways.back().empty()) {
      of_link = &frames_.back().ways.back().front().routes.front();
    }
    for (std::size_t from = 0; from < args.size();) {
      const std::size_t end = std::min(args.find_first_of(",;", from), args.size());
      one_set(ascii::trim(args.substr(from, end - from)), of_link, inside && of_link == nullptr);
      from = end + 1;
    }
  }

  void one_set(std::string_view text, Route* route, bool conditional) {
    if (text.empty() || text.front() != '$') {
      out_.unread += text.empty() || text.front() == '_' ? 0U : 1U;
      return;
    }
    std::size_t end = 1;
    while (end < text.size() && (ascii::is_word(text[end]) || text[end] == '$')) {
      ++end;
    }
    const std::string name(text.substr(1, end - 1));
    std::string_view rest = ascii::trim(text.substr(end));
    bool assigned = false;
    for (const std::string_view sign : {"to ", "="}) {
      if (!assigned && rest.starts_with(sign) && !rest.starts_with("==")) {
        rest = ascii::trim(rest.substr(sign.size()));
        assigned = true;
      }
    }
    const bool yes = rest == "true";
    if (!assigned || conditional || (!yes && rest != "false")) {
      out_.opaque.insert(name);
      return;
    }
    if (route == nullptr && asked_.count(name) != 0) {
      out_.opaque.insert(name);  // asked for before it is set, on the same page
      return;
    }
    Texts& into = route != nullptr ? (yes ? route->grants : route->clears) : (yes ? out_.grants : out_.clears);
    Texts& other = route != nullptr ? (yes ? route->clears : route->grants) : (yes ? out_.clears : out_.grants);
    other.erase(std::remove(other.begin(), other.end(), name), other.end());
    if (std::find(into.begin(), into.end(), name) == into.end()) {
      into.push_back(name);
    }
  }

  void unset(std::string_view args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i] == '$') {
        const std::size_t end = std::min(args.find_first_of(" ,", i), args.size());
        one_set(std::string(args.substr(i, end - i)) + " to false", nullptr, frames_.size() > 1);
        i = end;
      }
    }
  }

  void finish() {
    std::sort(out_.grants.begin(), out_.grants.end());
    std::sort(out_.clears.begin(), out_.clears.end());
    const std::size_t last = body_.find_last_not_of(ascii::spaces);
    out_.last_byte = last == std::string_view::npos ? 0 : last + 1;
    const std::size_t shown = shown_.find_last_not_of(ascii::spaces);
    out_.text =
        plain_text(shown == std::string::npos ? std::string_view() : std::string_view(shown_).substr(0, shown + 1));
    for (Way& way : out_.ways) {
      for (Route& route : way.routes) {
        route.unread = route.unread || foreign_;
      }
    }
    // A macro that nobody here knows may lead on.
    out_.doubtful = out_.doubtful || ((macro_ || foreign_) && out_.ways.empty());
  }

  std::string_view body_;
  bool macros_;
  TweeBody out_;
  std::string shown_;
  std::vector<Frame> frames_;
  std::set<std::string> asked_;
  bool foreign_ = false, macro_ = false;
};

}  // namespace

TweeBody read_body(std::string_view body, bool macros) { return Body(body, macros).read(); }

}  // namespace plumb::story
