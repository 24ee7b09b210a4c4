#include "core/pipelines/research/evidence.hpp"

#include <algorithm>
#include <set>

#include "core/contract/check.hpp"
#include "core/contract/measured.hpp"
#include "core/extract/quoting.hpp"
#include "core/extract/research.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/text/quotes.hpp"

namespace plumb::pipelines::research {

namespace {

using json::Kind;
using json::Value;

constexpr std::uint64_t search_limit_ms = 60'000;
constexpr std::size_t statements_max = 5;
constexpr std::size_t shown_max = 5;  // passages of the last search that the researcher sees
constexpr std::size_t quote_points_min = 8;
constexpr std::size_t kept_bytes_max = 2'400;  // of a passage

struct Digest {
  std::string answer;
  std::vector<std::size_t> cited;  // indices into the results
};

std::vector<extract::Found> found_in(const SearchReply& reply) {
  std::vector<extract::Found> out;
  for (std::size_t i = 0; i < reply.results.size(); ++i) {
    const SearchResult& one = reply.results[i];
    out.push_back({i, one.title, one.heading, one.passage});
  }
  return out;
}

// The statements that answer the query, each with the number of its source: evidence first, nothing else.
Digest digest_of(const SearchReply& reply) {
  Digest out;
  auto number_of_source = [&](std::size_t index) {
    const auto known = std::find(out.cited.begin(), out.cited.end(), index);
    if (known != out.cited.end()) {
      return static_cast<std::uint64_t>(known - out.cited.begin() + 1);
    }
    out.cited.push_back(index);
    return static_cast<std::uint64_t>(out.cited.size());
  };
  auto add = [&](std::string_view text, std::size_t index) {
    out.answer += (out.answer.empty() ? "- " : "\n- ") + extract::as_claim(text) + " [" +
                  json::uint_text(number_of_source(index)) + "]";
  };
  const std::vector<extract::Found> found = found_in(reply);
  if (reply.status == SearchStatus::insufficient_specificity) {
    for (const Interpretation& reading : reply.readings) {
      for (const std::size_t index : reading.results) {
        add(reading.reading + ": " + json::excerpt(extract::as_claim(found[index].text), 160), index);
      }
    }
    return out;
  }
  for (const extract::Statement& one : extract::best_statements(reply.query, found, statements_max)) {
    add(one.quote, one.number);
  }
  return out;
}

struct Measures {
  std::string delta = "dead_end";
  std::string novelty = "new";
  std::string grounding = "uncited";
  std::uint64_t facts = 0;
  std::uint64_t streak = 0;
};

// Of the last search, by all before it.
Measures measure(const std::string& history) {
  json::Arena arena;
  const Result<Value> list = json::parse(history, arena);
  const std::string text = contract::measure_history(list.value());
  const Result<Value> measured = json::parse(text, arena);
  Measures out;
  out.streak = number_of(measured.value(), "no_change_streak");
  for (const Value& last : list_of(measured.value(), "last")) {
    out.delta = text_of(last, "evidence_delta");
    out.novelty = text_of(last, "novelty");
    out.grounding = text_of(last, "grounding");
    out.facts = number_of(last, "facts_new");
  }
  return out;
}

std::size_t domains_of(const std::vector<SearchResult>& results) {
  std::set<std::string_view> out;
  for (const SearchResult& one : results) {
    std::string_view rest = one.uri;
    if (const std::size_t at = rest.find("://"); at != std::string_view::npos) {
      rest.remove_prefix(at + 3);
    }
    out.insert(rest.substr(0, rest.find('/')));
  }
  return out.size();
}

SearchReply ask_search(run::Run& run, const Brief& brief, std::string_view query, std::size_t limit, bool& cancelled) {
  run::Effect effect;
  effect.kind = run::EffectKind::search;
  effect.deadline_ms = search_limit_ms;
  effect.request = [&brief, query = std::string(query), limit] {
    return run::Data::written(search_request(query, brief.providers, limit));
  };
  const run::Reply& reply = run.ask(std::move(effect));
  cancelled = reply.status == run::Status::cancelled;
  return read_search(reply, query);
}

std::string cut(const std::string& text) {
  std::size_t end = std::min(text.size(), kept_bytes_max);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end);
}

void write_sources(json::Writer& json, const SearchReply& reply, const Digest& digest) {
  json.key("sources").begin_array();
  std::vector<std::size_t> order = digest.cited;
  for (std::size_t i = 0; i < reply.results.size(); ++i) {
    if (std::find(order.begin(), order.end(), i) == order.end()) {
      order.push_back(i);
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const SearchResult& one = reply.results[order[i]];
    json.begin_object().member("title", one.title).member("url", one.uri).member("file", one.file);
    json.member_uint("line", one.line).member("heading", one.heading).member("passage", cut(one.passage));
    json.member_boolean("cited", i < digest.cited.size()).end_object();
  }
  json.end_array();
}

void note_search(run::Run& run, const SearchReply& reply, const Digest& digest, bool again, const Measures& measures) {
  run.emit("search", object([&](json::Writer& json) {
             json.member("query", reply.query).member("status", search_status_name(reply.status));
             json.member("provider", reply.provider).member_boolean("again", again);
             json.member_uint("sources", digest.cited.size()).member_uint("domains", domains_of(reply.results));
             json.member_uint("facts", measures.facts).member_uint("found", reply.results.size());
             if (reply.failed()) {
               json.member("error", reply.error);
               if (reply.retry_after_ms > 0) {
                 json.member_uint("retry_after_ms", reply.retry_after_ms);
               }
             }
             json.key("results").begin_array();
             for (const std::size_t index : digest.cited) {
               const SearchResult& one = reply.results[index];
               json.begin_object().member("title", one.title).member("url", one.uri).member("file", one.file);
               json.member_uint("line", one.line).end_object();
             }
             json.end_array();
           }));
}

// The Search role's own scorecard on what came back.
std::string judge_search(run::Run& run, const SearchReply& reply, const Digest& digest, const std::string& before) {
  const std::string artifact(object([&](json::Writer& json) {
                               json.member("answer", digest.answer).key("sources").begin_array();
                               for (const std::size_t index : digest.cited) {
                                 json.begin_object().member("title", reply.results[index].title);
                                 json.member("url", reply.results[index].uri).end_object();
                               }
                               json.end_array();
                               if (reply.status == SearchStatus::insufficient_specificity) {
                                 json.key("insufficient_specificity").begin_object().key("readings").begin_array();
                                 for (const Interpretation& one : reply.readings) {
                                   json.string(one.reading);
                                 }
                                 json.end_array().member("separator", reply.separator).end_object();
                               }
                             }).text());
  contract::CheckOptions options;
  const std::string context = "{\"history\":" + before + "}";
  options.context = context;
  const contract::Verdict verdict = contract::check_text(run.contract("search"), artifact, options);
  for (const contract::Finding& finding : verdict.findings) {
    if (finding.rule == "sources-present" || finding.rule == "not-narrative") {
      contract::Finding gate = finding;
      gate.requirement = finding.rule == "not-narrative" ? "No generic narrative" : "Sources are present";
      note_gate(run, "search", gate, "downgraded", 1);
    }
  }
  return labels_json(verdict);
}

// Without the bracket that ends a JSON list, where another item is to follow.
std::string with_item(std::string list, std::string_view item) {
  list.pop_back();
  return list + (list.size() > 1 ? "," : "") + std::string(item) + "]";
}

}  // namespace

run::Data search_once(run::Run& run, const Brief& brief, std::string_view query, const std::vector<run::Data>& before) {
  const std::string history = history_json(before);
  SearchReply reply;
  Digest digest;
  Measures measures;
  bool cancelled = false;
  for (int attempt = 0; attempt < 2; ++attempt) {
    // Each further search of a question looks further down; who reads by rule reads more.
    const std::size_t depth = brief.steps < steps_now ? 1 : (before.size() + 1) * (brief.is_free("finish") ? 3 : 1);
    reply = ask_search(run, brief, query, brief.search_limit * depth * (attempt == 0 ? 1 : 2), cancelled);
    digest = digest_of(reply);
    measures = {};
    if (!reply.failed()) {
      measures = measure(with_item(history, object([&](json::Writer& json) {
                                              json.member("query", query).member("answer", digest.answer);
                                              json.key("sources").begin_array();
                                              for (const std::size_t index : digest.cited) {
                                                json.begin_object().member("title", reply.results[index].title);
                                                json.member("url", reply.results[index].uri).end_object();
                                              }
                                              json.end_array();
                                            }).text()));
    }
    note_search(run, reply, digest, attempt > 0, measures);
    // Who said when it may be asked again is not asked before.
    const bool told = reply.retry_after_ms > 0 && brief.steps >= steps_now;
    if (!digest.cited.empty() || cancelled || told) {
      break;
    }
  }
  const std::string labels = reply.failed() ? "{}" : judge_search(run, reply, digest, history);
  const bool narrative = !digest.answer.empty() && contract::is_generic_narrative(digest.answer);
  return object([&](json::Writer& json) {
    json.member("query", query).member("status", search_status_name(reply.status));
    json.member("provider", reply.provider).member("answer", digest.answer);
    if (reply.failed()) {
      json.member("error", reply.error);
      if (reply.retry_after_ms > 0) {
        json.member_uint("retry_after_ms", reply.retry_after_ms);
      }
    }
    write_sources(json, reply, digest);
    if (reply.status == SearchStatus::insufficient_specificity) {
      json.key("readings").begin_array();
      for (const Interpretation& one : reply.readings) {
        json.string(one.reading);
      }
      json.end_array().member("separator", reply.separator);
    }
    json.member("evidence_delta", measures.delta).member("novelty", measures.novelty);
    json.member("grounding", measures.grounding).member_uint("facts", measures.facts);
    json.member_uint("domains", domains_of(reply.results)).member_uint("streak", measures.streak);
    json.member_boolean("cancelled", cancelled).member_boolean("narrative", narrative).key("labels").raw(labels);
  });
}

std::string history_json(const std::vector<run::Data>& searches) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  for (const run::Data& one : searches) {
    const Value& search = one.value();
    if (const std::string_view status = text_of(search, "status"); status == "error" || status == "rate_limited") {
      continue;
    }
    json.begin_object().member("query", text_of(search, "query")).member("answer", text_of(search, "answer"));
    json.key("sources").begin_array();
    for (const Value& source : list_of(search, "sources")) {
      if (flag_of(source, "cited")) {
        json.begin_object()
            .member("title", text_of(source, "title"))
            .member("url", text_of(source, "url"))
            .end_object();
      }
    }
    json.end_array().member("evidence_delta", text_of(search, "evidence_delta")).end_object();
  }
  json.end_array();
  return out;
}

std::string history_text(const std::vector<run::Data>& searches) {
  std::string out;
  for (std::size_t i = 0; i < searches.size(); ++i) {
    const Value& search = searches[i].value();
    const bool last = i + 1 == searches.size();
    SearchReply reply;
    reply.query = text_of(search, "query");
    reply.error = text_of(search, "error");
    for (const SearchStatus status : {SearchStatus::success, SearchStatus::no_results, SearchStatus::rate_limited,
                                      SearchStatus::insufficient_specificity, SearchStatus::error}) {
      reply.status = search_status_name(status) == text_of(search, "status") ? status : reply.status;
    }
    reply.separator = text_of(search, "separator");
    for (const std::string& one : texts_of(search, "readings")) {
      reply.readings.push_back({one, {}});
    }
    if (flag_of(search, "narrative")) {
      out += "{\"query\":" + std::string(run::Data::string(reply.query).text()) +
             ",\"result\":\"generic narrative, no evidence\",\"evidence_delta\":\"no_change\"}\n";
      continue;
    }
    if (!last && reply.status == SearchStatus::success) {
      // What it answered, without the passages.
      out += std::string(object([&](json::Writer& json) {
                           json.member("result", "success").member("query", reply.query);
                           json.member("data", text_of(search, "answer"));
                           json.member("evidence_delta", text_of(search, "evidence_delta"));
                           json.member("action", "Build on it.");
                         }).text()) +
             "\n";
      continue;
    }
    for (const Value& source : list_of(search, "sources")) {
      if (reply.results.size() == shown_max) {
        break;
      }
      SearchResult result;
      result.title = text_of(source, "title");
      result.uri = text_of(source, "url");
      result.line = number_of(source, "line");
      result.heading = text_of(source, "heading");
      result.passage = text_of(source, "passage");
      reply.results.push_back(std::move(result));
    }
    out += search_envelope(reply) + "\n";
  }
  return out;
}

std::vector<Source> sources_of(const std::vector<run::Data>& searches, std::size_t most) {
  std::vector<Source> out;
  for (const bool cited : {true, false}) {
    for (const run::Data& search : searches) {
      for (const Value& one : list_of(search.value(), "sources")) {
        if (flag_of(one, "cited") != cited || out.size() == most) {
          continue;
        }
        const std::string_view uri = text_of(one, "url");
        const std::string_view passage = text_of(one, "passage");
        const bool known = std::any_of(out.begin(), out.end(), [&](const Source& source) {
          return source.uri == uri && source.passage == passage;
        });
        if (known) {
          continue;
        }
        Source source;
        source.number = out.size() + 1;
        source.title = text_of(one, "title");
        source.uri = uri;
        source.file = text_of(one, "file");
        source.line = number_of(one, "line");
        source.heading = text_of(one, "heading");
        source.passage = passage;
        out.push_back(std::move(source));
      }
    }
  }
  return out;
}

Quoted find_quoted(std::string_view quote, std::size_t number, const std::vector<Source>& sources) {
  auto look = [&](const Source& source) -> Quoted {
    const text::QuoteResult found = text::find_quote(quote, source.passage, quote_points_min);
    if (found.status != text::QuoteStatus::found) {
      return {};
    }
    const std::string_view before = std::string_view(source.passage).substr(0, found.where.from);
    const auto lines = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
    return {&source, source.line == 0 ? 0 : source.line + lines};
  };
  if (number >= 1 && number <= sources.size()) {
    if (const Quoted quoted = look(sources[number - 1]); quoted.source != nullptr) {
      return quoted;
    }
  }
  for (const Source& source : sources) {
    if (const Quoted quoted = look(source); quoted.source != nullptr) {
      return quoted;
    }
  }
  return {};
}

}  // namespace plumb::pipelines::research
