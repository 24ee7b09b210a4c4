#!/usr/bin/env python3
"""`plumb check --from`: recorded calls of models in the forms of those who record them, judged again.

    PLUMB_BIN=build/bin/plumb tests/native/recorded_test.py [WORD...]     only tests whose sentence has all words

The records are as OpenAI, Anthropic, OpenTelemetry and our proxy write them; runs are real journals.
The last line is `suite recorded: N passed, M failed`.
"""
import json
import os
import subprocess
import sys
import xml.etree.ElementTree

import cli_test
from cli_test import BAD_QUIZ, GOOD_QUIZ, ROOT, Folder, code, equal, has, lacks, verdicts

GOOD, BAD = json.dumps(GOOD_QUIZ), json.dumps(BAD_QUIZ, indent=1)
FOUR = "Question 1: Must have at least 4 options (has 3)"
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def lines(*records):
    return "".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records)


def check(f, party, *arguments, **options):
    return f.plumb("check", "-c", "quiz", "--no-config", "--from", party, *arguments, **options)


def judged(result):
    """(line, id, model, part, decision or why not) of each verdict of --format jsonl."""
    out = []
    for verdict in verdicts(result.out):
        record = verdict["record"]
        undecided = [one["reason"] for one in verdict["undecided"] if one["rule"] == "input"]
        out.append((int(verdict["file"].rsplit(":", 1)[1]), record.get("id", ""), record.get("model", ""),
                    record.get("part", ""), undecided[0] if undecided else verdict["decision"]))
    return out


# ---------------------------------------------------------------------------------------------- OpenAI


def completion(content, identifier="chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT", finish="stop", **message):
    return {
        "id": identifier, "object": "chat.completion", "created": 1741569952, "model": "gpt-4.1-2025-04-14",
        "choices": [{"index": 0, "logprobs": None, "finish_reason": finish,
                     "message": {"role": "assistant", "content": content, "refusal": None, "annotations": [], **message}}],
        "usage": {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29,
                  "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0}},
        "service_tier": "default",
    }


def response(text, identifier="resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b", status="completed", **members):
    return {
        "id": identifier, "object": "response", "created_at": 1741476542, "status": status, "error": None,
        "incomplete_details": None, "instructions": None, "max_output_tokens": None, "model": "gpt-4.1-2025-04-14",
        "output": [
            {"id": "rs_1", "type": "reasoning", "summary": []},
            {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
             "content": [{"type": "output_text", "text": text, "annotations": []}]}],
        "parallel_tool_calls": True, "usage": {"input_tokens": 36, "output_tokens": 87, "total_tokens": 123}, **members,
    }


@test
def completions_and_responses_alone_and_with_their_requests():
    request = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "A quiz, please."}]}
    with Folder() as f:
        f.write("log.jsonl", lines(
            completion(GOOD), completion(BAD, "c2"), response(GOOD), response(BAD, "r2"), "",
            {"request": request, "response": completion(BAD, "c3")},
            {"timestamp": 1, "request": {"method": "POST", "body": request},
             "response": {"status": 200, "headers": {}, "body": completion(GOOD, "c4")}},
            {"request_body": json.dumps(request), "response_body": json.dumps(completion(BAD, "c5"))}))
        done = check(f, "openai", "log.jsonl", "--format", "jsonl")
        code(done, 1)
        model = "gpt-4.1-2025-04-14"
        equal(judged(done), [
            (1, "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT", model, "", "accept"), (2, "c2", model, "", "revise"),
            (3, "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b", model, "", "accept"),
            (4, "r2", model, "", "revise"), (6, "c3", model, "", "revise"), (7, "c4", model, "", "accept"),
            (8, "c5", model, "", "revise")])
        # Spans count within the answer, which has lines of its own.
        equal(verdicts(done.out)[1]["findings"][0]["at"], "/questions/0/options")
        assert verdicts(done.out)[1]["findings"][0]["span"]["line"] > 1


@test
def a_line_of_a_batch_is_named_by_its_custom_id():
    with Folder() as f:
        f.write("batch.jsonl", lines(
            {"id": "batch_req_123", "custom_id": "request-2", "error": None,
             "response": {"status_code": 200, "request_id": "req_123", "body": completion(BAD)}},
            {"id": "batch_req_456", "custom_id": "request-1", "error": None,
             "response": {"status_code": 400, "request_id": "req_789", "body": {
                 "error": {"message": "Invalid schema for response_format", "type": "invalid_request_error", "code": None}}}},
            {"id": "batch_req_789", "custom_id": "request-3", "response": None,
             "error": {"code": "batch_expired", "message": "This request could not be executed before it expired."}},
            {"custom_id": "request-4", "method": "POST", "url": "/v1/chat/completions",
             "body": {"model": "gpt-4.1-mini", "messages": []}}))
        done = check(f, "openai", "batch.jsonl", "--format", "jsonl")
        code(done, 2)
        told = judged(done)
        equal([one[1] for one in told], ["request-2", "request-1", "request-3", "request-4"])
        equal(told[0][4], "revise")
        has(told[1][4], "the call failed", "Invalid schema for response_format")
        has(told[2][4], "the call failed", "before it expired")
        equal(told[3][2:], ("gpt-4.1-mini", "", "a request without an answer"))


@test
def what_holds_no_whole_answer_is_undecided_in_words():
    with Folder() as f:
        f.write("log.jsonl", lines(
            completion(GOOD[:40], "cut", "length"), completion(None, "filtered", "content_filter"),
            completion(None, "refused", refusal="I can't help with that."), completion(None, "empty"),
            response("{", "cut", "incomplete", incomplete_details={"reason": "max_output_tokens"}),
            response(GOOD, "running", "in_progress"), {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}},
            "{\"id\": \"half", {"hello": "world"}, "[1]", "7"))
        done = check(f, "openai", "log.jsonl", "--format", "jsonl")
        code(done, 2)
        told = judged(done)
        equal([one[0] for one in told], list(range(1, 12)))
        for one, part in zip(told, ["limit of its tokens (length)", "filter stopped", "refused: I can't help with that.",
                                    "no text", "limit of its tokens (max_output_tokens)", "not over: in_progress",
                                    "Rate limit reached", "this line is not JSON", "no answer in a form that is known",
                                    "a record is a JSON object", "a record is a JSON object"]):
            has(one[4], part)
        assert not any(verdict["valid"] for verdict in verdicts(done.out))


@test
def streams_are_read_as_they_came():
    def events(*pieces):
        chunks = [{"id": "s1", "model": "gpt-4o", "choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
        chunks.append({"id": "s1", "model": "gpt-4o", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)

    with Folder() as f:
        f.write("log.jsonl", lines({"response": events(BAD[:50], BAD[50:]) + "data: [DONE]\n\n"},
                                   {"response": events(GOOD)}, {"response": events(GOOD)[:60]}))
        told = judged(check(f, "openai", "log.jsonl", "--format", "jsonl"))
        equal([one[4] for one in told[:2]], ["revise", "accept"])
        has(told[2][4], "the call failed")


@test
def each_choice_is_an_answer():
    many = completion(GOOD, "c1")
    many["choices"] += [dict(many["choices"][0], index=1, message={"role": "assistant", "content": BAD}),
                        dict(many["choices"][0], index=2, finish_reason="length")]
    with Folder() as f:
        f.write("log.jsonl", lines(many))
        told = judged(check(f, "openai", "log.jsonl", "--format", "jsonl"))
        equal([one[3] for one in told], ["choice 1", "choice 2", "choice 3"])
        equal([one[4] for one in told[:2]], ["accept", "revise"])
        has(told[2][4], "limit of its tokens")


@test
def calls_of_tools_are_left_out_and_judged_when_they_are_named():
    def call(name, arguments, identifier="call_1"):
        return {"id": identifier, "type": "function", "function": {"name": name, "arguments": arguments}}

    with Folder() as f:
        f.write("log.jsonl", lines(
            completion(None, "c1", "tool_calls", tool_calls=[
                call("submit_quiz", BAD), call("look_up", "{}", "call_2"), call("submit_quiz", GOOD, "call_3")]),
            completion(None, "c2", "tool_calls", tool_calls=[call("look_up", "{}")]), completion(GOOD, "c3")))
        done = check(f, "openai", "log.jsonl", "--format", "jsonl")
        code(done, 0)
        equal([one[1] for one in judged(done)], ["c3"])
        has(done.err, "2 answers call tools and were not judged", "--calls NAME")
        done = check(f, "openai", "log.jsonl", "--format", "jsonl", "--calls", "submit_quiz")
        code(done, 1)
        equal([(one[1], one[3], one[4]) for one in judged(done)], [("c1", "call 1", "revise"), ("c1", "call 2", "accept")])
        has(done.err, "2 answers without a call of submit_quiz were not judged")
        done = check(f, "openai", "log.jsonl", "--calls", "nobody")
        code(done, 2)
        has(done.err, "log.jsonl: holds no answer to judge")


# ---------------------------------------------------------------------------------------------- Anthropic


def message(text, stop="end_turn", identifier="msg_013Zva2CMHLNnXjNJJKqJ2EF", **members):
    return {"id": identifier, "type": "message", "role": "assistant", "model": "claude-sonnet-4-20250514",
            "content": [{"type": "text", "text": text}], "stop_reason": stop, "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 34}, **members}


@test
def messages_and_the_results_of_a_batch():
    with Folder() as f:
        f.write("results.jsonl", lines(
            message(GOOD), {"request": {"model": "claude-sonnet-4-0"}, "response": message(BAD)},
            {"custom_id": "my-second-request", "result": {"type": "succeeded", "message": message(BAD)}},
            {"custom_id": "my-third-request", "result": {"type": "errored", "error": {
                "type": "error", "error": {"type": "invalid_request_error", "message": "max_tokens: Field required"}}}},
            {"custom_id": "my-fourth-request", "result": {"type": "expired"}},
            {"custom_id": "cut", "result": {"type": "succeeded", "message": message("{", "max_tokens")}},
            {"custom_id": "refused", "result": {"type": "succeeded", "message": message("", "refusal", content=[])}},
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}))
        told = judged(check(f, "anthropic", "results.jsonl", "--format", "jsonl"))
        equal([one[1] for one in told[2:7]], ["my-second-request", "my-third-request", "my-fourth-request", "cut", "refused"])
        equal([one[4] for one in told[:3]], ["accept", "revise", "revise"])
        for one, part in zip(told[3:], ["max_tokens: Field required", "the batch has no answer to it: expired",
                                        "limit of its tokens (max_tokens)", "the model refused", "Overloaded"]):
            has(one[4], part)


@test
def the_input_of_a_tool_is_judged():
    use = {"type": "tool_use", "id": "toolu_1", "name": "submit_quiz", "input": BAD_QUIZ}
    with Folder() as f:
        f.write("log.jsonl", lines(message("", "tool_use", content=[{"type": "text", "text": "Here:"}, use])))
        done = check(f, "anthropic", "log.jsonl", "--calls", "submit_quiz", "--format", "short")
        code(done, 1)
        has(done.out, "log.jsonl:1:1: error: msg_013Zva2CMHLNnXjNJJKqJ2EF, claude-sonnet-4-20250514, call 1: " + FOUR)


# ---------------------------------------------------------------------------------------------- OpenTelemetry


def any_value(value):
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(one) for one in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": attributes(value)}}
    return {"stringValue": value}


def attributes(members):
    return [{"key": key, "value": any_value(value)} for key, value in members.items()]


def span(identifier, members, operation="chat", **more):
    named = {"gen_ai.operation.name": operation, "gen_ai.request.model": "gpt-4o", **members}
    if operation is None:
        del named["gen_ai.operation.name"]
    return {"traceId": "5b8efff798038103d269b633813fc60c", "spanId": identifier, "name": "chat gpt-4o", "kind": 3,
            "startTimeUnixNano": "1544712660000000000", "attributes": attributes(named), **more}


def traces(*spans):
    return {"resourceSpans": [{"resource": {"attributes": attributes({"service.name": "app"})},
                               "scopeSpans": [{"scope": {"name": "instrumentation"}, "spans": list(spans)}]}]}


def parts(text, finish="stop"):
    return [{"role": "assistant", "parts": [{"type": "reasoning", "content": "Hm."}, {"type": "text", "content": text}],
             "finish_reason": finish}]


@test
def messages_of_spans_in_every_form_they_have_had():
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": BAD}}
    with Folder() as f:
        f.write("traces.json", json.dumps(traces(
            span("as_text", {"gen_ai.output.messages": json.dumps(parts(BAD)), "gen_ai.response.model": "gpt-4o-2024-08-06",
                             "gen_ai.response.id": "chatcmpl-9"}),
            span("as_value", {"gen_ai.output.messages": parts(GOOD)}),
            span("event", {}, events=[{"name": "gen_ai.client.inference.operation.details",
                                       "attributes": attributes({"gen_ai.output.messages": json.dumps(parts(BAD))})}]),
            span("choice", {}, events=[{"name": "gen_ai.choice", "attributes": attributes(
                {"index": 0, "finish_reason": "stop", "message": json.dumps(choice["message"])})}]),
            span("content", {}, None, events=[{"name": "gen_ai.choice", "attributes": attributes(
                {"gen_ai.event.content": json.dumps(choice)})}]),
            span("older", {}, None, events=[{"name": "gen_ai.content.completion",
                                             "attributes": attributes({"gen_ai.completion": GOOD})}]),
            span("numbered", {"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": BAD,
                              "gen_ai.completion.0.finish_reason": "stop"}, None),
            span("two", {"gen_ai.output.messages": json.dumps(parts(GOOD) + parts(BAD, "length"))}),
            span("silent", {}),
            span("failed", {"error.type": "timeout"}, status={"code": 2, "message": "no answer in 30 s"}),
            span("agent", {"gen_ai.output.messages": json.dumps(parts(BAD))}, "invoke_agent"),
            span("query", {"db.system": "postgresql"}, None)), indent=2))
        done = check(f, "otlp", "traces.json", "--format", "jsonl")
        code(done, 2)
        told = judged(done)
        equal([one[1] for one in told], ["chatcmpl-9", "as_value", "event", "choice", "content", "older", "numbered", "two",
                                         "two", "silent", "failed"])
        equal([one[4] for one in told[:8]], ["revise", "accept", "revise", "revise", "revise", "accept", "revise", "accept"])
        equal(told[0][2], "gpt-4o-2024-08-06")
        equal((told[7][3], told[8][3]), ("choice 1", "choice 2"))
        has(told[8][4], "limit of its tokens")
        has(told[9][4], "did not record what was said")
        has(told[10][4], "the call failed: no answer in 30 s")
        text = f.read("traces.json").split("\n")
        for line, identifier in ((one[0], one[1]) for one in told if one[1] != "chatcmpl-9"):
            has("\n".join(text[line - 1:line + 3]), f'"spanId": "{identifier}"')


@test
def logs_and_tool_calls_of_spans():
    log = {"timeUnixNano": "1", "spanId": "log1", "eventName": "gen_ai.choice", "body": any_value(
        {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "submit_quiz", "arguments": BAD}}]}})}
    called = [{"role": "assistant", "finish_reason": "tool_call", "parts": [
        {"type": "tool_call", "id": "call_2", "name": "submit_quiz", "arguments": GOOD_QUIZ}]}]
    with Folder() as f:
        f.write("out.jsonl", lines({"resourceLogs": [{"scopeLogs": [{"logRecords": [log]}]}]},
                                   traces(span("s2", {"gen_ai.output.messages": json.dumps(called)}))))
        told = judged(check(f, "otlp", "out.jsonl", "--calls", "submit_quiz", "--format", "jsonl"))
        equal([(one[0], one[1], one[4]) for one in told], [(1, "log1", "revise"), (2, "s2", "accept")])


# ---------------------------------------------------------------------------------------------- Plumbline's own


@test
def a_run_is_judged_by_the_contract_it_was_asked_for():
    journal = os.path.join(ROOT, "tests", "cases", "runs", "artifact_repaired.ndjson")
    with Folder() as f:
        done = check(f, "plumb", journal, "--format", "jsonl")
        code(done, 1)
        told = judged(done)
        equal([(one[1], one[2], one[4]) for one in told],
              [("generate:0", "scripted", "revise"), ("repair:0", "scripted", "accept")])
        with open(journal, encoding="utf-8") as file:
            text = file.read().split("\n")
        for one in told:
            entry = json.loads(text[one[0] - 1])
            equal((entry["kind"], entry["key"]), ("reply", one[1]))
        done = f.plumb("check", "-c", "flashcards", "--no-config", "--from", "plumb", journal)
        code(done, 2)
        has(done.err, "no model of this run was asked for an artifact of the contract flashcards", "quiz")
        f.write("half.ndjson", "\n".join(text[:-3]) + "\n{\"n\":999,\"kind\":\"note\"}\n")
        done = check(f, "plumb", "half.ndjson")
        code(done, 2)
        has(done.err, "half.ndjson: line ", "expected entry")


@test
def a_run_that_was_exported_is_read():
    with Folder() as f:
        f.write("source.md", "# Light\n\nPhotosynthesis turns light into sugar. Chloroplasts hold chlorophyll.\n" * 4)
        env = {"PLUMB_STORE": f.at("runs.db"), "HOME": f.path}
        journal = os.path.join(ROOT, "tests", "cases", "runs", "artifact_repaired.ndjson")
        code(f.plumb("runs", "import", journal, env=env), 0)
        run = json.loads(f.plumb("runs", "list", "--json", env=env).out)["runs"][0]["id"]
        code(f.plumb("runs", "export", run, "-o", "run.ndjson", env=env), 0)
        equal(len(judged(check(f, "plumb", "run.ndjson", "--format", "jsonl"))), 2)


@test
def what_the_proxy_recorded_is_read():
    def record(route, request, answer):
        return {"time": "2026-01-31T08:00:00.123Z", "id": "c" + str(len(route)), "key": "k1", "route": route,
                "request": request, "answer": answer}

    chunk = {"id": "x", "model": "m2", "choices": [{"index": 0, "delta": {"content": BAD}, "finish_reason": "stop"}]}
    with Folder() as f:
        f.write("2026-01-31.jsonl", lines(
            record("/v1/chat/completions", {"model": "fast"}, completion(BAD)),
            record("/v1/chat/completions", {"model": "fast", "stream": True}, f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"),
            record("/v1/messages", {"model": "fast"}, message(GOOD)),
            record("/v1/responses", {"model": "fast"}, response(BAD)),
            record("/v1/embeddings", {"model": "fast"}, {"object": "list", "data": []}),
            record("/v1/messages", {"model": "fast"}, {"type": "error", "error": {"type": "api_error", "message": "No provider"}})))
        done = check(f, "plumb", "2026-01-31.jsonl", "--format", "jsonl")
        code(done, 2)
        told = judged(done)
        equal([(one[1], one[4]) for one in told[:4]],
              [("c20", "revise"), ("c20", "revise"), ("c12", "accept"), ("c13", "revise")])
        equal(told[4][2], "fast")
        has(told[4][4], "No provider")
        has(done.err, "1 record is of something else and was left out")


# ---------------------------------------------------------------------------------------------- files and reports


@test
def a_document_and_lines_give_the_same():
    records = [completion(GOOD, "c1"), completion(BAD, "c2"), completion(GOOD[:30], "c3", "length")]
    with Folder() as f:
        f.write("log.jsonl", lines(*records))
        f.write("log.json", json.dumps(records, indent=2))
        f.write("one.json", json.dumps(records[1], indent=2))
        f.write("flat.json", json.dumps(records))
        by_line = judged(check(f, "openai", "log.jsonl", "--format", "jsonl"))
        for name in ("log.json", "flat.json"):
            equal([one[1:] for one in judged(check(f, "openai", name, "--format", "jsonl"))], [one[1:] for one in by_line])
        equal(judged(check(f, "openai", "one.json", "--format", "jsonl")), [(1, "c2", "gpt-4.1-2025-04-14", "", "revise")])
        text = f.read("log.json").split("\n")
        for line, identifier, *_ in judged(check(f, "openai", "log.json", "--format", "jsonl")):
            has("\n".join(text[line - 1:line + 2]), f'"id": "{identifier}"')
        # From a pipe, and with one thread or several.
        piped = check(f, "openai", "-", "--format", "jsonl", stdin=lines(*records * 3000))
        alone = check(f, "openai", "-", "--format", "jsonl", "-j", "1", stdin=lines(*records * 3000))
        equal((len(judged(piped)), piped.out), (9000, alone.out))


@test
def a_bad_first_line_costs_one_line_and_a_broken_document_is_told():
    with Folder() as f:
        f.write("log.jsonl", "{\"id\": \"c0\", \"cho\n" + lines(completion(BAD, "c1"), completion(GOOD, "c2")))
        told = judged(check(f, "openai", "log.jsonl", "--format", "jsonl"))
        equal([one[1] for one in told], ["", "c1", "c2"])
        has(told[0][4], "this line is not JSON")
        f.write("log.jsonl", "[1, 2]\n" + lines(completion(BAD, "c1")))
        equal([one[1] for one in judged(check(f, "openai", "log.jsonl", "--format", "jsonl"))], ["", "c1"])
        f.write("broken.json", json.dumps([completion(GOOD)], indent=2)[:-9])
        done = check(f, "openai", "broken.json")
        code(done, 2)
        has(done.err, "broken.json: is not JSON", "line ")
        f.write("empty.jsonl", "\n\n")
        done = check(f, "openai", "empty.jsonl")
        code(done, 2)
        has(done.err, "empty.jsonl: holds no answer to judge")


@test
def a_record_of_many_megabytes_is_read_and_one_of_too_many_costs_one_line():
    image = "A" * (9 << 20)
    with Folder() as f:
        f.write("log.jsonl", lines({"request": {"messages": [image]}, "response": completion(BAD, "c1")}, completion(GOOD, "c2"),
                                   {"request": "B" * (65 << 20), "response": completion(GOOD, "c3")}, completion(BAD, "c4")))
        told = judged(check(f, "openai", "log.jsonl", "--format", "jsonl"))
        equal([(one[0], one[1]) for one in told], [(1, "c1"), (2, "c2"), (3, ""), (4, "c4")])
        has(told[2][4], "more than 64 MB")


@test
def every_format_names_the_record():
    with Folder() as f:
        f.write("log.jsonl", lines(completion(GOOD, "c1"), completion(BAD, "c2"), completion(GOOD[:30], "c3", "length")))
        done = check(f, "openai", "log.jsonl", "--ascii")
        code(done, 2)
        has(done.out, "log.jsonl:2 c2, gpt-4.1-2025-04-14 (quiz) 1 error -> revise", FOUR, "log.jsonl:2:1 /questions/0/options",
            "log.jsonl:3 c3, gpt-4.1-2025-04-14 (quiz) -> undecided", "1 undecided")
        lacks(done.out, "c1,")
        done = check(f, "openai", "log.jsonl", "--format", "short")
        equal(done.out.split("\n")[0], f"log.jsonl:2:1: error: c2, gpt-4.1-2025-04-14: {FOUR} [minItems]")
        has(done.out, "log.jsonl:3:1: warning: c3, gpt-4.1-2025-04-14: the answer was cut off")
        done = check(f, "openai", "log.jsonl", "--format", "github")
        has(done.out, "file=log.jsonl,line=2,col=1", "::c2, gpt-4.1-2025-04-14: " + FOUR, "line=3", "cut off")
        done = check(f, "openai", "log.jsonl", "--format", "json")
        document = json.loads(done.out)
        equal([one["record"]["id"] for one in document["verdicts"]], ["c1", "c2", "c3"])
        equal((document["summary"]["valid"], document["summary"]["undecided"]), (1, 1))
        sarif = json.loads(check(f, "openai", "log.jsonl", "--format", "sarif").out)["runs"][0]
        equal(sarif["results"][0]["locations"][0]["physicalLocation"]["region"],
              {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 1})
        equal(sarif["results"][0]["properties"]["record"], "c2, gpt-4.1-2025-04-14")
        has(json.dumps(sarif["invocations"]), "cut off", '"startLine": 3')
        suites = xml.etree.ElementTree.fromstring(check(f, "openai", "log.jsonl", "--format", "junit").out)
        equal([suite.get("name") for suite in suites], [f"log.jsonl:{n} c{n}, gpt-4.1-2025-04-14" for n in (1, 2, 3)])


@test
def edits_are_judged_and_nothing_is_written():
    with Folder() as f:
        f.write("log.jsonl", lines(completion("```json\n" + GOOD + "\n```")))
        before = f.read("log.jsonl")
        code(check(f, "openai", "log.jsonl"), 1)
        done = check(f, "openai", "log.jsonl", "--edits", "certain", "--format", "jsonl")
        code(done, 0)
        equal(verdicts(done.out)[0]["edits"][0]["class"], "fence")
        for wrong in (["--fix"], ["--diff"], ["--stream"]):
            done = check(f, "openai", *wrong, *([] if wrong == ["--stream"] else ["log.jsonl"]))
            code(done, 2)
            has(done.err, "'--from' reads recorded answers")
        code(f.plumb("check", "-c", "quiz", "--calls", "x", "log.jsonl"), 2)
        done = check(f, "gemini", "log.jsonl")
        code(done, 2)
        has(done.err, "openai", "otlp")
        equal(f.read("log.jsonl"), before)


@test
def a_log_of_any_size_takes_little_memory():
    if cli_test.SANITIZED:
        raise cli_test.Skip("memory is not measured under sanitizers")
    block = lines(completion(GOOD, "c1")).encode() * 2000
    most = []
    for megabytes in (5, 100):
        process = subprocess.Popen([cli_test.PLUMB, "check", "-c", "quiz", "--no-config", "--from", "openai", "-", "-q", "-j", "2"],
                                   stdin=subprocess.PIPE, env=cli_test.environment())
        for _ in range((megabytes << 20) // len(block)):
            process.stdin.write(block)
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        equal(process.returncode, 0)
        most.append(usage.ru_maxrss)
    assert most[1] < most[0] + (20 << 10), f"{most} KB for 5 and 100 MB"


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("recorded", TESTS, sys.argv[1:]))
