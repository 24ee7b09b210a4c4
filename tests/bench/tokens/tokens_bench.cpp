// tokens_bench O200K CL100K <TEXTS >COUNTS: what the estimate says of each text and what counting with the ranks gives,
// for tests/bench/tokens/tokens_bench.mjs. A text is its size in bytes in decimal, a line end, and its bytes. A line
// each: "likely safe count" for o200k_base, then for cl100k_base, then "likely safe" of an unknown model. Standard
// error has the speeds, in MB/s and in ms for 8 KB.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/budget/operations.hpp"
#include "core/json/writer.hpp"
#include "core/text/bpe.hpp"
#include "core/text/tokens.hpp"

namespace {

using namespace plumb::text;

Bpe ranks(const char* path, Encoding encoding) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  plumb::Result<Bpe> bpe = Bpe::read(text, encoding);
  if (!bpe) {
    std::fprintf(stderr, "%s: %s\n", path, bpe.error().message.c_str());
    std::exit(1);
  }
  return std::move(bpe).value();
}

template <class Work>
double seconds_of(const Work& work) {
  const auto from = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    return 1;
  }
  const Bpe o200k = ranks(argv[1], Encoding::o200k_base);
  const Bpe cl100k = ranks(argv[2], Encoding::cl100k_base);
  std::vector<std::string> texts;
  std::size_t bytes = 0;
  unsigned long size = 0;
  while (std::scanf("%lu", &size) == 1 && std::getchar() == '\n') {
    std::string text(size, '\0');
    if (std::fread(text.data(), 1, size, stdin) != size) {
      return 1;
    }
    bytes += size;
    texts.push_back(std::move(text));
  }
  std::vector<std::uint64_t> counts[2];
  const double mb = static_cast<double>(bytes) / 1e6;
  const double seconds[] = {seconds_of([&] {
                              for (const std::string& text : texts)
                                counts[0].push_back(o200k.count(text));
                            }),
                            seconds_of([&] {
                              for (const std::string& text : texts)
                                counts[1].push_back(cl100k.count(text));
                            })};
  std::uint64_t sum = 0;
  const double estimating = seconds_of([&] {
    for (const std::string& text : texts)
      sum += estimate_tokens(text).likely;
  });
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const TokenEstimate large = estimate_tokens(texts[i], Encoding::o200k_base);
    const TokenEstimate small = estimate_tokens(texts[i], Encoding::cl100k_base);
    const TokenEstimate both = estimate_tokens(texts[i]);
    std::printf("%lu %lu %lu %lu %lu %lu %lu %lu\n", static_cast<unsigned long>(large.likely),
                static_cast<unsigned long>(large.safe), static_cast<unsigned long>(counts[0][i]),
                static_cast<unsigned long>(small.likely), static_cast<unsigned long>(small.safe),
                static_cast<unsigned long>(counts[1][i]), static_cast<unsigned long>(both.likely),
                static_cast<unsigned long>(both.safe));
  }
  // A budget of a task of 8 KB, from JSON to JSON.
  std::string request;
  plumb::json::Writer(request)
      .begin_object()
      .member_uint("window", 32000)
      .member("task", std::string(8192, 'x').replace(0, texts.front().size(), texts.front()))
      .end_object();
  const auto& window = *plumb::budget::operation_named("window");
  const double budgets = seconds_of([&] {
    for (int i = 0; i < 1000; ++i)
      sum += plumb::budget::answer(window, request).size();
  });
  std::fprintf(stderr, "%.2f %.2f %.2f %.4f %lu\n", mb / seconds[0], mb / seconds[1], mb / estimating, budgets,
               static_cast<unsigned long>(sum % 2));
  return 0;
}
