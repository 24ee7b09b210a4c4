// The search effect's host side: a real corpus, and a scripted upstream on loopback that speaks as SearXNG does.
#include <doctest/doctest.h>
#include <httplib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "core/contract/check.hpp"
#include "core/pipelines/research/search_effect.hpp"
#include "native/host/routes.hpp"
#include "native/search/search_fulfiller.hpp"
#include "native/search/search_value.hpp"
#include "upstream.hpp"

using namespace plumb;
using namespace plumb::search;
using namespace plumb::test;
namespace research = plumb::pipelines::research;
namespace fs = std::filesystem;

namespace {

// SearXNG's answers, by what is asked.
class Instance {
 public:
  Instance() {
    server_.Get("/base/search",
                [this](const httplib::Request& request, httplib::Response& response) { answer(request, response); });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }
  ~Instance() {
    release();
    server_.stop();
    thread_.join();
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  SearxngSettings settings() const {
    SearxngSettings out;
    out.base = provider::read_base_url("http://127.0.0.1:" + std::to_string(port_) + "/base").value();
    return out;
  }
  void release() {
    const std::lock_guard<std::mutex> lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  // A question that is not answered until release().
  bool waits_for_one() {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return holding_; });
  }

 private:
  void answer(const httplib::Request& request, httplib::Response& response) {
    const std::string query = request.get_param_value("q");
    if (request.get_param_value("format") != "json") {
      response.status = 400;
      return;
    }
    auto json = [&](const std::string& text) { response.set_content(text, "application/json"); };
    if (query == "rivers & \"lakes\" 100%") {
      json(R"j({"query":"q","number_of_results":2,"results":[
        {"url":"https://rivers.example/1","title":"Rivers","content":"The  Rhine\n is 1,233 km long.","score":2.5},
        {"url":"https://rivers.example/1","title":"Again","content":"The same address.","engine":"two"},
        {"url":"javascript:alert(1)","title":"Bad","content":"No address of the web."},
        {"url":"https://empty.example/","title":"Empty","content":"  "},
        {"url":"http://lakes.example/","title":"","content":"Lake Constance lies in three countries."}],
        "unresponsive_engines":[["three","timeout"]]})j");
    } else if (query == "nothing") {
      json(R"({"query":"nothing","results":[],"answers":[],"unresponsive_engines":[]})");
    } else if (query == "engines limited") {
      json(R"({"query":"q","results":[],"unresponsive_engines":[["google","Suspended: too many requests"]]})");
    } else if (query == "engines down") {
      json(R"({"query":"q","results":[],"unresponsive_engines":[["google","HTTP error"],["bing","timeout"]]})");
    } else if (query == "limited") {
      response.status = 429;
      response.set_header("Retry-After", "7");
    } else if (query == "no json") {
      response.status = 403;
    } else if (query == "moved") {
      response.status = 302;
      response.set_header("Location", "http://127.0.0.1:1/");
    } else if (query == "web page") {
      response.set_content("<html>A page</html>", "text/html");
    } else if (query == "deep") {
      json("{\"results\":" + std::string(5000, '[') + std::string(5000, ']') + "}");
    } else if (query == "endless") {
      json("{\"results\":[\"" + std::string(6U << 20U, 'x') + "\"]}");
    } else if (query == "slow") {
      std::unique_lock<std::mutex> lock(mutex_);
      holding_ = true;
      changed_.notify_all();
      changed_.wait(lock, [&] { return released_; });
    } else {
      response.status = 500;
    }
  }

  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool holding_ = false;
  bool released_ = false;
};

std::shared_ptr<Corpus> corpus_in(const fs::path& root) {
  fs::create_directories(root / "docs");
  std::ofstream(root / "docs/cats.md") << "# Cats\n\nA cat sleeps sixteen hours a day.\n";
  CorpusSettings settings;
  settings.folder = (root / "docs").string();
  settings.index_file = (root / "index.db").string();
  Result<std::unique_ptr<Corpus>> corpus = Corpus::open(std::move(settings));
  REQUIRE(corpus);
  return std::move(corpus).value();
}

struct Temporary {
  Temporary() {
    std::string name = (fs::temp_directory_path() / "plumb-search-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Temporary() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

host::EffectCall call_of(const std::string& request, const std::string& key = "0", std::uint64_t deadline_ms = 0) {
  host::EffectCall call;
  call.run = "run";
  call.key = key;
  call.kind = run::EffectKind::search;
  call.request = run::Data::written(request);
  call.deadline_ms = deadline_ms;
  return call;
}

run::Reply asked(host::Fulfiller& fulfiller, const std::string& request) {
  Coming<run::Reply> coming;
  fulfiller.begin(call_of(request), [&coming](run::Reply reply) { coming.set(std::move(reply)); });
  REQUIRE(coming.wait());
  return coming.get();
}

research::SearchReply read(const run::Reply& reply, std::string_view query) {
  if (reply.ok()) {
    // Whatever is answered keeps the contract of the effect.
    const Result<contract::Contract> form =
        contract::Contract::read(run::effect_type(run::EffectKind::search).reply_contract, {});
    REQUIRE(form);
    const contract::Verdict verdict = contract::check_text(form.value(), reply.value.text());
    CHECK_MESSAGE(verdict.valid, std::string(reply.value.text()));
  }
  return research::read_search(reply, query);
}

std::string request_for(const std::string& query, const std::vector<std::string>& providers = {}) {
  return research::search_request(query, providers, 5);
}

}  // namespace

TEST_SUITE_BEGIN("native");

TEST_CASE("the search effect: a corpus answers with passages that stand in its files") {
  const Temporary folder;
  SearchFulfiller searches({.corpus = corpus_in(folder.path)});
  const research::SearchReply reply = read(asked(searches, request_for("How long does a cat sleep?")), "q");
  CHECK(reply.status == research::SearchStatus::success);
  CHECK(reply.provider == "corpus");
  REQUIRE(reply.results.size() == 1);
  CHECK(reply.results[0].file == "cats.md");
  CHECK(reply.results[0].line == 3);
  CHECK(reply.results[0].uri == file_uri(fs::canonical(folder.path / "docs").string(), "cats.md"));
  CHECK(reply.results[0].passage == "A cat sleeps sixteen hours a day.");
  CHECK(read(asked(searches, request_for("zebra")), "q").status == research::SearchStatus::no_results);
  CHECK(read(asked(searches, request_for("???")), "q").error.find("no word") != std::string::npos);
}

TEST_CASE("the search effect: a file that comes while the host runs is found once the refresh is due") {
  const Temporary folder;
  SearchFulfiller searches({.corpus = corpus_in(folder.path), .refresh_ms = 0});
  CHECK(read(asked(searches, request_for("dogs")), "q").status == research::SearchStatus::no_results);
  std::ofstream(folder.path / "docs/dogs.md") << "Dogs bark.\n";
  CHECK(read(asked(searches, request_for("dogs")), "q").status == research::SearchStatus::success);
}

TEST_CASE(
    "the search effect: a search that waits for the index tells how far it is, and one prepared for finds it made") {
  const Temporary folder;
  const auto told_by = [&](SearchFulfiller& searches) {
    std::vector<std::string> told;
    host::EffectCall call = call_of(request_for("How long does a cat sleep?"));
    call.told = [&told](std::string_view what, const std::string& json) { told.push_back(std::string(what) + json); };
    Coming<run::Reply> coming;
    searches.begin(std::move(call), [&coming](run::Reply reply) { coming.set(std::move(reply)); });
    REQUIRE(coming.wait());
    CHECK(read(coming.get(), "q").status == research::SearchStatus::success);
    return told;
  };
  SearchFulfiller searches({.corpus = corpus_in(folder.path), .tell_ms = 0});
  const std::vector<std::string> told = told_by(searches);
  REQUIRE(!told.empty());
  CHECK(told.front().find("index{\"done\":") == 0);
  CHECK(told_by(searches).empty());  // what is up to date is not waited for
  SearchFulfiller prepared({.corpus = corpus_in(folder.path), .tell_ms = 60'000});
  prepared.prepare();
  CHECK(told_by(prepared).empty());
  SearchFulfiller none({});
  none.prepare();  // has nothing to prepare
}

TEST_CASE("SearXNG: results with an address and words are taken, in one line, each address once") {
  Instance instance;
  SearchFulfiller searches({.searxng = instance.settings()});
  const std::string query = "rivers & \"lakes\" 100%";
  const research::SearchReply reply = read(asked(searches, request_for(query)), query);
  CHECK(reply.status == research::SearchStatus::success);
  CHECK(reply.provider == "searxng");
  REQUIRE(reply.results.size() == 2);
  CHECK(reply.results[0].uri == "https://rivers.example/1");
  CHECK(reply.results[0].passage == "The Rhine is 1,233 km long.");
  CHECK(reply.results[0].file.empty());
  CHECK(reply.results[1].title == "http://lakes.example/");
}

TEST_CASE("SearXNG: nothing found, a limit and a failure are told apart, and none of them says to try again") {
  Instance instance;
  SearchFulfiller searches({.searxng = instance.settings()});
  struct Case {
    const char* query;
    research::SearchStatus status;
    const char* error;
  };
  for (const Case& one : {Case{"nothing", research::SearchStatus::no_results, ""},
                          Case{"limited", research::SearchStatus::rate_limited, "too many questions"},
                          Case{"engines limited", research::SearchStatus::rate_limited, "google (suspended"},
                          Case{"engines down", research::SearchStatus::error, "bing (timeout)"},
                          Case{"no json", research::SearchStatus::error, "search.formats"},
                          Case{"moved", research::SearchStatus::error, "another address"},
                          Case{"web page", research::SearchStatus::error, "no SearXNG"},
                          Case{"deep", research::SearchStatus::error, "no SearXNG"},
                          Case{"endless", research::SearchStatus::error, "did not answer"},
                          Case{"anything", research::SearchStatus::error, "500"}}) {
    CAPTURE(one.query);
    const research::SearchReply reply = read(asked(searches, request_for(one.query)), one.query);
    CHECK(reply.status == one.status);
    CHECK(reply.error.find(one.error) != std::string::npos);
    const std::string envelope = research::search_envelope(reply);
    for (const char* backwards : {"again", "retry", "Try", "broader"})
      CHECK(envelope.find(backwards, envelope.find("\"action\"")) == std::string::npos);
  }
  CHECK(read(asked(searches, request_for("limited")), "q").retry_after_ms == 7000);
}

TEST_CASE("SearXNG: an instance that is not there is an error, not nothing") {
  SearxngSettings settings;
  settings.base = provider::read_base_url("http://127.0.0.1:" + std::to_string(closed_port())).value();
  SearchFulfiller searches({.searxng = settings});
  CHECK(read(asked(searches, request_for("x")), "x").status == research::SearchStatus::error);
}

TEST_CASE(
    "the search effect: providers are asked in their order until one has results, and a failure is not forgotten") {
  const Temporary folder;
  Instance instance;
  SearchFulfiller searches({.corpus = corpus_in(folder.path), .searxng = instance.settings()});
  const std::string rivers = "rivers & \"lakes\" 100%";
  CHECK(read(asked(searches, request_for(rivers)), "q").provider == "searxng");
  CHECK(read(asked(searches, request_for("cat")), "q").provider == "corpus");
  CHECK(read(asked(searches, request_for("cat", {"searxng", "corpus"})), "q").provider == "corpus");
  CHECK(read(asked(searches, request_for(rivers, {"corpus"})), "q").status == research::SearchStatus::no_results);
  CHECK(read(asked(searches, request_for("limited")), "q").status == research::SearchStatus::rate_limited);
  CHECK(read(asked(searches, request_for("x", {"web"})), "q").error.find("it has corpus, searxng") !=
        std::string::npos);
}

TEST_CASE("the search effect: a search under way is stopped, is late when its time is up, and ends with its host") {
  Instance instance;
  auto searches = std::make_unique<SearchFulfiller>(SearchOptions{.searxng = instance.settings()});
  Coming<run::Reply> stopped;
  Coming<run::Reply> late;
  Coming<run::Reply> ended;
  searches->begin(call_of(request_for("slow"), "a"), [&](run::Reply reply) { stopped.set(std::move(reply)); });
  REQUIRE(instance.waits_for_one());
  searches->stop("run", "a");
  searches->stop("run", "not there");
  CHECK(stopped.get().status == run::Status::cancelled);
  searches->begin(call_of(request_for("slow"), "b", 300), [&](run::Reply reply) { late.set(std::move(reply)); });
  CHECK_FALSE(research::read_search(late.get(), "slow").error.empty());
  searches->begin(call_of(request_for("slow"), "c"), [&](run::Reply reply) { ended.set(std::move(reply)); });
  searches.reset();
  CHECK(ended.get().status == run::Status::cancelled);
  CHECK(stopped.count() + late.count() + ended.count() == 3);
}

TEST_CASE("the search effect: a host without a provider says that it cannot search") {
  SearchFulfiller searches({});
  const run::Reply reply = asked(searches, request_for("x"));
  CHECK(reply.status == run::Status::failed);
  CHECK(reply.error.find("neither a corpus nor a SearXNG") != std::string::npos);
}

TEST_SUITE_END();
