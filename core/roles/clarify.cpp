#include "core/roles/clarify.hpp"

#include <algorithm>
#include <string_view>

#include "core/json/writer.hpp"
#include "core/text/fold.hpp"
#include "core/text/sentences.hpp"

namespace plumb::roles {

using contract::Finding;

namespace {

constexpr std::size_t options_min = 2;
constexpr std::size_t options_max = 4;
constexpr std::size_t option_points_max = 80;
constexpr std::size_t topic_points_max = 60;

// A finding shows the text that it is about between quotation marks.
std::string_view without_quotes(std::string_view provided) {
  if (provided.size() >= 2 && provided.front() == '"' && provided.back() == '"') {
    return provided.substr(1, provided.size() - 2);
  }
  return provided;
}

// "electric cars in Norway", of "Learn about electric cars in Norway." and the phrase "Learn about".
std::string topic_of(std::string_view objective, std::string_view phrase) {
  std::string_view topic = objective;
  if (const std::size_t at = phrase.empty() ? std::string_view::npos : objective.find(phrase);
      at != std::string_view::npos) {
    const std::string_view behind = text::trim(objective.substr(at + phrase.size()));
    topic = text::Words(behind, 1).size() > 0 ? behind : objective.substr(0, at);
  }
  topic = text::trim(topic);
  while (!topic.empty() && std::string_view(".!?,;: ").find(topic.back()) != std::string_view::npos) {
    topic.remove_suffix(1);
  }
  return json::excerpt(topic, topic_points_max);
}

const Finding* cause_of(const Finding& finding, std::string_view rule) {
  for (const Finding& cause : finding.causes) {
    if (cause.rule == rule) {
      return &cause;
    }
  }
  return nullptr;
}

Clarification about_objective(const Finding& finding) {
  const std::string_view objective = without_quotes(finding.provided);
  if (cause_of(finding, "maxSentences") != nullptr) {
    Clarification choice{"Which of these is the one thing to find out?", "", {}};
    for (const text::TextSpan sentence : text::sentences(objective)) {
      choice.options.push_back(json::excerpt(text::piece(objective, sentence), option_points_max));
    }
    const bool whole = choice.options.size() >= options_min && choice.options.size() <= options_max &&
                       objective.find("\xE2\x80\xA6") == std::string_view::npos;
    if (whole) {
      return choice;
    }
    return {"What is the one thing to find out, in one sentence?", "", {}};
  }
  std::string_view phrase;
  if (const Finding* avoids = cause_of(finding, "avoids"); avoids != nullptr) {
    phrase = std::string_view(avoids->provided).substr(0, avoids->provided.find(", "));
  }
  const std::string topic = topic_of(objective, phrase);
  if (topic.empty()) {
    return {"What do you need to know: a number, a date, a name or a comparison?", "", {}};
  }
  return {"What about " + topic + " do you need to know: a number, a date, a name or a comparison?", "", {}};
}

// What the check of a constraint found wanting: text that mentions 'Austria'.
Clarification about_constraint(const Finding& finding) {
  const Finding* mentions = cause_of(finding, "mentions");
  const std::string_view wanted = mentions != nullptr ? std::string_view(mentions->requirement) : std::string_view();
  const std::size_t open = wanted.find('\'');
  const std::size_t close = open == std::string_view::npos ? open : wanted.find('\'', open + 1);
  if (close == std::string_view::npos) {
    return {"Which timeframe, place or audience is meant?", "", {}};
  }
  return {"Is the answer to be limited to " + std::string(wanted.substr(open + 1, close - open - 1)) + "?", "", {}};
}

}  // namespace

std::optional<Clarification> clarify(const contract::Verdict& verdict) {
  for (const Finding& finding : verdict.findings) {
    if (finding.shadowed_by != 0 || finding.severity != contract::Severity::error) {
      continue;
    }
    std::optional<Clarification> asks;
    const std::string_view at = finding.at;
    const bool objective = at.ends_with("/objective");
    if (finding.rule == "objective-concrete") {
      asks = about_objective(finding);
    } else if ((finding.rule == "notBlank" && objective) ||
               (finding.rule == "required" && finding.property == "objective")) {
      asks = Clarification{"What do you want to find out?", "", {}};
    } else if (finding.rule == "constraints-captured") {
      asks = about_constraint(finding);
    } else if (finding.rule == "criteria-checkable") {
      asks =
          Clarification{"How will you see that \"" + json::excerpt(without_quotes(finding.provided), topic_points_max) +
                            "\" is met: by which number, date, source or name?",
                        "",
                        {}};
    } else if (finding.property == "successCriteria" || at.find("/successCriteria") != std::string_view::npos) {
      asks = Clarification{"What must a good answer state, so that it can be checked?", "", {}};
    }
    if (asks) {
      asks->reason = finding.requirement.empty() ? finding.message : finding.requirement;
      return asks;
    }
  }
  return std::nullopt;
}

Clarification clarify_reading(std::string_view readings) {
  std::string_view rest = text::trim(readings);
  while (!rest.empty() && std::string_view(".!?;").find(rest.back()) != std::string_view::npos) {
    rest.remove_suffix(1);
  }
  std::string about;
  if (const std::size_t colon = rest.find(": "); colon != std::string_view::npos) {
    about = json::excerpt(rest.substr(0, colon), topic_points_max);
    rest = text::trim(rest.substr(colon + 2));
  } else {
    // "apt may be the program or its library"
    for (const std::string_view joint : {" may be ", " could be ", " might be ", " may mean ", " could mean ",
                                         " might mean ", " can mean ", " is either ", " means either "}) {
      if (const std::size_t at = rest.find(joint); at != std::string_view::npos) {
        about = json::excerpt(rest.substr(0, at), topic_points_max);
        rest = text::trim(rest.substr(at + joint.size()));
        break;
      }
    }
  }
  if (rest.starts_with("either ")) {
    rest.remove_prefix(7);
  }
  Clarification out;
  out.reason = "Only one task can be meant: " + std::string(text::trim(readings));
  for (std::string_view left = rest; !left.empty();) {
    std::size_t at = left.find(" or ");
    std::size_t size = 4;
    if (const std::size_t comma = left.find(", "); comma < at) {
      at = comma;
      size = left.substr(comma, 5) == ", or " ? 5 : 2;
    }
    const std::string_view option = text::trim(left.substr(0, at));
    if (!option.empty()) {
      out.options.push_back(json::excerpt(option, option_points_max));
    }
    left = at == std::string_view::npos ? std::string_view() : left.substr(at + size);
  }
  if (out.options.size() < options_min || out.options.size() > options_max) {
    out.options.clear();
    out.message = "Which of these is meant? " + json::excerpt(text::trim(readings), 200);
    return out;
  }
  out.message = about.empty() ? "Which of these is meant?" : "Which is meant by " + about + "?";
  return out;
}

std::string clarification_json(const Clarification& clarification) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("tool", clarification.options.empty() ? "textInput" : "multiChoiceSelect");
  json.key("arguments").begin_object().member("message", clarification.message);
  if (!clarification.options.empty()) {
    json.key("options").begin_array();
    for (const std::string& option : clarification.options) {
      json.begin_object().member("label", option).end_object();
    }
    json.end_array();
  }
  json.member("reason", clarification.reason).end_object().end_object();
  return out;
}

}  // namespace plumb::roles
