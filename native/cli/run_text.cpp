#include "native/cli/run_text.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/run/fork.hpp"
#include "core/run/stamp.hpp"
#include "core/wording.hpp"
#include "native/cli/terminal.hpp"
#include "native/host/asked_of.hpp"
#include "native/outcome/deliverable.hpp"

namespace plumb::cli {

namespace {

using json::Kind;
using json::Value;
using run::Entry;
using run::EntryKind;

constexpr std::size_t findings_max = 200;
constexpr std::size_t levels_max = 4;  // in which findings are looked for

std::string text_at(const Value& object, std::string_view name) {
  const Value* value = object.find(name);
  return value != nullptr && value->is(Kind::string) ? std::string(value->str()) : std::string();
}

std::uint64_t number_at(const Value& object, std::string_view name) {
  const Value* value = object.find(name);
  std::uint64_t number = 0;
  return value != nullptr && value->is(Kind::number) && json::read_uint(value->str(), number) ? number : 0;
}

std::string seconds(std::uint64_t ms) {
  return std::to_string(ms / 1000) + "." + std::to_string(1000 + ms % 1000).substr(1) + " s";
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1024) {
    return std::to_string(bytes) + " B";
  }
  const std::uint64_t unit = bytes < (1U << 20U) ? 1024 : 1U << 20U;
  const std::uint64_t tenths = (bytes * 10 + unit / 2) / unit;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + (unit == 1024 ? " KB" : " MB");
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) {
    text.append(width - text.size(), ' ');
  }
  return text;
}

std::string led(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

// Findings as verdicts have them, in whichever of our own notes they are, and lists of sentences about meaning.
void look_for_findings(const Value& value, std::uint64_t entry, std::size_t level, std::vector<ToldFinding>& out) {
  if (level > levels_max) {
    return;
  }
  for (const json::Member& member : value.object()) {
    if (member.key == "findings") {
      for (const Value& finding : member.value.array()) {
        if (finding.find("message") != nullptr && finding.find("shadowedBy") == nullptr) {
          out.push_back({entry, text_at(finding, "rule"), text_at(finding, "message")});
        }
      }
    } else if (member.key == "semantic") {
      for (const Value& issue : member.value.array()) {
        if (issue.is(Kind::string)) {
          out.push_back({entry, "", std::string(issue.str())});
        }
      }
    } else {
      look_for_findings(member.value, entry, level + 1, out);
    }
  }
}

// What an attempt asks for, in few words: its kind, and a model's phase.
std::string what_of(const Entry& attempt) {
  const std::string phase = text_at(attempt.data.value(), "phase");
  return attempt.name + (phase.empty() ? "" : " " + phase);
}

const Entry* first_attempt(const run::Journal& journal, std::string_view key) {
  for (const Entry& entry : journal.entries()) {
    if (entry.kind == EntryKind::attempt && entry.key == key) {
      return &entry;
    }
  }
  return nullptr;
}

std::string reply_words(const run::Journal& journal, const Entry& entry) {
  std::string out = std::string(run::status_name(entry.status));
  if (!entry.error.empty()) {
    out += ": " + entry.error;
  }
  if (const Entry* begun = first_attempt(journal, entry.key)) {
    out += ", " + seconds(entry.at_ms - begun->at_ms);
  }
  if (const Value* usage = entry.data.value().find("usage")) {
    out += ", " + std::to_string(number_at(*usage, "input_tokens")) + " tokens in, " +
           std::to_string(number_at(*usage, "output_tokens")) + " out";
  }
  if (const Value* stopped = entry.data.value().find("stopped")) {
    out += ", stopped early: " + text_at(*stopped, "why");
  }
  return out;
}

// The value on one line, cut where it is long.
std::string shortened(const run::Data& data, std::size_t most) {
  if (data.is_null()) {
    return {};
  }
  std::string out(data.text());
  std::replace(out.begin(), out.end(), '\n', ' ');
  if (out.size() <= most) {
    return out;
  }
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return out.substr(0, end) + "...";
}

void write_account(json::Writer& json, const RunAccount& account) {
  json.member("id", account.id).member("pipeline", account.pipeline).member("state", account.state);
  if (!account.error.empty()) {
    json.member("error", account.error);
  }
  json.member("begun_at", run::iso_time(account.begun_ms)).member("last_at", run::iso_time(account.last_ms));
  json.member_uint("time_ms", account.last_ms - account.begun_ms);
  json.member_uint("entries", account.entries).member_uint("bytes", account.bytes);
  json.member_uint("drifts", account.drifts);
  json.key("effects").begin_array();
  for (const EffectAccount& effect : account.effects) {
    json.begin_object().member("what", effect.what).member_uint("asked", effect.asked);
    json.member_uint("again", effect.again).member_uint("failed", effect.failed).member_uint("open", effect.open);
    json.member_uint("time_ms", effect.time_ms).member_uint("input_tokens", effect.input_tokens);
    json.member_uint("output_tokens", effect.output_tokens).member_uint("saved_tokens", effect.saved_tokens);
    json.member_boolean("estimated", effect.estimated).end_object();
  }
  json.end_array().key("findings").begin_array();
  for (const ToldFinding& finding : account.findings) {
    json.begin_object().member_uint("entry", finding.entry);
    if (!finding.rule.empty()) {
      json.member("rule", finding.rule);
    }
    json.member("message", finding.message).end_object();
  }
  json.end_array();
}

}  // namespace

RunAccount account_of(const run::Journal& journal) {
  RunAccount out;
  const std::vector<Entry>& entries = journal.entries();
  out.id = text_at(journal.begin().data.value(), "run");
  out.pipeline = journal.begin().name;
  out.state = "waiting";
  out.begun_ms = entries.front().at_ms;
  out.last_ms = entries.back().at_ms;
  out.entries = entries.size();
  out.bytes = journal.bytes();
  std::map<std::string, std::pair<std::size_t, std::uint64_t>> begun;  // key -> which account, stamp
  std::set<std::string> handed_over;
  auto account = [&](const std::string& what) {
    for (std::size_t i = 0; i < out.effects.size(); ++i) {
      if (out.effects[i].what == what) {
        return i;
      }
    }
    out.effects.emplace_back();
    out.effects.back().what = what;
    return out.effects.size() - 1;
  };
  for (std::size_t n = 0; n < entries.size(); ++n) {
    const Entry& entry = entries[n];
    switch (entry.kind) {
      case EntryKind::attempt:
        if (const auto known = begun.find(entry.key); known != begun.end()) {
          out.effects[known->second.first].again += handed_over.erase(entry.key) == 0 ? 1 : 0;
        } else {
          const std::size_t which = account(what_of(entry));
          begun[entry.key] = {which, entry.at_ms};
          ++out.effects[which].asked;
          ++out.effects[which].open;
        }
        break;
      case EntryKind::reply: {
        const auto known = begun.find(entry.key);
        if (known == begun.end()) {
          break;
        }
        EffectAccount& effect = out.effects[known->second.first];
        --effect.open;
        effect.failed += entry.status == run::Status::ok ? 0 : 1;
        effect.time_ms += entry.at_ms - known->second.second;
        if (const Value* usage = entry.data.value().find("usage")) {
          effect.input_tokens += number_at(*usage, "input_tokens");
          effect.output_tokens += number_at(*usage, "output_tokens");
          const Value* estimated = usage->find("estimated");
          effect.estimated = effect.estimated || (estimated != nullptr && estimated->boolean);
        }
        if (const Value* stopped = entry.data.value().find("stopped")) {
          effect.saved_tokens += number_at(*stopped, "saved_tokens");
        }
        break;
      }
      case EntryKind::note:
        if (out.findings.size() < findings_max) {
          look_for_findings(entry.data.value(), n, 1, out.findings);
        }
        break;
      case EntryKind::drift:
        ++out.drifts;
        break;
      case EntryKind::handover:
        handed_over.insert(entry.key);
        break;
      case EntryKind::cancel:
        out.error = entry.error;
        break;
      case EntryKind::end:
        out.state = entry.status == run::Status::ok          ? "done"
                    : entry.status == run::Status::cancelled ? "cancelled"
                                                             : "failed";
        if (!entry.error.empty()) {
          out.error = entry.error;
        }
        break;
      case EntryKind::begin:
      case EntryKind::scope:
      case EntryKind::version:
      case EntryKind::signal:
        break;
    }
  }
  out.findings.resize(std::min(out.findings.size(), findings_max));
  return out;
}

std::string entry_line(const run::Journal& journal, std::size_t number) {
  const Entry& entry = journal.entries()[number];
  const std::uint64_t since = entry.at_ms - journal.begin().at_ms;
  std::string out = led(std::to_string(number), 6) + " " + led("+" + seconds(since), 12) + "  " +
                    padded(std::string(run::entry_kind_name(entry.kind)), 8);
  constexpr std::size_t most = 100;
  switch (entry.kind) {
    case EntryKind::begin: {
      const Value& told = entry.data.value();
      const Value* pins = told.find("pins");
      const Value* version = told.find("version");
      out += entry.name + (version == nullptr ? "" : " version " + std::string(version->str())) + ", " +
             counted(pins == nullptr ? 0 : pins->size, "pin", "pins") + ", input of " +
             size_text(told.find("input") == nullptr ? 0 : told.find("input")->to - told.find("input")->from);
      break;
    }
    case EntryKind::attempt:
      out += entry.key + " ";
      if (entry.count > 1) {
        out += entry.name + ", try " + std::to_string(entry.count);
      } else {
        out += what_of(entry) + ", " + size_text(entry.data.text().size());
      }
      out += entry.deadline_ms == 0 ? "" : ", at most " + seconds(entry.deadline_ms);
      break;
    case EntryKind::reply:
      out += entry.key + " " + reply_words(journal, entry);
      break;
    case EntryKind::note:
      out += entry.key + " " + entry.name + " " + shortened(entry.data, most);
      break;
    case EntryKind::scope:
      out += entry.key + " = " + shortened(entry.data, most);
      break;
    case EntryKind::version:
      out += (entry.key.empty() ? "" : entry.key + " ") + entry.name + " goes way " + std::to_string(entry.count);
      break;
    case EntryKind::handover:
      out += entry.key + " given up by a host that was stopped; asked for again";
      break;
    case EntryKind::drift:
      out += entry.key + " the request is another one than stored";
      break;
    case EntryKind::signal:
      out += entry.name + " " + shortened(entry.data, most);
      break;
    case EntryKind::cancel:
      out += entry.error;
      break;
    case EntryKind::end:
      out += std::string(run::status_name(entry.status)) +
             (entry.error.empty() ? " " + shortened(entry.data, most) : ": " + entry.error);
      break;
  }
  while (!out.empty() && out.back() == ' ') {
    out.pop_back();
  }
  return out;
}

// How full the windows of the models were, and what was said of it.
std::string context_text(const run::Journal& journal, const contract::TextStyle& style) {
  const std::string watched = pipelines::monitored_json(journal);
  if (watched.empty()) {
    return {};
  }
  const run::Data data = run::Data::written(watched);
  const Value& value = data.value();
  std::string out = "\n" + bold("Context", style) + "\n  " + counted(number_at(value, "calls"), "call", "calls");
  const Value* fullest = value.find("context_utilization");
  out += fullest != nullptr && fullest->is(json::Kind::number)
             ? ", the window at most " + std::string(fullest->str()) + " % full (" + text_at(value, "phase") + ")\n"
             : " to models whose window is not known\n";
  for (const Value& one : value.find("notes")->array()) {
    const std::string response = text_at(one, "response");
    const std::string line = padded(response, 9) + text_at(one, "phase") + ": " + text_at(one, "reason");
    out += "  " + (response == "log" ? line : response == "warn" ? yellow(line, style) : red(line, style)) + "\n";
  }
  for (const Value& one : value.find("open")->array()) {
    out += "  " + red("waits: " + text_at(one, "question"), style) + "\n";
  }
  return out;
}

// Whom it asks, as it is pinned to: "asks: ollama/qwen3:8b at http://127.0.0.1:11434 (plan, generate)".
std::string asks_text(const run::Journal& journal) {
  const host::PinnedAsked pinned = host::asked_of_run(journal);
  if (pinned.unknown) {
    return {};
  }
  std::vector<std::pair<std::string, std::string>> asked;
  for (const host::Asked& one : pinned.parts) {
    const std::string words = one.words();
    const auto known =
        std::find_if(asked.begin(), asked.end(), [&](const auto& other) { return other.first == words; });
    if (known == asked.end()) {
      asked.emplace_back(words, one.part);
    } else {
      known->second += ", " + one.part;
    }
  }
  std::string out;
  for (const auto& [words, parts] : asked) {
    out += "asks: " + words + " (" + parts + ")\n";
  }
  return out;
}

std::string run_text(const run::Journal& journal, const pipelines::Known* known, const RunShown& shown,
                     const contract::TextStyle& style) {
  const RunAccount account = account_of(journal);
  std::string out = bold(account.id, style) + "  " + account.pipeline + "  ";
  out += account.state == "done"     ? green(account.state, style)
         : account.state == "failed" ? red(account.state, style)
                                     : yellow(account.state, style);
  out += "\nbegun " + run::iso_time(account.begun_ms) + ", " + seconds(account.last_ms - account.begun_ms) + ", " +
         counted(account.entries, "entry", "entries") + ", " + size_text(account.bytes) + "\n";
  if (const std::string from = run::forked_from(journal); !from.empty()) {
    out += "forked from " + from + ", " + counted(run::taken_over(journal), "entry", "entries") + " taken over\n";
  }
  if (!shown.project.empty()) {
    out += "of the project " + shown.project + "\n";
  }
  if (!account.error.empty()) {
    out += "error: " + account.error + "\n";
  }
  if (!shown.waits.empty()) {
    out += yellow("waits", style) + ": " + shown.waits + "\n";
  }
  out += asks_text(journal);
  if (account.drifts > 0) {
    out += counted(account.drifts, "request is", "requests are") + " another than stored (drift)\n";
  }
  if (known != nullptr && known->log != nullptr) {
    out += "\n" + bold("Log", style) + "\n";
    for (const pipelines::LogLine& line : known->log(journal, 0)) {
      out += "  " + dim(run::clock_time(line.at_ms), style) + " " +
             (style.ascii ? pipelines::ascii_line(line.text) : line.text) + "\n";
    }
  }
  if (!account.effects.empty()) {
    out += "\n" + bold("Effects", style) + "\n";
    out += "  " + padded("", 24) + led("asked", 7) + led("again", 7) + led("failed", 8) + led("open", 6) +
           led("time", 12) + led("tokens in", 11) + led("out", 9) + led("saved", 8) + "\n";
    bool estimated = false;
    for (const EffectAccount& effect : account.effects) {
      estimated = estimated || effect.estimated;
      out += "  " + padded(effect.what, 24) + led(std::to_string(effect.asked), 7) +
             led(std::to_string(effect.again), 7) + led(std::to_string(effect.failed), 8) +
             led(std::to_string(effect.open), 6) + led(seconds(effect.time_ms), 12) +
             led((effect.estimated ? "~" : "") + std::to_string(effect.input_tokens), 11) +
             led((effect.estimated ? "~" : "") + std::to_string(effect.output_tokens), 9) +
             led(std::to_string(effect.saved_tokens), 8) + "\n";
    }
    if (estimated) {
      out += dim("  ~ estimated: the provider told none", style) + "\n";
    }
  }
  out += context_text(journal, style);
  if (const std::vector<BoundaryAccount> boundaries = boundaries_of(journal); !boundaries.empty()) {
    out += "\n" + bold("Boundaries", style) + "\n" + boundaries_text(boundaries, shown.share_max, true, style);
    if (shown.lately_runs > 1) {
      out += dim("  the last " + std::to_string(shown.lately_runs) + " runs together", style) + "\n" +
             boundaries_text(shown.lately, shown.share_max, false, style);
    }
  }
  if (!account.findings.empty()) {
    out += "\n" + bold("Findings", style) + "\n";
    for (const ToldFinding& finding : account.findings) {
      out += "  " + led(std::to_string(finding.entry), 5) + "  " + finding.message +
             (finding.rule.empty() ? "" : "  " + dim(finding.rule, style)) + "\n";
    }
    if (account.findings.size() == findings_max) {
      out += "  and perhaps more: no more than " + std::to_string(findings_max) + " are shown\n";
    }
  }
  if (shown.entries) {
    out += "\n" + bold("Entries", style) + "\n";
    for (std::size_t n = 0; n < journal.entries().size(); ++n) {
      out += entry_line(journal, n) + "\n";
    }
  }
  return out;
}

Result<std::string> run_json(const run::Journal& journal, const pipelines::Known* known, const RunShown& shown) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_account(json, account_of(journal));
  if (const std::string from = run::forked_from(journal); !from.empty()) {
    json.member("forked_from", from);
  }
  if (!shown.project.empty()) {
    json.member("project", shown.project);
  }
  if (!shown.waits.empty()) {
    json.member("problem", shown.waits);
  }
  if (known != nullptr && known->view != nullptr) {
    const Result<std::string> view = outcome::view_of(*known, journal);
    if (!view) {
      return view.error();
    }
    json.key("view").raw(view.value());
  }
  if (known != nullptr && known->log != nullptr) {
    json.key("log").begin_array();
    for (const pipelines::LogLine& line : known->log(journal, 0)) {
      json.begin_object()
          .member_uint("entry", line.entry)
          .member("at", run::iso_time(line.at_ms))
          .member("text", line.text)
          .end_object();
    }
    json.end_array();
  }
  if (const std::string watched = pipelines::monitored_json(journal); !watched.empty()) {
    json.key("budget").raw(watched);
  }
  if (const std::vector<BoundaryAccount> boundaries = boundaries_of(journal); !boundaries.empty()) {
    json.key("boundaries");
    write_boundaries(json, boundaries, shown.share_max);
    json.member_uint("lately_runs", shown.lately_runs).key("lately");
    write_boundaries(json, shown.lately, shown.share_max);
  }
  if (shown.entries) {
    json.key("lines").begin_array();
    for (std::size_t n = 0; n < journal.entries().size(); ++n) {
      json.string(entry_line(journal, n));
    }
    json.end_array();
  }
  json.end_object();
  return out + "\n";
}

}  // namespace plumb::cli
