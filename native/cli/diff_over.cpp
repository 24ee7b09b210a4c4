#include "native/cli/diff_over.hpp"

#include <utility>

#include "core/repair/check.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/random_seed.hpp"
#include "native/cli/line_batches.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t whole_bytes_max = std::uint64_t{256} << 20;
constexpr std::size_t line_bytes_max = std::size_t{64} << 20;
constexpr std::size_t shown_bytes_max = 65536;  // of a document that is kept

enum class Acceptance : std::uint8_t { accepts, refuses, open };

Acceptance said_by(const contract::Verdict& verdict) {
  if (verdict.decision == contract::Decision::revise || verdict.decision == contract::Decision::block) {
    return Acceptance::refuses;
  }
  return verdict.valid && verdict.decision != contract::Decision::undecided ? Acceptance::accepts : Acceptance::open;
}

std::string first_error(const contract::Verdict& verdict) {
  for (const contract::Finding& finding : verdict.findings) {
    if (finding.severity == contract::Severity::error && finding.shadowed_by == 0) {
      return (finding.at.empty() ? "" : finding.at + ": ") + finding.message + "  " + finding.rule;
    }
  }
  return {};
}

class Over {
 public:
  Over(const OverSettings& settings, const contract::Contract& first, const contract::Contract& second)
      : settings_(settings),
        name_(first.name()),
        first_(first, options(settings), settings.edits),
        second_(second, options(settings), settings.edits) {}

  OverCounts all() {
    Inputs inputs = collect_inputs(settings_.paths, settings_.inputs);
    for (InputProblem& one : inputs.problems) {
      problem(one.path, std::move(one.message));
    }
    for (const InputFile& file : inputs.files) {
      if (settings_.recorded) {
        recorded(file.path);
      } else if (file.lines) {
        lines(file.path);
      } else {
        whole(file.path);
      }
    }
    return std::move(counts_);
  }

 private:
  static contract::CheckOptions options(const OverSettings& settings) {
    contract::CheckOptions out;
    out.context = settings.context;
    out.hash_seed = random_seed();
    return out;
  }

  void problem(const std::string& path, std::string message) {
    if (counts_.problems.size() < OverCounts::problems_max) {
      counts_.problems.push_back({path, std::move(message)});
    } else {
      ++counts_.more_problems;
    }
  }

  void judge(const std::string& name, std::string_view text) {
    first_.reset();
    second_.reset();
    const contract::Verdict one = first_.whole(text);
    const contract::Verdict two = second_.whole(text);
    const Acceptance before = said_by(one);
    const Acceptance after = said_by(two);
    ++counts_.documents;
    if (before == Acceptance::open || after == Acceptance::open) {
      ++counts_.undecided;
    } else if (before == after) {
      ++(before == Acceptance::accepts ? counts_.accepted : counts_.refused);
    } else if (before == Acceptance::accepts) {
      change(counts_.lost, name, text, two);
    } else {
      change(counts_.gained, name, text, one);
    }
  }

  static void change(Changes& changes, const std::string& name, std::string_view text,
                     const contract::Verdict& refusal) {
    ++changes.count;
    if (changes.first.size() < Changes::listed_max) {
      changes.first.push_back({name, first_error(refusal)});
    }
    if (text.size() <= shown_bytes_max && (changes.document.empty() || text.size() < changes.document.size())) {
      changes.document = std::string(text);
      changes.document_name = name;
    }
  }

  void whole(const std::string& path) {
    const Result<std::string> text = read_file(path, whole_bytes_max);
    if (!text) {
      return problem(path, text.error().message);
    }
    judge(path, text.value());
  }

  void lines(const std::string& path) {
    Result<LineBatches> opened = LineBatches::open(path);
    if (!opened) {
      return problem(path, opened.error().message);
    }
    std::string long_line;
    std::uint64_t number = 0;
    const auto one = [&](std::uint64_t line, std::string_view text) { judge(path + ":" + std::to_string(line), text); };
    for (;;) {
      const Result<LineBatches::Batch> read = opened.value().next();
      if (!read) {
        return problem(path, read.error().message);
      }
      const LineBatches::Batch& batch = read.value();
      if (batch.kind == LineBatches::Kind::end) {
        return;
      }
      if (batch.kind == LineBatches::Kind::lines) {
        std::string_view rest = batch.bytes;
        Line line;
        for (std::uint64_t at = batch.first_line; take_line(rest, line); ++at) {
          if (!line.blank) {
            one(at, line.text);
          }
        }
        continue;
      }
      if (long_line.empty()) {
        number = batch.first_line;
      }
      if (long_line.size() <= line_bytes_max) {
        long_line += batch.bytes;
      }
      if (batch.kind == LineBatches::Kind::long_end) {
        if (long_line.size() > line_bytes_max) {
          problem(path + ":" + std::to_string(number), "a line of more than 64 MB is not read");
        } else {
          one(number, long_line);
        }
        std::string().swap(long_line);
      }
    }
  }

  void recorded(const std::string& path) {
    Result<RecordedFile> opened = RecordedFile::open(path, settings_.recorded->by);
    if (!opened) {
      return problem(path, opened.error().message);
    }
    for (;;) {
      const Result<RecordedPiece> piece = opened.value().next();
      if (!piece) {
        return problem(path, piece.error().message);
      }
      if (piece.value().kind == RecordedPiece::Kind::end) {
        return;
      }
      RecordedTexts texts = recorded_texts(*settings_.recorded, piece.value(), name_);
      for (RecordedText& text : texts.texts) {
        const std::string name = path + ":" + std::to_string(text.line);
        if (text.unanswered.empty()) {
          judge(name, text.text);
        } else {
          problem(name, std::move(text.unanswered));
        }
      }
      counts_.left += texts.calls_left + texts.texts_left + texts.others_left;
      if (!texts.problem.empty()) {
        return problem(path, std::move(texts.problem));
      }
    }
  }

  const OverSettings& settings_;
  std::string name_;
  repair::Check first_;
  repair::Check second_;
  OverCounts counts_;
};

}  // namespace

OverCounts judge_over(const OverSettings& settings, const contract::Contract& first, const contract::Contract& second) {
  return Over(settings, first, second).all();
}

}  // namespace plumb::cli
