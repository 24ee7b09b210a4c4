#include "core/story/twee_body.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/story/ship.hpp"
#include "core/story/twee_expression.hpp"
#include "core/story/twee_frames.hpp"

namespace plumb::story {

namespace {

// What a macro does with what is between it and its end, or with what it names.
enum class Does : unsigned char {
  nothing,  // of words, sounds and looks
  shows,    // its contents, as they are
  hides,    // its contents, and carries them out
  later,    // its contents, once, when the reader asks for them or waits
  loops,    // its contents, some times
  changes,  // its contents, in place of what was shown
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
                                           {"createplaylist", Does::shows},
                                           {"createaudiogroup", Does::shows},
                                           {"timed", Does::later},
                                           {"repeat", Does::loops},
                                           {"for", Does::loops},
                                           {"do", Does::shows},
                                           {"done", Does::shows},
                                           {"capture", Does::shows},
                                           {"linkappend", Does::later},
                                           {"linkprepend", Does::later},
                                           {"linkreplace", Does::later},
                                           {"append", Does::shows},
                                           {"prepend", Does::shows},
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

class Body : private TweeFrames {
 public:
  Body(std::string_view body, const TweeStory& story) : TweeFrames(story), body_(body) {}

  TweeBody read() {
    open("", 0, Is::whole);
    for (std::size_t i = 0; i < body_.size();) {
      i = step(i);
    }
    while (frames_.size() > 1) {
      unclosed("<<" + frames_.back().name + ">>", frames_.back().at);
      close();
    }
    finish_ways();
    finish_text();
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
    std::string tag(body_.substr(i, end - i));
    constexpr std::string_view leads = " data-passage=\"";
    if (const std::size_t from = tag.find(leads); from != std::string::npos) {
      const std::size_t to = tag.find('"', from + leads.size());
      if (to != std::string::npos) {
        Route route;
        route.label = route.to = tag.substr(from + leads.size(), to - from - leads.size());
        tag.erase(from, to - from);
        lead(std::move(route), i, {});
      }
    }
    if (acts(tag)) {
      may_do_anything(i, "this element runs code: it may set variables and lead anywhere");
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
      const std::size_t closed = std::min(body_.find("<</script>>", end), body_.size());
      if (!is_inert_code(body_.substr(end + 2, closed - std::min(closed, end + 2)))) {
        may_do_anything(i, "this is code: it may set variables and lead anywhere");
      }
      return behind(end + 2, "<</script>>");
    }
    run(name, ascii::trim(inside.substr(blank)), i);
    return end + 2;
  }

  void run(std::string_view name, std::string_view args, std::size_t where) {
    Frame& frame = frames_.back();
    if (name == "if" || name == "elseif") {
      evaluate(args, where);
    }
    if (name == "if") {
      open("if", where, Is::chain);
      branch(args, where);
    } else if ((name == "elseif" || name == "else") && frame.name == "if") {
      next_branch(name == "else" && args.empty() ? std::string_view() : args, where);
    } else if (name == "switch") {
      evaluate(args, where);
      open("switch", where, Is::chain);
      frames_.back().subject = args;
    } else if ((name == "case" || name == "default") && frame.name == "switch") {
      next_branch(name == "default" ? std::string() : one_of(frame.subject, args), where);
    } else if (name == "link" || name == "button" || name == "click") {
      open(std::string(name), where, Is::link);
      link_macro(args, where);
    } else if (name == "set") {
      set(args, where, nullptr);
    } else if (name == "unset") {
      for (const std::string& one : variables_in(args)) {
        give(one, nullptr, setting(nullptr));
        emit_set(one, value_expression({}, where), where);
      }
    } else if (name == "widget") {
      const std::vector<TweeArgument> given = arguments_of(args);
      open("widget", where, Is::widget);
      frames_.back().link.label = given.empty() ? std::string() : given[0].text;
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
    if (known == nullptr && story_.widgets.count(name) != 0) {
      use(name, args, where);
      return;
    }
    if (known == nullptr) {
      if (!name.empty()) {
        out_.shows = true;
        may_do_anything(where, called + " is not read: it may set variables and lead anywhere");
      }
      return;
    }
    const bool has_end = body_.find("<</" + std::string(name) + ">>", where) != std::string_view::npos ||
                         body_.find("<<end" + std::string(name) + ">>", where) != std::string_view::npos;
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
      case Does::loops:
      case Does::changes:
        loop_variables(name, args, where);
        if (has_end) {
          open(std::string(name), where,
               known->does == Does::later   ? Is::later
               : known->does == Does::loops ? Is::loop
                                            : Is::changes);
          const std::vector<TweeArgument> given = arguments_of(args);
          frames_.back().link.label = name.starts_with("link") && !given.empty() ? plain_text(given[0].text) : "";
        }
        break;
      case Does::asks:
        asks(name, args, where);
        if (has_end) {
          open(std::string(name), where, Is::shown);
        }
        break;
      case Does::leads:
        goes_back(name, args, where);
        break;
      case Does::prints:
        out_.shows = true;
        prints(args, where);
        break;
      case Does::runs:
        runs(args, where);
        break;
    }
  }

  // A widget of the story, with what it is given, and what it holds shown by it.
  void use(std::string_view name, std::string_view args, std::size_t where) {
    ScriptNode node;
    node.kind = ScriptNode::Kind::call;
    node.at = where;
    node.name = name;
    for (const TweeArgument& one : arguments_of(args)) {
      node.expression.of.push_back(value_of(one, where));
    }
    emit(std::move(node));
    out_.shows = true;
    out_.used.emplace(name);
    if (body_.find("<</" + std::string(name) + ">>", where) != std::string_view::npos) {
      open(std::string(name), where, Is::shown);
    }
  }

  // <<return>> leads on to where the reader was; <<back>> takes back what they did since.
  void goes_back(std::string_view name, std::string_view args, std::size_t where) {
    const std::vector<TweeArgument> given = arguments_of(args);
    if (name == "back" || (!given.empty() && given[0].link)) {
      may_lead(where, "where <<" + std::string(name) + ">> leads depends on where the reader was");
      return;
    }
    out_.doubtful = true;
    ScriptNode node;
    node.kind = ScriptNode::Kind::link;
    node.at = where;
    node.name = given.empty() ? "Return" : plain_text(given[0].text);
    node.expression = given.size() > 1 ? value_of(given[1], where) : read_expression("previous()", where);
    emit(std::move(node));
  }

  // <<run>>: settings, and what leads on from code.
  void runs(std::string_view args, std::size_t where) {
    constexpr std::array<std::string_view, 3> plays = {"Engine.play(", "Engine.goto(", "SugarCube.Engine.play("};
    constexpr std::array<std::string_view, 3> restarts = {"Engine.restart()", "UI.restart()",
                                                          "SugarCube.Engine.restart()"};
    const std::string_view code = ascii::trim(args, "; \t\r\n");
    if (std::find(restarts.begin(), restarts.end(), code) != restarts.end()) {
      return;  // the story begins anew: none of its ways
    }
    for (const std::string_view play : plays) {
      const std::string_view inside = code.substr(std::min(play.size(), code.size()));
      if (code.starts_with(play) && inside.ends_with(')') && cut_at(inside, ",").size() == 1) {
        goes("goto", "`" + std::string(inside.substr(0, inside.size() - 1)) + "`", where);
        return;
      }
    }
    set(args, where, nullptr);
  }

  void loop_variables(std::string_view name, std::string_view args, std::size_t where) {
    for (const std::string& one : name == "for" ? variables_in(args) : std::set<std::string>()) {
      out_.markup.insert(one);
      emit_set(one, value_expression(unread_value(where), where), where);
    }
    evaluate(args, where);
  }

  // <<textbox "$name" "" "passage">>
  void asks(std::string_view name, std::string_view args, std::size_t where) {
    const std::vector<TweeArgument> given = arguments_of(args);
    const std::set<std::string> named = given.empty() ? std::set<std::string>() : variables_in(given[0].text);
    for (const std::string& one : named) {
      out_.markup.insert(one);
      emit_set(one, value_expression(unread_value(where), where), where);
      asked_.push_back(frames_.back().branches.back().nodes.back());
    }
    out_.shows = true;
    if (named.empty()) {
      may_do_anything(where, "which variable <<" + std::string(name) + ">> sets is not read");
    }
    if ((name == "textbox" || name == "numberbox") && given.size() > 2 && given[2].text != "autofocus") {
      Route route;
      route.label = route.to = given[2].text;
      lead(std::move(route), where, {});
    }
  }

  void prints(std::string_view args, std::size_t where) {
    evaluate(args, where);
    if (!shows_plainly(args, any_variable)) {
      may_lead(where, "what is printed here may hold links");
      return;
    }
    for (const std::string& one : variables_in(args)) {
      out_.shown.emplace_back(one, where);
    }
  }

  void goes(std::string_view name, std::string_view args, std::size_t where) {
    std::vector<TweeArgument> given = arguments_of(args);
    if (given.empty()) {
      may_lead(where, "<<" + std::string(name) + ">> names no passage");
      return;
    }
    given.resize(name == "actions" ? given.size() : 1);
    for (const TweeArgument& one : given) {
      Route route = one.link ? link_of(one.text) : Route();
      route.to = one.link ? route.to : one.text;
      route.label = route.label.empty() ? route.to : route.label;
      ScriptNode node;
      node.at = where;
      node.name = name == "goto" ? "" : route.label;
      node.expression = one.known ? value_expression(text_value(route.to), where) : value_of(one, where);
      const bool includes = name == "include" || name == "display";
      node.kind = includes ? ScriptNode::Kind::include : name == "goto" ? ScriptNode::Kind::go : ScriptNode::Kind::link;
      emit(std::move(node));
      out_.doubtful = out_.doubtful || !one.known;
      out_.shows = true;
      if (includes && one.known) {
        out_.included.insert(route.to);
        continue;
      }
      if (!includes && name != "goto") {
        emit(ScriptNode::Kind::note, where, "<<" + std::string(name) + ">> offers a way once; how often is not read");
      }
      if (one.known) {
        push(std::move(route), where, name == "goto");
      }
    }
  }

  // <<case "a" "b">> of <<switch $x>>: $x is "a" or $x is "b".
  static std::string one_of(const std::string& subject, std::string_view args) {
    std::string out;
    for (const std::string_view one : cut_at(args, " \t\r\n")) {
      out += (out.empty() ? "" : " or ") + subject + " is " + std::string(one);
    }
    return out.empty() ? "?" : out;
  }

  // <<link "label" "passage">>...<</link>>: what is set inside is set by taking it.
  void link_macro(std::string_view args, std::size_t where) {
    Route& route = frames_.back().link;
    const std::vector<TweeArgument> given = arguments_of(args);
    out_.shows = true;
    std::string_view setter;
    bool known = true;
    Frame& frame = frames_.back();  // the link's, so that settings are its own
    if (!given.empty() && given[0].link) {
      const std::string_view inside = given[0].text;
      const std::size_t middle = inside.find("][");
      route = link_of(inside.substr(0, middle));
      setter = middle == std::string_view::npos ? setter : inside.substr(middle + 2);
      known = target_of(route.to, story_) == TweeTarget::passage;
      frame.target =
          known ? value_expression(text_value(route.to), where) : read_expression(ascii::trim(route.to, "`"), where);
      frame.leads = true;
      set(setter, where, &route);
    } else if (!given.empty()) {
      route.label = plain_text(given[0].text);
    }
    if (given.size() >= 2 && !given[0].link) {
      route.to = given[1].text;
      known = given[1].known;
      frame.target = value_of(given[1], where);
      frame.leads = true;
    }
    if (!known) {
      out_.doubtful = true;
      route.to.clear();
    }
  }

  void finish_text() {
    const std::size_t last = body_.find_last_not_of(ascii::spaces);
    out_.last_byte = last == std::string_view::npos ? 0 : last + 1;
    const std::size_t shown = shown_.find_last_not_of(ascii::spaces);
    out_.text =
        plain_text(shown == std::string::npos ? std::string_view() : std::string_view(shown_).substr(0, shown + 1));
  }

  std::string_view body_;
  std::string shown_;
};

}  // namespace

// Without these names code reaches neither a story's variables nor its passages.
bool is_inert_code(std::string_view code) {
  constexpr std::array<std::string_view, 19> reaching = {
      "State",      "Engine",     "Story",     "SugarCube",       "Wikifier",          "wiki",         "variables",
      "temporary",  "eval",       "Function",  "Config.passages", "Config.navigation", "Config.start", "Config.saves",
      "prehistory", "predisplay", "prerender", "postdisplay",     "postrender"};
  return std::none_of(reaching.begin(), reaching.end(),
                      [code](std::string_view one) { return code.find(one) != std::string_view::npos; });
}

TweeBody read_body(std::string_view body, const TweeStory& story) { return Body(body, story).read(); }

}  // namespace plumb::story
