// A corpus: real folders, a real index.
#include "native/search/corpus.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "native/process/command.hpp"
#include "native/search/search_value.hpp"
#include "native/store/store_lock.hpp"

using namespace plumb;
using namespace plumb::search;
namespace fs = std::filesystem;

namespace {

// A folder that goes with the test.
class Place {
 public:
  Place() {
    std::string name = (fs::temp_directory_path() / "plumb-corpus-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root_ = name;
    fs::create_directories(root_ / "docs");
  }
  ~Place() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  fs::path docs() const { return root_ / "docs"; }
  std::string index() const { return (root_ / "index.db").string(); }
  // Changed long enough ago that its time is believed.
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((docs() / name).parent_path());
    std::ofstream(docs() / name, std::ios::binary) << text;
    fs::last_write_time(docs() / name, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  CorpusSettings settings() const {
    CorpusSettings out;
    out.folder = docs().string();
    out.index_file = index();
    return out;
  }
  std::unique_ptr<Corpus> corpus(CorpusSettings said) const {
    Result<std::unique_ptr<Corpus>> opened = Corpus::open(std::move(said));
    REQUIRE_MESSAGE(static_cast<bool>(opened), (opened ? "" : opened.error().message));
    return std::move(opened).value();
  }
  std::unique_ptr<Corpus> corpus() const { return corpus(settings()); }

 private:
  fs::path root_;
};

Refresh refreshed(Corpus& corpus) {
  Result<Refresh> done = corpus.refresh({});
  REQUIRE_MESSAGE(static_cast<bool>(done), (done ? "" : done.error().message));
  return std::move(done).value();
}

Hits found(Corpus& corpus, std::string_view query, std::size_t limit = 5) {
  Result<Hits> hits = corpus.search(query, limit);
  REQUIRE_MESSAGE(static_cast<bool>(hits), (hits ? "" : hits.error().message));
  return std::move(hits).value();
}

std::string first_path(Corpus& corpus, std::string_view query) {
  const Hits hits = found(corpus, query);
  return hits.hits.empty() ? "" : hits.hits.front().path;
}

}  // namespace

TEST_SUITE_BEGIN("native");

TEST_CASE("a corpus: the best passage comes with its file, its lines, its section and a quote that stands there") {
  const Place place;
  place.write("animals.md",
              "# Animals\n\n## Cats\n\nCats sleep for sixteen hours a day.\n\n## Dogs\n\nDogs bark at the moon.\n");
  place.write("plants.txt", "Plants\n======\n\nRoses need water every morning.\n");
  const auto corpus = place.corpus();
  CHECK(refreshed(*corpus).added == 2);
  const Hits hits = found(*corpus, "How many hours does a cat sleep?");
  REQUIRE(hits.hits.size() == 1);
  const Hit& hit = hits.hits.front();
  CHECK(hit.path == "animals.md");
  CHECK(hit.title == "Animals");
  CHECK(hit.heading == "Animals > Cats");
  CHECK(hit.line == 5);
  CHECK(hit.quote == "Cats sleep for sixteen hours a day.");
  CHECK(hit.quote_line == 5);
  CHECK(hit.passage.find(hit.quote) != std::string::npos);
}

TEST_CASE("a corpus: words are found in other endings, without their accents, as beginnings and as names with points") {
  const Place place;
  place.write("a.txt", "The repositories are listed in /etc/apt/sources.list, one on each line.\n");
  place.write("b.txt", "Un caf\xC3\xA9 au lait, s'il vous pla\xC3\xAEt.\n");
  place.write("c.txt", "Photosynthesis happens in leaves. Use apt-get for packages.\n");
  const auto corpus = place.corpus();
  refreshed(*corpus);
  CHECK(first_path(*corpus, "repository listing") == "a.txt");
  CHECK(first_path(*corpus, "/etc/apt/sources.list") == "a.txt");
  CHECK(first_path(*corpus, "sources.list") == "a.txt");
  CHECK(first_path(*corpus, "CAFE plait") == "b.txt");
  CHECK(first_path(*corpus, "photosyn") == "c.txt");
  CHECK(first_path(*corpus, "apt-get") == "c.txt");
  const Hits hits = found(*corpus, "leaves zebra");
  CHECK(hits.not_found == std::vector<std::string>{"zebra"});
  CHECK(hits.hits.front().path == "c.txt");
}

TEST_CASE("a corpus: the signs of a query language change nothing and break nothing") {
  const Place place;
  place.write("a.txt", "Cats and dogs live near rivers.\n");
  place.write("b.txt", "Birds fly.\n");
  const auto corpus = place.corpus();
  refreshed(*corpus);
  const std::string plain = corpus_value("q", found(*corpus, "cats dogs"), "/");
  for (const char* query :
       {"\"cats\" \"dogs\"", "cats* ^dogs", "(cats) {dogs}", "cats -- dogs;", "'cats' + dogs", "cats, dogs)"}) {
    CAPTURE(query);
    CHECK(corpus_value("q", found(*corpus, query), "/") == plain);
  }
  for (const char* query :
       {"cats NOT birds", "text:cats", "NEAR(cats dogs", "cats AND", "OR", "cats\"", "title : x", "a*b*c"}) {
    CAPTURE(query);
    CHECK(static_cast<bool>(corpus->search(query, 5)));
  }
  CHECK(corpus->search("?!\"", 5).error().message.find("no word") != std::string::npos);
}

TEST_CASE("a corpus: only what is new or changed is read again, and what is gone is forgotten") {
  const Place place;
  for (int i = 0; i < 20; ++i)
    place.write("d/" + std::to_string(i) + ".txt", "Document number " + std::to_string(i) + " about apples.\n");
  const auto corpus = place.corpus();
  CHECK(refreshed(*corpus).added == 20);
  Refresh again = refreshed(*corpus);
  CHECK(again.unchanged == 20);
  CHECK(again.read_bytes == 0);
  place.write("d/3.txt", "Document number three about pears.\n");
  fs::remove(place.docs() / "d/4.txt");
  place.write("d/new.txt", "Plums.\n");
  // Touched, with the same bytes.
  fs::last_write_time(place.docs() / "d/5.txt", fs::file_time_type::clock::now() - std::chrono::minutes(30));
  again = refreshed(*corpus);
  CHECK(again.changed == 1);
  CHECK(again.removed == 1);
  CHECK(again.added == 1);
  CHECK(again.unchanged == 18);
  CHECK(first_path(*corpus, "pears") == "d/3.txt");
  CHECK(found(*corpus, "number three apples", 50).hits.size() == 19);
  CHECK(corpus->state().value().files == 20);
  CHECK(refreshed(*corpus).read_bytes == 0);
}

TEST_CASE("a corpus: a file that was changed just now is looked at again, whatever its time and size say") {
  const Place place;
  place.write("a.txt", "Apples are green.\n");
  const fs::file_time_type now = fs::file_time_type::clock::now();
  fs::last_write_time(place.docs() / "a.txt", now);
  const auto corpus = place.corpus();
  refreshed(*corpus);
  std::ofstream(place.docs() / "a.txt") << "Plums are violet.";  // 17 bytes as well, with the line end 18
  std::ofstream(place.docs() / "a.txt", std::ios::app) << "\n";
  fs::last_write_time(place.docs() / "a.txt", now);
  CHECK(refreshed(*corpus).changed == 1);
  CHECK(first_path(*corpus, "violet") == "a.txt");
}

TEST_CASE("a corpus: an indexing that was stopped goes on, and what it had done is not done again") {
  const Place place;
  for (int i = 0; i < 300; ++i)
    place.write(std::to_string(i) + ".txt", "Stone number " + std::to_string(i) + " lies on the beach.\n");
  const auto corpus = place.corpus();
  RefreshWatch watch;
  watch.progress = [](std::uint64_t done, std::uint64_t) { return done < 128; };
  const Result<Refresh> half = corpus->refresh(watch);
  REQUIRE(half);
  CHECK(half.value().stopped);
  CHECK(half.value().added == 128);
  CHECK(corpus->state().value().files == 128);
  const Refresh rest = refreshed(*corpus);
  CHECK(rest.added == 172);
  CHECK(rest.unchanged == 128);
  CHECK(rest.removed == 0);
}

TEST_CASE("a corpus: links are not followed; a loop, a way out and a dead end are told") {
  const Place place;
  place.write("a/one.txt", "The only word is xylophone.\n");
  fs::create_symlink("one.txt", place.docs() / "a/inside.txt");
  fs::create_directory_symlink("..", place.docs() / "a/loop");
  fs::create_directory_symlink("/etc", place.docs() / "out");
  fs::create_symlink("nowhere", place.docs() / "dead");
  fs::create_symlink("self", place.docs() / "self");
  REQUIRE(::mkfifo((place.docs() / "pipe").c_str(), 0600) == 0);
  const auto corpus = place.corpus();
  const Refresh done = refreshed(*corpus);
  CHECK(done.added == 1);
  CHECK(done.links == 1);
  CHECK(done.left_out_count == 5);
  std::set<std::string> told;
  for (const LeftOut& one : done.left_out)
    told.insert(one.path + " " + one.why);
  CHECK(told == std::set<std::string>{"a/loop is a link that leads back to a folder around it",
                                      "out is a link that leads out of the folder, to /etc",
                                      "dead is a link that leads nowhere", "self is a link that goes in a circle",
                                      "pipe is not a regular file"});
  CHECK(found(*corpus, "xylophone", 50).hits.size() == 1);
}

TEST_CASE("a corpus: what is no text, unreadable, damaged or too large is skipped and told, and the rest is there") {
  const Place place;
  place.write("good.txt", "Good words.\n");
  place.write("image.png", std::string("\x89PNG\0\0\0", 7));
  place.write("latin.txt", "Sch\xF6n.\n");
  place.write("broken.gz", "\x1f\x8b\x08 damaged");
  place.write("large.txt", std::string(5000, 'a'));
  place.write("secret.txt", "Nobody reads this.\n");
  fs::permissions(place.docs() / "secret.txt", fs::perms::none);
  CorpusSettings settings = place.settings();
  settings.file.file_bytes_max = 4000;
  const auto corpus = place.corpus(settings);
  refreshed(*corpus);
  std::set<std::string> skipped;
  const CorpusState state = corpus->state().value();
  for (const SkippedFile& one : state.skipped)
    skipped.insert(one.path + ": " + one.reason);
  std::set<std::string> wanted = {"broken.gz: damaged", "image.png: binary", "large.txt: too large"};
  if (::geteuid() != 0)  // nothing is unreadable to root
    wanted.insert("secret.txt: unreadable");
  CHECK(skipped == wanted);
  CHECK(first_path(*corpus, "sch\xC3\xB6n") == "latin.txt");
  CHECK(first_path(*corpus, "good") == "good.txt");
}

TEST_CASE("a corpus: the bounds on files, depth and text are reached with a word") {
  const Place place;
  for (int i = 0; i < 10; ++i)
    place.write("d" + std::to_string(i) + "/e/f.txt", "Some text of forty bytes, more or less so.\n");
  CorpusSettings settings = place.settings();
  settings.walk.depth_max = 2;
  CHECK(refreshed(*place.corpus(settings)).bounds.size() == 1);
  settings = place.settings();
  settings.walk.files_max = 4;
  CHECK(refreshed(*place.corpus(settings)).bounds.size() == 1);
  settings = place.settings();
  settings.text_bytes_max = 100;
  fs::remove(place.index());
  const auto corpus = place.corpus(settings);
  const Refresh done = refreshed(*corpus);
  CHECK(done.bounds.size() == 1);
  CHECK(corpus->state().value().files == 3);
}

TEST_CASE(
    "a corpus: a query with several readings names them, each with its source, and the word that separates them") {
  const Place place;
  place.write("astronomy.md",
              "# The planets\n\nMercury is the planet nearest to the sun. A year of the planet has 88 days; its orbit "
              "is no circle.\n");
  place.write("chemistry.md",
              "# Metals\n\nMercury is a metal that is liquid. The metal boils at 357 degrees, and thermometers held "
              "this metal.\n");
  const auto corpus = place.corpus();
  refreshed(*corpus);
  const Hits hits = found(*corpus, "mercury");
  REQUIRE(hits.readings.size() == 2);
  CHECK((separator_of(hits) == "planet or metal" || separator_of(hits) == "metal or planet"));
  for (const HitReading& one : hits.readings) {
    REQUIRE(one.hits.size() == 1);
    CHECK(hits.hits[one.hits.front()].passage.find(one.word) != std::string::npos);
  }
  // With the word there is one reading.
  CHECK(found(*corpus, "mercury planet").readings.empty());
  CHECK(found(*corpus, "mercury metal").hits.front().path == "chemistry.md");
  CHECK(found(*corpus, "How hot is it when mercury boils?").readings.empty());
}

TEST_CASE("a corpus: pages titled with the query are its readings; one alone is what was meant") {
  const Place place;
  place.write("crontab.1", ".TH CRONTAB 1\n.SH NAME\ncrontab \\- maintain crontab files\n");
  place.write("cron.8", ".TH CRON 8\n.SH NAME\ncron \\- runs what a crontab says, each minute\n");
  place.write("passwd.1", ".TH PASSWD 1\n.SH NAME\npasswd \\- change a password\n");
  const auto one = place.corpus();
  refreshed(*one);
  CHECK(found(*one, "crontab").readings.empty());
  place.write("crontab.5", ".TH CRONTAB 5\n.SH NAME\ncrontab \\- the tables that drive cron\n");
  const auto corpus = place.corpus();
  refreshed(*corpus);
  const Hits hits = found(*corpus, "crontab");
  REQUIRE(hits.readings.size() == 2);
  CHECK((separator_of(hits) == "1 or 5" || separator_of(hits) == "5 or 1"));
}

TEST_CASE("an index: another program's file, another folder's index and a missing folder are refused") {
  const Place place;
  place.write("a.txt", "Words.\n");
  std::ofstream(place.index()) << std::string(5000, 'x');
  CHECK(place.corpus()->refresh({}).error().message.find("is not an index") != std::string::npos);
  fs::remove(place.index());
  refreshed(*place.corpus());
  CorpusSettings other = place.settings();
  fs::create_directories(place.docs() / "sub");
  other.folder = (place.docs() / "sub").string();
  CHECK(place.corpus(other)->refresh({}).error().message.find(
            "is the index of " + fs::canonical(place.docs()).string()) != std::string::npos);
  other.folder = (place.docs() / "none").string();
  CHECK(Corpus::open(other).error().message == "there is no such folder");
  other.folder = (place.docs() / "a.txt").string();
  CHECK(Corpus::open(other).error().message.find("is not a folder") != std::string::npos);
}

TEST_CASE("an index: while another one is at it, it is left alone and searched as it is") {
  const Place place;
  place.write("a.txt", "Words.\n");
  const auto corpus = place.corpus();
  CHECK(corpus->search("words", 5).error().code == ErrorCode::not_found);
  refreshed(*corpus);
  place.write("b.txt", "More words.\n");
  {
    const Result<store::StoreLock> lock = store::StoreLock::take(place.index());
    REQUIRE(lock);
    const Refresh done = refreshed(*corpus);
    CHECK(done.busy);
    CHECK(done.busy_why.find(std::to_string(::getpid())) != std::string::npos);
    CHECK(found(*corpus, "words").hits.size() == 1);
  }
  CHECK(refreshed(*corpus).added == 1);
}

TEST_CASE("a PDF is read through pdftotext, page by page; where there is none, that is told") {
  const Place place;
  // One page that says "Hello plumb line".
  place.write(
      "one.pdf",
      "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj\n"
      "4 0 obj<</Length 44>>stream\nBT /F1 18 Tf 20 200 Td (Hello plumb line) Tj ET\nendstream endobj\n"
      "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n");
  const auto corpus = place.corpus();
  refreshed(*corpus);
  if (!process::program_path("pdftotext", std::getenv("PATH")).empty()) {
    const Hits hits = found(*corpus, "plumb");
    REQUIRE(hits.hits.size() == 1);
    CHECK(hits.hits.front().quote == "Hello plumb line");
    CHECK(hits.hits.front().heading == "page 1");
  } else {
    const CorpusState state = corpus->state().value();
    REQUIRE(state.skipped.size() == 1);
    CHECK(state.skipped.front().why.find("poppler-utils") != std::string::npos);
  }
}

TEST_SUITE_END();
