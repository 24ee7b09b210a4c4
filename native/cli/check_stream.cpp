#include "native/cli/check_stream.hpp"

#include "core/json/writer.hpp"
#include "core/text/steps.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/random_seed.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{64} * 1024;

// What comes out of an artifact must neither break a line nor send a command to a terminal.
std::string tame(std::string_view text, bool ascii) {
  std::string out;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || (ascii && byte >= 0x80)) {
      constexpr std::string_view digits = "0123456789abcdef";
      out += "\\x";
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    } else {
      out += c;
    }
  }
  return out;
}

std::string text_line(const contract::Finding& finding, const contract::TextStyle& style) {
  const bool error = finding.severity == contract::Severity::error;
  const bool warning = finding.severity == contract::Severity::warning;
  std::string byte = std::to_string(finding.decided_at);
  if (byte.size() < 8) {
    byte.insert(0, 8 - byte.size(), ' ');
  }
  std::string out = dim(byte, style) + " ";
  out += error     ? red(style.ascii ? "x" : "✗", style)
         : warning ? yellow(style.ascii ? "!" : "⚠", style)
                   : cyan(style.ascii ? "i" : "ℹ", style);
  out += ' ';
  if (!finding.message.empty()) {
    out += tame(finding.message, style.ascii);
  } else {
    // Certain, though the value is still being written: its message waits for the true numbers.
    if (!finding.item.empty()) {
      out += tame(finding.item, style.ascii) + ": ";
    }
    out += tame(finding.requirement.empty() ? finding.rule : finding.requirement, style.ascii);
    out += dim(style.ascii ? " ..." : " …", style);
  }
  out += "  " + dim(tame(finding.at.empty() ? "/" : finding.at, style.ascii) + "  " + finding.rule, style);
  return out + "\n";
}

std::string jsonl_line(std::string_view name, std::string_view json) {
  return "{\"" + std::string(name) + "\":" + std::string(json) + "}\n";
}

std::string signal_line(const contract::Signal& signal, Format format, const contract::TextStyle& style) {
  if (format == Format::jsonl) {
    std::string json;
    json::Writer writer(json);
    writer.begin_object().member("kind", signal.kind).member("detail", signal.detail);
    writer.member_uint("atByte", signal.at_byte).end_object();
    return jsonl_line("signal", json);
  }
  std::string byte = std::to_string(signal.at_byte);
  if (byte.size() < 8) {
    byte.insert(0, 8 - byte.size(), ' ');
  }
  return dim(byte, style) + " " + yellow(style.ascii ? "!" : "⚠", style) + " " + tame(signal.kind, style.ascii) + ": " +
         tame(signal.detail, style.ascii) + "\n";
}

}  // namespace

Result<bool> check_stream(const Slot& slot, const contract::Limits& limits, std::uint64_t steps_max,
                          const repair::EditOptions& edits, Report& report) {
  const Format format = report.settings().format;
  const contract::TextStyle style = report.settings().style;
  contract::CheckOptions options;
  options.limits = limits;
  options.context = slot.context;
  options.hash_seed = random_seed();
  text::Steps steps(steps_max);
  options.steps = steps_max == 0 ? nullptr : &steps;
  repair::Check check(slot.contract, options, edits);

  Result<FileReader> reader = FileReader::open("-");
  if (!reader) {
    return reader.error();
  }
  std::vector<contract::Finding> certain;
  std::size_t signals_told = 0;
  std::unique_ptr<char[]> chunk(new char[chunk_bytes]);

  // Findings first, then signals, after each piece that was read.
  const auto tell = [&]() -> Result<bool> {
    Rendered now;
    for (const contract::Finding& finding : certain) {
      now.text +=
          format == Format::jsonl ? jsonl_line("certain", contract::finding_json(finding)) : text_line(finding, style);
    }
    for (; signals_told < check.signals().size(); ++signals_told) {
      now.text += signal_line(check.signals()[signals_told], format, style);
    }
    certain.clear();
    return report.write(std::move(now), nullptr);
  };

  for (;;) {
    const Result<std::size_t> count = reader.value().read(chunk.get(), chunk_bytes);
    if (!count) {
      return count.error();
    }
    if (count.value() == 0) {
      break;
    }
    check.push({chunk.get(), count.value()}, certain);
    if (Result<bool> told = tell(); !told) {
      return told;
    }
  }
  contract::Verdict verdict = check.end(certain);
  if (Result<bool> told = tell(); !told) {
    return told;
  }

  Rendered last;
  if (format == Format::text && !report.settings().quiet && !verdict.findings.empty()) {
    last.text = "\n";
  }
  report.render({"-", std::move(verdict)}, last);
  return report.write(std::move(last), nullptr);
}

}  // namespace plumb::cli
