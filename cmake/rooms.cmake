# The rooms of the core, each with the rooms that it may use and the headers that other programs are promised. What a
# plumb_library() says is in cmake/library.cmake. tests/house reads the calls below as they are written here: NAME, LINKS,
# FOLDER, FILES and EXCEPT stand on lines of their own before HEADERS.
plumb_library(NAME base
  FOLDER core
  FILES ascii.cpp require.cpp stable_sort.cpp wording.cpp
  HOT
  HEADERS reason.hpp require.hpp result.hpp)
plumb_library(NAME json
  LINKS base
  HOT
  HEADERS arena.hpp decimal.hpp equality.hpp excerpt.hpp indented.hpp members.hpp number_text.hpp pointer.hpp positions.hpp scanner.hpp
    sha256.hpp value.hpp writer.hpp)
plumb_library(NAME text
  LINKS json
  HOT
  HEADERS bpe.hpp code_names.hpp command_words.hpp completeness.hpp facts.hpp fold.hpp format.hpp function_words.hpp language.hpp mentions.hpp novelty.hpp pattern.hpp
    phrases.hpp plain.hpp quotes.hpp rendered_quote.hpp sentences.hpp steps.hpp suggest.hpp template.hpp tokens.hpp
    unicode.hpp unknowns.hpp utf8.hpp words.hpp)
plumb_library(NAME contract
  LINKS text
  GENERATED ${PLUMB_BUILT_IN_SOURCE}
  HOT
  HEADERS built_in_schemas.hpp check.hpp contract.hpp explain.hpp finding.hpp keywords.hpp measured.hpp render.hpp
    verdict.hpp)
plumb_library(NAME repair
  LINKS contract
  HOT
  HEADERS check.hpp edit_options.hpp free_fix.hpp patch.hpp progress.hpp)
plumb_library(NAME derive
  LINKS contract
  HEADERS derive.hpp)
plumb_library(NAME lint
  LINKS derive
  HEADERS lint.hpp rules.hpp)
plumb_library(NAME sample
  LINKS contract
  HEADERS sample.hpp)
plumb_library(NAME compare
  LINKS sample
  HEADERS compare.hpp)
plumb_library(NAME budget
  LINKS text
  HOT
  HEADERS assembly.hpp assign.hpp loops.hpp operations.hpp pressure.hpp profile.hpp request.hpp risk.hpp run_settings.hpp
    shares.hpp task_size.hpp window.hpp)
plumb_library(NAME wire
  LINKS text
  HOT
  HEADERS carried.hpp client_request.hpp facet.hpp failure.hpp generate.hpp model.hpp model_json.hpp reply.hpp reply_writer.hpp request.hpp sse.hpp
    strict_schema.hpp told_failure.hpp translate.hpp usage_watch.hpp)
plumb_library(NAME stranger
  LINKS sample wire
  HEADERS manner.hpp stranger.hpp)
plumb_library(NAME data
  LINKS json
  FOLDER core/run
  FILES data.cpp
  HEADERS data.hpp)
plumb_library(NAME run
  LINKS contract data
  EXCEPT data.cpp
  HEADERS boundary.hpp boundary_answers.hpp boundary_item.hpp boundary_laws.hpp effect.hpp fork.hpp journal.hpp journal_file.hpp machine.hpp
    person.hpp replay.hpp run.hpp stamp.hpp)
plumb_library(NAME roles
  LINKS contract
  HEADERS clarify.hpp scorecard.hpp)
plumb_library(NAME extract
  LINKS roles
  HEADERS discovery.hpp extract.hpp research.hpp task.hpp)
plumb_library(NAME exports
  LINKS text
  HEADERS exports.hpp)
plumb_library(NAME judge
  LINKS contract
  HEADERS floor.hpp judge.hpp measure.hpp)
plumb_library(NAME story
  LINKS contract
  GENERATED ${PLUMB_STORY_CONTRACTS}
  HEADERS book.hpp findings.hpp graph.hpp grow.hpp make.hpp ontology.hpp outline.hpp picture.hpp play.hpp routing.hpp rules.hpp
    script.hpp ship.hpp twee.hpp validate.hpp)
plumb_library(NAME workflow
  LINKS budget extract
  GENERATED ${PLUMB_WORKFLOW_CONTRACTS}
  HEADERS changes.hpp context.hpp contracts.hpp convention.hpp decompose.hpp failure.hpp fixes.hpp gate_results.hpp gates.hpp
    junit.hpp laws.hpp outline.hpp plan.hpp review.hpp sop.hpp task_state.hpp)
plumb_library(NAME prompt
  LINKS text data
  FOLDER core/pipelines
  FILES prompt.cpp prompt_variables.cpp
  GENERATED ${PLUMB_BUILT_IN_PROMPTS}
  HEADERS prompt.hpp)
plumb_library(NAME guard
  LINKS wire judge prompt repair derive
  HOT
  HEADERS guard.hpp guard_answer.hpp guard_options.hpp)
plumb_library(NAME pipelines
  LINKS run budget repair derive judge extract roles prompt story workflow
  EXCEPT prompt.cpp prompt_variables.cpp
  GENERATED ${PLUMB_PIPELINE_CONTRACTS}
  HEADERS call_monitor.hpp conversation.hpp model_call.hpp pipeline_contracts.hpp pipelines.hpp preparation.hpp
    tool_envelope.hpp work_call.hpp)
plumb_rooms_complete()
