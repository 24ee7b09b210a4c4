#include "core/story/book.hpp"

#include <algorithm>
#include <map>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/positions.hpp"
#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"

namespace plumb::story {

namespace {

constexpr std::string_view format_name = "plumb-story-1";

Texts raws(const Texts& ids) {
  Texts out;
  for (const std::string& id : ids) {
    out.emplace_back(raw(id));
  }
  return out;
}

Texts raws(const std::vector<std::string_view>& ids) {
  Texts out;
  for (const std::string_view id : ids) {
    out.emplace_back(raw(id));
  }
  return out;
}

// Upper-case, in the form of a version 5 UUID, from the title: it stays when the story is mended.
std::string ifid_of(std::string_view title, std::string_view language) {
  std::string hex = json::sha256_hex("plumb story\n" + std::string(title) + "\n" + std::string(language)).substr(0, 32);
  hex[12] = '5';
  hex[16] = "89ab"[static_cast<unsigned char>(hex[16]) % 4];
  std::string out;
  for (std::size_t i = 0; i < hex.size(); ++i) {
    out += i == 8 || i == 12 || i == 16 || i == 20 ? "-" : "";
    out += hex[i] >= 'a' ? static_cast<char>(hex[i] - 'a' + 'A') : hex[i];
  }
  return out;
}

// The passage's choices, those of one routing set together, in the order of where they lead in the outline.
std::vector<Way> ways_of(const Graph& graph, std::string_view passage) {
  struct One {
    std::int64_t position;
    std::string group;
    std::int64_t order;
    std::string_view choice;
  };
  std::map<std::string, std::int64_t> first;
  std::vector<One> all;
  for (const std::string_view choice : graph.in(passage, EdgeKind::choice_from)) {
    const Node& node = graph.at(choice);
    const std::string_view to = graph.only_out(choice, EdgeKind::choice_to);
    const std::int64_t position = graph.at("beat::" + graph.at(to).text(Field::from_beat)).number(Field::position);
    const std::string& base = node.text(Field::base);
    const std::string group = base.empty() ? "choice " + std::string(choice) : "set " + base;
    all.push_back({position, group, node.number(Field::order), choice});
    const auto [at, fresh] = first.emplace(group, position);
    at->second = fresh ? position : std::min(at->second, position);
  }
  std::sort(all.begin(), all.end(), [&](const One& a, const One& b) {
    const std::int64_t x = first[a.group], y = first[b.group];
    return x != y               ? x < y
           : a.group != b.group ? a.group < b.group
           : a.order != b.order ? a.order < b.order
                                : a.choice < b.choice;
  });
  std::vector<Way> out;
  std::string last;
  for (const One& one : all) {
    if (out.empty() || one.group != last) {
      out.emplace_back();
      last = one.group;
    }
    const Node& node = graph.at(one.choice);
    Route route;
    route.label = node.text(Field::label);
    route.to = raw(graph.only_out(one.choice, EdgeKind::choice_to));
    if (!node.texts(Field::requires_codewords).empty()) {
      route.when = {{raws(node.texts(Field::requires_codewords)), {}}};
    }
    out.back().routes.push_back(std::move(route));
  }
  return out;
}

BookEntity entity_of(const Graph& graph, std::string_view id) {
  const Node& node = graph.at(id);
  BookEntity out{std::string(raw(id)), node.text(Field::category), node.text(Field::name), {}};
  const std::string& text = node.text(Field::overlays);
  json::Arena arena;
  const Result<json::Value> read = json::parse(text.empty() ? "[]" : text, arena);
  PLUMB_REQUIRE(static_cast<bool>(read), "overlays are JSON");
  for (const json::Value& one : read.value().array()) {
    BookOverlay overlay;
    overlay.when = raws(json::texts_of(one, "when"));
    for (const json::Member& detail : one.find("details")->object()) {
      overlay.details.emplace_back(detail.key, detail.value.str());
    }
    out.overlays.push_back(std::move(overlay));
  }
  return out;
}

void write_texts(json::Writer& json, std::string_view key, const Texts& texts) {
  json.key(key).begin_array();
  for (const std::string& one : texts) {
    json.string(one);
  }
  json.end_array();
}

void write_passage(json::Writer& json, const BookPassage& passage) {
  json.begin_object().member("id", passage.id).member("text", passage.text);
  for (const auto& [name, flag] : {std::pair{"ending", passage.ending},
                                   {"draft", passage.draft},
                                   {"residue", passage.residue},
                                   {"fallback", passage.fallback}}) {
    if (flag) {
      json.member_boolean(name, true);
    }
  }
  write_texts(json, "grants", passage.grants);
  write_texts(json, "entities", passage.entities);
  json.key("ways").begin_array();
  for (const Way& way : passage.ways) {
    json.begin_array();
    for (const Route& route : way.routes) {
      json.begin_object().member("label", route.label).member("to", route.to);
      write_texts(json, "requires", route.when.empty() ? Texts() : route.when.front().held);
      json.end_object();
    }
    json.end_array();
  }
  json.end_array().end_object();
}

// What readers see and do.
void write_body(json::Writer& json, const Book& book) {
  json.member("title", book.title);
  if (!book.author.empty()) {
    json.member("author", book.author);
  }
  json.member("language", book.language).member("start", book.start);
  json.key("codewords").begin_array();
  for (const BookCodeword& one : book.codewords) {
    json.begin_object().member("name", one.name).member("word", one.word).member("group", one.group).end_object();
  }
  json.end_array().key("entities").begin_array();
  for (const BookEntity& one : book.entities) {
    json.begin_object().member("id", one.id).member("category", one.category).member("name", one.name);
    json.key("overlays").begin_array();
    for (const BookOverlay& overlay : one.overlays) {
      json.begin_object();
      write_texts(json, "when", overlay.when);
      json.key("details").begin_object();
      for (const auto& [name, text] : overlay.details) {
        json.member(name, text);
      }
      json.end_object().end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().key("passages").begin_array();
  for (const BookPassage& one : book.passages) {
    write_passage(json, one);
  }
  json.end_array();
}

Error no_book(std::string message, std::string_view text, std::uint64_t at) {
  const json::Place place = json::place_at(text, at);
  return Error{ErrorCode::invalid_argument, std::move(message), "", place.line, place.column};
}

BookPassage read_passage(const json::Value& one) {
  BookPassage out;
  out.id = json::text_of(one, "id");
  out.text = json::text_of(one, "text");
  out.ending = json::flag_of(one, "ending");
  out.draft = json::flag_of(one, "draft");
  out.residue = json::flag_of(one, "residue");
  out.fallback = json::flag_of(one, "fallback");
  out.grants = json::texts_of(one, "grants");
  out.entities = json::texts_of(one, "entities");
  out.at = one.from;
  out.to = one.to;
  for (const json::Value& way : json::list_of(one, "ways")) {
    out.ways.emplace_back();
    out.ways.back().at = way.from;
    for (const json::Value& route : way.array()) {
      Route read;
      read.label = json::text_of(route, "label");
      read.to = json::text_of(route, "to");
      Texts words = json::texts_of(route, "requires");
      if (!words.empty()) {
        read.when = {{std::move(words), {}}};
      }
      out.ways.back().routes.push_back(std::move(read));
    }
  }
  return out;
}

}  // namespace

const BookPassage* Book::find(std::string_view id) const {
  const auto at = std::find_if(passages.begin(), passages.end(), [id](const BookPassage& one) { return one.id == id; });
  return at == passages.end() ? nullptr : &*at;
}

Book book_of(const Graph& graph) {
  Book out;
  const Node& vision = graph.at("vision::vision");
  out.title = vision.text(Field::title);
  out.author = vision.text(Field::author);
  out.language = vision.text(Field::language);
  out.ifid = vision.text(Field::ifid).empty() ? ifid_of(out.title, out.language) : vision.text(Field::ifid);
  out.graph_hash = graph.hash();
  for (const std::string_view id : graph.ids(NodeType::codeword)) {
    const std::string name(raw(id));
    out.codewords.push_back({name, graph.at(id).text(Field::word), name.substr(0, name.find("__"))});
  }
  for (const std::string_view id : graph.ids(NodeType::entity)) {
    out.entities.push_back(entity_of(graph, id));
  }
  Texts bases;
  for (const std::string_view id : graph.ids(NodeType::routing_set)) {
    if (graph.at(id).flag(Field::exhaustive)) {
      bases.push_back(graph.at(id).text(Field::base));
    }
  }
  for (const std::string_view id : graph.ids(NodeType::passage)) {
    const Node& node = graph.at(id);
    BookPassage passage;
    passage.id = raw(id);
    passage.draft = node.text(Field::prose).empty();
    passage.text = passage.draft ? node.text(Field::summary) : node.text(Field::prose);
    passage.ending = node.flag(Field::is_ending);
    passage.residue = node.flag(Field::is_residue);
    passage.fallback = std::find(bases.begin(), bases.end(), passage.id) != bases.end();
    passage.grants = raws(graph.out(id, EdgeKind::grants));
    passage.entities = raws(graph.out(id, EdgeKind::appears));
    passage.ways = ways_of(graph, id);
    if (node.flag(Field::is_start)) {
      out.start = passage.id;
    }
    out.passages.push_back(std::move(passage));
  }
  return out;
}

std::string book_json(const Book& book) {
  std::string out;
  json::Writer json(out, 2);
  json.begin_object().member("format", format_name).member("ifid", book.ifid).member("graph", book.graph_hash);
  write_body(json, book);
  json.end_object();
  return out + "\n";
}

std::string book_hash(const Book& book) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_body(json, book);
  json.end_object();
  return "sha256:" + json::sha256_hex(out);
}

Result<Book> read_book(std::string_view text) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(text, arena);
  if (!read) {
    return read.error();
  }
  const json::Value& root = read.value();
  if (json::text_of(root, "format") != format_name) {
    return no_book("is not a story.json of this version: `format` must be '" + std::string(format_name) + "'", text,
                   root.from);
  }
  Book out;
  out.title = json::text_of(root, "title");
  out.author = json::text_of(root, "author");
  out.language = json::text_of(root, "language");
  out.ifid = json::text_of(root, "ifid");
  out.graph_hash = json::text_of(root, "graph");
  out.start = json::text_of(root, "start");
  for (const json::Value& one : json::list_of(root, "codewords")) {
    out.codewords.push_back({std::string(json::text_of(one, "name")), std::string(json::text_of(one, "word")),
                             std::string(json::text_of(one, "group"))});
  }
  for (const json::Value& one : json::list_of(root, "entities")) {
    BookEntity entity{std::string(json::text_of(one, "id")),
                      std::string(json::text_of(one, "category")),
                      std::string(json::text_of(one, "name")),
                      {}};
    for (const json::Value& overlay : json::list_of(one, "overlays")) {
      entity.overlays.push_back({json::texts_of(overlay, "when"), {}});
      if (const json::Value* details = overlay.find("details")) {
        for (const json::Member& detail : details->object()) {
          entity.overlays.back().details.emplace_back(detail.key, detail.value.str());
        }
      }
    }
    out.entities.push_back(std::move(entity));
  }
  for (const json::Value& one : json::list_of(root, "passages")) {
    out.passages.push_back(read_passage(one));
    if (out.passages.back().id.empty()) {
      return no_book("a passage has no `id`", text, one.from);
    }
    for (const Way& way : out.passages.back().ways) {
      if (way.routes.empty()) {
        return no_book("a way of the passage '" + out.passages.back().id + "' leads nowhere: it has no route", text,
                       way.at);
      }
    }
  }
  if (out.passages.empty()) {
    return no_book("there are no `passages`", text, root.from);
  }
  return out;
}

}  // namespace plumb::story
