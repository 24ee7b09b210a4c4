"""A provider that speaks OpenAI's chat completions, Anthropic's messages and Ollama's chat, and holds its answers to the schema that
it is sent, as far as the real interface does:

    OpenAI      response_format with strict: true; a JSON object for json_object; otherwise nothing
    Anthropic   a tool with strict: true; otherwise any object as a tool's input
    Ollama      every `format`; an object with named properties has no others, unless additionalProperties says so

    with Provider(judge, revised) as provider: place.run(..., env=provider.environment())

judge(items) gives the answer to a validation, revised(item, times) the list of a revision: `times` counts from 1 for each item. Without
`revised` every call fails.
"""
import http.server
import json
import re
import socketserver
import threading

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float), "null": type(None)}


def is_kind(value, kind):
    if isinstance(value, bool) and kind in ("integer", "number"):
        return False
    return isinstance(value, KINDS[kind])


def resolved(schema, root):
    for _ in range(50):
        if not isinstance(schema, dict) or "$ref" not in schema:
            break
        found = root
        for step in schema["$ref"].lstrip("#").split("/")[1:]:
            found = found[step.replace("~1", "/").replace("~0", "~")]
        schema = found
    return schema


def closed(schema, wire):
    if "additionalProperties" in schema:
        return schema["additionalProperties"] is False
    return wire == "ollama" and "properties" in schema


def conform(value, schema, root, wire):
    """The value as a model would have to write it under this grammar: as it is wherever that is allowed."""
    schema = resolved(schema, root)
    if schema is True or not schema:
        return value
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        for branch in branches:
            if conform(value, branch, root, wire) == value:
                return value
        kinds = [one for one in branches if any(is_kind(value, kind) for kind in kinds_of(resolved(one, root)))]
        return conform(value, (kinds or branches)[0], root, wire)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return value if value in schema["enum"] else schema["enum"][0]
    kinds = kinds_of(schema)
    if not kinds:
        return value
    kind = next((one for one in kinds if is_kind(value, one)), kinds[0])
    if kind == "object":
        return conform_object(value if isinstance(value, dict) else {}, schema, root, wire)
    if kind == "array":
        items = [conform(one, schema.get("items", {}), root, wire) for one in (value if isinstance(value, list) else [])]
        while len(items) < schema.get("minItems", 0):
            items.append(conform(None, schema.get("items", {}), root, wire))
        return items[:schema.get("maxItems", len(items))]
    if is_kind(value, kind):
        return value
    return {"string": "" if value is None else json.dumps(value), "integer": 0, "number": 0, "boolean": False, "null": None}[kind]


def kinds_of(schema):
    said = schema.get("type", ["object"] if "properties" in schema else [])
    return said if isinstance(said, list) else [said]


def conform_object(value, schema, root, wire):
    out = {}
    for name, one in schema.get("properties", {}).items():
        if name in value or name in schema.get("required", []):
            out[name] = conform(value.get(name), one, root, wire)
    extra = schema.get("additionalProperties", True)
    for name in value if not closed(schema, wire) else []:
        if name not in out:
            out[name] = conform(value[name], extra, root, wire)
    return out


def fenced(text, label):
    """What stands in the prompt's fence of this name."""
    found = re.search(r"<<<" + label + r" (\S+)\n(.*?)\n\1>>>", text, re.S)
    return found.group(2) if found else ""


class Provider:
    def __init__(self, judge, revised):
        self.schemas = []  # (wire, phase, schema or None, held to it)
        self.times = {}
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                wire = "anthropic" if self.path.endswith("/messages") else "ollama" if self.path.endswith("/chat") else "openai"
                text = "\n".join(str(one["content"]) if isinstance(one["content"], str) else "".join(part.get("text", "") for part in one["content"])
                                 for one in body["messages"])
                if revised is None:
                    return self.send(401, "application/json", json.dumps({"error": {"type": "auth", "message": "no such key"}}))
                schema, held = provider.schema_of(wire, body)
                if "sent one item of yours back" in text + str(body.get("system", "")):
                    item = json.loads(fenced(text, "item"))
                    told = re.search(r"Your \S+ ([\d.]+)", text).group(1)
                    provider.times[told] = provider.times.get(told, 0) + 1
                    said = {"items": revised(item, provider.times[told])}
                    phase = "revise"
                else:
                    said = judge([json.loads(line) for line in fenced(text, "items").splitlines()])
                    phase = "validate"
                provider.schemas.append((wire, phase, schema, held))
                if held:
                    said = conform(said, schema, schema, wire)
                return self.answer(wire, said, (body.get("tools") or [{}])[0].get("name"))

            def answer(self, wire, said, tool):
                usage = {"input_tokens": 20, "output_tokens": 10}
                if wire == "ollama":
                    line = {"model": "m", "message": {"role": "assistant", "content": json.dumps(said)}, "done": True, "done_reason": "stop",
                            "prompt_eval_count": 20, "eval_count": 10}
                    return self.send(200, "application/x-ndjson", json.dumps(line) + "\n")
                if wire == "openai":
                    piece = {"choices": [{"index": 0, "delta": {"content": json.dumps(said)}, "finish_reason": "stop"}],
                             "usage": {"prompt_tokens": 20, "completion_tokens": 10}}
                    return self.send(200, "text/event-stream", "data: " + json.dumps(piece) + "\n\ndata: [DONE]\n\n")
                block = {"type": "tool_use", "id": "t", "name": tool, "input": {}} if tool else {"type": "text", "text": ""}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(said)} if tool else {"type": "text_delta", "text": json.dumps(said)}
                events = [{"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],
                                                                "stop_reason": None, "usage": usage}},
                          {"type": "content_block_start", "index": 0, "content_block": block},
                          {"type": "content_block_delta", "index": 0, "delta": delta}, {"type": "content_block_stop", "index": 0},
                          {"type": "message_delta", "delta": {"stop_reason": "tool_use" if tool else "end_turn"}, "usage": {"output_tokens": 10}},
                          {"type": "message_stop"}]
                return self.send(200, "text/event-stream", "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events))

            def send(self, status, kind, text):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True
            request_queue_size = 64

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @staticmethod
    def schema_of(wire, body):
        """The schema of the answer, and whether the interface holds a model to it."""
        if wire == "openai":
            said = body.get("response_format", {}).get("json_schema", {})
            return said.get("schema"), bool(said.get("strict"))
        if wire == "ollama":
            schema = body.get("format")
            return (schema, True) if isinstance(schema, dict) else (None, False)
        tools = body.get("tools") or [{}]
        return tools[0].get("input_schema"), bool(tools[0].get("strict"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def environment(self):
        base = f"http://127.0.0.1:{self.server.server_port}"
        return {"OPENAI_BASE_URL": base + "/v1", "OPENAI_API_KEY": "k", "ANTHROPIC_BASE_URL": base, "ANTHROPIC_API_KEY": "k",
                "OLLAMA_HOST": base}
