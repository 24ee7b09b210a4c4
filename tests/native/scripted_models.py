"""An upstream that speaks OpenAI's chat completions on loopback, for tests of the server: each phase of the artifact
pipeline gets the answer that the test gives it, and waits at a gate while the test holds it shut.

    with Models(quiz=GOOD_QUIZ) as models:
        models.shut("judge")            # the next judge call waits
        ...
        models.open("judge")
        models.calls                    # ["plan", "generate", "judge"], in the order in which they came
"""
import http.server
import json
import re
import socketserver
import threading
import time

SOURCE = (
    "Photosynthesis is the process by which plants convert light energy into chemical energy stored in glucose. "
    "Photosynthesis occurs in chloroplasts. Chloroplasts contain chlorophyll, a green pigment that absorbs light. "
    "Plants take up water with their roots and carbon dioxide through their leaves."
)
PLAN = {"concepts": ["photosynthesis process", "chloroplast function"]}
GOOD_QUIZ = {
    "questions": [
        {
            "question": "Where does photosynthesis occur?",
            "options": ["Mitochondria", "Chloroplasts", "Nucleus", "Cell wall"],
            "correct_answer": "Chloroplasts",
            "explanation": "Photosynthesis occurs in chloroplasts.",
        }
    ]
}
BAD_QUIZ = {
    "questions": [
        {
            "question": "Where does photosynthesis occur?",
            "options": ["Mitochondria", "Chloroplasts", "Nucleus"],
            "correct_answer": "Chloroplasts",
            "explanation": "Photosynthesis occurs in chloroplasts.",
        }
    ]
}


def phase_of(text):
    for words, phase in (("You plan", "plan"), ("You check", "judge"), ("Violations Found", "repair")):
        if words in text:
            return phase
    return "generate"


def claims(text):
    """A claim that holds for each statement and place of a judge's prompt, with a quote of the source."""
    asked = text[text.index("Statements, each with the places to judge:"):]
    artifact = re.search(r"<<<artifact ([0-9a-f]+)\n(.*?)\n\1>>>", text, re.S)
    artifact = json.loads(artifact.group(2)) if artifact else {}
    found = []
    rule = None
    for line in asked.splitlines():
        named = re.match(r"- ([a-z-]+): ", line)
        if named:
            rule = named.group(1)
        places = re.match(r"  at (/\S+(?:, /\S+)*)$", line)
        for place in places.group(1).split(", ") if places else []:
            quote = "Photosynthesis occurs in chloroplasts."
            if rule == "answer-correct" and place.startswith("/questions/"):
                answer = artifact["questions"][int(place.split("/")[2])]["correct_answer"]
                quote = next((line for line in text.splitlines() if line.endswith(f"chloroplasts: {answer}")), quote)
            found.append({"rule": rule, "at": place, "quote": quote, "chunk": 0, "reason": None, "holds": True})
    return {"claims": found}


class Models:
    def __init__(self, quiz=None, repaired=None):
        self.answers = {"plan": PLAN, "generate": quiz or GOOD_QUIZ, "repair": repaired or GOOD_QUIZ}
        self.calls = []
        self.prompts = []
        self.changed = threading.Condition()
        self.gates = {}
        self.pieces = 20
        self.pause = 0  # seconds between pieces
        self.stall = 0  # seconds before the last piece
        self.judge = claims  # what a judge's prompt is answered with
        self.refuses = {}  # phase: the HTTP status that its calls are refused with
        models = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                try:
                    models.answer(self)
                except (ConnectionError, OSError):
                    self.close_connection = True

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for phase in list(self.gates):
            self.open(phase)
        self.server.shutdown()
        self.server.server_close()

    def environment(self):
        return {"PLUMB_PROVIDER": "openai/test", "OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": "sk-test-0123456789"}

    def shut(self, phase):
        self.gates[phase] = threading.Event()

    def open(self, phase):
        self.gates[phase].set()

    def wait_for(self, phase, count=1, seconds=60):
        """Until that many calls of a phase have come."""
        with self.changed:
            came = self.changed.wait_for(lambda: self.calls.count(phase) >= count, seconds)
        assert came, f"{self.calls} has fewer than {count} calls of {phase}"

    def answer(self, handler):
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        text = "\n".join(message["content"] for message in body["messages"])
        phase = phase_of(text)
        with self.changed:
            self.calls.append(phase)
            self.prompts.append(text)
            self.changed.notify_all()
        if phase in self.gates:
            self.gates[phase].wait(120)
        if phase in self.refuses:
            handler.send_response(self.refuses[phase])
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        answer = self.answers.get(phase) or self.judge(text)
        answer = answer if isinstance(answer, str) else json.dumps(answer)
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        if not body.get("stream"):
            data = json.dumps({
                "id": "1", "object": "chat.completion", "model": "test", "usage": usage,
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}],
            }).encode()
            handler.send_response(200)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            handler.wfile.write(data)
            return
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.close_connection = True

        def send(choices, **more):
            event = {"id": "1", "object": "chat.completion.chunk", "model": "test", "choices": choices, **more}
            handler.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
            handler.wfile.flush()

        for at in range(0, len(answer), self.pieces):
            if self.pause:
                time.sleep(self.pause)
            if self.stall and at + self.pieces >= len(answer):
                time.sleep(self.stall)
            send([{"index": 0, "delta": {"content": answer[at:at + self.pieces]}, "finish_reason": None}])
        send([{"index": 0, "delta": {}, "finish_reason": "stop"}])
        send([], usage=usage)
        handler.wfile.write(b"data: [DONE]\n\n")
