#include "core/story/twee_body.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/story/ship.hpp"
#include "core/story/twee.hpp"
#include "core/story/twee_expression.hpp"

namespace plumb::story {

namespace {

// What a macro does with what is between it and its end, or with what it names.
enum class Does : unsigned char {
  nothing,  // of words, sounds and looks
  shows,    // its contents, as they are
  hides,    // its contents, and carries them out
  later,    // its contents may be shown, or not
  changes,  // likewise, and takes away what was shown
  asks,     // the reader, and sets the variable that it names
  leads,    // to where the reader was
  prints,   // what an expression comes to
  runs      // an expression
};

struct Macro {
  std::string_view name;
  Does does;
};

constexpr std::array<Macro, 58> macros = {{{"audio", Does::nothing},
                                           {"cacheaudio", Does::nothing},
                                           {"playlist", Does::nothing},
                                           {"masteraudio", Does::nothing},
                                           {"waitforaudio", Does::nothing},
                                           {"track", Does::nothing},
                                           {"removeaudiogroup", Does::nothing},
                                           {"removeplaylist", Does::nothing},
                                           {"addclass", Does::nothing},
                                           {"removeclass", Does::nothing},
                                           {"toggleclass", Does::nothing},
                                           {"redo", Does::nothing},
                                           {"stop", Does::nothing},
                                           {"next", Does::nothing},
                                           {"break", Does::nothing},
                                           {"continue", Does::nothing},
                                           {"option", Does::nothing},
                                           {"optionsfrom", Does::nothing},
                                           {"case", Does::nothing},
                                           {"default", Does::nothing},
                                           {"nobr", Does::shows},
                                           {"type", Does::shows},
                                           {"silently", Does::hides},
                                           {"silent", Does::hides},
                                           {"createplaylist", Does::later},
                                           {"createaudiogroup", Does::later},
                                           {"timed", Does::later},
                                           {"repeat", Does::later},
                                           {"for", Does::later},
                                           {"do", Does::later},
                                           {"done", Does::later},
                                           {"capture", Does::later},
                                           {"linkappend", Does::later},
                                           {"linkprepend", Does::later},
                                           {"linkreplace", Does::later},
                                           {"append", Does::later},
                                           {"prepend", Does::later},
                                           {"replace", Does::changes},
                                           {"remove", Does::changes},
                                           {"copy", Does::changes},
                                           {"textbox", Does::asks},
                                           {"textarea", Does::asks},
                                           {"numberbox", Does::asks},
                                           {"checkbox", Does::asks},
                                           {"radiobutton", Does::asks},
                                           {"cycle", Does::asks},
                                           {"listbox", Does::asks},
                                           {"back", Does::leads},
                                           {"return", Does::leads},
                                           {"print", Does::prints},
                                           {"=", Does::prints},
                                           {"-", Does::prints},
                                           {"run", Does::runs},
                                           {"remember", Does::asks},
                                           {"forget", Does::asks},
                                           {"elseif", Does::nothing},
                                           {"else", Does::nothing},
                                           {"endif", Does::nothing}}};

const Macro* macro_named(std::string_view name) {
  const auto at = std::find_if(macros.begin(), macros.end(), [name](const Macro& one) { return one.name == name; });
  return at == macros.end() ? nullptr : at;
}

// What stands between is shown, or given to the browser, as it is; where the end is missing, it is text.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> verbatim = {{{"{{{", "}}}"},
                                                                                    {"\"\"\"", "\"\"\""},
                                                                                    {"<nowiki>", "</nowiki>"},
                                                                                    {"<html>", "</html>"},
                                                                                    {"<script", "</script>"},
                                                                                    {"<style", "</style>"}}};

// An element that the reader can act on by more than looking.
bool acts(std::string_view element) {
  const std::string lower = ascii::lower(element);
  bool handler = false;
  for (std::size_t at = lower.find("on"); at != std::string::npos && !handler; at = lower.find("on", at + 1)) {
    const std::size_t end = lower.find_first_not_of("abcdefghijklmnopqrstuvwxyz", at);
    handler = at > 0 && (ascii::is_space(lower[at - 1]) || lower[at - 1] == '@') && end != std::string::npos &&
              end > at + 2 && (lower[end] == '=' || lower[end] == ' ');
  }
  const bool computed = lower.find('@') != std::string::npos && lower.find('(') != std::string::npos;
  return handler || computed || lower.find("data-passage") != std::string::npos ||
         lower.find("data-setter") != std::string::npos || lower.find("javascript:") != std::string::npos ||
         lower.find("<script") != std::string::npos || lower.find("sc-eval:") != std::string::npos;
}

enum class Is : unsigned char { whole, chain, link, shown, hidden, maybe };

// A macro with contents, as far as they have been read; the passage itself is the first.
struct Frame {
  std::string name;
  std::size_t at = 0;
  Is is = Is::whole;
  bool unread = false;                 // of the branch that is open
  Condition when;                      // of it; empty: always
  std::vector<Condition> before;       // of the branches before it
  bool any_unread = false;             // some branch so far
  bool one_choice = true;              // likewise: each
  std::vector<std::vector<Way>> ways;  // by branch
  std::string subject;                 // of <<switch>>
  Route link;                          // of <<link>>; no `to`: it leads where a <<goto>> inside of it does
};

class Body {
 public:
  Body(std::string_view body, const TweeStory& story) : body_(body), story_(story) {}

  TweeBody read() {
    open("", 0, Is::whole);
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

  void unread(std::size_t where, std::string reason) { out_.unread.push_back({where, "", std::move(reason)}); }
  void may_lead(std::size_t where, std::string reason) {
    out_.doubtful = true;
    unread(where, std::move(reason));
  }
  void may_do_anything(std::size_t where, std::string reason) {
    anything_ = out_.sets_anything = true;
    may_lead(where, std::move(reason));
  }
  void opaque(const std::string& variable, std::size_t where) { out_.opaque.emplace(variable, where); }

  // What evaluating an expression changes. `plain`: what its variables come to holds no links.
  void evaluate(std::string_view expression, std::size_t where, bool plain = false) {
    const TweeEffects effects = effects_of(expression);
    if (effects.anything) {
      may_do_anything(where, "this expression calls code that is not read: it may set variables and lead anywhere");
    }
    for (const std::string& one : effects.variables) {
      out_.sets.insert(one);
      opaque(one, where);
      if (!plain) {
        out_.markup.insert(one);
      }
    }
  }

  void show(std::string_view text) {
    out_.shows = out_.shows || text.find_first_not_of(ascii::spaces) != std::string_view::npos;
    if (frames_.size() == 1) {  // what is shown whatever is held
      shown_ += text;
    }
  }

  std::size_t step(std::size_t i) {
    if (at(i, "<!--") || at(i, "/*") || at(i, "/%")) {
      return behind(i + 2, at(i, "<!--") ? "-->" : at(i, "/*") ? "*/" : "%/");
    }
    for (const auto& [begin, end] : verbatim) {
      const std::size_t closed = at(i, begin) ? body_.find(end, i + begin.size()) : std::string_view::npos;
      if (closed != std::string_view::npos) {
        const std::string_view inside = body_.substr(i + begin.size(), closed - i - begin.size());
        if (begin == "<script" || (begin == "<html>" && acts(inside))) {
          may_do_anything(i, "this is code: it may set variables and lead anywhere");
        } else if (begin != "<style") {
          show(begin == "{{{" ? std::string_view() : inside);
          out_.shows = true;
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
    if (at(i, "[[")) {
      return link(i);
    }
    if (at(i, "[img[") || at(i, "[<img[") || at(i, "[>img[")) {
      return picture(i);
    }
    if (body_[i] == '<') {
      element(i);
    } else if ((body_[i] == '$' || body_[i] == '_') && (i == 0 || !ascii::is_word(body_[i - 1]))) {
      std::size_t end = i + 1;
      while (end < body_.size() && ascii::is_word(body_[end])) {
        ++end;
      }
      for (const std::string& one : variables_in(body_.substr(i, end - i))) {
        out_.shown.emplace_back(one, i);
      }
    }
    show(body_.substr(i, 1));
    return i + 1;
  }

  void element(std::size_t i) {
    const std::size_t end = body_.find('>', i);
    if (end == std::string_view::npos || i + 1 >= body_.size() || !ascii::is_letter(body_[i + 1])) {
      return;
    }
    const std::string_view tag = body_.substr(i, end - i);
    if (acts(tag)) {
      may_do_anything(i, "this element is acted on: it may set variables and lead anywhere");
    }
  }

  // [img[source][passage][setter]]
  std::size_t picture(std::size_t i) {
    const std::size_t end = body_.find("]]", i);
    if (end == std::string_view::npos) {
      unclosed("[img[", i);
      return i + 2;
    }
    out_.shows = true;
    const std::string_view inside = body_.substr(i, end - i);
    const std::size_t first = inside.find("][");
    if (first != std::string_view::npos) {
      const std::string_view rest = inside.substr(first + 2);
      const std::size_t second = rest.find("][");
      Route route;
      route.label = route.to = ascii::trim(rest.substr(0, second));
      lead(std::move(route), i, second == std::string_view::npos ? std::string_view() : rest.substr(second + 2));
    }
    return end + 2;
  }

  std::size_t link(std::size_t i) {
    const std::size_t end = body_.find("]]", i);
    const std::size_t next = body_.find("[[", i + 2);
    if (end == std::string_view::npos || (next < end)) {
      unclosed("[[", i);
      return i + 2;
    }
    const std::string_view inside = body_.substr(i + 2, end - i - 2);
    const std::size_t middle = inside.find("][");
    lead(link_of(inside.substr(0, middle)), i,
         middle == std::string_view::npos ? std::string_view() : inside.substr(middle + 2));
    return end + 2;
  }

  // Where a link leads, and what is set by taking it.
  void lead(Route route, std::size_t where, std::string_view setter) {
    if (in_link()) {
      return;  // what is inside of <<link>> is carried out, not shown
    }
    set(setter, where, &route);
    switch (target_of(route.to, story_)) {
      case TweeTarget::passage:
        push(std::move(route), where);
        break;
      case TweeTarget::nowhere:
        out_.nowhere.push_back(where);
        break;
      case TweeTarget::expression:
        may_lead(where, "where '" + route.to + "' leads is not known before it is evaluated");
        break;
      case TweeTarget::address:
        break;
    }
  }

  void push(Route route, std::size_t where, bool forced = false) {
    Way way;
    way.at = where;
    way.forced = forced;
    way.routes.push_back(std::move(route));
    frames_.back().ways.back().push_back(std::move(way));
  }

  bool is_open(std::string_view name) const {
    return std::any_of(frames_.begin(), frames_.end(), [name](const Frame& one) { return one.name == name; });
  }

  bool in_link() const {
    return std::any_of(frames_.begin(), frames_.end(), [](const Frame& one) { return one.is == Is::link; });
  }

  std::size_t macro(std::size_t i) {
    std::size_t end = i + 2;
    char quote = 0;
    for (; end + 1 < body_.size(); ++end) {
      if (quote != 0) {
        if (body_[end] == '\\') {
          ++end;
        } else if (body_[end] == quote) {
          quote = 0;
        }
      } else if (at(end, "[[")) {
        end = std::min(body_.find("]]", end), body_.size() - 1);
      } else if (body_[end] == '"' || body_[end] == '\'' || body_[end] == '`') {
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
    if (name == "script") {
      may_do_anything(i, "this is code: it may set variables and lead anywhere");
      return behind(end + 2, "<</script>>");
    }
    run(name, ascii::trim(inside.substr(blank)), i);
    return end + 2;
  }

  void run(std::string_view name, std::string_view args, std::size_t where) {
    Frame& frame = frames_.back();
    if (name == "if") {
      open("if", where, Is::chain);
      branch(args, where);
    } else if ((name == "elseif" || name == "else") && frame.name == "if") {
      next_branch(name == "else" && args.empty() ? std::string_view() : args, where);
    } else if (name == "switch") {
      open("switch", where, Is::chain);
      frames_.back().subject = args;
      evaluate(args, where);
    } else if ((name == "case" || name == "default") && frame.name == "switch") {
      next_branch(name == "default" ? std::string() : one_of(frame.subject, args), where);
    } else if (name == "link" || name == "button" || name == "click") {
      open(std::string(name), where, Is::link);
      link_macro(args, where);
    } else if (name == "set") {
      set(args, where, nullptr);
    } else if (name == "unset") {
      const Setting to = setting(nullptr);
      for (const std::string& one : variables_in(args)) {
        give(one, nullptr, where, to);
      }
    } else if (name == "goto" || name == "include" || name == "display" || name == "actions" || name == "choice") {
      goes(name, args, where);
    } else if (name.starts_with('/') || (name.starts_with("end") && is_open(name.substr(3)))) {
      const std::string_view opened = name.substr(name.starts_with('/') ? 1 : 3);
      if (frames_.size() > 1 && frame.name == opened) {
        close();
      }
    } else {
      other(name, args, where);
    }
  }

  void other(std::string_view name, std::string_view args, std::size_t where) {
    const Macro* known = macro_named(name);
    const std::string called = "<<" + std::string(name) + ">>";
    if (known == nullptr) {
      if (!name.empty()) {
        out_.shows = true;
        may_do_anything(where, called + " is not read: it may set variables and lead anywhere");
      }
      return;
    }
    const bool has_end = body_.find("<</" + std::string(name) + ">>", where) != std::string_view::npos;
    switch (known->does) {
      case Does::nothing:
        break;
      case Does::shows:
      case Does::hides:
        if (has_end) {
          open(std::string(name), where, known->does == Does::shows ? Is::shown : Is::hidden);
        }
        break;
      case Does::later:
      case Does::changes:
        if (known->does == Does::changes) {
          unread(where, called + " may take away a link that was shown");
        }
        loop_variables(name, args, where);
        if (has_end) {
          open(std::string(name), where, Is::maybe);
        }
        break;
      case Does::asks:
        asks(name, args, where);
        if (has_end) {
          open(std::string(name), where, Is::maybe);
        }
        break;
      case Does::leads:
        may_lead(where, "where " + called + " leads depends on where the reader was");
        break;
      case Does::prints:
        out_.shows = true;
        prints(args, where);
        break;
      case Does::runs:
        evaluate(args, where);
        break;
    }
  }

  void loop_variables(std::string_view name, std::string_view args, std::size_t where) {
    evaluate(args, where);
    for (const std::string& one : name == "for" ? variables_in(args) : std::set<std::string>()) {
      out_.sets.insert(one);
      out_.markup.insert(one);
      opaque(one, where);
    }
  }

  // <<textbox "$name" "" "passage">>
  void asks(std::string_view name, std::string_view args, std::size_t where) {
    const std::vector<TweeArgument> given = arguments_of(args);
    const std::set<std::string> named = given.empty() ? std::set<std::string>() : variables_in(given[0].text);
    for (const std::string& one : named) {
      out_.sets.insert(one);
      out_.markup.insert(one);
      opaque(one, where);
    }
    out_.shows = true;
    if (named.empty()) {
      may_do_anything(where, "which variable <<" + std::string(name) + ">> sets is not read");
    }
    if ((name == "textbox" || name == "numberbox") && given.size() > 2 && given[2].text != "autofocus") {
      Route route;
      route.label = route.to = given[2].text;
      route.unread = true;
      unread(where, "a box leads on to '" + route.to + "'");
      push(std::move(route), where);
    }
  }

  void prints(std::string_view args, std::size_t where) {
    evaluate(args, where);
    const std::set<std::string> named = variables_in(args);
    if (named.size() == 1 && args == "$" + *named.begin()) {
      out_.shown.emplace_back(*named.begin(), where);
    } else if (!shows_plainly(args)) {
      may_lead(where, "what is printed here may hold links");
    }
  }

  void goes(std::string_view name, std::string_view args, std::size_t where) {
    std::vector<TweeArgument> given = arguments_of(args);
    if (given.empty() || !given[0].known) {
      may_lead(where, "where <<" + std::string(name) + ">> leads is not known before it is evaluated");
      return;
    }
    given.resize(name == "actions" ? given.size() : 1);
    for (const TweeArgument& one : given) {
      Route route = one.link ? link_of(one.text) : Route();
      route.to = one.link ? route.to : one.text;
      route.label = route.label.empty() ? route.to : route.label;
      route.unread = name != "goto";
      if (name == "include" || name == "display") {
        out_.included.insert(route.to);
        may_lead(where, "what '" + route.to + "' does inside of this passage is not read");
      } else if (name != "goto") {
        unread(where, "<<" + std::string(name) + ">> offers a way once; how often is not read");
      }
      push(std::move(route), where, name == "goto");
    }
  }

  void open(std::string name, std::size_t where, Is is) {
    Frame frame;
    frame.name = std::move(name);
    frame.at = where;
    frame.is = is;
    frame.ways.emplace_back();
    frames_.push_back(std::move(frame));
  }

  // <<case "a" "b">> of <<switch $x>>: $x is "a" or $x is "b".
  static std::string one_of(const std::string& subject, std::string_view args) {
    std::string out;
    for (const std::string_view one : cut_at(args, " \t\r\n")) {
      out += (out.empty() ? "" : " or ") + subject + " is " + std::string(one);
    }
    return out.empty() ? "?" : out;
  }

  void branch(std::string_view condition, std::size_t where) {
    Frame& frame = frames_.back();
    frame.when.clear();
    frame.unread = false;
    if (!read_condition(condition, frame.when)) {
      frame.when.clear();
      frame.unread = true;
      frame.any_unread = true;
      evaluate(condition, where);
    }
    for (const Clause& one : frame.when) {
      out_.asked.insert(one.held.begin(), one.held.end());
      out_.asked.insert(one.lacking.begin(), one.lacking.end());
    }
    for (const std::string& one : variables_in(condition)) {
      asked_.insert(one);
    }
  }

  void next_branch(std::string_view condition, std::size_t where) {
    Frame& frame = frames_.back();
    end_branch(frame);
    if (!frame.unread && (frame.subject.empty() || frame.ways.size() > 1)) {
      frame.before.push_back(frame.when);
    }
    frame.ways.emplace_back();
    if (condition.empty()) {
      frame.when.clear();
      frame.unread = frame.any_unread;
    } else {
      branch(condition, where);
      frame.unread = frame.unread || frame.any_unread;
    }
  }

  // The branch's ways get its condition, and that no branch before it holds. Where each branch has one link, and no
  // more conditions, the chain is one choice with routes.
  void end_branch(Frame& frame) {
    std::vector<Way>& ways = frame.ways.back();
    if (!frame.subject.empty() && frame.ways.size() == 1) {
      ways.clear();  // what stands before the first <<case>> is not shown
    }
    frame.one_choice = frame.one_choice && ways.size() == 1 && ways[0].routes.size() == 1 &&
                       !ways[0].routes[0].unread && ways[0].routes[0].when.empty() &&
                       ways[0].routes[0].unless.empty() && ways[0].forced == frame.ways[0][0].forced;
    for (Way& way : ways) {
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

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (frame.is == Is::link) {
      close_link(frame);
      return;
    }
    std::vector<Way>& into = frames_.back().ways.back();
    if (frame.is == Is::chain) {
      end_branch(frame);
    }
    if (frame.is == Is::chain && frame.one_choice && !frame.any_unread) {
      Way way;
      way.at = frame.ways.front().front().at;
      way.forced = frame.ways.front().front().forced;
      for (auto& ways : frame.ways) {
        way.routes.push_back(std::move(ways.front().routes.front()));
        way.routes.back().unless.clear();
      }
      into.push_back(std::move(way));
      return;
    }
    bool led = false;
    for (auto& ways : frame.ways) {
      for (Way& way : ways) {
        if (frame.is == Is::hidden && !way.forced) {
          continue;
        }
        led = true;
        for (Route& route : way.routes) {
          route.unread = route.unread || frame.is == Is::maybe;
        }
        into.push_back(std::move(way));
      }
    }
    if (led && (frame.is == Is::maybe || frame.any_unread)) {
      unread(frame.at, frame.is == Is::maybe
                           ? "whether and when the links in <<" + frame.name + ">> are shown is not read"
                           : "the condition of <<" + frame.name + ">> is not read, and links depend on it");
    }
  }

  // <<link "label">> that stays on its page changes what is held there, which is not followed.
  void close_link(Frame& frame) {
    std::vector<Way> forced;
    for (Way& way : frame.ways.back()) {
      if (way.forced) {
        forced.push_back(std::move(way));
      }
    }
    const bool plain = forced.size() == 1 && forced[0].routes.size() == 1 && forced[0].routes[0].when.empty() &&
                       forced[0].routes[0].unless.empty() && !forced[0].routes[0].unread;
    if (forced.empty() && !frame.link.to.empty()) {
      push(std::move(frame.link), frame.at);
      return;
    }
    if (plain && frame.link.to.empty()) {
      frame.link.to = forced[0].routes[0].to;
      push(std::move(frame.link), frame.at);
      return;
    }
    for (const Texts* texts : {&frame.link.grants, &frame.link.clears}) {
      for (const std::string& word : *texts) {
        opaque(std::string(variable_asked(word)), frame.at);
      }
    }
    if (!forced.empty()) {
      unread(frame.at, "which of its ways this link takes is not read");
    }
    for (Way& way : forced) {
      for (Route& route : way.routes) {
        route.unread = true;
        route.grants.clear();
        route.clears.clear();
        push(std::move(route), frame.at);
      }
    }
    if (!frame.link.to.empty()) {
      frame.link.unread = true;
      frame.link.grants.clear();
      frame.link.clears.clear();
      push(std::move(frame.link), frame.at);
    }
  }

  // <<link "label" "passage">>...<</link>>: what is set inside is set by taking it.
  void link_macro(std::string_view args, std::size_t where) {
    Route& route = frames_.back().link;
    const std::vector<TweeArgument> given = arguments_of(args);
    out_.shows = true;
    std::string_view setter;
    bool known = true;
    if (!given.empty() && given[0].link) {
      const std::string_view inside = given[0].text;
      const std::size_t middle = inside.find("][");
      route = link_of(inside.substr(0, middle));
      known = target_of(route.to, story_) == TweeTarget::passage;
      setter = middle == std::string_view::npos ? setter : inside.substr(middle + 2);
      set(setter, where, &route);
    } else if (given.size() >= 2) {
      route.label = plain_text(given[0].text);
      route.to = given[1].text;
      known = given[1].known;
    }
    if (!known) {
      may_lead(where, "where this link leads is not known before it is evaluated");
      route.to.clear();
    }
  }

  // What a setting belongs to: a link, or (none) the passage; in a branch it hangs on the branch.
  struct Setting {
    Route* link = nullptr;
    bool conditional = false;
  };
  Setting setting(Route* link) {
    Setting out{link, false};
    for (auto frame = frames_.rbegin(); frame != frames_.rend() && out.link == nullptr; ++frame) {
      out.conditional = out.conditional || frame->is == Is::chain || frame->is == Is::maybe;
      out.link = frame->is == Is::link ? &frame->link : nullptr;
    }
    return out;
  }

  // "$a to true, $b = false"
  void set(std::string_view args, std::size_t where, Route* link) {
    for (const std::string_view one : cut_at(args, ",;")) {
      one_set(one, where, setting(link));
    }
  }

  void one_set(std::string_view text, std::size_t where, const Setting& to) {
    std::size_t end = 1;
    while (end < text.size() && (ascii::is_word(text[end]) || text[end] == '$')) {
      ++end;
    }
    const std::set<std::string> named = variables_in(text.substr(0, end));
    if (named.size() != 1 || (text[0] != '$' && text[0] != '_')) {
      evaluate(text, where);
      return;
    }
    const std::string& name = *named.begin();
    std::string_view rest = ascii::trim(text.substr(end));
    const bool assigned = rest.starts_with("to ") || rest.starts_with("to\t") || rest.starts_with("to\n") ||
                          (rest.starts_with('=') && !rest.starts_with("=="));
    rest = assigned ? ascii::trim(rest.substr(rest.starts_with('=') ? 1 : 2)) : rest;
    const std::optional<TweeValue> value = assigned ? read_value(rest) : std::nullopt;
    const std::string_view expression = rest.substr(std::min(rest.find_first_not_of("+-*/%="), rest.size()));
    const bool plain =
        value ? value->text.find_first_of("[<$_?") == std::string::npos : shows_plainly(expression, name);
    if (!plain) {
      out_.markup.insert(name);
    }
    if (value && text[0] == '$') {
      give(name, &*value, where, to);
      return;
    }
    out_.sets.insert(name);
    opaque(name, where);
    evaluate(rest, where, plain);
  }

  // The words that are asked for of the variable, by its new value; none: it has no value any more.
  void give(const std::string& name, const TweeValue* value, std::size_t where, const Setting& to) {
    out_.sets.insert(name);
    if (to.conditional || (to.link == nullptr && asked_.count(name) != 0)) {
      opaque(name, where);  // in a branch, or asked for before it is set, on the same page
      return;
    }
    hold(name, value != nullptr && value->counts_as_true(), to.link);
    const std::string begin = name + " ";
    for (auto word = story_.asked.lower_bound(begin); word != story_.asked.end() && word->starts_with(begin); ++word) {
      const std::optional<bool> held = value == nullptr ? std::optional<bool>(false) : word_holds(*word, *value);
      if (!held) {
        opaque(name, where);
        return;
      }
      hold(*word, *held, to.link);
    }
  }

  void hold(const std::string& word, bool yes, Route* route) {
    Texts& into = route != nullptr ? (yes ? route->grants : route->clears) : (yes ? out_.grants : out_.clears);
    Texts& other = route != nullptr ? (yes ? route->clears : route->grants) : (yes ? out_.clears : out_.grants);
    other.erase(std::remove(other.begin(), other.end(), word), other.end());
    if (std::find(into.begin(), into.end(), word) == into.end()) {
      into.push_back(word);
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
    std::size_t forced = 0;
    for (Way& way : out_.ways) {
      forced += way.forced ? 1U : 0U;
      for (Route& route : way.routes) {
        route.unread = route.unread || anything_;  // code that is not read may take it away
      }
    }
    if (forced > 1) {
      unread(0, "which of the " + std::to_string(forced) + " <<goto>> of this passage is taken is not read");
      for (Way& way : out_.ways) {
        for (Route& route : way.routes) {
          route.unread = true;
        }
      }
    }
  }

  std::string_view body_;
  const TweeStory& story_;
  TweeBody out_;
  std::string shown_;
  std::vector<Frame> frames_;
  std::set<std::string> asked_;  // variables
  bool anything_ = false;
};

}  // namespace

TweeBody read_body(std::string_view body, const TweeStory& story) { return Body(body, story).read(); }

}  // namespace plumb::story
