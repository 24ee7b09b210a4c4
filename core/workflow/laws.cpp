#include "core/workflow/laws.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/workflow/decompose.hpp"
#include "core/workflow/review.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t told_max = 50;

// What is known of a task so far.
struct Known {
  TaskState state = TaskState::draft;
  std::uint32_t runs = 0, retries = 0, reviews = 0;
  std::uint32_t checkpoints = 0;  // of the developer run that is under way
  std::uint32_t revisions = 0;
  bool empty = true;  // what its tree has, against its base
  std::string tree;
  std::set<std::string> files;
  std::string reviewed;  // the tree that the rules approved last
  bool review_unverified = false;
  bool by_person = false;  // a person has spoken since it was last asked for
};

class Laws {
 public:
  explicit Laws(const WorkflowRecord& record) : record_(record) {
    for (const std::string& task : record.tasks) {
      known_[task];
    }
  }

  std::vector<std::string> run() {
    for (std::size_t i = 0; i < record_.records.size(); ++i) {
      at_ = i;
      take(record_.records[i]);
    }
    end();
    return std::move(broken_);
  }

 private:
  void broken(int law, std::string sentence) {
    if (broken_.size() < told_max) {
      broken_.push_back("law " + std::to_string(law) + ", record " + std::to_string(at_) + ": " + std::move(sentence));
    }
  }

  void take(const Record& one) {
    if (one.kind == RecordKind::asked) {
      if (!keys_.insert(one.key).second) {
        broken(8, "two effects have the key " + one.key);
      }
      return;
    }
    if (one.kind == RecordKind::gated) {
      return gated(one);
    }
    const auto at = known_.find(one.task);
    if (at == known_.end()) {
      return broken(1, "there is no task " + one.task);
    }
    Known& task = at->second;
    switch (one.kind) {
      case RecordKind::moved:
        moved(one, task);
        break;
      case RecordKind::developed:
        developed(one, task);
        break;
      case RecordKind::reviewed:
        reviewed(one, task);
        break;
      case RecordKind::turn:
        told(8, one);
        break;
      case RecordKind::fresh:
        told(10, one);
        break;
      case RecordKind::checkpoint:
        checkpointed(one, task);
        break;
      case RecordKind::revised:
        told(12, one);
        if (++task.revisions > 1) {
          broken(12, one.task + " was revised " + std::to_string(task.revisions) + " times");
        }
        break;
      case RecordKind::cut:
        told(12, one);
        break;
      default:
        task.by_person = true;
        task.retries = 0;
        task.reviews = 0;
        break;
    }
  }

  // What whoever made the record has seen already.
  void told(int law, const Record& one) {
    if (!one.wrong.empty()) {
      broken(law, one.task + ": " + one.wrong);
    }
  }

  void checkpointed(const Record& one, Known& task) {
    if (++task.checkpoints > continuations_max) {
      broken(9, one.task + " has " + std::to_string(task.checkpoints) + " checkpoints in one developer run");
    }
    if (one.tree.empty()) {
      broken(9, one.task + ": a checkpoint is no commit");
    } else if (!one.edited.empty() && one.tree != one.edited) {
      broken(9, one.task + ": a checkpoint is tree " + one.tree + ", and the conversation had left " + one.edited);
    }
  }

  bool gates_passed(const Known& task, std::string* which) const {
    const auto at = gates_.find(task.tree);
    for (const std::string& gate : record_.required) {
      const bool passed = at != gates_.end() && at->second.count(gate) != 0 && at->second.at(gate);
      if (!passed) {
        *which = gate;
        return false;
      }
    }
    return true;
  }

  void moved(const Record& one, Known& task) {
    if (may_move(task.state, one.state) == nullptr) {
      broken(1, one.task + " moved from " + std::string(state_name(task.state)) + " to " +
                    std::string(state_name(one.state)));
    }
    const bool person = task.state == TaskState::escalated;
    task.state = one.state;
    if (person && one.state != TaskState::escalated && !task.by_person) {
      broken(3, one.task + " went on from escalated and no person had spoken");
    }
    if (one.state == TaskState::escalated) {
      task.by_person = false;
    }
    if (one.state != TaskState::approved || (person && task.by_person)) {
      return;
    }
    std::string gate;
    if (task.empty) {
      broken(2, one.task + " is approved and has no diff");
    }
    if (!gates_passed(task, &gate)) {
      broken(2, one.task + " is approved and gate " + gate + " did not pass on tree " + task.tree);
    }
    if (task.reviewed != task.tree || task.tree.empty()) {
      broken(2, one.task + " is approved and no review approved tree " + task.tree);
    } else if ((task.review_unverified || record_.declared.empty()) && !one.unverified) {
      broken(2, one.task + " is approved, not all of it is proven, and it is not marked unverified");
    }
  }

  void developed(const Record& one, Known& task) {
    ++task.runs;
    task.retries += one.retry ? 1 : 0;
    if (one.retry == (task.runs == 1)) {
      broken(3, one.task + ": developer run " + std::to_string(task.runs) +
                    (one.retry ? " is called a retry" : " is called none"));
    }
    if (task.retries > retries_max) {
      broken(3, one.task + " has " + std::to_string(task.retries) + " retries and nobody was asked");
    }
    task.checkpoints = 0;
    if (!one.edited.empty() && one.tree != one.edited) {
      broken(11, one.task + ": what is judged is tree " + one.tree + ", and the conversation left " + one.edited);
    }
    task.tree = one.tree;
    task.empty = one.empty;
    task.files.insert(one.files.begin(), one.files.end());
    if (one.claims_more && !one.flagged) {
      broken(7, one.task + ": a claim without a diff, or a file beyond the task, was not told");
    }
  }

  void gated(const Record& one) {
    if (std::find(record_.declared.begin(), record_.declared.end(), one.gate) == record_.declared.end()) {
      broken(4, "gate " + one.gate + " is not declared");
    }
    if (one.lost) {
      return;
    }
    auto& of_tree = gates_[one.tree];
    if (of_tree.count(one.gate) != 0 && !one.known) {
      broken(4, "gate " + one.gate + " was run twice on tree " + one.tree);
    }
    of_tree[one.gate] = one.passed;
  }

  void reviewed(const Record& one, Known& task) {
    if (++task.reviews > reviews_max) {
      broken(3, one.task + " has " + std::to_string(task.reviews) + " reviews");
    }
    std::string gate;
    if (one.tree != task.tree) {
      broken(5, one.task + ": tree " + one.tree + " was reviewed and its tree is " + task.tree);
    } else if (!gates_passed(task, &gate)) {
      broken(5, one.task + " was reviewed and gate " + gate + " did not pass");
    }
    if (task.empty) {
      broken(5, one.task + " was reviewed and has no diff");
    }
    task.reviewed = one.passed ? one.tree : "";
    task.review_unverified = one.unverified;
  }

  void end() {
    at_ = record_.records.size();
    for (const auto& [id, task] : known_) {
      if (record_.ended && !is_over(task.state)) {
        broken(1, id + " is " + std::string(state_name(task.state)) + " and the run is over");
      }
    }
    for (const std::vector<std::string>& wave : record_.waves) {
      std::map<std::string, std::string> owner;
      for (const std::string& id : wave) {
        const auto at = known_.find(id);
        if (at == known_.end() || (at->second.state != TaskState::approved && at->second.state != TaskState::landed)) {
          continue;
        }
        for (const std::string& file : at->second.files) {
          const auto [first, fresh] = owner.emplace(file, id);
          if (!fresh) {
            std::string sentence = first->second;
            sentence.append(" and ").append(id).append(" of one wave are approved and both changed ").append(file);
            broken(6, std::move(sentence));
          }
        }
      }
    }
  }

  const WorkflowRecord& record_;
  std::map<std::string, Known> known_;
  std::map<std::string, std::map<std::string, bool>> gates_;  // by tree: gate and whether it passed
  std::set<std::string> keys_;
  std::vector<std::string> broken_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::string> broken_laws(const WorkflowRecord& record) { return Laws(record).run(); }

}  // namespace plumb::workflow
