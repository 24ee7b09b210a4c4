"""Texts in twelve scripts, cut to any number of code points, and artifacts made of them: for tests of what is handed over."""
PHRASES = {
    "ascii": "the green plants turn light and water into sugar ",
    "latin": "é ü ñ ç œuvre, naïve cafés \u0065\u0301\u0301 a\u030a où Köln liegt ",
    "greek": "τα πράσινα φυτά μετατρέπουν το φως σε γλυκόζη ",
    "russian": "зелёные растения превращают свет в глюкозу ",
    "hebrew": "הצמחים הירוקים הופכים אור לסוכר ",
    "arabic": "تحوّل النباتات الخضراء الضوء إلى سكر ",
    "hindi": "हरे पौधे प्रकाश को ग्लूकोज़ में बदलते हैं ",
    "thai": "พืชสีเขียวเปลี่ยนแสงเป็นน้ำตาล ",
    "korean": "녹색 식물은 빛을 포도당으로 바꾼다 ",
    "chinese": "绿色植物利用光能把二氧化碳和水合成有机物并释放氧气，",
    "japanese": "緑色植物は光エネルギーを使ってグルコースをつくる。",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈👍🏽❤️‍🔥🧑🏿‍🚀 ",
}


def text_of(script, code_points, number=0):
    """So many code points of the script's phrase, which differ by number, without a blank at either end."""
    phrase = PHRASES[script]
    head = f"{number}·" if script != "ascii" else f"{number}-"
    text = (head + phrase * (code_points // len(phrase) + 1))[:code_points]
    return text[:-1] + "." if text.endswith(" ") else text


def quiz_of(script, lengths):
    """A quiz whose options have these lengths together, one question for each."""
    questions = []
    for n, length in enumerate(lengths):
        each = [length // 4 + (1 if i < length % 4 else 0) for i in range(4)]
        options = [text_of(script, each[i], i) for i in range(4)]
        questions.append({"question": text_of(script, 40 + 2 * n) + "?", "options": options, "correct_answer": options[2],
                          "explanation": "Photosynthesis occurs in chloroplasts: " + text_of(script, 20)})
    return {"questions": questions}


def source_of(source, quiz):
    """The source with a passage that holds each question and each answer."""
    return source + "".join(f"\n\n{one['question']}\n\nPhotosynthesis occurs in chloroplasts: {one['correct_answer']}"
                            for one in quiz["questions"])
