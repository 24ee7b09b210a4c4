// `plumb story new`: an outline of two dilemmas to begin with.
#include <unistd.h>

#include <string>

#include "native/base/file_bytes.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/story_parts.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

constexpr std::string_view new_outline =
    R"yaml(# An outline: dilemmas with two answers each, and beats in the order in which they may happen.
# A beat belongs to the `paths` (DILEMMA/ANSWER) it names, or to all.
# `plumb story make FILE -o DIR` makes a story of it.
title: The Ferry
size: short
entities:
  - id: pilot
    category: character
    name: The pilot
    overlays:
      - { when: [fare/coin], details: { manner: counting under his breath } }
      - { when: [fare/promise], details: { manner: repeating your words to himself } }
dilemmas:
  - id: fare
    question: How do you pay?
    involves: [pilot]
    policy: flavor
    answers:
      - { id: coin, description: With a coin, default: true }
      - { id: promise, description: With a promise }
  - id: crossing
    question: Do you cross tonight?
    policy: hard
    answers:
      - { id: cross, description: Cross, default: true }
      - { id: wait, description: Wait for daylight }
beats:
  - id: road
    summary: The road to the river.
    prose: The road has been going down for an hour. Now there are reeds on both sides of it, and a smell of tar.
  - id: bank
    summary: You come to the river.
    prose: The road ends at the water. A boat is tied there, and beside it a pilot who does not look up.
    reveals: [crossing]
  - id: price
    label: Ask what it costs
    summary: The pilot names no price.
    prose: '"What it is worth to you," says the pilot.'
    reveals: [fare]
    entities: [pilot]
  - id: coin
    label: Hold out a coin
    paths: [fare/coin]
    commits: [fare]
    summary: You pay with a coin.
    prose: The pilot bites the coin and nods.
    entities: [pilot]
  - id: promise
    label: Give your word
    paths: [fare/promise]
    commits: [fare]
    summary: You pay with a promise.
    prose: The pilot listens to the end of it and nods.
    entities: [pilot]
  - id: dusk
    label: Look at the sky
    summary: The light goes.
    prose: Cloud has come down on the far bank. There is perhaps half an hour of light.
    advances: [crossing]
    entities: [pilot]
  - id: cross
    label: Step into the boat
    paths: [crossing/cross]
    commits: [crossing]
    summary: You cross.
    prose: The boat takes your weight and then the river takes the boat. The bank is gone before you have sat down.
  - id: landing
    label: Step ashore
    paths: [crossing/cross]
    summary: You land in the dark.
    prose: There is a stair cut into the far bank. You count eleven steps, and then grass.
  - id: wait
    label: Sit down on the bank
    paths: [crossing/wait]
    commits: [crossing]
    summary: You wait.
    prose: The pilot shrugs, ties a second knot, and goes up to the house. You pull your coat round you.
  - id: morning
    label: Wake
    paths: [crossing/wait]
    summary: You wake to an empty mooring.
    prose: In the morning the rope is there, and both knots, and no boat.
)yaml";

}  // namespace

int run_new_story(const Arguments& arguments) {
  const std::string& path = arguments.positionals().front();
  if (::access(path.c_str(), F_OK) == 0) {
    return fail(Error{ErrorCode::invalid_argument, "is there already; give another name", path, 0, 0});
  }
  const Result<bool> done = write_file(path, new_outline);
  return done ? out("wrote " + path + "; next: plumb story make " + path + " -o story\n") : fail(done.error());
}

}  // namespace plumb::cli
