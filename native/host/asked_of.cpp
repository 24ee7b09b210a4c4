#include "native/host/asked_of.hpp"

#include <algorithm>
#include <iterator>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/run/person.hpp"

namespace plumb::host {

namespace {

using json::text_of;
using json::Value;

constexpr std::size_t named_max = 5;  // parts that ask the same

bool is_phase(std::string_view part) { return part != search_part && part != read_part && part != repository_part; }

bool is_named(std::string_view part) { return part.starts_with(named_part); }

// The names of roots that a run with this input reads.
bool reads_root(const Value& input, std::string_view root) {
  const Value* sources = input.find("sources");
  if (sources == nullptr) {
    return false;
  }
  const auto members = sources->object();
  return std::any_of(members.begin(), members.end(), [&](const json::Member& member) {
    return member.value.is(json::Kind::string) && member.value.str() == root;
  });
}

bool asks_for(const Value& input, const Asked& one) {
  if (one.part == search_part) {
    return input.find("search") != nullptr;
  }
  if (one.part == read_part) {
    return reads_root(input, one.provider);
  }
  // The repositories that it may work on are a list of names in its input.
  if (one.part == repository_part) {
    const auto named = json::texts_of(input, "repositories");
    return std::find(named.begin(), named.end(), one.provider) != named.end();
  }
  // And those that it may name in a request.
  if (is_named(one.part)) {
    const auto named = json::texts_of(input, "also");
    return std::find(named.begin(), named.end(), one.part.substr(named_part.size())) != named.end();
  }
  // A pipeline's input names all of its phases.
  const Value* phases = input.find("providers");
  return phases == nullptr || phases->size == 0 ||
         (phases->find(one.part) != nullptr && text_of(*phases, one.part) != run::client_provider);
}

void write(json::Writer& json, const AskedOf& parts, const Value& input) {
  json.key("asked").begin_array();
  for (const Asked& one : parts) {
    if (!asks_for(input, one)) {
      continue;
    }
    json.begin_object().member("part", one.part).member("provider", one.provider);
    for (const auto& [name, text] : {std::pair{"model", &one.model}, {"wire", &one.wire}, {"at", &one.at}}) {
      if (!text->empty()) {
        json.member(name, *text);
      }
    }
    json.end_object();
  }
  json.end_array();
}

AskedOf read(const Value& told) {
  AskedOf out;
  for (const Value& one : json::list_of(told, "asked")) {
    Asked asked;
    asked.part = text_of(one, "part");
    asked.provider = text_of(one, "provider");
    asked.model = text_of(one, "model");
    asked.wire = text_of(one, "wire");
    asked.at = text_of(one, "at");
    out.push_back(std::move(asked));
  }
  return out;
}

const Asked* find(const AskedOf& parts, const Asked& like) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const Asked& one) {
    return one.part == like.part && (is_phase(like.part) || one.provider == like.provider);
  });
  return found == parts.end() ? nullptr : &*found;
}

// Of a journal from before all of it was kept: what its input tells.
AskedOf told_by_input(const Value& input) {
  AskedOf out;
  const Value* phases = input.find("providers");
  for (const json::Member& member : phases == nullptr ? std::span<const json::Member>() : phases->object()) {
    Asked one;
    one.part = member.key;
    const std::string_view text = member.value.is(json::Kind::string) ? member.value.str() : std::string_view();
    const std::size_t slash = std::min(text.find('/'), text.size());
    one.provider = text.substr(0, slash);
    one.model = text.substr(std::min(slash + 1, text.size()));
    out.push_back(std::move(one));
  }
  return out;
}

std::string joined(std::string text, std::string_view more) {
  if (!text.empty()) {
    text += ", ";
  }
  text += more;
  return text;
}

std::string flag_of(const Asked& one) {
  return !one.flag.empty()             ? one.flag
         : is_phase(one.part)          ? "--provider"
         : one.part == read_part       ? "--root"
         : one.part == repository_part ? "--repository"
         : one.provider == "searxng"   ? "--searxng"
                                       : "--corpus";
}

}  // namespace

std::string Asked::words() const {
  if (part == search_part) {
    return provider + (at.empty() ? "" : " " + at);
  }
  if (part == read_part || part == repository_part) {
    return std::string(part == read_part ? "the folder " : "the repository ") + at + " (" + provider + ")";
  }
  return provider + (model.empty() ? "" : "/" + model) + (at.empty() ? "" : " at " + at);
}

std::string asked_of_pin(const AskedOf& here, const Value& input) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write(json, here, input);
  json.end_object();
  return out;
}

AskedOf with_parts(const AskedOf& pinned, const AskedOf& here, const std::vector<std::string>& parts) {
  const auto chosen = [&](const Asked& one) { return std::find(parts.begin(), parts.end(), one.part) != parts.end(); };
  AskedOf out;
  std::copy_if(pinned.begin(), pinned.end(), std::back_inserter(out), [&](const Asked& one) { return !chosen(one); });
  std::copy_if(here.begin(), here.end(), std::back_inserter(out), chosen);
  return out;
}

std::string chosen_text(const AskedOf& here, const Value& input, std::string_view by) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("chosen_by", by);
  write(json, here, input);
  json.end_object();
  return out;
}

PinnedAsked asked_of_run(const run::Journal& journal) { return asked_of_run(journal, journal.entries().size()); }

PinnedAsked asked_of_run(const run::Journal& journal, std::size_t before) {
  PinnedAsked out;
  const auto& entries = journal.entries();
  for (auto entry = entries.rend() - static_cast<std::ptrdiff_t>(std::min(before, entries.size()));
       entry != entries.rend(); ++entry) {
    if (entry->kind == run::EntryKind::signal && entry->name == asked_of_name && !entry->data.is_null()) {
      out.parts = read(entry->data.value());
      return out;
    }
  }
  const Value& begin = journal.begin().data.value();
  for (const Value& pin : json::list_of(begin, "pins")) {
    if (text_of(pin, "name") == asked_of_name) {
      const Value* text = pin.find("text");
      out.parts = text == nullptr ? AskedOf() : read(*text);
      return out;
    }
  }
  out.unknown = true;
  if (const Value* input = begin.find("input")) {
    out.parts = told_by_input(*input);
  }
  return out;
}

std::vector<Difference> differences(const PinnedAsked& pinned, const AskedOf& here, const Value& input) {
  std::vector<Difference> out;
  for (const Asked& was : pinned.parts) {
    const Asked* is = find(here, was);
    if (!pinned.unknown && is != nullptr && is->same(was)) {
      continue;
    }
    Difference one;
    one.part = was.part;
    one.was = was.words() + (!pinned.unknown ? ""
                             : was.extract() ? " (its journal is from before this was kept)"
                                             : " (its journal does not say where)");
    one.is = is == nullptr ? "nothing" : is->words();
    one.flag = flag_of(is == nullptr ? was : *is);
    one.name = was.part == read_part || was.part == repository_part ? was.provider : "";
    one.said = is != nullptr && is->said;
    one.never = is_phase(was.part) && !was.extract() && is != nullptr && is->extract();
    out.push_back(std::move(one));
  }
  // What the run is not pinned to and would be asked here: another search, or whatever an older journal does not tell.
  for (const Asked& is : here) {
    if (!asks_for(input, is) || find(pinned.parts, is) != nullptr) {
      continue;
    }
    Difference one;
    one.part = is.part;
    one.was = pinned.unknown ? "what its journal does not say" : "nothing";
    one.is = is.words();
    one.flag = flag_of(is);
    one.said = is.said;
    out.push_back(std::move(one));
  }
  const bool searches = input.find("search") != nullptr;
  const bool told = std::any_of(out.begin(), out.end(), [](const Difference& one) { return one.part == search_part; });
  if (pinned.unknown && searches && !told) {
    out.push_back({std::string(search_part), "what its journal does not say", "nothing", "--corpus", "", false, false});
  }
  const Value* sources = input.find("sources");
  const bool read_told =
      std::any_of(out.begin(), out.end(), [](const Difference& one) { return one.part == read_part; });
  if (pinned.unknown && sources != nullptr && sources->size > 0 && !read_told) {
    out.push_back({std::string(read_part), "what its journal does not say", "nothing", "--root", "", false, false});
  }
  return out;
}

std::string why_it_waits(const std::vector<Difference>& differ, std::string_view run) {
  std::string out;
  std::string flags;
  bool never = false;
  std::vector<bool> told(differ.size());
  for (std::size_t i = 0; i < differ.size(); ++i) {
    never = never || differ[i].never;
    const std::string value = differ[i].part == read_part || differ[i].part == repository_part
                                  ? (differ[i].name.empty() ? "NAME" : differ[i].name) + "=DIR"
                              : differ[i].flag.starts_with("--provider") ? "PROVIDER"
                              : differ[i].flag == "--searxng"            ? "URL"
                                                                         : "DIR";
    const std::string choice = " " + differ[i].flag + " " + value;
    if (flags.find(choice) == std::string::npos) {
      flags += choice;
    }
    if (told[i]) {
      continue;
    }
    std::string parts;
    std::size_t more = 0;
    std::size_t named = 0;
    for (std::size_t k = i; k < differ.size(); ++k) {
      if (differ[k].was != differ[i].was || differ[k].is != differ[i].is) {
        continue;
      }
      told[k] = true;
      if (named == named_max) {
        ++more;
      } else {
        parts = joined(std::move(parts), differ[k].part);
        ++named;
      }
    }
    if (more > 0) {
      parts += " and " + std::to_string(more) + " more";
    }
    out +=
        (out.empty() ? "" : "; ") + parts + " was given " + differ[i].was + ", and here it would use " + differ[i].is;
  }
  if (out.empty()) {
    return out;
  }
  return "the run waits, because it may continue only with the same choices: " + out +
         (never ? "; `extract` cannot continue what a model began" : "") +
         ". Make the same choices, or change them with: plumb runs resume " + std::string(run) + flags;
}

std::string part_of(run::EffectKind kind, const Value& request) {
  switch (kind) {
    case run::EffectKind::model: {
      const std::string_view named = text_of(request, "provider");
      return named.empty() ? std::string(text_of(request, "phase")) : std::string(named_part) + std::string(named);
    }
    case run::EffectKind::search:
      return std::string(search_part);
    case run::EffectKind::read:
      return std::string(read_part);
    case run::EffectKind::worktree:
    case run::EffectKind::command:  // in a tree of it
      return std::string(repository_part);
    default:
      return {};
  }
}

}  // namespace plumb::host
