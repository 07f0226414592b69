"""The tables of pins and parts, and the list of which leg goes into which hole."""

from circuit import DISPLAYS, Circuit
from panel import Panel


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def pin_table(pins, variant):
    """Buttons and outputs of a variant, in the order of the file."""
    placed = {role: part["part"] for part in pins.variants[variant]["parts"] for role in pins.roles(part)}
    lines = [row("button or output", "BCM", "pin", "part", "value"), "|---|---|---|---|---|"]
    for role, line in pins.lines.items():
        if role in placed:
            lines.append(row(role, line["bcm"], line["pin"], *pins.parts[placed[role]]["table"]))
    for supply in pins.variants[variant]["supplies"].values():
        rail = "common ground" if supply == "ground" else "supply of the buzzer" if supply == "five" else "supply"
        lines.append(row(rail, "", pins.supplies[supply]["pin"], pins.supplies[supply]["name"], "—"))
    return "\n".join(lines)


def parts(pins):
    """(part, value) → variant → (how many, for what)."""
    found = {}
    for name, variant in pins.variants.items():
        circuit = Circuit(pins, name)
        board_wires = sum(piece.kind == "wire" for piece in circuit.pieces)
        modules, displays, jacks, midi = ([piece for piece in circuit.pieces if piece.kind in kinds] for kinds in (
            ("module",), DISPLAYS, ("jack", "jack_ring"), ("socket",)))
        sockets = len(circuit.feeds + circuit.loose) + sum(len(piece.legs) for piece in modules + displays)
        to_sockets = ["Raspberry Pi to breadboard", *("buzzer module to breadboard" for _ in modules)]
        to_sockets += ["display to breadboard"] if displays else []
        counted = dict(pins.components(name))
        if name == "panel":
            counted |= Panel().extras()
        if "card" in variant:
            counted[variant["card"]["name"], "—"] = (1, ["clicks"])
        counted["breadboard", "400 holes"] = (1, ["all"])
        counted["jumper wire", "socket to pin"] = (sockets, to_sockets)
        counted["jumper wire", "pin to pin"] = (board_wires, ["on the breadboard"])
        loads = [piece for piece in circuit.pieces if piece.kind in ("lamp", "solenoid", "strip", "motor")]
        ends = [hole for piece in loads for _, hole in piece.legs if hole.row != "*"]
        bare = sum(len(piece.legs) for piece in jacks + midi) + len(ends) + len(circuit.loose)
        if bare:
            what = "jacks" if jacks else loads[0].value if loads else "sockets"
            counted["jumper wire", "pin to bare end"] = (bare, [f"{what} to breadboard"])
        for key, what in counted.items():
            found.setdefault(key, {})[name] = what
    return dict(sorted(found.items(), key=lambda item: item[0][0] in ("breadboard", "jumper wire")))


def parts_table(pins):
    lines = [row("part", "value", *pins.variants), "|---|---|" + "---|" * len(pins.variants)]
    for (part, value), counts in parts(pins).items():
        lines.append(row(part, value, *(counts[name][0] if name in counts else "" for name in pins.variants)))
    return "\n".join(lines)


def parts_list(pins):
    """The same for a spreadsheet: tab-separated."""
    lines = ["\t".join(["variant", "quantity", "part", "value", "for"])]
    for name in pins.variants:
        for (part, value), counts in parts(pins).items():
            if name in counts:
                count, roles = counts[name]
                lines.append("\t".join([name, str(count), part, value, ", ".join(roles)]))
    return "\n".join(lines) + "\n"


WORDS = {
    "resistor": "resistor {value}: {0} – {1}", "capacitor": "capacitor {value}: {0} – {1}",
    "LED": "LED: long leg {anode}, short leg {cathode}",
    "transistor": "{value}, flat side to row f: E {emitter}, B {base}, C {collector}",
    "MOSFET": "{value}, printed side to row f: G {gate}, D {drain}, S {source}",
    "lamp": "lamp − or the strip's R, dark red: {load minus}; 12 V supply −: {supply minus}",
    "solenoid": "solenoid −, dark red: {load minus}; 5 V supply −: {supply minus}",
    "strip": "the strip's wire of this color, dark red here: {load minus}",
    "diode": "diode 1N4148: band {cathode}, other end {anode}",
    "buzzer": "buzzer: + {plus}, − {minus}",
    "motor": "coin motor: + {plus}, − {minus}",
    "module": "buzzer module: I/O {input}, GND {ground}, VCC {supply}",
    "display": "TM1637 module: CLK {CLK}, GND {GND}, VCC {VCC}",
    "display_third": "TM1637 module: DIO {DIO}",
    "screen": "SSD1306 module: SDA {SDA}, GND {GND}, VCC {VCC}",
    "screen_third": "SSD1306 module: SCL {SCL}",
    "button": "push button: legs {near}, {near twin}, {far twin}, {far}",
    "optocoupler": "H11L1: pin 1 {pin 1}, pin 3 {pin 3}, pin 4 {pin 4}, pin 6 {pin 6}",
    "socket": "MIDI socket: {pins}",
    "jack": "jack: tip {tip}, sleeve {sleeve}",
    "jack_ring": "jack: ring {ring}",
    "loose": "push button beside the board: the other contact {far}",
    "wire": "wire, {value}: {0} – {1}",
}


def holes(pins, name):
    """Which leg goes into which hole, a row for each output and button."""
    circuit = Circuit(pins, name)
    lines = [row("for", "from the Raspberry Pi", "on the breadboard"), "|---|---|---|"]
    for pin, feed, hole in circuit.feeds + circuit.loose:
        said = []
        for piece in circuit.pieces:
            if piece.role == feed:
                legs = {leg.replace(" ", "_"): place for leg, place in piece.legs}
                words = WORDS[piece.kind]
                for leg in legs:
                    words = words.replace("{" + leg.replace("_", " ") + "}", "{" + leg + "}")
                legs["pins"] = ", ".join(f"{leg} {place}" for leg, place in piece.legs)
                said.append(words.format(*legs.values(), value=piece.value, **legs))
        wire = f"{pin['name']}, pin {pin['pin']}, {pin['wire']}: {'one contact of the button' if hole.row == '*' else hole}"
        lines.append(row({"ground": "ground", "five": "5 V", "three": "3.3 V"}.get(feed, feed), wire, "; ".join(said) or "—"))
    return "\n".join(lines)
