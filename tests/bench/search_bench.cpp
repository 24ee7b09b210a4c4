// search_bench [MEGABYTES...]: what it costs to index so much text, and what a question of six content words over it.
//
// The text is made, the same each time: 60,000 words whose frequency falls as in language (the n-th comes n times as
// rarely as the first), in sentences and paragraphs, in files of 40 KB with headings. The words of the questions are
// drawn from the 100th to the 20,000th of them.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "native/search/corpus.hpp"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t words_count = 60'000;
constexpr std::size_t file_bytes = 40'000;
constexpr int questions = 200;
constexpr int words_of_question = 6;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  double unit() { return static_cast<double>(next() >> 11U) / 9007199254740992.0; }

 private:
  std::uint64_t state_;
};

std::vector<std::string> make_words() {
  static constexpr const char* parts[] = {"ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo",  "mu",  "na",  "pe",
                                          "ri", "so", "tu", "va", "we", "xi", "yo", "zu", "bra", "cle", "dri", "flo"};
  std::vector<std::string> out;
  for (std::size_t n = 0; n < words_count; ++n) {
    std::string word;
    for (std::size_t rest = n + 24; rest > 0; rest /= 24)
      word += parts[rest % 24];
    out.push_back(word);
  }
  return out;
}

// The n-th word with a probability of 1/n.
std::size_t rank(Random& random) {
  const double most = std::log(static_cast<double>(words_count));
  return static_cast<std::size_t>(std::exp(random.unit() * most)) - 1;
}

std::uint64_t make_corpus(const fs::path& folder, std::uint64_t bytes, const std::vector<std::string>& words) {
  Random random(7);
  std::uint64_t made = 0;
  for (int number = 0; made < bytes; ++number) {
    std::string text;
    while (text.size() < file_bytes) {
      if (random.next() % 8 == 0)
        text += "\n## " + words[rank(random)] + " " + words[rank(random)] + "\n\n";
      for (std::uint64_t sentences = 3 + random.next() % 4; sentences > 0; --sentences) {
        for (std::uint64_t left = 6 + random.next() % 14; left > 0; --left)
          text += words[rank(random)] + (left == 1 ? ".\n" : " ");
      }
      text += "\n";
    }
    const fs::path in = folder / std::to_string(number % 100);
    fs::create_directories(in);
    std::ofstream(in / (std::to_string(number) + ".md")) << text;
    made += text.size();
  }
  return made;
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; };
  return of(used.ru_utime) + of(used.ru_stime);
}

int fail(const plumb::Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.where.c_str(), error.message.c_str());
  return 1;
}

int measure(std::uint64_t megabytes, const std::vector<std::string>& words) {
  std::string name = (fs::temp_directory_path() / "plumb-search-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    return 1;
  const fs::path root = name;
  const std::uint64_t bytes = make_corpus(root / "docs", megabytes * 1'000'000, words);
  plumb::search::CorpusSettings settings;
  settings.folder = (root / "docs").string();
  settings.index_file = (root / "index.db").string();
  const auto opened = plumb::search::Corpus::open(settings);
  if (!opened)
    return fail(opened.error());
  plumb::search::Corpus& corpus = *opened.value();
  const double cpu = cpu_seconds();
  const auto begun = Clock::now();
  if (const auto done = corpus.refresh({}); !done)
    return fail(done.error());
  const double wall = std::chrono::duration<double>(Clock::now() - begun).count();
  const double spent = cpu_seconds() - cpu;
  const auto again_begun = Clock::now();
  if (const auto done = corpus.refresh({}); !done)
    return fail(done.error());
  const double again = std::chrono::duration<double, std::milli>(Clock::now() - again_begun).count();

  Random random(11);
  std::vector<double> took;
  std::vector<double> took_cpu;
  for (int i = 0; i < questions; ++i) {
    std::string question;
    for (int w = 0; w < words_of_question; ++w)
      question += words[100 + static_cast<std::size_t>(random.next() % 19'900)] + " ";
    const double cpu_before = cpu_seconds();
    const auto from = Clock::now();
    const auto hits = corpus.search(question, 8);
    if (!hits)
      return fail(hits.error());
    took.push_back(std::chrono::duration<double, std::milli>(Clock::now() - from).count());
    took_cpu.push_back((cpu_seconds() - cpu_before) * 1000);
  }
  std::sort(took.begin(), took.end());
  std::sort(took_cpu.begin(), took_cpu.end());
  const auto at = [](const std::vector<double>& all, double share) {
    return all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
  };
  const auto mb = static_cast<double>(bytes) / 1e6;
  std::printf("| %.0f MB | %.1f MB/s | %.1f MB/s | %.0f ms | %.1f ms | %.1f ms | %.1f ms |\n", mb, mb / spent,
              mb / wall, again, at(took, 0.5), at(took, 0.95), at(took_cpu, 0.95));
  std::fflush(stdout);
  std::error_code ignored;
  fs::remove_all(root, ignored);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::uint64_t> sizes;
  for (int i = 1; i < argc; ++i)
    sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty())
    sizes = {10, 100};
  const std::vector<std::string> words = make_words();
  std::printf("| text | indexed, a core | wall | nothing new | question: median | p95 | p95, processor |\n");
  std::printf("| --: | --: | --: | --: | --: | --: | --: |\n");
  for (const std::uint64_t size : sizes) {
    if (const int code = measure(size, words); code != 0)
      return code;
  }
  return 0;
}
