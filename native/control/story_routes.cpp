// /api/story: runs of the pipeline `story`, what is told of them, their exports, and going on from before a phase.
#include <memory>

#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/story/story.hpp"
#include "core/story/picture.hpp"
#include "core/story/ship.hpp"
#include "native/control/begin_run.hpp"
#include "native/control/control.hpp"
#include "native/control/route_table.hpp"
#include "native/control/run_answers.hpp"

namespace plumb::control {

namespace {

constexpr std::string_view pipeline_name = "story";
constexpr std::size_t runs_per_page_max = 200;

using Snapshot = std::shared_ptr<const run::Journal>;

struct FoundStory {
  Snapshot journal;
  std::optional<Answer> refused;
};
FoundStory find_story(Control& control, const std::string& id) {
  const Result<host::Summary> found = control.host->summary(id);
  if (!found && found.error().code != ErrorCode::not_found) {
    return {nullptr, refuse(found.error())};
  }
  if (!found || found.value().row.pipeline != pipeline_name) {
    return {nullptr, refuse(Wrong::not_found, "Story not found: " + id)};
  }
  Result<Snapshot> journal = control.host->snapshot(id);
  if (!journal) {
    return {nullptr, refuse(journal.error())};
  }
  return {std::move(journal).value(), std::nullopt};
}

// What `make` makes of the story, apart from the server.
Answer of_story(Control& control, const Request& request, std::initializer_list<std::string_view> query,
                std::function<Answer(const run::Journal& journal)> make) {
  if (std::optional<Answer> refused = unknown_query(request, query)) {
    return std::move(*refused);
  }
  const std::string id(request.value("id"));
  FoundStory found = find_story(control, id);
  if (found.refused) {
    return std::move(*found.refused);
  }
  return isolated("story " + id, [journal = found.journal, make = std::move(make)] { return make(*journal); });
}

Answer text_answer(std::string body, std::string type, const std::string& file) {
  Answer answer = json_answer(200, std::move(body));
  answer.type = std::move(type);
  // Somebody's words: kept as a file, not shown as a page of this server.
  answer.headers.emplace_back("Content-Disposition", "attachment; filename=\"" + file + "\"");
  return answer;
}

Answer story_begun(const BegunRun& begun) {
  if (begun.refused) {
    return *begun.refused;
  }
  std::string text;
  json::Writer(text).begin_object().member("id", begun.id).member_boolean("fresh", begun.fresh).end_object();
  Answer answer = json_answer(202, std::move(text));
  answer.headers.emplace_back("Location", "/api/story/projects/" + begun.id);
  return answer;
}

Answer picture(const run::Journal& journal, std::size_t phases, std::string_view form) {
  const Result<std::vector<pipelines::story::StoredPhase>> stored = pipelines::story::phases_of(journal);
  const Result<story::Graph> graph =
      stored ? pipelines::story::graph_of(stored.value(), phases) : Result<story::Graph>(stored.error());
  if (!graph) {
    return refuse(graph.error());
  }
  if (form == "json") {
    return json_answer(200, graph.value().json());
  }
  if (graph.value().find("vision::vision") == nullptr) {
    return refuse(Wrong::conflict, "The story has no phase yet.");
  }
  if (form == "dot") {
    return text_answer(story::story_dot(graph.value()), "text/vnd.graphviz", "story.dot");
  }
  return form == "mermaid" ? text_answer(story::story_mermaid(graph.value()), "text/plain; charset=utf-8", "story.mmd")
                           : text_answer(story::story_svg(graph.value()), "image/svg+xml", "story.svg");
}

Answer exported(const run::Journal& journal, story::ShipFormat format, bool drafts) {
  const Result<story::Made> made = pipelines::story::story_of(journal);
  if (!made) {
    return refuse(made.error());
  }
  if (!made.value().book || !made.value().verdict.valid ||
      made.value().verdict.decision == contract::Decision::undecided) {
    return refuse(Wrong::conflict, "The story has findings, and is not shipped; GET its /inspect tells them.");
  }
  Result<std::string> text = story::ship(*made.value().book, format, {drafts});
  if (!text) {
    return refuse(Wrong::conflict, text.error());
  }
  const std::string_view type = format == story::ShipFormat::json   ? "application/json"
                                : format == story::ShipFormat::twee ? "text/plain; charset=utf-8"
                                                                    : "text/html; charset=utf-8";
  return text_answer(std::move(text).value(), std::string(type), std::string(story::file_name_of(format)));
}

}  // namespace

Answer post_story(Control& control, const Request& request) {
  return story_begun(
      begin_run(control, pipeline_name, *request.body, {"", std::string(request.header("Idempotency-Key"))}));
}

Answer get_stories(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {"limit", "cursor"})) {
    return std::move(*refused);
  }
  PageAsked asked = page_asked(control, request, runs_per_page_max);
  if (asked.refused) {
    return std::move(*asked.refused);
  }
  asked.query.pipeline = pipeline_name;
  return page_answer(control, asked.query);
}

Answer get_story(Control& control, const Request& request) {
  return of_story(control, request, {},
                  [](const run::Journal& journal) { return json_answer(200, pipelines::story::view(journal)); });
}

Answer get_story_inspect(Control& control, const Request& request) {
  return of_story(control, request, {}, [](const run::Journal& journal) {
    const Result<story::Made> made = pipelines::story::story_of(journal);
    return made ? json_answer(200, story::inspect_json(made.value())) : refuse(made.error());
  });
}

Answer get_story_graph(Control& control, const Request& request) {
  const std::string form(request.asked("format").value_or("json"));
  if (form != "json" && form != "dot" && form != "mermaid" && form != "svg") {
    return refuse(Wrong::bad_request, "?format= is json, dot, mermaid or svg.");
  }
  const std::size_t all = story::story_phases().size();
  const AskedNumber phases = asked_number(request, "phases", all, 0, all);
  if (phases.refused) {
    return *phases.refused;
  }
  return of_story(control, request, {"format", "phases"}, [form, count = phases.number](const run::Journal& journal) {
    return picture(journal, static_cast<std::size_t>(count), form);
  });
}

Answer get_story_export(Control& control, const Request& request) {
  const std::optional<story::ShipFormat> format = story::ship_format_named(request.value("format"));
  if (!format) {
    return refuse(Wrong::not_found, "A story is exported as twee, html, json or gamebook.");
  }
  const std::string drafts(request.asked("drafts").value_or("false"));
  if (drafts != "true" && drafts != "false") {
    return refuse(Wrong::bad_request, "?drafts= is true or false.");
  }
  return of_story(control, request, {"drafts"}, [format = *format, drafts](const run::Journal& journal) {
    return exported(journal, format, drafts == "true");
  });
}

Answer post_story_rewind(Control& control, const Request& request) {
  const std::string id(request.value("id"));
  const Result<run::Data> body = run::Data::read(*request.body);
  if (!body) {
    return refuse(Wrong::bad_request, body.error());
  }
  std::string to;
  const json::Value* outline = nullptr;
  for (const json::Member& member : body.value().value().object()) {
    if (member.key == "to" && member.value.is(json::Kind::string)) {
      to = member.value.str();
    } else if (member.key == "outline" && member.value.is(json::Kind::object)) {
      outline = &member.value;
    } else {
      return refuse(Wrong::not_processable, R"(The body is {"to": "seed/analyses", "outline"?: {...}}.)");
    }
  }
  FoundStory found = find_story(control, id);
  if (found.refused) {
    return std::move(*found.refused);
  }
  const Result<pipelines::story::Cut> cut = pipelines::story::cut_at(*found.journal, to);
  if (!cut) {
    return refuse(Wrong::not_processable, Error{cut.error().code, cut.error().message, "/to", 0, 0});
  }
  host::ForkWish wish;
  wish.at = cut.value().at;
  if (outline != nullptr) {
    const std::string text = "{\"outline\":" + json::value_text(*outline) + "}";
    const run::Data asked = run::Data::written(text);
    const Result<pipelines::Prepared> prepared = pipelines::story::prepare(asked.value(), {});
    if (!prepared) {
      return refuse(Wrong::not_processable, prepared.error());
    }
    wish.input = prepared.value().input;
    wish.prepared = true;
  }
  const Result<host::ForkStarted> started = control.host->fork(id, std::move(wish));
  if (!started) {
    return started.error().code == ErrorCode::invalid_argument ? refuse(Wrong::not_processable, started.error())
                                                               : refuse(started.error());
  }
  std::string text;
  json::Writer json(text);
  json.begin_object().member("id", started.value().id).member("forked_from", id);
  json.member_uint("taken", started.value().taken).key("behind").begin_array();
  for (const std::string& phase : cut.value().behind) {
    json.string(phase);
  }
  json.end_array().end_object();
  Answer answer = json_answer(201, std::move(text));
  answer.headers.emplace_back("Location", "/api/story/projects/" + started.value().id);
  return answer;
}

}  // namespace plumb::control
