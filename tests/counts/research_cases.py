"""Documents, questions and what a provider says of them, for research.py. Written for it: no document is anybody else's."""

DOCUMENTS = {
    "lamp/lamp.md": (
        "# Harbour lamp\n\n"
        "The harbour lamp was lit for the first time in 1887. Ines Coelho designed the lens. The tower has 214 steps. "
        "The lens weighs 2,400 kg.\n\n"
        "## Maintenance\n\n"
        "The lens is cleaned every 14 days. The motor is oiled with whale-free grease because the old grease froze in winter.\n"),
    "ferry/ferry.md": (
        "# Ferry to Sandholm\n\n"
        "The ferry carries 36 cars. It crosses the sound in 25 minutes. The ferry was built in Gdynia in 1996. "
        "Captain Jonas Lind retired in 2015.\n\n"
        "## Tickets\n\n"
        "A ticket costs 9 euros. Children under 6 travel free.\n"),
    "tool/vaultsync.md": (
        "# vaultsync\n\n"
        "The program vaultsync copies folders to a remote store. The option `--prune` deletes old copies. "
        "Its settings are kept in the file `/etc/vaultsync.conf`. It returns exit code 7 when the store is full. "
        "The variable VAULTSYNC_KEY holds the key. The command `vaultsync-verify` checks every copy.\n\n"
        "## Archives\n\n"
        "To restore a folder, run `vaultsync restore FOLDER`. Archives are compressed with zstd.\n"),
    "jaguar/cat.md": (
        "# Jaguar (animal)\n\n"
        "The jaguar is a large cat of the Americas. An adult jaguar weighs 56 to 96 kg. It was drawn by Albrecht Rosen.\n"),
    "jaguar/car.md": (
        "# Jaguar (cars)\n\n"
        "Jaguar was founded in 1922 in Blackpool. The Jaguar E-Type has a top speed of 241 km/h.\n"),
    "turm/turm.md": (
        "# Leuchtturm Norderoog\n\n"
        "Der Leuchtturm wurde im Jahr 1907 gebaut. Er hat 142 Stufen. Die Lampe wurde von Karl Henning entworfen. "
        "Der Turm wurde verlassen, weil die Fundamente nachgaben.\n"),
    "phare/phare.md": (
        "# Phare de Kerbraz\n\n"
        "Le phare a \u00e9t\u00e9 construit en 1863. Il compte 201 marches. La lanterne a \u00e9t\u00e9 dessin\u00e9e par Yves Morvan.\n"),
    "bridge/qiao.md": (
        "# \u9752\u77f3\u6865\n\n"
        "\u9752\u77f3\u6865\u5efa\u4e8e1742\u5e74\u3002\u9752\u77f3\u6865\u957f86\u7c73\u3002\u9752\u77f3\u6865\u7531\u5de5\u5320\u674e\u6587\u8bbe\u8ba1\u3002\n"),
    "todai/todai.md": (
        "# \u767d\u6d5c\u706f\u53f0\n\n"
        "\u767d\u6d5c\u706f\u53f0\u306f1925\u5e74\u306b\u5efa\u3066\u3089\u308c\u305f\u3002\u767d\u6d5c\u706f\u53f0\u306e\u9ad8\u3055\u306f31\u30e1\u30fc\u30c8\u30eb\u3067\u3042\u308b\u3002\n"),
}

STEPS = "The tower has 214 steps."
LIT = "The harbour lamp was lit for the first time in 1887."
LENS = "Ines Coelho designed the lens."
HEAVY = "The lens weighs 2,400 kg."
CLEANED = "The lens is cleaned every 14 days."
GREASE = "The motor is oiled with whale-free grease because the old grease froze in winter."
CARS = "The ferry carries 36 cars."
SOUND = "It crosses the sound in 25 minutes."
BUILT = "The ferry was built in Gdynia in 1996."
LIND = "Captain Jonas Lind retired in 2015."
TICKET = "A ticket costs 9 euros."
COPIES = "The program vaultsync copies folders to a remote store."
PRUNE = "The option `--prune` deletes old copies."
SETTINGS = "Its settings are kept in the file `/etc/vaultsync.conf`."
FULL = "It returns exit code 7 when the store is full."
KEY = "The variable VAULTSYNC_KEY holds the key."
VERIFY = "The command `vaultsync-verify` checks every copy."
RESTORE = "To restore a folder, run `vaultsync restore FOLDER`."
ZSTD = "Archives are compressed with zstd."
CAT = "The jaguar is a large cat of the Americas."
KILOS = "An adult jaguar weighs 56 to 96 kg."
DRAWN = "It was drawn by Albrecht Rosen."
FOUNDED = "Jaguar was founded in 1922 in Blackpool."
SPEED = "The Jaguar E-Type has a top speed of 241 km/h."
TURM = "Der Leuchtturm wurde im Jahr 1907 gebaut."
STUFEN = "Er hat 142 Stufen."
LAMPE = "Die Lampe wurde von Karl Henning entworfen."
GRUND = "Der Turm wurde verlassen, weil die Fundamente nachgaben."
PHARE = "Le phare a \u00e9t\u00e9 construit en 1863."
MARCHES = "Il compte 201 marches."
LANTERNE = "La lanterne a \u00e9t\u00e9 dessin\u00e9e par Yves Morvan."
QIAO = "\u9752\u77f3\u6865\u5efa\u4e8e1742\u5e74\u3002"
CHANG = "\u9752\u77f3\u6865\u957f86\u7c73\u3002"
TODAI = "\u767d\u6d5c\u706f\u53f0\u306f1925\u5e74\u306b\u5efa\u3066\u3089\u308c\u305f\u3002"
TAKASA = "\u767d\u6d5c\u706f\u53f0\u306e\u9ad8\u3055\u306f31\u30e1\u30fc\u30c8\u30eb\u3067\u3042\u308b\u3002"

SOURCE = "The answer is stated with at least one source that it is quoted from."

# Name, question, what is quoted, success criterion. The quote answers the question.
ANSWERABLE = [
    ("steps", "How many steps does the tower of the harbour lamp have?", STEPS, SOURCE),
    ("steps, own criterion", "How many steps does the tower of the harbour lamp have?", STEPS,
     "The number of steps is stated with its source."),
    ("lit", "When was the harbour lamp lit for the first time?", LIT, SOURCE),
    ("lit, own criterion", "When was the harbour lamp lit for the first time?", LIT, "The year is quoted from one source."),
    ("designer", "Who designed the lens of the harbour lamp?", LENS, SOURCE),
    ("weight of the lens", "How much does the lens of the harbour lamp weigh?", HEAVY, SOURCE),
    ("cleaning", "How often is the lens of the harbour lamp cleaned?", CLEANED, SOURCE),
    ("reason", "Why is the motor of the harbour lamp oiled with whale-free grease?", GREASE, SOURCE),
    ("cars", "How many cars does the ferry to Sandholm carry?", CARS, SOURCE),
    ("crossing", "How many minutes does the ferry to Sandholm need to cross the sound?", SOUND, SOURCE),
    ("crossing, duration", "How long does the ferry to Sandholm take to cross the sound?", SOUND, SOURCE),
    ("year of building", "In which year was the ferry to Sandholm built?", BUILT, SOURCE),
    ("place of building", "Where was the ferry to Sandholm built?", BUILT, SOURCE),
    ("ticket", "How much does a ticket for the ferry to Sandholm cost?", TICKET, SOURCE),
    ("retired", "When did Captain Jonas Lind retire?", LIND, SOURCE),
    ("option", "Which option of vaultsync deletes old copies?", PRUNE, SOURCE),
    ("option, own criterion", "Which option of vaultsync deletes old copies?", PRUNE,
     "The option is named and quoted from its documentation."),
    ("settings", "Which file keeps the settings of vaultsync?", SETTINGS, SOURCE),
    ("exit code", "What exit code does vaultsync return when the store is full?", FULL, SOURCE),
    ("variable", "Which variable holds the key of vaultsync?", KEY, SOURCE),
    ("command", "Which command of vaultsync checks every copy?", VERIFY, SOURCE),
    ("manner", "How do I restore a folder with vaultsync?", RESTORE, SOURCE),
    ("what happens", "What happens when the store of vaultsync is full?", FULL, SOURCE),
    ("yes or no", "Are archives of vaultsync compressed with zstd?", ZSTD, SOURCE),
    ("weight of the animal", "How much does an adult jaguar weigh?", KILOS, SOURCE),
    ("founded", "When was Jaguar founded?", FOUNDED, SOURCE),
    ("top speed", "What is the top speed of the Jaguar E-Type?", SPEED, SOURCE),
    ("what it is", "What is a jaguar?", CAT, SOURCE),
    ("Stufen", "Wie viele Stufen hat der Leuchtturm Norderoog?", STUFEN, SOURCE),
    ("gebaut", "Wann wurde der Leuchtturm Norderoog gebaut?", TURM, SOURCE),
    ("entworfen", "Von wem wurde die Lampe im Leuchtturm Norderoog entworfen?", LAMPE, SOURCE),
    ("weil", "Warum wurde der Turm auf Norderoog verlassen?", GRUND, SOURCE),
    ("marches", "Combien de marches compte le phare de Kerbraz ?", MARCHES, SOURCE),
    ("construit", "Quand le phare de Kerbraz a-t-il \u00e9t\u00e9 construit ?", PHARE, SOURCE),
    ("hanzi, year", "\u9752\u77f3\u6865\u5efa\u4e8e\u54ea\u4e00\u5e74\uff1f", QIAO, SOURCE),
    ("hanzi, length", "\u9752\u77f3\u6865\u957f\u591a\u5c11\u7c73\uff1f", CHANG, SOURCE),
    ("kana, height", "\u767d\u6d5c\u706f\u53f0\u306e\u9ad8\u3055\u306f\u4f55\u30e1\u30fc\u30c8\u30eb\u3067\u3059\u304b\uff1f", TAKASA, SOURCE),
]

# The quote is true and near, and does not answer the question: no document does.
UNANSWERABLE = [
    ("other thing counted", "How many windows does the tower of the harbour lamp have?", STEPS, SOURCE),
    ("other thing counted, own criterion", "How many windows does the tower of the harbour lamp have?", STEPS,
     "The number of windows is stated with its source."),
    ("criterion asks for more", "How many steps does the tower of the harbour lamp have?", STEPS,
     "The height of the tower in metres is stated."),
    ("two sources asked for", "How many steps does the tower of the harbour lamp have?", STEPS,
     "The number of steps is stated by at least two sources."),
    ("other event", "When was the harbour lamp closed?", LIT, SOURCE),
    ("other act", "Who repaired the lens of the harbour lamp?", LENS, SOURCE),
    ("other part weighed", "How much does the tower of the harbour lamp weigh?", HEAVY, SOURCE),
    ("other duration", "How long does the ferry to Sandholm take to refuel?", SOUND, SOURCE),
    ("other load", "How many passengers does the ferry to Sandholm carry?", CARS, SOURCE),
    ("joined, not retired", "When did Captain Jonas Lind join the crew?", LIND, SOURCE),
    ("other ticket", "How much does a ticket for a dog cost on the ferry to Sandholm?", TICKET, SOURCE),
    ("other option", "Which option of vaultsync encrypts the copies?", PRUNE, SOURCE),
    ("other file", "In which file does vaultsync keep its logs?", SETTINGS, SOURCE),
    ("no name at all", "Who wrote the program vaultsync?", COPIES, SOURCE),
    ("other condition", "What exit code does vaultsync return when the network is down?", FULL, SOURCE),
    ("same name, other thing", "How much does the Jaguar E-Type weigh?", KILOS, SOURCE),
    ("same name, other founder", "When was the jaguar named by zoologists?", FOUNDED, SOURCE),
    ("other reason", "Why was the motor of the harbour lamp replaced?", GREASE, SOURCE),
    ("no reason", "Why did Captain Jonas Lind retire?", LIND, SOURCE),
    ("no manner", "How did Ines Coelho design the lens of the harbour lamp?", LENS, SOURCE),
    ("other manner", "How do I encrypt a folder with vaultsync?", RESTORE, SOURCE),
    ("no number", "How many folders does the program vaultsync copy?", COPIES, SOURCE),
    ("no date", "When was the option prune of vaultsync added?", PRUNE, SOURCE),
    ("number of other kind", "What is the average speed of the ferry to Sandholm?", SOUND, SOURCE),
    ("yes or no of other", "Is the harbour lamp open to visitors?", STEPS, SOURCE),
    ("other place", "Where was the harbour lamp built?", BUILT, SOURCE),
    ("other subject drawn", "Who drew the harbour lamp?", DRAWN, SOURCE),
    ("quotes a heading", "Who owns the ferry to Sandholm?", "Ferry to Sandholm", SOURCE),
    ("quotes nothing there", "How many cabins does the ferry to Sandholm have?", "The ferry has 36 cabins.", SOURCE),
    ("what happens of other", "What happens when the store of vaultsync is deleted?", FULL, SOURCE),
    ("other thing built", "When was the bridge to Sandholm built?", BUILT, SOURCE),
    ("other command", "Which command of vaultsync lists every copy?", VERIFY, SOURCE),
    ("Fenster", "Wie viele Fenster hat der Leuchtturm Norderoog?", STUFEN, SOURCE),
    ("geschlossen", "Wann wurde der Leuchtturm Norderoog abgerissen?", TURM, SOURCE),
    ("repariert", "Wer hat die Lampe im Leuchtturm Norderoog repariert?", LAMPE, SOURCE),
    ("kein Grund", "Warum wurde der Leuchtturm Norderoog gebaut?", TURM, SOURCE),
    ("fen\u00eatres", "Combien de fen\u00eatres compte le phare de Kerbraz ?", MARCHES, SOURCE),
    ("d\u00e9truit", "Quand le phare de Kerbraz a-t-il \u00e9t\u00e9 d\u00e9truit ?", PHARE, SOURCE),
    ("hanzi, width", "\u9752\u77f3\u6865\u5bbd\u591a\u5c11\u7c73\uff1f", CHANG, SOURCE),
    ("hanzi, repaired", "\u9752\u77f3\u6865\u91cd\u4fee\u4e8e\u54ea\u4e00\u5e74\uff1f", QIAO, SOURCE),
    ("kana, reach", "\u767d\u6d5c\u706f\u53f0\u306e\u5149\u9054\u8ddd\u96e2\u306f\u4f55\u30e1\u30fc\u30c8\u30eb\u3067\u3059\u304b\uff1f", TAKASA, SOURCE),
    ("windows, German source", "How many windows does the Norderoog lighthouse have?", STUFEN, SOURCE),
    ("demolished, French source", "When was the Kerbraz lighthouse demolished?", PHARE, SOURCE),
]

# The quote answers the question, in words or a language from which that cannot be told.
BEYOND = [
    ("steps, German source", "How many steps does the Norderoog lighthouse have?", STUFEN, SOURCE),
    ("built, French source", "When was the Kerbraz lighthouse built?", PHARE, SOURCE),
    ("other words", "What is the fare of the ferry to Sandholm?", TICKET, SOURCE),
    ("class of the answer", "Which compression algorithm do archives of vaultsync use?", ZSTD, SOURCE),
]

# What an author breaks, and how: the question is one that the documents answer.
BROKEN = [
    ("description", {"description": "It is of interest."}),
    ("goal", {"goal": "More information."}),
    ("question", {"question": "harbour lamp AND tower AND steps"}),
    ("one question of two", {"second": "harbour lamp AND tower AND steps"}),
    ("query", {"query": "tower steps harbour lamp site:lamp"}),
    ("reasoning", {"reasoning": "Something is missing."}),
    ("no plan at all", {"plan": "I would rather not."}),
]
