// The rules of an outline that lie across it: ids that occur twice, references to what is not there, one default a
// dilemma, a beat that commits on each path, no circle in `after`, no more dilemmas than the size allows. Private to
// the reading of outlines; each broken rule is a finding with its place.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/finding.hpp"
#include "core/json/value.hpp"
#include "core/story/outline.hpp"

namespace plumb::story {

class OutlineRules {
 public:
  explicit OutlineRules(std::string_view text) : text_(text) {}

  // The node's place. False, with a finding, when a node of that id was there before: the first stays.
  bool first(Outline& outline, const std::string& node, const json::Value& value, const std::string& pointer);
  void place(Outline& outline, const std::string& node, const json::Value& value, const std::string& pointer);
  // `value` refers to a node; whether it is there is asked at the end.
  void refer(std::string node, const json::Value& value, std::string pointer);
  void dilemma(const OutlineDilemma& one, const json::Value& value, const std::string& pointer);
  void interaction(const OutlineInteraction& pair, const Outline& outline, const json::Value& value,
                   const std::string& pointer);
  void finish(const Outline& outline);
  std::vector<contract::Finding>& findings() { return findings_; }

 private:
  struct Reference {
    std::string node, pointer;
    std::uint64_t from, to;
  };
  contract::Finding& add(std::string rule, contract::FindingClass c, std::string at, std::uint64_t from,
                         std::uint64_t to, std::string message);
  contract::Finding& at_node(const Outline& outline, std::string_view node, std::string rule, contract::FindingClass c,
                             std::string message);
  void references(const Outline& outline);
  void counts(const Outline& outline);
  void commits(const Outline& outline);
  void circles(const Outline& outline);
  void sides(const Outline& outline);

  std::string_view text_;
  std::vector<Reference> references_;
  std::map<std::string, std::string, std::less<>> written_;  // node -> as it was written
  std::vector<contract::Finding> findings_;
};

}  // namespace plumb::story
