// Stage 0: explorers, side by side, one for each source. Each lists its folder, reads the files that it knows, cuts
// them into units, and asks for patterns among them, batch by batch.

#include <algorithm>
#include <unordered_map>

#include "core/json/arena.hpp"
#include "core/pipelines/discovery/parts.hpp"
#include "core/run/stamp.hpp"
#include "core/text/novelty.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

constexpr std::uint64_t file_bytes_max = std::uint64_t{8} << 20U;
constexpr std::uint64_t read_ms = 60'000;
constexpr std::size_t evidence_text_max = 400;
constexpr std::size_t evidence_of_a_finding_max = 25;
constexpr std::size_t by_rule_batch = 5'000;

Data read_request(std::string_view root, std::string_view path, bool tree) {
  return object([&](json::Writer& json) {
    json.member("root", root).member("path", path);
    if (tree) {
      json.member_boolean("tree", true);
    }
  });
}

bool is_left_out(std::string_view path) {
  static constexpr std::array<std::string_view, 9> folders = {
      "node_modules/", "build/", "dist/", "vendor/", "target/", "third_party/", "venv/", "__pycache__/", "tests/data/"};
  if (path.substr(0, 1) == "." || path.find("/.") != std::string_view::npos) {
    return true;
  }
  return std::any_of(folders.begin(), folders.end(), [&](std::string_view folder) {
    return path.substr(0, folder.size()) == folder || path.find("/" + std::string(folder)) != std::string_view::npos;
  });
}

bool is_in(const std::vector<std::string>& folders, std::string_view path) {
  return folders.empty() || std::any_of(folders.begin(), folders.end(), [&](std::string folder) {
           folder += folder.empty() || folder.back() == '/' ? "" : "/";
           return path.substr(0, folder.size()) == folder;
         });
}

// Files of a listing that are read, and what is not.
std::vector<std::string> files_of(const Job& job, SourceKind kind, const Value& listing, Read& read) {
  const std::vector<std::string> folders = kind == SourceKind::repo   ? texts_in(*job.input, "scope_dirs")
                                           : kind == SourceKind::docs ? texts_in(*job.input, "doc_paths")
                                                                      : std::vector<std::string>();
  std::vector<std::string> out;
  for (const Value& entry : list_in(listing, "entries")) {
    const std::string path(text_in(entry, "path"));
    if (text_in(entry, "kind") != "file" || !is_read(kind, path) || is_left_out(path) || !is_in(folders, path)) {
      continue;
    }
    if (number_in(entry, "bytes") > file_bytes_max) {
      read.skip("is a file of more than 8 MB", path);
    } else if (out.size() == limits_of(kind).files_max) {
      read.skip("is beyond the first " + json::uint_text(limits_of(kind).files_max) + " files", path);
    } else {
      out.push_back(path);
    }
  }
  if (flag_in(listing, "cut")) {
    read.skip("the folder has more than is listed", job.roots[static_cast<std::size_t>(kind)]);
  }
  return out;
}

std::string read_json(const Read& read) {
  return object_text([&](json::Writer& json) {
    json.key("units").begin_array();
    for (const Unit& unit : read.units) {
      write_unit(json, unit);
    }
    json.end_array().key("skipped").begin_array();
    for (const Skipped& one : read.skipped) {
      json.begin_object()
          .member("why", one.why)
          .member_uint("count", one.count)
          .member("where", one.where)
          .end_object();
    }
    json.end_array();
  });
}

Read read_of(const Value& value) {
  Read out;
  for (const Value& unit : list_in(value, "units")) {
    out.units.push_back(unit_of(unit));
  }
  for (const Value& one : list_in(value, "skipped")) {
    out.skip(text_in(one, "why"), std::string(text_in(one, "where")), number_in(one, "count"));
  }
  return out;
}

// At most so many units, the newest where they have a day; older than the window are skipped.
void keep_within(const Job& job, SourceKind kind, Read& read) {
  const std::size_t most = limits_of(kind).units_max;
  const auto day = [](const std::string& when) -> std::uint64_t {
    std::uint64_t out = 0;
    for (const char c : when) {
      out = c == '-' ? out : out * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return out / 10'000 * 372 + out / 100 % 100 * 31 + out % 100;  // days, months of 31
  };
  std::uint64_t newest = 0;
  for (const Unit& unit : read.units) {
    newest = std::max(newest, day(unit.when));
  }
  std::vector<Unit> kept;
  for (Unit& unit : read.units) {
    const std::uint64_t at = day(unit.when);
    if (job.window_days > 0 && at > 0 && newest - at > job.window_days) {
      read.skip("is older than the window", unit.id);
    } else if (kept.size() == most) {
      read.skip("is beyond the first " + json::uint_text(most), unit.id);
    } else {
      kept.push_back(std::move(unit));
    }
  }
  read.units = std::move(kept);
}

Read read_source(run::Run& run, const Job& job, SourceKind kind, std::vector<std::string>& warnings) {
  const std::string& root = job.roots[static_cast<std::size_t>(kind)];
  Read read;
  run::Effect effect;
  effect.kind = run::EffectKind::read;
  effect.deadline_ms = read_ms;
  effect.request = [&] { return read_request(root, "", true); };
  const run::Reply& listing = run.ask(std::move(effect));
  if (!listing.ok()) {
    warnings.push_back(std::string(source_names[static_cast<std::size_t>(kind)]) + ": " + listing.error);
    return read;
  }
  const std::vector<std::string> files = files_of(job, kind, listing.value.value(), read);
  if (files.empty()) {
    warnings.push_back(std::string(source_names[static_cast<std::size_t>(kind)]) + ": no file of a kind that is read");
  }
  const std::vector<Data> parts = run.each("file", files.size(), [&](run::Run& part, std::size_t i) {
    run::Effect one;
    one.kind = run::EffectKind::read;
    one.deadline_ms = read_ms;
    one.request = [&] { return read_request(root, files[i], false); };
    const run::Reply& reply = part.ask(std::move(one));
    Read units;
    if (reply.ok()) {
      units = read_file(kind, files[i], text_in(reply.value.value(), "text"));
      // What no batch will ever have need not be kept.
      const std::size_t most = limits_of(kind).units_max;
      if (units.units.size() > most && job.window_days == 0) {
        units.skip("is beyond the first " + json::uint_text(most), units.units[most].id, units.units.size() - most);
        units.units.resize(most);
      }
    } else {
      const bool binary = reply.error.find("UTF-8") != std::string::npos;
      units.skip(binary ? "is no UTF-8 text" : "cannot be read", files[i]);
    }
    return Data::written(read_json(units));
  });
  for (const Data& part : parts) {
    add(read, read_of(part.value()));
  }
  keep_within(job, kind, read);
  return read;
}

std::string units_text(std::span<const Unit> units) {
  std::string out;
  for (const Unit& unit : units) {
    out += "[" + unit.id + "]" + (unit.when.empty() ? "" : " " + unit.when) + "\n" + unit.text + "\n\n";
  }
  return out;
}

// What an explorer found in one batch: findings whose evidence is there.
Data explore_batch(run::Run& run, const Job& job, SourceKind kind, std::span<const Unit> units, const SentBack& why) {
  static constexpr std::array<std::string_view, 4> looks_for = {
      "what users struggle with, ask for again and again, or give up on",
      "figures that fall, rise or jump in a way that somebody should look at",
      "places that are marked as unfinished, fragile or wrong, and what they have in common",
      "what the documents say is missing, limited, planned or unclear"};
  const auto k = static_cast<std::size_t>(kind);
  Call call;
  call.phase = "explore";
  call.name = "explore";
  call.variables = [&](json::Writer& json) {
    json.member("explorer", explorer_names[k]).member("looks_for", looks_for[k]);
    json.member("units", fenced("units", units_text(units))).member("hint", fenced("hint", why.reason));
  };
  call.task = [&](json::Writer& json) {
    json.member("source", source_names[k]).key("units").begin_array();
    for (const Unit& unit : units) {
      write_unit(json, unit);
    }
    json.end_array();
  };
  const Answer answer = ask(run, job, call);
  return object([&](json::Writer& json) {
    json.key("findings").begin_array();
    for (const Value& one :
         answer.value.is_null() ? std::span<const Value>() : list_in(answer.value.value(), "findings")) {
      json.value(one);
    }
    json.end_array().member("error", answer.valid ? "" : answer.error);
  });
}

struct Finding {
  std::string pattern, description, severity, users, confidence;
  std::vector<std::string> evidence;
  std::size_t kind = 0;
};

// Findings of all batches of one explorer; the same pattern, found twice, once.
void add_findings(const Value& answered, std::size_t kind, const std::unordered_map<std::string, std::size_t>& units,
                  std::vector<Finding>& out, std::vector<std::string>& warnings) {
  const std::size_t first = out.size();
  for (const Value& one : list_in(answered, "findings")) {
    Finding finding{std::string(text_in(one, "pattern_name")),
                    std::string(text_in(one, "description")),
                    std::string(text_in(one, "severity_assessment")),
                    std::string(text_in(one, "affected_users_estimate")),
                    std::string(text_in(one, "confidence")),
                    {},
                    kind};
    for (const Value& id : list_in(one, "evidence")) {
      const std::string named(json::Kind::object == id.kind ? text_in(id, "source_id") : id.str());
      if (units.count(named) == 0) {
        warnings.push_back("'" + json::excerpt(finding.pattern, 60) + "': evidence '" + json::excerpt(named, 60) +
                           "' is not in the source");
      } else if (std::find(finding.evidence.begin(), finding.evidence.end(), named) == finding.evidence.end() &&
                 finding.evidence.size() < evidence_of_a_finding_max) {
        finding.evidence.push_back(named);
      }
    }
    if (finding.pattern.empty() || finding.description.empty() || finding.evidence.empty()) {
      warnings.push_back("left out: '" + json::excerpt(finding.pattern, 60) +
                         (finding.evidence.empty() ? "' has no evidence" : "' is not complete"));
      continue;
    }
    const auto same =
        std::find_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), [&](const Finding& known) {
          const std::string_view earlier = known.pattern;
          return text::judge_novelty(finding.pattern, std::span(&earlier, 1)).novelty != text::Novelty::fresh;
        });
    if (same == out.end()) {
      out.push_back(std::move(finding));
      continue;
    }
    for (std::string& id : finding.evidence) {
      if (std::find(same->evidence.begin(), same->evidence.end(), id) == same->evidence.end()) {
        same->evidence.push_back(std::move(id));
      }
    }
  }
}

// One explorer: what it found, and what it saw of its source.
Data explore_source(run::Run& run, const Job& job, SourceKind kind, const SentBack& why) {
  std::vector<std::string> warnings;
  const Read read = read_source(run, job, kind, warnings);
  const std::size_t batch = job.by_rule("explore") ? by_rule_batch : limits_of(kind).batch;
  const std::size_t batches = (read.units.size() + batch - 1) / batch;
  const std::vector<Data> answers = run.each("batch", batches, [&](run::Run& part, std::size_t i) {
    const std::size_t from = i * batch;
    const std::span<const Unit> units(read.units.data() + from, std::min(batch, read.units.size() - from));
    return explore_batch(part, job, kind, units, why);
  });
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < read.units.size(); ++i) {
    known.emplace(read.units[i].id, i);
  }
  std::vector<Finding> findings;
  std::size_t failed = 0;
  Data merged = object([&](json::Writer& json) {
    json.key("findings").begin_array();
    for (const Data& answer : answers) {
      for (const Value& one : list_in(answer.value(), "findings")) {
        json.value(one);
      }
      if (const std::string_view error = text_in(answer.value(), "error"); !error.empty()) {
        warnings.push_back(std::string(explorer_names[static_cast<std::size_t>(kind)]) + ": " + std::string(error));
        ++failed;
      }
    }
    json.end_array();
  });
  add_findings(merged.value(), static_cast<std::size_t>(kind), known, findings, warnings);
  const std::string stamp = run::iso_time(run.now_ms());
  return object([&](json::Writer& json) {
    json.key("findings").begin_array();
    for (const Finding& one : findings) {
      json.begin_object().member("pattern_name", one.pattern).member("description", one.description);
      json.member("severity_assessment", one.severity.empty() ? "not assessed" : one.severity);
      json.member("affected_users_estimate", one.users.empty() ? "not known" : one.users);
      const std::string confidence = one.confidence == "high" || one.confidence == "low" ? one.confidence : "medium";
      json.member("confidence", confidence).key("evidence").begin_array();
      for (const std::string& id : one.evidence) {
        json.begin_object().member("source_type", evidence_types[one.kind]).member("source_id", id);
        json.member("retrieved_at", stamp).member("confidence", confidence).end_object();
      }
      json.end_array().end_object();
    }
    json.end_array().key("evidence").begin_array();
    for (const Finding& one : findings) {
      for (const std::string& id : one.evidence) {
        Unit unit = read.units[known.at(id)];
        unit.text = json::excerpt(unit.text, evidence_text_max);
        write_unit(json, unit);
      }
    }
    json.end_array().member("agent_name", explorer_names[static_cast<std::size_t>(kind)]);
    json.member("source", source_names[static_cast<std::size_t>(kind)]);
    json.member_boolean("failed", failed > 0 && failed == batches);
    json.member_uint("available", read.available()).member_uint("reviewed", read.units.size());
    json.member_uint("skipped", read.skipped_count()).key("skipped_why").begin_array();
    for (const Skipped& one : read.skipped) {
      json.begin_object()
          .member("why", one.why)
          .member_uint("count", one.count)
          .member("where", one.where)
          .end_object();
    }
    json.end_array().key("warnings").begin_array();
    for (const std::string& one : warnings) {
      json.string(one);
    }
    json.end_array();
  });
}

void write_coverage(json::Writer& json, const Job& job, const std::vector<Data>& explorers, std::size_t findings) {
  std::uint64_t available = 0;
  std::uint64_t reviewed = 0;
  std::uint64_t skipped = 0;
  std::string names;
  for (const Data& one : explorers) {
    available += number_in(one.value(), "available");
    reviewed += number_in(one.value(), "reviewed");
    skipped += number_in(one.value(), "skipped");
    names += (names.empty() ? "" : ",") + std::string(text_in(one.value(), "agent_name"));
  }
  PLUMB_REQUIRE(available == reviewed + skipped, "what was reviewed and what was skipped is what there was");
  json.key("coverage").begin_object().member("agent_name", names);
  json.member_uint("time_window_days", job.window_days == 0 ? 30 : job.window_days);
  json.member_uint("conversations_available", available).member_uint("conversations_reviewed", reviewed);
  json.member_uint("conversations_skipped", skipped).member_uint("findings_count", findings);
  json.member("model", job.providers[0].empty() ? "extract" : job.providers[0]).key("explorers").begin_array();
  for (const Data& one : explorers) {
    json.begin_object();
    for (const std::string_view name : {"agent_name", "source", "available", "reviewed", "skipped", "skipped_why"}) {
      json.key(name).value(*one.value().find(name));
    }
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace

Data explore(run::Run& run, const Job& job, const SentBack& why) {
  std::vector<SourceKind> kinds;
  for (std::size_t i = 0; i < source_names.size(); ++i) {
    if (!job.roots[i].empty()) {
      kinds.push_back(static_cast<SourceKind>(i));
    }
  }
  const std::vector<Data> explorers = run.each(
      "explorer", kinds.size(), [&](run::Run& part, std::size_t i) { return explore_source(part, job, kinds[i], why); },
      16);
  return object([&](json::Writer& json) {
    std::size_t number = 0;
    json.key("findings").begin_array();
    for (const Data& one : explorers) {
      for (const Value& finding : list_in(one.value(), "findings")) {
        json.begin_object().member("id", "F" + json::uint_text(++number));
        for (const json::Member& member : finding.object()) {
          json.key(member.key).value(member.value);
        }
        json.end_object();
      }
    }
    json.end_array();
    write_coverage(json, job, explorers, number);
    json.key("evidence").begin_object();
    std::vector<std::string> seen;
    for (const Data& one : explorers) {
      for (const Value& unit : list_in(one.value(), "evidence")) {
        std::string id(text_in(unit, "id"));
        if (std::find(seen.begin(), seen.end(), id) != seen.end()) {
          continue;
        }
        json.key(id).begin_object().member("source", text_in(one.value(), "source"));
        json.member("path", text_in(unit, "path")).member_uint("line", number_in(unit, "line"));
        json.member("text", text_in(unit, "text")).end_object();
        seen.push_back(std::move(id));
      }
    }
    json.end_object();
    // Nobody could look: that is no discovery without findings.
    json.member_boolean("failed", number == 0 && std::any_of(explorers.begin(), explorers.end(), [](const Data& one) {
                                    return flag_in(one.value(), "failed");
                                  }));
    json.key("warnings").begin_array();
    for (const Data& one : explorers) {
      for (const std::string& warning : texts_in(one.value(), "warnings")) {
        json.string(warning);
      }
    }
    json.end_array();
  });
}

}  // namespace plumb::pipelines::discovery
