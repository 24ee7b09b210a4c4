// /api/workflow/sops and /api/workflow/conventions: what work in a repository is held to.
#include <algorithm>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/wording.hpp"
#include "native/control/control.hpp"
#include "native/control/route_table.hpp"
#include "native/control/workflow_request.hpp"

namespace plumb::control {

const std::string& SaidTexts::text(std::string_view name) const {
  static const std::string nothing;
  const auto found = texts.find(name);
  return found == texts.end() ? nothing : found->second;
}

SaidTexts said_texts(const Request& request, std::initializer_list<std::string_view> names) {
  SaidTexts out;
  if (request.body->empty()) {
    return out;
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(*request.body, arena, {8, 1 << 20});
  if (!read || !read.value().is(json::Kind::object)) {
    out.refused =
        read ? refuse(Wrong::bad_request, "The body is a JSON object.") : refuse(Wrong::bad_request, read.error());
    return out;
  }
  std::string known = joined(names);
  for (const json::Member& member : read.value().object()) {
    const std::string name = json::excerpt(member.key, 40);
    std::string wrong;
    if (std::find(names.begin(), names.end(), member.key) == names.end()) {
      wrong = "unknown: the body takes " + known;
    } else if (!member.value.is(json::Kind::string)) {
      wrong = "must be a text";
    } else if (member.value.str().size() > said_bytes_max) {
      wrong = "has at most " + std::to_string(said_bytes_max) + " bytes";
    }
    if (!wrong.empty()) {
      out.refused =
          refuse(Wrong::not_processable, Error{ErrorCode::invalid_argument, std::move(wrong), "/" + name, 0, 0});
      return out;
    }
    out.texts[std::string(member.key)] = member.value.str();
  }
  return out;
}

AskedRepository asked_repository(Control& control, std::string_view name) {
  AskedRepository out;
  const workflow::Repositories& all = control.repositories;
  const Result<const workflow::Repository*> found =
      name.empty() && all.by_name.size() == 1 ? Result<const workflow::Repository*>(&all.by_name.begin()->second)
                                              : all.find(name);
  if (!found) {
    out.refused = refuse(Wrong::not_processable, found.error());
  } else if (found.value()->not_held) {
    out.refused = refuse(Wrong::conflict, *found.value()->not_held);
  } else {
    out.repository = found.value();
  }
  return out;
}

namespace {

std::string_view severity_word(contract::Severity severity) {
  return severity == contract::Severity::error ? "error" : severity == contract::Severity::warning ? "warning" : "info";
}

Answer sops_answer(const workflow::Repository& one, const workflow::DeclaredAt& at, std::string_view prefix) {
  const Result<std::vector<workflow::SopFile>> files = workflow::sop_files(one.section, at);
  if (!files) {
    return refuse(Wrong::conflict, files.error());
  }
  const workflow::SopLibrary library = workflow::read_sops(files.value());
  std::string text;
  json::Writer json(text);
  json.begin_object().member("repository", one.name);
  json.key("entities").raw(workflow::sop_entities(library.sops, prefix)).key("findings").begin_array();
  for (const workflow::FileFinding& found : library.findings) {
    json.begin_object().member("path", found.path).member_uint("line", found.finding.span.line);
    json.member("severity", severity_word(found.finding.severity)).member("message", found.finding.message);
    json.end_object();
  }
  json.end_array().end_object();
  return json_answer(200, std::move(text));
}

// Every convention as it is kept, and whether it reaches reviews.
Answer conventions_answer(const workflow::Repository& one, const std::vector<workflow::Convention>& all) {
  std::string text;
  json::Writer json(text);
  json.begin_object().member("repository", one.name).key("entities").raw(workflow::convention_entities(all));
  json.key("conventions").begin_array();
  const run::Data kept = run::Data::written(workflow::conventions_json(all));
  std::size_t i = 0;
  for (const json::Value& value : kept.value().array()) {
    json.begin_object();
    for (const json::Member& member : value.object()) {
      json.key(member.key).value(member.value);
    }
    json.member_boolean("used", all[i++].used()).end_object();
  }
  json.end_array().end_object();
  return json_answer(200, std::move(text));
}

Answer change_one(Control& control, const Request& request, bool confirms) {
  SaidTexts said = confirms ? said_texts(request, {"repository", "by"}) : said_texts(request, {"repository"});
  if (said.refused) {
    return std::move(*said.refused);
  }
  AskedRepository on = asked_repository(control, said.text("repository"));
  if (on.refused) {
    return std::move(*on.refused);
  }
  const std::string& by = said.text("by");
  if (confirms && ascii::only(by, ascii::spaces)) {
    return refuse(Wrong::not_processable,
                  Error{ErrorCode::invalid_argument, "a convention is confirmed by a person, by name", "/by", 0, 0});
  }
  const std::string id(request.value("id"));
  std::vector<workflow::Convention> kept;
  const auto change = [&](std::vector<workflow::Convention>& all) {
    Result<bool> changed = confirms ? workflow::confirm_convention(all, id, by) : workflow::retire_convention(all, id);
    kept = all;
    return changed;
  };
  const Result<bool> done = workflow::change_conventions(control.repositories.at(*on.repository), change);
  if (!done) {
    return done.error().code == ErrorCode::unavailable ? refuse(done.error()) : refuse(Wrong::not_found, done.error());
  }
  return conventions_answer(*on.repository, kept);
}

}  // namespace

Answer get_workflow_sops(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {"repository", "prefix"})) {
    return std::move(*refused);
  }
  AskedRepository on = asked_repository(control, request.asked("repository").value_or(""));
  if (on.refused) {
    return std::move(*on.refused);
  }
  return isolated("SOPs of " + on.repository->name, [one = *on.repository, at = control.repositories.at(*on.repository),
                                                     prefix = std::string(request.asked("prefix").value_or(""))] {
    return sops_answer(one, at, prefix);
  });
}

Answer get_workflow_conventions(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {"repository"})) {
    return std::move(*refused);
  }
  AskedRepository on = asked_repository(control, request.asked("repository").value_or(""));
  if (on.refused) {
    return std::move(*on.refused);
  }
  const Result<std::vector<workflow::Convention>> all =
      workflow::kept_conventions(control.repositories.at(*on.repository));
  return all ? conventions_answer(*on.repository, all.value()) : refuse(all.error());
}

Answer post_workflow_confirm(Control& control, const Request& request) { return change_one(control, request, true); }
Answer post_workflow_retire(Control& control, const Request& request) { return change_one(control, request, false); }

}  // namespace plumb::control
