"""A model that answers for the scenarios of claims.py, on the wires of OpenAI, Anthropic and Ollama.

    with Wires(scenario) as wires:
        place.run("make", ..., env=wires.environment("anthropic"))

A scenario is a function from (phase, number of the call in its phase, prompt) to a text, a value that is written as
JSON, or an HTTP status.
"""
import http.server
import json
import re
import socketserver
import threading

WIRES = ("openai", "anthropic", "ollama")


def phase_of(text):
    for words, phase in (("You plan", "plan"), ("You check", "judge"), ("Violations Found", "repair")):
        if words in text:
            return phase
    return "generate"


def fenced(text, name):
    """The texts of the data blocks whose name begins so, with their names."""
    return [(found[1], found[3]) for found in re.finditer(r"<<<(\S+) ([0-9a-f]{8,})\n(.*?)\n\2>>>", text, re.S)
            if found[1].startswith(name)]


def artifact_in(text):
    return json.loads(fenced(text, "artifact")[-1][1])


def passages_in(text):
    return [(int(name.split("-")[1]), words) for name, words in fenced(text, "chunk-")]


def asked_in(text):
    """The (rule, place) of each statement of a judge's prompt."""
    found, rule = [], None
    for line in text[text.index("Statements, each with the places to judge:"):].splitlines():
        named = re.match(r"- ([a-z-]+): ", line)
        rule = named.group(1) if named else rule
        places = re.match(r"  at (/\S+(?:, /\S+)*)$", line)
        found += [(rule, place) for place in places.group(1).split(", ")] if places else []
    return found


def at(value, pointer):
    for step in pointer.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def nearest(text, said):
    """The passage and sentence with most of the words."""
    wanted = {word.lower() for word in re.findall(r"\w{4,}|\d+", said)}
    best = (-1, 0, "")
    for number, passage in passages_in(text):
        for sentence in re.split(r"(?<=[.!?。])\s+|\n\n", passage):
            count = len(wanted & {word.lower() for word in re.findall(r"\w{4,}|\d+", sentence)})
            if len(sentence.strip()) > 15 and count > best[0]:
                best = (count, number, sentence.strip())
    return best[1:]


def honest_claims(text, said=lambda item: json.dumps(item, ensure_ascii=False)):
    """A claim that holds for each statement, with the sentence nearest to what is said."""
    artifact, claims = artifact_in(text), []
    for rule, place in asked_in(text):
        chunk, quote = nearest(text, said(at(artifact, place)))
        claims.append({"rule": rule, "at": place, "holds": True, "quote": quote, "chunk": chunk, "reason": None})
    return claims


def written(wire, answer, is_tool):
    """The body of an answer, not streamed."""
    if wire == "openai":
        return {"id": "1", "object": "chat.completion", "model": "test",
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}
    if wire == "anthropic":
        block = {"type": "text", "text": answer}
        if is_tool:
            block = {"type": "tool_use", "id": "t1", "name": is_tool, "input": json.loads(answer)}
        return {"id": "1", "type": "message", "role": "assistant", "model": "test", "content": [block],
                "stop_reason": "tool_use" if is_tool else "end_turn", "usage": {"input_tokens": 100, "output_tokens": 10}}
    return {"model": "test", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": answer},
            "done": True, "done_reason": "stop", "prompt_eval_count": 100, "eval_count": 10}


def streamed(wire, answer, tool):
    """The events of the same answer."""
    def event(value, name=None):
        return (f"event: {name}\n" if name else "") + f"data: {json.dumps(value)}\n\n"

    if wire == "openai":
        head = {"id": "1", "object": "chat.completion.chunk", "model": "test"}
        yield event({**head, "choices": [{"index": 0, "delta": {"content": answer}, "finish_reason": None}]})
        yield event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        yield event({**head, "choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}})
        yield "data: [DONE]\n\n"
    elif wire == "anthropic":
        usage = {"input_tokens": 100, "output_tokens": 1}
        block = {"type": "tool_use", "id": "t1", "name": tool, "input": {}} if tool else {"type": "text", "text": ""}
        delta = {"type": "input_json_delta", "partial_json": answer} if tool else {"type": "text_delta", "text": answer}
        for value in ({"type": "message_start", "message": {"id": "1", "type": "message", "role": "assistant",
                                                            "model": "test", "content": [], "stop_reason": None,
                                                            "usage": usage}},
                      {"type": "content_block_start", "index": 0, "content_block": block},
                      {"type": "content_block_delta", "index": 0, "delta": delta},
                      {"type": "content_block_stop", "index": 0},
                      {"type": "message_delta", "delta": {"stop_reason": "tool_use" if tool else "end_turn"},
                       "usage": {"output_tokens": 10}},
                      {"type": "message_stop"}):
            yield event(value, value["type"])
    else:
        whole = written(wire, answer, None)
        yield json.dumps({**whole, "done": False}) + "\n"
        yield json.dumps({**whole, "message": {"role": "assistant", "content": ""}}) + "\n"


class Wires:
    def __init__(self, scenario):
        self.calls = []
        wires = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                wires.answer(self, scenario)

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def environment(self, wire):
        return {"PLUMB_PROVIDER": f"{wire}/test", "OPENAI_BASE_URL": self.base + "/v1", "OPENAI_API_KEY": "sk-test",
                "ANTHROPIC_BASE_URL": self.base, "ANTHROPIC_API_KEY": "sk-test", "OLLAMA_HOST": self.base}

    def answer(self, handler, scenario):
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        wire = "anthropic" if "/messages" in handler.path else "ollama" if "/api/" in handler.path else "openai"
        parts = [body.get("system") or ""] + [message.get("content") or "" for message in body.get("messages", [])]
        text = "\n".join(part if isinstance(part, str) else "".join(one.get("text", "") for one in part)
                         for part in parts)
        phase = phase_of(text)
        answer = scenario(phase, self.calls.count(phase), text)
        self.calls.append(phase)
        status = answer if isinstance(answer, int) else 200
        if status != 200:
            return self.send(handler, status, "application/json", b'{"error":{"message":"refused","type":"error"}}')
        answer = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        tool = body["tools"][0]["name"] if wire == "anthropic" and body.get("tools") else None
        try:
            json.loads(answer)
        except ValueError:
            tool = None
        if not body.get("stream", wire == "ollama"):
            return self.send(handler, 200, "application/json", json.dumps(written(wire, answer, tool)).encode())
        kind = "application/x-ndjson" if wire == "ollama" else "text/event-stream"
        return self.send(handler, 200, kind, "".join(streamed(wire, answer, tool)).encode())

    @staticmethod
    def send(handler, status, kind, data):
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)
