// `plumb search`, `plumb corpus index` and `plumb corpus status`.
#include <unistd.h>

#include <algorithm>
#include <future>

#include "core/json/writer.hpp"
#include "core/pipelines/research/search_effect.hpp"
#include "core/wording.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/search_setup.hpp"
#include "native/cli/search_text.hpp"
#include "native/cli/terminal.hpp"
#include "native/search/corpus.hpp"
#include "native/search/search_value.hpp"
#include "native/search/searxng.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t file_bytes_most = std::uint64_t{1} << 30U;

int out(std::string_view text, int code) {
  return write_all(STDOUT_FILENO, text)
             ? code
             : fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
}

Error usage(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

Result<std::unique_ptr<search::Corpus>> open_corpus(const Arguments& arguments, const std::string& folder) {
  search::CorpusSettings settings;
  settings.folder = folder;
  settings.index_file = arguments.text("--index");
  if (arguments.has("--file-max")) {
    const Result<std::uint64_t> most = arguments.size("--file-max", settings.file.file_bytes_max, file_bytes_most);
    if (!most) {
      return most.error();
    }
    settings.file.file_bytes_max = most.value();
    settings.file.text_bytes_max = std::max(settings.file.text_bytes_max, most.value());
  }
  return search::Corpus::open(std::move(settings));
}

// Looks in the corpus; nothing: it was not asked for.
struct Found {
  std::string value;
  search::Hits hits;
  std::string folder;
};

Result<Found> found_in_corpus(const Arguments& arguments, const std::string& query, std::size_t limit) {
  Result<std::unique_ptr<search::Corpus>> corpus = open_corpus(arguments, arguments.text("--corpus"));
  if (!corpus) {
    return corpus.error();
  }
  if (!arguments.has("--no-refresh")) {
    if (const Result<search::Refresh> done = index_now(*corpus.value()); !done) {
      return done.error();
    }
  }
  Result<search::Hits> hits = corpus.value()->search(query, limit);
  if (!hits) {
    return hits.error();
  }
  Found found;
  found.folder = corpus.value()->folder();
  found.hits = std::move(hits).value();
  found.value = search::corpus_value(query, found.hits, found.folder);
  return found;
}

Result<std::string> found_on_the_web(const Arguments& arguments, const std::string& query, std::size_t limit) {
  Result<provider::BaseUrl> base = provider::read_base_url(arguments.text("--searxng"));
  if (!base) {
    return usage("--searxng: " + base.error().message);
  }
  provider::Transport transport;
  search::SearxngSettings settings;
  settings.base = base.value();
  search::Searxng web(settings, transport);
  std::promise<std::string> value;
  std::future<std::string> coming = value.get_future();
  web.ask(query, limit, 0, [&value](std::string answer) { value.set_value(std::move(answer)); });
  return coming.get();
}

Result<std::size_t> limit_of(const Arguments& arguments) {
  namespace research = pipelines::research;
  const Result<std::uint64_t> limit =
      arguments.number("--limit", research::search_limit_default, 1, research::search_limit_max);
  if (!limit) {
    return limit.error();
  }
  return static_cast<std::size_t>(limit.value());
}

int tell_web(const Arguments& arguments, const std::string& query, const std::string& value) {
  run::Reply reply;
  reply.value = run::Data::written(value);
  const pipelines::research::SearchReply read = pipelines::research::read_search(reply, query);
  const int code = read.failed() ? exit_undecided : read.results.empty() ? exit_findings : exit_clean;
  if (arguments.has("--json")) {
    return out(value + "\n", code);
  }
  if (read.failed()) {
    return fail(Error{ErrorCode::unavailable, read.error, "", 0, 0});
  }
  return out(web_text(read, style_for(arguments, STDOUT_FILENO), terminal_columns(STDOUT_FILENO)), code);
}

}  // namespace

int run_search(const Arguments& arguments) {
  std::string query = joined(arguments.positionals(), " ");
  const Result<std::size_t> limit = limit_of(arguments);
  if (!limit) {
    return fail(limit.error());
  }
  if (!arguments.has("--corpus") && !arguments.has("--searxng")) {
    return fail(usage("where is it to be looked for? --corpus DIR, or --searxng URL"));
  }
  if (arguments.has("--answer") && !arguments.has("--corpus")) {
    return fail(usage("--answer is made from the passages of a corpus: --corpus DIR"));
  }
  if (arguments.has("--corpus")) {
    const Result<Found> found = found_in_corpus(arguments, query, limit.value());
    if (!found) {
      return fail(found.error());
    }
    const search::Hits& hits = found.value().hits;
    const int code = hits.hits.empty() ? exit_findings : exit_clean;
    if (!hits.hits.empty() || !arguments.has("--searxng")) {
      if (arguments.has("--json")) {
        return out(found.value().value + "\n", code);
      }
      if (arguments.has("--answer")) {
        return out(search::corpus_answer(hits, found.value().folder) + "\n", code);
      }
      return out(hits_text(hits, style_for(arguments, STDOUT_FILENO), terminal_columns(STDOUT_FILENO)), code);
    }
  }
  const Result<std::string> value = found_on_the_web(arguments, query, limit.value());
  if (!value) {
    return fail(value.error());
  }
  return tell_web(arguments, query, value.value());
}

int run_corpus_index(const Arguments& arguments) {
  Result<std::unique_ptr<search::Corpus>> corpus = open_corpus(arguments, arguments.positionals().front());
  if (!corpus) {
    return fail(corpus.error());
  }
  const Result<search::Refresh> done = index_now(*corpus.value());
  if (!done) {
    return fail(done.error());
  }
  if (done.value().busy) {
    return fail(Error{ErrorCode::unavailable, done.value().busy_why, corpus.value()->index_file(), 0, 0});
  }
  const Result<search::CorpusState> state = corpus.value()->state();
  if (!state) {
    return fail(state.error());
  }
  if (arguments.has("--json")) {
    return out(refresh_json(*corpus.value(), done.value(), state.value()) + "\n", exit_clean);
  }
  return out(refresh_text(*corpus.value(), done.value(), state.value()), exit_clean);
}

int run_corpus_status(const Arguments& arguments) {
  Result<std::unique_ptr<search::Corpus>> corpus = open_corpus(arguments, arguments.positionals().front());
  if (!corpus) {
    return fail(corpus.error());
  }
  const Result<search::CorpusState> state = corpus.value()->state();
  if (!state) {
    return fail(state.error());
  }
  if (arguments.has("--json")) {
    return out(state_json(*corpus.value(), state.value()) + "\n", exit_clean);
  }
  return out(state_text(*corpus.value(), state.value()), exit_clean);
}

}  // namespace plumb::cli
