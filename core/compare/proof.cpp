#include "core/compare/proof.hpp"

#include <algorithm>

#include "core/compare/keywords.hpp"
#include "core/json/pointer.hpp"

namespace plumb::compare {

namespace {

constexpr std::size_t hints_max = 200;
constexpr std::size_t cases_max = 6;          // disjunctions that are taken apart, one within the other
constexpr std::size_t alternatives_max = 64;  // of one of them
constexpr std::uint32_t no_case = ~std::uint32_t{0};

// A disjunction of a schema, as a number.
std::uint32_t case_of(SchemaId id, std::size_t in_place) {
  return id * 64U + static_cast<std::uint32_t>(std::min<std::size_t>(in_place, 63));
}

std::string_view some_value(Sort sort) {
  constexpr std::string_view values[] = {"null", "true", "1", "1.0", "0.5", "\"x\"", "[]", "{}"};
  return values[static_cast<std::size_t>(sort)];
}

}  // namespace

std::string pointer_of(const Way& way) {
  std::string out;
  for (const Step& step : way) {
    if (step.any) {
      out += "/*";
    } else {
      json::append_token(out, step.name);
    }
  }
  return out;
}

bool Proof::shows(SchemaId given, SchemaId wanted) { return every_sort({given}, wanted); }

bool Proof::goes_on() {
  gave_up_ = gave_up_ || ++goals_ > limits_.goals_max || depth_ > limits_.depth_max;
  return !gave_up_;
}

void Proof::forget_open(const Marks& marks) {
  open_.resize(marks.open);
  more_open_ = marks.more;
  hints_.resize(marks.hints);
}

bool Proof::leave(const Goal& goal, Kw kw, std::string_view why, std::vector<std::string> values) {
  const Node& node = schemas_.node(goal.wanted);
  if (open_.size() < limits_.open_max) {
    OpenGoal open{pointer_of(way_), node.location, std::string(contract::kw_name(kw)), std::string(why)};
    if (kw != Kw::none) {
      open.location += "/" + open.keyword;
    }
    const bool told = std::any_of(open_.begin(), open_.end(), [&](const OpenGoal& one) {
      return one.at == open.at && one.location == open.location && one.why == open.why;
    });
    if (!told) {
      open_.push_back(std::move(open));
    }
  } else {
    ++more_open_;
  }
  if (hints_.size() < hints_max) {
    Hint hint{way_, kind_of(goal.sort), std::move(values), {}, {}};
    const auto note = [&](const Given& given, std::vector<const Node*>& out) {
      for (const SchemaId id : given) {
        out.push_back(&schemas_.node(id));
      }
    };
    for (const Given& given : above_) {
      note(given, hint.schemas);
    }
    note(goal.given, hint.there);
    hints_.push_back(std::move(hint));
  }
  return false;
}

bool Proof::every_sort(const Given& given, SchemaId wanted) {
  bool all = true;
  for (const Sort sort : sorts) {
    all = goal(given, wanted, sort, {}) && all;
  }
  return all;
}

bool Proof::below(Step step, const Given& given, SchemaId wanted) {
  way_.push_back(std::move(step));
  const bool all = every_sort(given, wanted);
  way_.pop_back();
  return all;
}

bool Proof::goal(const Given& given, SchemaId wanted, Sort sort, const Given& cases) {
  const Node& node = schemas_.node(wanted);
  if (node.always) {
    return true;
  }
  const Closed all = closed(schemas_, given, sort);
  if (all.never) {
    return true;
  }
  for (const SchemaId id : all.ids) {
    if (id == wanted || same_.same(id, wanted)) {
      return true;
    }
  }
  const Goal at{all.ids, wanted, sort};
  if (!goes_on()) {
    return leave(at, Kw::none, "the proof was given up before it came here");
  }
  Key key = all.ids;
  key.insert(key.end(), {no_case, wanted, static_cast<std::uint32_t>(sort)});
  key.insert(key.end(), cases.begin(), cases.end());
  const auto level = static_cast<std::uint32_t>(way_.size());
  if (const auto found = known_.find(key); found != known_.end()) {
    switch (found->second.state) {
      case State::shown:
        return true;
      case State::under_way:
        return level > found->second.level || leave(at, Kw::none, "this schema leads back to itself");
      case State::open:
        return leave(at, Kw::none, "this was not shown at another place either");
    }
  }
  known_[key] = {State::under_way, level};
  const Marks before = marks();
  above_.push_back(all.ids);
  ++depth_;
  bool shown = impossible(all.ids, sort, 1) || attempt(at);
  if (!shown && cases.size() < cases_max) {
    const Marks after = marks();
    shown = by_cases(at, cases);
    if (!shown) {  // what was open before cases were looked at says most
      open_.resize(std::min(open_.size(), after.open));
      more_open_ = after.more;
    }
  }
  --depth_;
  above_.pop_back();
  if (shown) {
    forget_open(before);
    known_[key].state = State::shown;
    shown_.push_back(key);
    return true;
  }
  // What was shown since may rest on this.
  for (std::size_t i = before.shown; i < shown_.size(); ++i) {
    known_.erase(shown_[i]);
  }
  shown_.resize(before.shown);
  known_[key].state = State::open;
  return false;
}

bool Proof::attempt(const Goal& goal) {
  const Node& node = schemas_.node(goal.wanted);
  if (node.never) {
    return leave(goal, Kw::none, "nothing is allowed here");
  }
  if (const auto values = few_values(schemas_, goal.given, goal.sort)) {
    bool decided = true;
    const bool all = by_values(goal, *values, decided);
    if (decided) {
      return all;
    }
  }
  const contract::Dialect dialect = schemas_.program(goal.wanted).resources[node.resource].dialect;
  for (const json::Member& member : node.schema->object()) {
    const Kw kw = contract::kw_named(member.key);
    const contract::KwGroup group = contract::facets_of(kw).group;
    if (group != contract::KwGroup::none && group != contract::KwGroup::text_itself &&
        contract::dialect_knows(dialect, kw) && compared(kw) == Compared::not_yet) {
      return leave(goal, kw, "this keyword is not compared");
    }
  }
  bool all = true;
  if (schemas_.refuses(goal.wanted)) {
    if (!schemas_.takes(goal.wanted, goal.sort)) {
      return leave(goal, Kw::type, "values of another type are not excluded", {std::string(some_value(goal.sort))});
    }
    all = own_values(goal) && all;
  }
  switch (goal.sort) {
    case Sort::string:
      all = string(goal) && all;
      break;
    case Sort::array:
      all = array(goal) && all;
      break;
    case Sort::object:
      all = object(goal) && all;
      break;
    case Sort::integer:
    case Sort::odd_integer:
    case Sort::fraction:
      all = number(goal) && all;
      break;
    default:
      break;
  }
  all = in_place(goal) && all;
  return our_rules(goal) && all;
}

// Each value that is left is judged.
bool Proof::by_values(const Goal& goal, const std::vector<std::string>& values, bool& decided) {
  std::vector<std::string> refused;
  const Sort sort = goal.sort;
  for (const std::string& value : values) {
    bool left = true;
    for (const SchemaId id : goal.given) {
      left = left && schemas_.judge(id, value) != Three::no;
    }
    if (!left) {
      continue;
    }
    const Three keeps = schemas_.judge(goal.wanted, value);
    // Numbers within a list or an object may be spelled in another way.
    const bool spelled = (sort == Sort::array || sort == Sort::object) && schemas_.spelling_counts(goal.wanted);
    if (keeps == Three::maybe || (keeps == Three::yes && spelled)) {
      decided = false;
      return false;
    }
    if (keeps == Three::no) {
      refused.push_back(value);
    }
  }
  if (refused.empty()) {
    return true;
  }
  return leave(goal, schemas_.node(goal.wanted).scalar ? Kw::enum_ : Kw::none, "a value that may be there is refused",
               std::move(refused));
}

// Takes the first disjunction that is given apart: each of its cases must do.
bool Proof::by_cases(const Goal& goal, const Given& cases) {
  for (const SchemaId id : goal.given) {
    const Node& node = schemas_.node(id);
    for (std::size_t i = 0; i < node.in_place.size() && i < 63; ++i) {
      const InPlace& in = node.in_place[i];
      if (has(cases, case_of(id, i))) {
        continue;
      }
      std::vector<Given> alternatives;
      if (in.form == InPlaceForm::alternatives && schemas_.refuses(id)) {
        bool taken = false;  // one of its branches is given
        for (const Node* branch : in.branches) {
          const SchemaId of_branch = schemas_.id(branch);
          taken = taken || branch->always || has(goal.given, of_branch);
          if (!schemas_.bars(of_branch, goal.sort)) {
            alternatives.push_back({of_branch});
          }
        }
        if (taken || alternatives.size() > alternatives_max) {
          continue;
        }
      } else if (in.form == InPlaceForm::condition && (in.then_node != nullptr || in.else_node != nullptr)) {
        Given yes;
        Given no;
        add(yes, schemas_.id(in.node));
        if (in.then_node != nullptr) {
          add(yes, schemas_.id(in.then_node));
        }
        if (in.else_node != nullptr) {
          add(no, schemas_.id(in.else_node));
        }
        const bool holds = std::any_of(goal.given.begin(), goal.given.end(),
                                       [&](SchemaId other) { return same_.same(other, schemas_.id(in.node)); });
        alternatives = holds ? std::vector<Given>{yes} : std::vector<Given>{yes, no};
      } else {
        continue;
      }
      Given done = cases;
      add(done, case_of(id, i));
      return std::all_of(alternatives.begin(), alternatives.end(), [&](const Given& more) {
        Given with = goal.given;
        for (const SchemaId one : more) {
          add(with, one);
        }
        return this->goal(with, goal.wanted, goal.sort, done);
      });
    }
  }
  return false;
}

}  // namespace plumb::compare
