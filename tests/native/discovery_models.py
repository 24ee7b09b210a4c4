"""An upstream that speaks OpenAI's chat completions on loopback for runs of discovery. Who is asked is told by the schema
of the request alone, and what is answered is made of the ids and words in the prompt, unless a test says otherwise:

    with Models(rank=lambda prompt, time: (500, "{}")) as models:
        ...
        models.calls                    # ["explore", "frame", ...], in the order in which they came

An answer is an object, a text, or (status, body).
"""
import http.server
import json
import re
import socketserver
import threading

# What the schema of each part wants, and nobody else's.
ASKED_FOR = {"findings": "explore", "briefs": "frame", "proposed_solution": "propose", "user_impact_level": "experience",
             "feasibility_assessment": "assess", "overall_risk_level": "risk", "assessment": "challenge",
             "rankings": "rank", "rejected_items": "validate", "items": "revise"}


def fenced(prompt, name):
    found = re.search(rf"<<<{name} (\w+)\n(.*?)\n\1>>>", prompt, re.S)
    return found.group(2) if found else ""


def explore(prompt, _):
    units = re.findall(r"^\[([^\]\n]+)\][^\n]*\n(.*)$", fenced(prompt, "units"), re.M)
    return {"findings": [
        {"pattern_name": " ".join(text.split()[:3]), "description": text, "severity_assessment": "high",
         "affected_users_estimate": "some", "evidence": [id], "confidence": "medium"} for id, text in units[:3]]}


def frame(prompt, _):
    return {"briefs": [
        {"problem_statement": one["description"], "counterfactual": "Fewer people write about it.",
         "affected_area": one["pattern_name"], "source_findings": [one["id"]]}
        for one in json.loads(fenced(prompt, "findings"))]}


def propose(_, time):
    return {"proposed_solution": f"Mend it, try {time}.", "success_metrics": "Complaints: 9 a week, then 3.",
            "build_experiment_decision": "build_direct"}


def rank(prompt, _):
    ids = [one["opportunity_id"] for one in json.loads(fenced(prompt, "packages"))]
    return {"rankings": [{"opportunity_id": id, "rationale": "as it stands"} for id in ids]}


ANSWERS = {
    "explore": explore, "frame": frame, "propose": propose, "rank": rank,
    "challenge": lambda *_: {"assessment": "approve", "critique": "Good enough to try."},
    "experience": lambda *_: {"user_impact_level": "high", "notes": "They notice it."},
    "assess": lambda *_: {"feasibility_assessment": "feasible", "approach": "Change it.", "effort_estimate": "2 days, sure",
                          "dependencies": "none", "acceptance_criteria": "It works.", "constraints": "none"},
    "risk": lambda *_: {"overall_risk_level": "low",
                        "risks": [{"description": "It breaks.", "severity": "low", "mitigation": "A test."}]},
    "validate": lambda *_: {"accepted_items": [], "rejected_items": []},
    "revise": lambda prompt, _: {"items": [json.loads(fenced(prompt, "item"))]},
}


def part_of(request):
    wanted = json.dumps(request.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties", {}))
    members = json.loads(wanted)
    for member, part in ASKED_FOR.items():
        if member in members:
            return part
    raise AssertionError(f"nobody knows who is asked: {wanted[:300]}")


class Models:
    def __init__(self, **answers):
        self.answers = {**ANSWERS, **answers}
        self.calls = []
        self.prompts = []
        self.lock = threading.Lock()
        models = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                try:
                    models.answer(self, request)
                except ConnectionError:
                    self.close_connection = True

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True
            request_queue_size = 128

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def environment(self):
        return {"PLUMB_PROVIDER": "openai/test", "OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": "sk-test-0123456789"}

    def answer(self, handler, request):
        prompt = "".join(message["content"] for message in request["messages"])
        part = part_of(request)
        with self.lock:
            self.calls.append(part)
            self.prompts.append(prompt)
            said = self.answers[part](prompt, self.calls.count(part))
        status, body = said if isinstance(said, tuple) else (200, self.chunks(said) if request.get("stream") else self.whole(said))
        handler.send_response(status)
        handler.send_header("content-type", "text/event-stream" if status == 200 and request.get("stream") else "application/json")
        handler.send_header("content-length", str(len(body.encode())))
        handler.end_headers()
        handler.wfile.write(body.encode())

    @staticmethod
    def text(said):
        return said if isinstance(said, str) else json.dumps(said)

    def whole(self, said):
        return json.dumps({"id": "c", "object": "chat.completion", "model": "test", "choices": [
            {"index": 0, "message": {"role": "assistant", "content": self.text(said)}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}})

    def chunks(self, said):
        piece = {"id": "c", "object": "chat.completion.chunk", "model": "test"}
        parts = [{**piece, "choices": [{"index": 0, "delta": {"role": "assistant", "content": self.text(said)}}]},
                 {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
                 {**piece, "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}]
        return "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"
