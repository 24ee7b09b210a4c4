// ./dev bench runs: what stopping at the first certain error saves. Every broken artifact of the golden cases, of the
// first seed, and, for each rule of the built-in contracts, of 50 seeded artifacts that break it, streams in pieces of
// 16 bytes (about four tokens) through the watch that model calls have. Saved is what had not come when it said stop.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/sample/sample.hpp"
#include "native/provider/stream_watch.hpp"
#include "tests/native/case_file.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;

namespace {

struct Tally {
  std::uint64_t broken = 0;
  std::uint64_t stopped = 0;
  double saved = 0;  // the sum of the shares of their bytes

  void add(const std::shared_ptr<const provider::KnownContract>& contract, std::string_view text) {
    constexpr std::size_t piece = 16;
    provider::StreamWatch watch(contract, provider::EarlyStop::finding);
    std::vector<contract::Finding> certain;
    ++broken;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      if (watch.push(text.substr(at, piece), certain)) {
        const std::size_t came = std::min(at + piece, text.size());
        stopped += came < text.size() ? 1 : 0;
        saved += text.empty() ? 0 : static_cast<double>(text.size() - came) / static_cast<double>(text.size());
        return;
      }
    }
  }

  void tell(const char* what) const {
    std::printf("  %-34s %6llu broken, %5.1f %% stopped before their end, %5.1f %% saved of an artifact on average\n",
                what, static_cast<unsigned long long>(broken),
                broken == 0 ? 0.0 : 100.0 * static_cast<double>(stopped) / static_cast<double>(broken),
                broken == 0 ? 0.0 : 100.0 * saved / static_cast<double>(broken));
  }
};

}  // namespace

int main() {
  Tally cases;
  Tally seed;
  for (const cases::CaseFile& file : cases::read_case_files(plumb::test::source_dir())) {
    for (const cases::Case& one : file.cases) {
      // Documents, options and context are not part of a model call.
      if (!one.refused.empty() || !one.documents.empty() || !one.options.empty() || !one.context.empty())
        continue;
      Result<contract::Contract> read = contract::Contract::read(one.contract);
      if (!read)
        continue;
      const auto known = std::make_shared<const provider::KnownContract>(std::move(read).value());
      for (const cases::Artifact& artifact : one.artifacts) {
        if (!contract::check_text(known->contract, artifact.text).valid)
          (file.path.find("seed") != std::string::npos ? seed : cases).add(known, artifact.text);
      }
    }
  }
  std::printf("early stop at the first certain error\n");
  cases.tell("golden cases");
  seed.tell("the seed's artifacts");
  for (const contract::BuiltIn& built_in : contract::built_in_contracts()) {
    Result<contract::Contract> read = contract::Contract::read(built_in.text);
    const auto known = std::make_shared<const provider::KnownContract>(std::move(read).value());
    Tally tally;
    sample::SampleOptions options;
    options.kind = sample::SampleKind::broken;
    options.count = 50;
    const Result<sample::Samples> samples = sample::make_samples(known->contract, options);
    if (samples) {
      for (const sample::Sample& one : samples.value().made)
        tally.add(known, one.artifact);
    }
    tally.tell(("samples of " + std::string(built_in.name)).c_str());
  }
  return 0;
}
