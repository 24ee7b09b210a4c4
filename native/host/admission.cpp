#include "native/host/admission.hpp"

#include <utility>

#include "native/host/asked_here.hpp"
#include "native/host/host_clock.hpp"
#include "native/host/lacking.hpp"

namespace plumb::host {

// Why it may not begin, whatever is free; empty: it may.
std::string Admission::held(const LiveRun& run, const run::Want& want) const {
  if (holds(run, want)) {
    return why_it_waits(run.differ, run.id);
  }
  const bool works = want.kind == run::EffectKind::command || want.kind == run::EffectKind::worktree;
  if (works && run.row.imported) {
    return "it waits: it was imported, and nothing that others wrote makes this host run a command or change a "
           "repository. Who has looked at it lets it: plumb runs resume " +
           run.id + " --adopt";
  }
  const std::string lacks = lacking(fulfiller_, want.kind);
  return lacks.empty() ? lacks : "it waits: " + lacks;
}

std::vector<run::Want> Admission::admit(const RunRef& run) {
  run::Machine& machine = *run->machine;
  std::vector<run::Want> out;
  bool full = false;
  std::string why;
  for (run::Want& want : machine.wanted()) {
    if (std::string it_waits = held(*run, want); !it_waits.empty()) {
      why = std::move(it_waits);
      continue;
    }
    {
      const std::lock_guard<std::mutex> lock(run->mutex);
      if (run->calls.count(want.key) != 0) {
        continue;
      }
    }
    const std::uint64_t now = now_ms(settings_);
    if (!want.anew && want.deadline_ms > 0 && now >= want.since_ms + want.deadline_ms) {
      machine.reply(want.key,
                    timed_out(settings_.asked_of, want.kind, want.request,
                              "no answer within " + std::to_string(want.deadline_ms) + " ms"),
                    now);
      run->step = true;
      continue;
    }
    const bool waits = waits_for_answer(fulfiller_, want.kind, want.request);
    const bool own = waits || want.kind == run::EffectKind::claim;
    if (!own && (full || !slots_.take(run))) {
      full = true;
      continue;
    }
    // A question that was asked already is not asked again: it is still open.
    if (!(waits && want.attempts > 0) && !machine.attempt(want.key, now)) {
      run->step = true;  // a bound was reached, which ends the run in its next step
      if (!own) {
        slots_.release();
      }
      break;
    }
    if (waits && want.attempts > 0) {
      calls_.begin(run, want);
    } else {
      out.push_back(std::move(want));
    }
  }
  hold(run, std::move(why));
  return out;
}

// The reason is in the store too, for whoever reads that besides this host.
void Admission::hold(const RunRef& run, std::string why) {
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    if (run->held == why) {
      return;
    }
    run->held = why;
  }
  run->changed.notify_all();
  if (!why.empty()) {
    store_.waits(run->id, std::move(why));
  }
}

}  // namespace plumb::host
