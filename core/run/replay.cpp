// A step is made as late as possible: when the next stored entry is one that only the pipeline writes, or belongs to
// an effect that it has not asked for yet. A step's entries depend only on the entries before it. So it does not
// matter how often the first host stepped in between.

#include "core/run/replay.hpp"

#include <utility>
#include <vector>

#include "core/json/number_text.hpp"
#include "core/run/fork.hpp"
#include "core/run/reasons.hpp"

namespace plumb::run {

namespace {

class Again {
 public:
  Again(const Pipeline& pipeline, const Journal& journal, const std::vector<Stored>& stored)
      : pipeline_(in_version_of(journal, pipeline)),
        journal_(journal),
        entries_(journal.entries()),
        stored_(stored),
        machine_(begin()) {
    // A fork begins with entries of another run's journal.
    const std::uint64_t taken = forked_from(journal).empty() ? 0 : taken_over(journal);
    Result<Machine> forked =
        Machine::resume(pipeline_, journal.prefix(static_cast<std::size_t>(taken) + 1), {}, entries_.front().at_ms);
    if (!forked_from(journal).empty() && forked) {
      machine_ = std::move(forked).value();
      at_ = static_cast<std::size_t>(taken) + 1;
    }
  }

  Replayed run() {
    compare();
    while (told_.same && at_ < stored_.size()) {
      const std::size_t before = at_;
      const Entry& next = entries_[at_];
      if (!astray_) {
        give(next);
      }
      if (!astray_ && at_ == before) {
        step();
      }
      if (!astray_ && at_ == before) {
        give(next);
      }
      if (at_ == before) {
        take_over();
      }
    }
    told_.entries = at_;
    return std::move(told_);
  }

 private:
  // A run is replayed in the version that began it. A version later than ours is a difference. Ends written by earlier
  // programs do not store the outcome.
  static Pipeline in_version_of(const Journal& journal, Pipeline pipeline) {
    const json::Value* version = journal.begin().data.value().find("version");
    std::uint64_t said = 0;
    if (version != nullptr && json::read_uint(version->str(), said) && said < pipeline.version) {
      pipeline.version = static_cast<decltype(pipeline.version)>(said);
    }
    const Entry& last = journal.entries().back();
    if (last.kind == EntryKind::end && last.outcome.is_null()) {
      pipeline.came_to = nullptr;
    }
    return pipeline;
  }

  Machine begin() const {
    const Entry& first = entries_.front();
    const json::Value& told = first.data.value();
    Pins pins;
    if (const json::Value* all = told.find("pins")) {
      for (const json::Value& pin : all->array()) {
        const json::Value* name = pin.find("name");
        pins.emplace_back(name == nullptr ? std::string() : std::string(name->str()),
                          Data::part(first.data, pin.find("text")));
      }
    }
    const json::Value* id = told.find("run");
    // The first entry names the version that began it. Its input and its entries decide which way that version goes.
    Pipeline begun = pipeline_;
    const json::Value* version = told.find("version");
    std::uint64_t was = 0;
    if (version != nullptr && json::read_uint(version->str(), was) && was < begun.version) {
      begun.version = was;
    }
    return Machine::start(begun, id == nullptr ? std::string() : std::string(id->str()),
                          Data::part(first.data, told.find("input")), pins, {}, first.at_ms);
  }

  // Gives the machine an entry that came from the world. Does nothing for an entry of the pipeline, or one that the
  // run does not wait for.
  void give(const Entry& entry) {
    switch (entry.kind) {
      case EntryKind::attempt:
        machine_.attempt(entry.key, entry.at_ms);
        break;
      case EntryKind::handover:
        machine_.hand_over(entry.key, entry.at_ms);
        break;
      case EntryKind::reply: {
        Reply reply;
        reply.status = entry.status;
        reply.value = entry.data;
        reply.error = entry.error;
        machine_.reply(entry.key, std::move(reply), entry.at_ms);
        break;
      }
      case EntryKind::signal:
        machine_.signal(entry.name, entry.data, entry.at_ms);
        break;
      case EntryKind::cancel:
        machine_.cancel(entry.error, entry.at_ms);
        break;
      case EntryKind::begin:
      case EntryKind::note:
      case EntryKind::scope:
      case EntryKind::version:
      case EntryKind::drift:
      case EntryKind::end:
        break;
    }
    compare();
  }

  // The next entry is not the stored one. That is allowed if a host was lost and another continued from the stored
  // entries. Otherwise it is a difference.
  void take_over() {
    const std::size_t before = at_;
    if (at_ > 0) {
      Result<Machine> resumed = Machine::resume(pipeline_, journal_.prefix(at_), {}, entries_[at_].at_ms);
      if (resumed) {
        machine_ = std::move(resumed).value();
        astray_ = false;
        compare();
        if (!astray_ && at_ == before) {
          step();
        }
        if (!astray_ && at_ == before) {
          give(entries_[at_]);
        }
      }
    }
    if (at_ == before) {
      told_.same = false;
      told_.stored = stored_[at_].line;
      told_.now = now_;
    }
  }

  void step() {
    machine_.step(entries_[at_].at_ms);
    compare();
  }

  void compare() {
    now_.clear();
    for (Stored& one : machine_.take()) {
      if (at_ == stored_.size()) {
        return;  // the stored journal stops in the middle of a step
      }
      if (one.line != stored_[at_].line && without_reasons(one.line) != stored_[at_].line) {
        now_ = std::move(one.line);
        astray_ = true;
        return;
      }
      ++at_;
    }
  }

  const Pipeline pipeline_;
  const Journal& journal_;
  const std::vector<Entry>& entries_;
  const std::vector<Stored>& stored_;
  Machine machine_;
  std::size_t at_ = 0;
  bool astray_ = false;  // the machine has journalled another entry than the stored one
  std::string now_;      // that entry
  Replayed told_;
};

}  // namespace

Result<Replayed> replay(const Pipeline& pipeline, const JournalFile& file) {
  const Result<Journal> journal = file.journal();
  if (!journal) {
    return journal.error();
  }
  const Entry& first = journal.value().begin();
  if (first.name != pipeline.name) {
    Error error;
    error.message = "the journal is of the pipeline '" + first.name + "', not of '" + std::string(pipeline.name) + "'";
    return error;
  }
  return Again(pipeline, journal.value(), file.entries).run();
}

}  // namespace plumb::run
