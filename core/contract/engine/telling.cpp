#include "core/contract/engine/telling.hpp"

#include <algorithm>

#include "core/contract/engine/engine.hpp"
#include "core/stable_sort.hpp"

namespace plumb::contract {

namespace {

void count_more(Engine& engine, const std::string& rule) {
  for (auto& [name, count] : engine.findings.more_by_rule) {
    if (name == rule) {
      ++count;
      return;
    }
  }
  engine.findings.more_by_rule.emplace_back(rule, 1);
}

}  // namespace

void cap_certain(Engine& engine) {
  stable_sort(engine.findings.certain, [&](std::uint32_t a, std::uint32_t b) {
    const Found& x = engine.found[a];
    const Found& y = engine.found[b];
    // What the last byte decided comes before what only the end decided, as if that byte had come in an earlier piece.
    return x.finding.decided_at != y.finding.decided_at ? x.finding.decided_at < y.finding.decided_at
           : x.of_end != y.of_end                       ? y.of_end
                                                        : x.walk < y.walk;
  });
  std::size_t room = engine.options.limits.findings_max > engine.findings.kept.size()
                         ? engine.options.limits.findings_max - engine.findings.kept.size()
                         : 0;
  for (std::size_t i = room; i < engine.findings.certain.size(); ++i) {
    count_more(engine, engine.found[engine.findings.certain[i]].finding.rule);
    release(engine, engine.findings.certain[i]);
  }
  if (engine.findings.certain.size() > room) {
    engine.findings.certain.resize(room);
  }
}

void find_places(Engine& engine, std::string_view chunk, std::uint64_t chunk_start, bool last) {
  engine.spots.asked.clear();
  std::uint64_t chunk_end = chunk_start + chunk.size();
  auto want = [&](std::uint64_t byte, Spots::Of what, std::uint32_t index) {
    if (byte >= chunk_start && byte <= chunk_end) {
      engine.spots.asked.push_back({byte, what, index});
    }
  };
  for (std::uint32_t i : engine.findings.touched) {
    const Found& f = engine.found[i];
    if (f.refs == 0 || f.what != Found::What::finding) {
      continue;
    }
    if (!f.whole_place) {
      want(f.finding.span.from, Spots::Of::start, i);
    }
    if (!f.open && !f.end_place) {
      want(f.finding.span.to, Spots::Of::end, i);
    }
  }
  if (!last) {
    for (std::uint32_t i = std::min(engine.spots.placed_frames, depth(engine)); i < engine.frames.size(); ++i) {
      want(engine.frames[i].from, Spots::Of::frame, i);
    }
    engine.spots.placed_frames = depth(engine);
    if (engine.scanner.in_token() && engine.scanner.token_from() >= chunk_start) {
      want(engine.scanner.token_from(), Spots::Of::token, 0);
    }
  }
  engine.findings.touched.clear();
  if (engine.spots.asked.empty()) {
    if (!engine.stream.whole) {
      engine.spots.positions.advance(chunk);
    }
    return;
  }
  stable_sort(engine.spots.asked, [](const Spots::Asked& a, const Spots::Asked& b) { return a.byte < b.byte; });
  engine.spots.requests.clear();
  for (const Spots::Asked& a : engine.spots.asked) {
    json::PlaceRequest request;
    request.byte = a.byte;
    engine.spots.requests.push_back(request);
  }
  engine.spots.positions.locate(chunk.data(), chunk.size(), chunk_start, engine.spots.requests);
  for (std::size_t i = 0; i < engine.spots.asked.size(); ++i) {
    const json::Place& place = engine.spots.requests[i].place;
    switch (engine.spots.asked[i].what) {
      case Spots::Of::start:
        set_start(engine.found[engine.spots.asked[i].index], place);
        break;
      case Spots::Of::end: {
        Found& f = engine.found[engine.spots.asked[i].index];
        f.finding.span.utf16_to = place.utf16;
        f.finding.span.line_to = place.line;
        f.finding.span.column_to = place.column;
        f.end_place = true;
        break;
      }
      case Spots::Of::frame:
        engine.frames[engine.spots.asked[i].index].place = place;
        engine.frames[engine.spots.asked[i].index].placed = true;
        break;
      case Spots::Of::token:
        engine.spots.cut_place.byte = engine.spots.asked[i].byte;
        engine.spots.cut_place.place = place;
        break;
    }
  }
}

Finding with_causes(const Engine& engine, std::uint32_t index, unsigned level) {
  constexpr unsigned levels_max = 6;
  Finding out = engine.found[index].finding;
  if (level < levels_max) {
    for (std::uint32_t c : engine.found[index].cause_found) {
      out.causes.push_back(with_causes(engine, c, level + 1));
    }
  }
  return out;
}

void tell(Engine& engine, std::vector<Finding>& certain) {
  if (!engine.findings.certain.empty()) {
    cap_certain(engine);
    for (std::uint32_t i : engine.findings.certain) {
      Found& f = engine.found[i];
      f.finding.id = engine.findings.next_id++;
      f.finding.partial = f.open;
      f.told = true;
      f.told_complete = !f.open;
      certain.push_back(with_causes(engine, i, 0));
      engine.findings.kept.push_back(i);
    }
    engine.findings.certain.clear();
  }
  for (std::uint32_t i : engine.findings.completed) {
    Found& f = engine.found[i];
    if (f.refs > 0 && f.told && !f.told_complete) {
      f.told_complete = true;
      certain.push_back(with_causes(engine, i, 0));
    }
  }
  engine.findings.completed.clear();
}

}  // namespace plumb::contract
