// Links, and passages in the notation of other formats than SugarCube, of which links alone are read.
#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/story/twee_body.hpp"
#include "core/story/twee_expression.hpp"

namespace plumb::story {

namespace {

bool is_address(std::string_view to) {
  constexpr std::array<std::string_view, 6> begins = {"mailto:", "tel:", "javascript:", "//", "./", "../"};
  return to.find("://") != std::string_view::npos || to.starts_with('#') ||
         std::any_of(begins.begin(), begins.end(), [to](std::string_view one) { return to.starts_with(one); });
}

bool is_expression(std::string_view to) {
  const std::size_t point = to.find('.');
  const bool member = point != std::string_view::npos && point > 0 && point + 1 < to.size() &&
                      std::all_of(to.begin(), to.end(), [](char c) { return ascii::is_word(c) || c == '.'; });
  const std::size_t call = to.find('(');
  const bool calls = call == 0 || (call != std::string_view::npos && ascii::is_word(to[call - 1]));
  return member || calls || !variables_in(to).empty() || to.find_first_of("[]{}`+=\\") != std::string_view::npos ||
         to.front() == '"' || to.front() == '\'';
}

// "(if:" or "(link-goto:"; the colon's place, else npos.
std::size_t harlowe_macro(std::string_view body, std::size_t i) {
  std::size_t k = i + 1;
  while (body[i] == '(' && k < body.size() && (ascii::is_word(body[k]) || body[k] == '-')) {
    ++k;
  }
  return k > i + 1 && k < body.size() && body[k] == ':' ? k : std::string_view::npos;
}

class ForeignBody {
 public:
  ForeignBody(std::string_view body, const TweeStory& story) : body_(body), story_(story) {}

  TweeBody read() {
    for (std::size_t i = 0; i < body_.size();) {
      i = step(i);
    }
    if (marked_) {
      out_.doubtful = out_.sets_anything = true;
      out_.unread.push_back({mark_, "", "this is code in a notation that is not read: it may lead anywhere"});
      for (Way& way : out_.ways) {
        way.routes[0].unread = true;
      }
    }
    const std::size_t last = body_.find_last_not_of(ascii::spaces);
    out_.last_byte = last == std::string_view::npos ? 0 : last + 1;
    out_.text = ascii::trim(shown_);
    out_.shows = marked_ || !out_.text.empty();
    return std::move(out_);
  }

 private:
  std::size_t step(std::size_t i) {
    if (body_.substr(i, 4) == "<!--") {
      const std::size_t end = body_.find("-->", i);
      return end == std::string_view::npos ? body_.size() : end + 3;
    }
    if (body_[i] == '`') {  // as it is written, up to as many marks
      const std::size_t behind = std::min(body_.find_first_not_of('`', i), body_.size());
      const std::size_t end = body_.find(body_.substr(i, behind - i), behind);
      if (end != std::string_view::npos) {
        shown_ += body_.substr(behind, end - behind);
        return end + behind - i;
      }
    }
    if (body_.substr(i, 3) == "\\[[") {  // in some formats no link
      mark(i);
      return i + 3;
    }
    if (body_.substr(i, 2) == "[[" && body_.substr(i, 3) != "[[[") {  // a hook may begin before a link
      return link(i);
    }
    if (const std::size_t colon = harlowe_macro(body_, i); colon != std::string_view::npos) {
      const std::string_view name = body_.substr(i + 1, colon - i - 1);
      if (name.ends_with("goto") || name.ends_with("go-to") || name == "display") {
        goes(i, colon);
      }
    }
    if (std::string_view("<{[$|").find(body_[i]) != std::string_view::npos ||
        (body_[i] == '(' && harlowe_macro(body_, i) != std::string_view::npos) ||
        (body_[i] == '_' && !variables_in(body_.substr(i, 2)).empty())) {
      mark(i);
    }
    shown_ += body_[i];
    return i + 1;
  }

  void mark(std::size_t i) {
    mark_ = marked_ ? mark_ : i;
    marked_ = true;
  }

  // (link-goto: "text", "passage"), where it says no more than that.
  void goes(std::size_t from, std::size_t colon) {
    const std::size_t end = std::min(body_.find(')', colon), body_.size());
    const std::vector<std::string_view> given = cut_at(body_.substr(colon + 1, end - colon - 1), ",");
    const std::optional<TweeValue> last = given.empty() ? std::nullopt : read_value(given.back());
    if (last && last->kind == TweeValue::Kind::text && !last->text.empty()) {
      Route route;
      route.label = route.to = last->text;
      out_.ways.push_back({{std::move(route)}, from, false});
    }
  }

  std::size_t link(std::size_t i) {
    const std::size_t end = body_.find("]]", i);
    if (end == std::string_view::npos || body_.find("[[", i + 2) < end) {
      if (out_.unclosed.empty()) {
        out_.unclosed = "[[";
        out_.unclosed_at = i;
      }
      return i + 2;
    }
    Route route = link_of(body_.substr(i + 2, end - i - 2));
    switch (target_of(route.to, story_)) {
      case TweeTarget::passage:
        out_.ways.push_back({{std::move(route)}, i, false});
        break;
      case TweeTarget::nowhere:
        out_.nowhere.push_back(i);
        break;
      case TweeTarget::expression:
        mark(i);
        break;
      case TweeTarget::address:
        break;
    }
    return end + 2;
  }

  std::string_view body_;
  const TweeStory& story_;
  TweeBody out_;
  std::string shown_;
  bool marked_ = false;
  std::size_t mark_ = 0;
};

}  // namespace

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

TweeTarget target_of(std::string& to, const TweeStory& story) {
  if (to.empty()) {
    return TweeTarget::nowhere;
  }
  if (story.passages.count(to) != 0) {
    return TweeTarget::passage;
  }
  if (is_address(to)) {
    return TweeTarget::address;
  }
  const std::optional<TweeValue> value = read_value(to);
  if (value && value->kind == TweeValue::Kind::text && story.passages.count(value->text) != 0) {
    to = value->text;
    return TweeTarget::passage;
  }
  return is_expression(to) ? TweeTarget::expression : TweeTarget::passage;
}

std::size_t foreign_code(std::string_view body) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (harlowe_macro(body, i) != std::string_view::npos || body.substr(i, 2) == "<%" ||
        (body[i] == '{' && (body.substr(i, 7) == "{embed " || body.substr(i, 8) == "{reveal " ||
                            body.substr(i, 6) == "{link " || body.substr(i, 6) == "{back "))) {
      return i;
    }
  }
  return std::string_view::npos;
}

TweeBody read_foreign_body(std::string_view body, const TweeStory& story) { return ForeignBody(body, story).read(); }

}  // namespace plumb::story
