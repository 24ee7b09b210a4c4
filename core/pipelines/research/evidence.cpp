#include "core/pipelines/research/evidence.hpp"

#include <algorithm>
#include <set>

#include "core/contract/check.hpp"
#include "core/contract/measured.hpp"
#include "core/extract/quoting.hpp"
#include "core/extract/research.hpp"
#include "core/json/number_text.hpp"
#include "core/text/quotes.hpp"

namespace plumb::pipelines::research {

namespace {

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
    return run::Data::written(search_request(query, brief.search.providers, limit));
  };
  const run::Reply& reply = run.ask(effect);
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

// What is cited first, then the others.
std::vector<Source> sources_in(const SearchReply& reply, const Digest& digest) {
  std::vector<std::size_t> order = digest.cited;
  for (std::size_t i = 0; i < reply.results.size(); ++i) {
    if (std::find(order.begin(), order.end(), i) == order.end()) {
      order.push_back(i);
    }
  }
  std::vector<Source> out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const SearchResult& one = reply.results[order[i]];
    out.push_back({one.title, one.uri, one.file, one.line, one.heading, cut(one.passage), i < digest.cited.size()});
  }
  return out;
}

Past past_of(const Search& search) {
  Past out{search.query, search.answer, {}, search.evidence_delta};
  for (const Source& one : search.sources) {
    if (one.cited) {
      out.sources.push_back({one.title, one.url});
    }
  }
  return out;
}

// What a reply brings, compared with what was known.
Search search_of(const SearchReply& reply, const Digest& digest, std::vector<Past> history) {
  Search out;
  out.query = reply.query;
  out.status = reply.status;
  out.provider = reply.provider;
  out.answer = digest.answer;
  out.sources = sources_in(reply, digest);
  out.domains = domains_of(reply.results);
  out.narrative = !digest.answer.empty() && contract::is_generic_narrative(digest.answer);
  LastMeasured last;
  if (reply.failed()) {
    out.error = reply.error;
    out.retry_after_ms = reply.retry_after_ms;
  } else {
    history.push_back(past_of(out));
    const Measured all = measured(history);
    last = all.last.empty() ? last : all.last.back();
    out.streak = all.no_change_streak;
  }
  if (reply.status == SearchStatus::insufficient_specificity) {
    for (const Interpretation& one : reply.readings) {
      out.readings.push_back(one.reading);
    }
    out.separator = reply.separator;
  }
  out.evidence_delta = std::move(last.evidence_delta);
  out.novelty = std::move(last.novelty);
  out.grounding = std::move(last.grounding);
  out.facts = last.facts_new;
  return out;
}

void note_search(run::Run& run, const Search& search, bool again) {
  SearchNote note;
  note.query = search.query;
  note.status = search.status;
  note.provider = search.provider;
  note.again = again;
  note.results = places_of(search);
  note.sources = note.results.size();
  note.domains = search.domains;
  note.facts = search.facts;
  note.found = search.sources.size();
  note.error = search.error;
  note.retry_after_ms = search.retry_after_ms;
  run.emit("search", run::Data::of(std::move(note)));
}

// The Search role's own scorecard on what came back.
run::Data judge_search(run::Run& run, const Search& search, const History& before) {
  const std::string artifact(object([&](json::Writer& json) {
                               const Past past = past_of(search);
                               json::write_members(json, &past, Past::fields().subspan(1, 2));  // answer, sources
                               if (search.separator) {
                                 json.key("insufficient_specificity").begin_object();
                                 json::write_list(json, "readings", search.readings);
                                 json.member("separator", *search.separator).end_object();
                               }
                             }).text());
  contract::CheckOptions options;
  const std::string context = json::record_text(before);
  options.context = context;
  const contract::Verdict verdict = contract::check_text(run.contract("search"), artifact, options);
  for (const contract::Finding& finding : verdict.findings) {
    if (finding.rule == "sources-present" || finding.rule == "not-narrative") {
      contract::Finding gate = finding;
      gate.requirement = finding.rule == "not-narrative" ? "No generic narrative" : "Sources are present";
      note_gate(run, "search", gate, "downgraded", 1);
    }
  }
  return labels_of(verdict);
}

}  // namespace

Search search_once(run::Run& run, const Brief& brief, std::string_view query, const std::vector<Search>& before) {
  const History history = history_of(before);
  Search out;
  for (int attempt = 0; attempt < 2; ++attempt) {
    // Each further search of a question looks further down; who reads by rule reads more.
    const std::size_t depth =
        brief.steps < steps_of_phases ? 1 : (before.size() + 1) * (brief.is_free("finish") ? 3 : 1);
    bool cancelled = false;
    const SearchReply reply =
        ask_search(run, brief, query, brief.search.limit * depth * (attempt == 0 ? 1 : 2), cancelled);
    const Digest digest = digest_of(reply);
    out = search_of(reply, digest, history.history);
    out.cancelled = cancelled;
    note_search(run, out, attempt > 0);
    // Who said when it may be asked again is not asked before.
    const bool told = out.retry_after_ms > 0 && brief.steps >= steps_of_phases;
    if (!digest.cited.empty() || cancelled || told) {
      break;
    }
  }
  out.labels = is_failed(out.status) ? run::Data::written("{}") : judge_search(run, out, history);
  return out;
}

History history_of(const std::vector<Search>& searches) {
  History out;
  for (const Search& one : searches) {
    if (!is_failed(one.status)) {
      out.history.push_back(past_of(one));
    }
  }
  return out;
}

std::string history_text(const std::vector<Search>& searches) {
  std::string out;
  for (std::size_t i = 0; i < searches.size(); ++i) {
    const Search& search = searches[i];
    const bool last = i + 1 == searches.size();
    if (search.narrative) {
      out += "{\"query\":" + std::string(run::Data::string(search.query).text()) +
             ",\"result\":\"generic narrative, no evidence\",\"evidence_delta\":\"no_change\"}\n";
      continue;
    }
    if (!last && search.status == SearchStatus::success) {
      // What it answered, without the passages.
      out += std::string(object([&](json::Writer& json) {
                           json.member("result", "success").member("query", search.query);
                           json.member("data", search.answer).member("evidence_delta", search.evidence_delta);
                           json.member("action", "Build on it.");
                         }).text()) +
             "\n";
      continue;
    }
    SearchReply reply;
    reply.query = search.query;
    reply.error = search.error;
    reply.status = search.status;
    reply.separator = search.separator.value_or("");
    for (const std::string& one : search.readings) {
      reply.readings.push_back({one, {}});
    }
    for (std::size_t j = 0; j < std::min(search.sources.size(), shown_max); ++j) {
      const Source& one = search.sources[j];
      reply.results.push_back({one.title, one.url, {}, one.line, 0, one.heading, one.passage});
    }
    out += search_envelope(reply) + "\n";
  }
  return out;
}

std::vector<Source> sources_of(const std::vector<Search>& searches, std::size_t most) {
  std::vector<Source> out;
  for (const bool cited : {true, false}) {
    for (const Search& search : searches) {
      for (const Source& one : search.sources) {
        const auto is_same = [&](const Source& other) { return other.url == one.url && other.passage == one.passage; };
        if (one.cited == cited && out.size() < most && std::none_of(out.begin(), out.end(), is_same)) {
          out.push_back(one);
        }
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
