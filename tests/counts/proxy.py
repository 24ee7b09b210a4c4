#!/usr/bin/env python3
"""Counts what a client of the proxy is given of an answer: provider's wire x case x client's wire x mode, streamed and whole.

    PLUMB_BIN=build/bin/plumb tests/counts/proxy.py          compares with tests/counts/proxy.txt
    PLUMB_REWRITE=1 ...                                      writes that table anew

A scripted provider answers as the model's name says. Each cell is what the client's own rules read of it:

    done, calls, limit   the reason by which the answer is finished: in the client's wire stop or end_turn or completed, and so on
    open                 an answer, and nobody said why it ended
    none                 no answer and no error: whole where a stream was asked for, or the other way round
    error                an error event in a stream that had begun
    cut                  the connection broke, and no error was told
    502 ...              the status of an error

The laws of broken() hold for every case, whatever is stored. Behind a cell, where the proxy told a verdict: + valid, - invalid. Then ! where the text or the arguments differ from what the provider wrote.
The last column lists what has these cells: PROVIDER>CLIENT, `s` of a stream and `w` of a whole answer.
"""
import concurrent.futures
import http.client
import http.server
import json
import os
import re
import socketserver
import subprocess
import sys
import tempfile
import threading
import stored_table

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLUMB = os.path.abspath(os.environ.get("PLUMB_BIN", os.path.join(ROOT, "build", "bin", "plumb")))
PROVIDERS = ["chat", "messages", "responses", "ollama"]
CLIENTS = ["chat", "messages", "responses", "ollama"]
MODES = ["pass", "observe", "enforce", "hold-back"]
TEXT = '{"town":"Bern"}'
CITY = {"type": "object", "required": ["town"], "properties": {"town": {"type": "string"}}, "additionalProperties": False}
NONE = {"type": "object", "properties": {}}
ABSENT = object()


def event(value, name=""):
    data = value if isinstance(value, str) else json.dumps(value)
    return (f"event: {name}\n" if name else "") + f"data: {data}\n\n"


# What a provider of each wire writes. `pieces`: of the text. `calls`: (name, arguments), the arguments as they stand in the answer.
def chat(streamed, pieces, calls, finish, end, between, plain):
    reason = ("tool_calls" if calls else "stop") if finish is True else finish
    if not streamed:
        message = {"role": "assistant", "content": "".join(pieces) if pieces else None}
        if calls:
            message["tool_calls"] = [call_of(i, one, plain) for i, one in enumerate(calls)]
        return json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": reason}]})

    def chunk(delta, why=None):
        return event({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": why}]})
    events = [chunk({"role": "assistant", "content": ""})]
    for i, piece in enumerate(pieces):
        events.append(chunk({"content": piece}) + (between if i == 0 else ""))
    for i, one in enumerate(calls):
        events.append(chunk({"tool_calls": [{**({} if plain else {"index": i}), **call_of(i, one, plain)}]}))
    return "".join(events) + (chunk({}, reason) if reason else "") + ("data: [DONE]\n\n" if end else "")


def call_of(i, one, plain):
    function = {"name": one[0], **({} if one[1] is ABSENT else {"arguments": one[1]})}
    return {**({} if plain else {"id": f"call_{i}"}), "type": "function", "function": function}


def messages(streamed, pieces, calls, finish, end, between, plain):
    reason = ("tool_use" if calls else "end_turn") if finish is True else {"length": "max_tokens"}.get(finish, finish)
    uses = [{"type": "tool_use", "id": f"toolu_{i}", "name": name} for i, (name, _) in enumerate(calls)]
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}
    if not streamed:
        content = [{"type": "text", "text": "".join(pieces)}] if pieces else []
        for use, (_, told) in zip(uses, calls):
            content.append({**use, **({} if told is ABSENT else {"input": json.loads(told) if isinstance(told, str) and told else told})})
        return json.dumps({**head, "content": content, "stop_reason": reason, "usage": {"input_tokens": 3, "output_tokens": 4}})
    events = [event({"type": "message_start", "message": {**head, "content": [], "stop_reason": None, "usage": {"input_tokens": 3, "output_tokens": 1}}}, "message_start")]
    at = 0
    if pieces:
        events.append(event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}, "content_block_start"))
        for i, piece in enumerate(pieces):
            events.append(event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}, "content_block_delta") + (between if i == 0 else ""))
        events.append(event({"type": "content_block_stop", "index": 0}, "content_block_stop") if finish or end else "")
        at = 1
    for use, (_, told) in zip(uses, calls):
        events.append(event({"type": "content_block_start", "index": at, "content_block": {**use, "input": {}}}, "content_block_start"))
        if told is not ABSENT:
            piece = told if isinstance(told, str) else "" if told is None else json.dumps(told)
            events.append(event({"type": "content_block_delta", "index": at, "delta": {"type": "input_json_delta", "partial_json": piece}}, "content_block_delta"))
        events.append(event({"type": "content_block_stop", "index": at}, "content_block_stop") if finish else "")
        at += 1
    if reason:
        events.append(event({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 4}}, "message_delta"))
    return "".join(events) + (event({"type": "message_stop"}, "message_stop") if end else "")


def responses(streamed, pieces, calls, finish, end, between, plain):
    status = "incomplete" if finish == "length" else "completed" if finish is True else finish
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "error": None, "incomplete_details": {"reason": "max_output_tokens"} if finish == "length" else None}
    items = [{"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": [{"type": "output_text", "text": "".join(pieces), "annotations": []}]}] if pieces else []
    for i, (name, told) in enumerate(calls):
        items.append({"id": f"fc_{i}", "type": "function_call", "status": "completed", "call_id": f"call_{i}", "name": name, **({} if told is ABSENT else {"arguments": told})})
    if not streamed:
        return json.dumps({**head, "status": status or None, "output": items, "usage": None})
    number = iter(range(1000))

    def one(kind, **more):
        return event({"type": kind, "sequence_number": next(number), **more}, kind)
    events = [one("response.created", response={**head, "status": "in_progress", "output": []})]
    for at, item in enumerate(items):
        if item["type"] == "message":
            events.append(one("response.output_item.added", output_index=at, item={**item, "content": []}))
            events.append(one("response.content_part.added", item_id="msg_1", output_index=at, content_index=0, part={"type": "output_text", "text": "", "annotations": []}))
            for i, piece in enumerate(pieces):
                events.append(one("response.output_text.delta", item_id="msg_1", output_index=at, content_index=0, delta=piece) + (between if i == 0 else ""))
        else:
            events.append(one("response.output_item.added", output_index=at, item={**item, "arguments": ""}))
            if isinstance(item.get("arguments"), str):
                events.append(one("response.function_call_arguments.delta", item_id=item["id"], output_index=at, delta=item["arguments"]))
        if finish:
            events.append(one("response.output_item.done", output_index=at, item=item))
    return "".join(events) + (one(f"response.{status}", response={**head, "status": status, "output": items, "usage": None}) if status and end else "")


def ollama(streamed, pieces, calls, finish, end, between, plain):
    def line(message, **more):
        return json.dumps({"model": "m", "created_at": "2025-01-01T00:00:00Z", "message": {"role": "assistant", **message}, "done": False, **more}) + "\n"
    uses = [{"function": {"name": name, **({} if told is ABSENT else {"arguments": told})}} for name, told in calls]
    ended = {"done": True, "done_reason": "length" if finish == "length" else "stop"} if finish else {}
    if not streamed:
        return line({"content": "".join(pieces), **({"tool_calls": uses} if uses else {})}, **ended)
    lines = [line({"content": piece}) + (between if i == 0 else "") for i, piece in enumerate(pieces)]
    if uses:
        lines.append(line({"content": "", "tool_calls": uses}))
    return "".join(lines) + (line({"content": ""}, **ended) if finish else "")


WIRES = {"chat": chat, "messages": messages, "responses": responses, "ollama": ollama}
CASES = {}


def case(name, streamed=(True, False), wires=PROVIDERS, text=TEXT, calls=(), finish=True, end=True, between="", plain=False, raw=None, kind="", tools=False):
    CASES[name.replace(" ", "-")] = {"streamed": streamed, "wires": wires, "text": text, "calls": list(calls), "finish": finish, "end": end, "between": between,
                                     "plain": plain, "raw": raw, "kind": kind, "tools": tools or bool(calls), "name": name}


EVENTS = ["chat", "messages", "responses"]
S, W = (True,), (False,)
case("good")
case("cut by the limit", text=TEXT[:7], finish="length")
case("a call", text="", calls=[("go", '{"town":"Bern"}')], wires=["chat", "messages", "responses"])
case("a call of a value", text="", calls=[("go", {"town": "Bern"})], wires=["chat", "ollama"])
case("two calls without id or index", text="", calls=[("go", '{"town":"Bern"}'), ("ring", "{}")], wires=["chat"], plain=True)
case("arguments absent", text="", calls=[("ring", ABSENT)])
case("arguments empty", text="", calls=[("ring", "")])
case("arguments null", text="", calls=[("ring", None)])
case("arguments of nothing", text="", calls=[("ring", {})], wires=["chat", "messages", "ollama"])
case("arguments empty where some are required", text="", calls=[("go", "")])
case("arguments a list", text="", calls=[("go", ["Bern"])], wires=["chat", "ollama"])
case("event null", S, between="data: null\n\n", wires=EVENTS)
case("event list", S, between="data: []\n\n", wires=EVENTS)
case("event text", S, between='data: "ping"\n\n', wires=EVENTS)
case("event number", S, between="data: 7\n\n", wires=EVENTS)
case("event empty object", S, between="data: {}\n\n", wires=EVENTS)
case("event without data", S, between="event: ping\n\ndata:\n\n", wires=EVENTS)
case("comments ids and names", S, between=": waiting\n\nid: 7\nevent: ping\nretry: 10\n\n: more\n", wires=EVENTS)
case("line null", S, between="null\n", wires=["ollama"])
case("line empty object", S, between="{}\n", wires=["ollama"])
case("line empty", S, between="\n\n", wires=["ollama"])
case("event no JSON", S, between="data: {not json}\n\n", wires=EVENTS)
case("line no JSON", S, between="{not json}\n", wires=["ollama"])
case("end without reason", S, finish=None, wires=["chat", "messages"])
case("end without reason in a call", S, text="", calls=[("go", '{"town":"Be')], finish=None, wires=["chat", "messages"])
case("reason without end", S, end=False, wires=["chat", "messages"])
case("neither", S, finish=None, end=False)
case("neither in a call", S, text="", calls=[("go", '{"town":"Be')], finish=None, end=False, wires=EVENTS)
case("whole without reason", W, finish=None)
case("whole without reason in a call", W, text="", calls=[("go", '{"town":"Bern"}')], finish=None, wires=["chat", "messages", "responses"])
case("whole in progress", W, finish="in_progress", wires=["responses"])
case("whole failed", W, finish="failed", wires=["responses"])
case("reason error", finish="error", wires=["chat"])
ERRORS = {"error": {"error": {"message": "engine dead", "type": "server_error", "code": 500}}, "error a text": {"error": "engine dead"},
          "error named": {"object": "error", "message": "engine dead", "code": 500}, "error detail": {"detail": "engine dead"},
          "error of code and message": {"code": 500, "message": "engine dead"}}
for NAME, TOLD in ERRORS.items():
    case(NAME + " first", raw=lambda wire, streamed, told=TOLD: json.dumps(told) + "\n" if wire == "ollama" or not streamed else event(told))
    case(NAME + " inside", S, between=event(TOLD), wires=EVENTS)
    case(NAME + " inside a line", S, between=json.dumps(TOLD) + "\n", wires=["ollama"])
case("error bare in a stream", S, raw=lambda wire, streamed: json.dumps(ERRORS["error"]))
case("nothing", raw=lambda wire, streamed: "")
case("stream as JSON", S, kind="application/json", wires=EVENTS)
case("stream as text", S, kind="text/plain", wires=EVENTS)
case("stream in capitals", S, kind="Text/Event-Stream; Charset=UTF-8", wires=EVENTS)
case("whole for a stream", S, raw=lambda wire, streamed: WIRES[wire](False, [TEXT], [], True, True, "", False), kind="application/json", wires=EVENTS)
case("stream for a whole", W, raw=lambda wire, streamed: WIRES[wire](True, [TEXT[:6], TEXT[6:]], [], True, True, "", False), kind="text/event-stream", wires=EVENTS)
case("the end behind a comment", S, wires=["chat"], raw=lambda wire, streamed: chat(True, [TEXT], [], True, False, "", False) + ": bye\ndata: [DONE]\n\n")
case("the end twice", S, wires=["chat"], raw=lambda wire, streamed: chat(True, [TEXT], [], True, True, "", False) + "data: [DONE]\n\n")
case("lines end at CR LF", S, wires=EVENTS, raw=lambda wire, streamed: WIRES[wire](True, [TEXT[:6], TEXT[6:]], [], True, True, "", False).replace("\n", "\r\n"))


class Provider(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        wire, name = body["model"].split(":")
        one = CASES[name]
        # The proxy may ask for a stream where its client did not.
        streamed = bool(body.get("stream", wire == "ollama"))
        pieces = [one["text"][:6], one["text"][6:]] if one["text"] else []
        if one["raw"]:
            told = one["raw"](wire, streamed)
        else:
            told = WIRES[wire](streamed, pieces, one["calls"], one["finish"], one["end"], one["between"], one["plain"])
        kind = one["kind"] or ("application/x-ndjson" if wire == "ollama" and streamed else "text/event-stream" if streamed else "application/json")
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        data = told.encode()
        try:
            for piece in [data[at:at + 97] for at in range(0, len(data), 97)]:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        except ConnectionError:
            self.close_connection = True  # the proxy wants no more


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        pass  # the proxy has closed a connection


REASONS = {"stop": "done", "end_turn": "done", "completed": "done", "tool_calls": "calls", "tool_use": "calls", "length": "limit", "max_tokens": "limit", "incomplete": "limit"}
PATHS = {"chat": "/v1/chat/completions", "messages": "/v1/messages", "responses": "/v1/responses", "ollama": "/api/chat"}


def request_of(client, model, mode, streamed, tools):
    said = {"role": "user", "content": "Please."}
    body = {"model": model, "stream": streamed}
    body.update({"input": [said], "store": False} if client == "responses" else {"messages": [said]})
    if client == "messages":
        body["max_tokens"] = 100
    offered = {"go": CITY, "ring": NONE}
    if tools:
        body["tools"] = [{"name": name, "input_schema": schema} if client == "messages" else {"type": "function", "name": name, "parameters": schema} if client == "responses"
                         else {"type": "function", "function": {"name": name, "parameters": schema}} for name, schema in offered.items()]
    elif mode != "pass":
        body["plumb"] = {"contract": CITY}
    return body, ({} if mode == "pass" else {"x-plumb-mode": mode})


class Seen:
    """What a client makes of what it was sent."""

    def __init__(self):
        self.reason = ""
        self.error = self.cut = False
        self.text = ""
        self.calls = {}
        self.plumb = None

    def call(self, key, name="", arguments=""):
        one = self.calls.setdefault(key, ["", ""])
        one[0] += name or ""
        one[1] += arguments if isinstance(arguments, str) else "" if arguments is None else json.dumps(arguments)


def see_chat(seen, body):
    if not isinstance(body, dict):
        return
    if body.get("error"):
        seen.error = True
    for choice in body.get("choices") or []:
        seen.reason = choice.get("finish_reason") or seen.reason
        message = choice.get("delta") or choice.get("message") or {}
        seen.text += message.get("content") or ""
        for at, call in enumerate(message.get("tool_calls") or []):
            function = call.get("function") or {}
            key = call.get("index", len(seen.calls) if function.get("name") else at)
            seen.call(key, function.get("name"), function.get("arguments"))


def see_messages(seen, body, name):
    kind = body.get("type") if isinstance(body, dict) else None
    if kind is None:
        return
    if kind == "error" or name == "error":
        seen.error = True
    for at, block in enumerate(body.get("content") or []):
        seen.text += block.get("text", "")
        if block["type"] == "tool_use":
            seen.call(at, block["name"], block.get("input"))
    seen.reason = body.get("stop_reason") or (body.get("delta") or {}).get("stop_reason") or seen.reason
    if kind == "content_block_start" and body["content_block"]["type"] == "tool_use":
        seen.call(body["index"], body["content_block"]["name"])
    if kind == "content_block_delta":
        seen.text += body["delta"].get("text", "")
        if "partial_json" in body["delta"]:
            seen.call(body["index"], "", body["delta"]["partial_json"])


def see_responses(seen, body, name):
    if not isinstance(body, dict):
        return
    kind = body.get("type")
    if kind in ("error", "response.failed") or (body.get("error") and not kind):
        seen.error = True
    told = body.get("response", body) if kind in (None, "response.completed", "response.incomplete") else {}
    if told.get("object") != "response":
        return
    seen.reason = told.get("status") or ""
    for at, item in enumerate(told.get("output") or []):
        for part in item.get("content") or []:
            seen.text += part.get("text", "")
        if item["type"] == "function_call":
            seen.call(at, item["name"], item.get("arguments"))


def see_ollama(seen, body):
    if not isinstance(body, dict):
        return
    seen.error = seen.error or "error" in body
    seen.plumb = body.get("plumb", seen.plumb)
    message = body.get("message") or {}
    seen.text += message.get("content") or ""
    for call in message.get("tool_calls") or []:
        seen.call(len(seen.calls), call["function"]["name"], call["function"]["arguments"])
    if body.get("done"):
        seen.reason = body.get("done_reason", "")


def is_streamed(response):
    return re.search("event-stream|ndjson", response.headers.get("content-type", ""), re.IGNORECASE) is not None


def read_answer(client, response, seen):
    data = b""
    try:
        while piece := response.read1(65536):
            data += piece
    except (http.client.HTTPException, ConnectionError, ValueError):
        seen.cut = True
    text = data.decode("utf-8", "replace")
    see = {"chat": lambda body, name: see_chat(seen, body), "messages": lambda body, name: see_messages(seen, body, name), "responses": lambda body, name: see_responses(seen, body, name),
           "ollama": lambda body, name: see_ollama(seen, body)}[client]
    if not is_streamed(response):
        try:
            body = json.loads(text)
        except ValueError:
            seen.error = True
            return
        seen.plumb = body.get("plumb")
        see(body, "")
        return
    if client == "ollama":
        for line in filter(None, text.split("\n")):
            try:
                see(json.loads(line), "")
            except ValueError:
                seen.error = True
        return
    over = False
    for block in re.split(r"\r?\n\r?\n", text):
        lines = [line for line in re.split(r"\r\n|\n|\r", block) if line]
        for line in lines:
            if line.startswith(": plumb ") and not over:
                seen.plumb = json.loads(line[8:])
        data = "\n".join(line[5:].lstrip(" ") for line in lines if line.startswith("data:"))
        name = "".join(line[6:].strip() for line in lines if line.startswith("event:"))
        over = over or data.strip() == "[DONE]"
        if not data.strip() or over or (client == "messages" and name in ("", "ping")):
            continue  # Anthropic's client reads named events only
        try:
            see(json.loads(data), name)
        except ValueError:
            seen.error = True


def told_calls(one):
    return [[name, "{}" if told in (ABSENT, "", None) else told if isinstance(told, str) else json.dumps(told)] for name, told in one["calls"]]


def same(one, seen):
    if seen.text != one["text"]:
        return False
    calls = [[name, arguments or "{}"] for name, arguments in seen.calls.values()]
    try:
        return [[name, json.loads(told)] for name, told in calls] == [[name, json.loads(told)] for name, told in told_calls(one)]
    except ValueError:
        return calls == told_calls(one)


def ask(port, client, wire, name, mode, streamed):
    one = CASES[name]
    body, headers = request_of(client, f"{wire}:{name}", mode, streamed, one["tools"])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", PATHS[client], json.dumps(body), {"content-type": "application/json", "anthropic-version": "2023-06-01", **headers})
    response = connection.getresponse()
    seen = Seen()
    read_answer(client, response, seen)
    connection.close()
    if response.status != 200:
        return str(response.status)
    told = "error" if seen.error else "cut" if seen.cut else "none" if is_streamed(response) != streamed else REASONS.get(seen.reason, seen.reason) or "open"
    told = "calls" if told == "done" and seen.calls else told
    if seen.plumb is not None:
        told += "+" if seen.plumb["valid"] else "-"
    return told + ("" if told[:4] in ("erro", "cut", "none") or same(one, seen) else "!")


def serve(folder, provider):
    base = f"http://127.0.0.1:{provider}"
    with open(os.path.join(folder, "plumb.yaml"), "w") as out:
        out.write(f'''providers:
  of-chat: {{speaks: openai, base_url: "{base}/v1"}}
  of-messages: {{speaks: anthropic, base_url: "{base}"}}
  of-responses: {{speaks: openai, base_url: "{base}/v1", responses: true}}
  of-ollama: {{speaks: ollama, base_url: "{base}"}}
proxy:
  listen: 127.0.0.1:0
  keys: none
  response_format: "off"
  tools: "off"
  attempts: 0
  retries: {{max: 0}}
  breaker: {{failures: 100000, window_ms: 10000, open_ms: 100}}
  models:
''')
        for wire in PROVIDERS:
            for name in CASES:
                out.write(f'    "{wire}:{name}": "of-{wire}/{wire}:{name}"\n')
    process = subprocess.Popen([PLUMB, "serve", "--port", "0", "--store", os.path.join(folder, "runs.db"), "--config", os.path.join(folder, "plumb.yaml")],
                               stdout=subprocess.PIPE, stderr=None if os.environ.get("PLUMB_LOUD") else subprocess.DEVNULL, text=True, env={**os.environ, "XDG_STATE_HOME": folder})
    ports = []
    while len(ports) < 2:
        line = process.stdout.readline()
        if not line:
            sys.exit("plumb serve ended early")
        ports += re.findall(r"http://[^\s]*:(\d+)", line)
    return process, int(ports[1])


def clients_of(wire):
    return ["responses"] if wire == "responses" else CLIENTS  # such a provider speaks chat to the others


FAULTS = ("error", "cut", "502", "406")
ENDED = ("done", "calls", "limit")


def word(cell):
    """What a cell says of the answer: that there is a fault, or how it is finished."""
    return "fault" if cell.startswith(FAULTS) else cell.strip("+-!")


def broken(name, cells):
    """The laws that the cells of a case break: of each way the modes, in their order."""
    one, out = CASES[name], []
    for way, (passed, observed, enforced, held) in cells.items():
        if one["finish"] is None and any(cell.startswith(ENDED) for cell in (passed, observed, enforced, held)):
            out.append(f"{way}: an answer without an end is finished")
        if word(passed) != word(observed):
            out.append(f"{way}: pass and observe differ")
        refused = observed.strip("!").endswith("-") or word(observed) in ("fault", "open", "in_progress", "failed")
        if refused != (word(enforced) == "fault") or (word(enforced) == "fault") != (word(held) == "fault"):
            out.append(f"{way}: observe does not report what enforce does")
        other = cells.get(way[:-1] + "w")
        if way.endswith("s") and other and [word(cell) for cell in other] != [word(cell) for cell in (passed, observed, enforced, held)]:
            out.append(f"{way[:-2]}: streamed and whole differ")
    return [f"{name}: {told}" for told in out]


def table(port):
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        cells = {}
        for name, one in CASES.items():
            for wire in one["wires"]:
                for client in clients_of(wire):
                    for streamed in one["streamed"]:
                        asked = [pool.submit(ask, port, client, wire, name, mode, streamed) for mode in MODES]
                        cells.setdefault(name, {})[f"{wire}>{client} {'s' if streamed else 'w'}"] = asked
    rows = [["case"] + MODES + ["of"]]
    laws = []
    for name, ways in cells.items():
        laws += broken(name, {way: tuple(cell.result() for cell in asked) for way, asked in ways.items()})
        alike = {}
        for way, asked in ways.items():
            alike.setdefault(tuple(cell.result() for cell in asked), []).append(way)
        rows += [[CASES[name]["name"], *told, "all" if len(alike) == 1 else ", ".join(of)] for told, of in alike.items()]
    widths = [max(len(row[at]) for row in rows) for at in range(len(MODES) + 1)] + [0]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() + "\n" for row in rows), laws


def main():
    provider = Server(("127.0.0.1", 0), Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        process, port = serve(folder, provider.server_address[1])
        try:
            told, laws = table(port)
        finally:
            process.terminate()
            process.wait()
    print("".join(f"law: {law}\n" for law in laws), end="")
    return stored_table.compare("proxy", told) or bool(laws)


if __name__ == "__main__":
    sys.exit(main())
