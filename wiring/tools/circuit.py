"""A circuit on a breadboard: which part has its legs in which hole, and what that connects."""

from dataclasses import dataclass

ROWS_BELOW, ROWS_ABOVE = "abcde", "fghij"
COLUMNS = 30
DISPLAYS = "display", "display_third", "screen", "screen_third"
"""The kinds of pieces of a module of four pins: the module itself, and its third pin, which is a piece of its own."""


@dataclass(frozen=True)
class Hole:
    """Row a to j, or a rail: + or -. Row * is outside the board: holes of the same column there are connected."""

    row: str
    column: int

    @property
    def strip(self):
        """The name of the strip inside the board that connects this hole with others."""
        if self.row in "+-":
            return {"+": "plus rail", "-": "minus rail"}[self.row]
        if self.row == "*":
            return f"outside {self.column}"
        return f"{self.column}{'below' if self.row in ROWS_BELOW else 'above'}"

    def __str__(self):
        if self.row in "+-":
            return {"+": "rail +", "-": "rail −"}[self.row]
        return f"{self.row}{self.column}"


@dataclass(frozen=True)
class Piece:
    """One part in its holes. `legs` names each leg; a wire's are from and to."""

    kind: str
    value: str
    role: str
    legs: tuple  # of (name, Hole)

    def hole(self, leg):
        return dict(self.legs)[leg]


class Circuit:
    """All the pieces of a variant, the wires to the Pi and the wires on the board."""

    def __init__(self, pins, name):
        self.pins, self.name, self.variant = pins, name, pins.variants[name]
        self.pieces, self.feeds, self.loose = [], [], []
        plus = self.variant["supplies"].get("plus")
        self.plus = pins.supplies[plus] if plus else None
        for rail, supply in self.variant["supplies"].items():
            hole = Hole({"minus": "-", "plus": "+"}[rail], 1)
            self.feeds.append((pins.supplies[supply], supply, hole))
        for placed in self.variant["parts"]:
            if pins.parts[placed["part"]].get("outside"):
                self.role = placed["role"]
                getattr(self, "place_" + placed["part"])()
                continue
            self.choose(placed["role"])
            if "at" not in placed:
                self.place_loose()
                continue
            column = getattr(self, "place_" + placed["part"])(placed["at"])
            self.feed(placed["role"], column)
        self.check_holes()

    def choose(self, role):
        """What is added next belongs to this line."""
        self.role, self.wire_color = role, self.pins.lines[role]["wire"]

    def feed(self, role, column):
        """Adds the wire from the Pi to a column."""
        self.feeds.append((self.named(role), role, Hole("a", column)))

    def named(self, role):
        line = self.pins.lines[role]
        return {**line, "name": f"GPIO{line['bcm']}"}

    # Each of these returns the column for the wire from the Pi.

    def place_led(self, at):
        self.add("resistor", "470 Ω", end=("c", at), other=("f", at))
        self.add("LED", "LED", anode=("g", at), cathode=("g", at + 1))
        self.wire("black", ("j", at + 1), ("-", at + 1))
        return at

    def place_buzzer(self, at, kind="buzzer", value="active buzzer"):
        emitter, base, collector, supply = at, at + 1, at + 2, at + 5
        self.add("resistor", "1 kΩ", end=("c", base), other=("f", base))
        self.add("transistor", "2N3904", emitter=("g", emitter), base=("g", base), collector=("g", collector))
        self.add("resistor", "10 kΩ", end=("i", base), other=("-", base))
        self.wire("black", ("j", emitter), ("-", emitter))
        self.add("diode", "1N4148", anode=("i", collector), cathode=("i", supply))
        self.wire(self.plus["wire"], ("j", supply), ("+", supply))
        self.add(kind, value, minus=("j", collector), plus=("+", collector + 2))
        return base

    def place_motor(self, at):
        self.add("capacitor", "100 nF", one=("f", at + 2), other=("f", at + 5))
        return self.place_buzzer(at, "motor", "coin motor")

    def place_lamp(self, at, kind="lamp", value="12 V", **more):
        return self.place_channel(at, kind, value, load_plus=("*", at), fuse_near=("*", at), fuse_far=("*", at + 1),
                                  supply_plus=("*", at + 1), supply_minus=("-", at + 4), **more)

    place_rgb_lamp = place_lamp

    def place_solenoid(self, at):
        """The diode is at the solenoid: `nets` joins its anode and the solenoid's −."""
        return self.place_lamp(at, "solenoid", "5 V", diode_anode=("*", at + 2), diode_cathode=("*", at))

    def place_channel(self, at, kind="strip", value="strip", **more):
        gate, drain, source = at, at + 1, at + 2
        self.add("resistor", "100 Ω", end=("c", gate), other=("f", gate))
        self.add("MOSFET", "IRLZ44N", gate=("g", gate), drain=("g", drain), source=("g", source))
        self.add("resistor", "10 kΩ", end=("i", gate), other=("-", gate))
        self.wire("black", ("j", source), ("-", source))
        self.add(kind, value, load_minus=("j", drain), **more)
        return at

    def place_module(self, at):
        self.wire(self.wire_color, ("e", at), ("f", at))
        self.add("resistor", "3.3 kΩ", end=("i", at), other=("i", at + 4))
        self.wire(self.plus["wire"], ("j", at + 4), ("+", at + 4))
        self.add("module", "buzzer module", ground=("-", at - 2), input=("j", at), supply=("+", at + 2))
        return at

    def place_display(self, at):
        return self.place_four_pins(at, "display", "TM1637 module", "CLK", "data", "DIO")

    def place_screen(self, at):
        return self.place_four_pins(at, "screen", "SSD1306 module", "SDA", "SCL", "SCL")

    def place_four_pins(self, at, kind, value, last, role, third):
        """A module with the pins GND, VCC, `third` and `last`. `role` is the line of the third pin. The wires of the other parts
        run between the columns of the third and the last pin, so that none crosses another."""
        column = at + 12
        self.wire(self.wire_color, ("e", column), ("f", column))
        self.add(kind, value, GND=("-", at - 6), VCC=("+", at - 3), **{last: ("j", column)})
        self.choose(role)
        self.wire(self.wire_color, ("e", at), ("f", at))
        self.add(f"{kind}_third", value, **{third: ("j", at)})
        self.feed(role, at)
        return column

    def place_button(self, at):
        self.add("button", "push button", near=("e", at), near_twin=("f", at), far_twin=("e", at + 2), far=("f", at + 2))
        self.wire("black", ("j", at + 2), ("-", at + 2))
        return at

    def place_loose(self):
        """A button beside the board: one contact is on the − rail, the other has a wire of its own to the Pi."""
        near = Hole("*", 20)
        self.add("loose", "push button", near=("*", 20), far=("-", COLUMNS - 1))
        self.loose.append((self.named(self.role), self.role, near))

    def place_pedal(self, at):
        self.add("resistor", "1 kΩ", end=("c", at), other=("f", at))
        self.add("resistor", "10 kΩ", end=("i", at), other=("+", at))
        self.add("capacitor", "100 nF", one=("b", at), other=("b", at + 2))
        self.wire("black", ("e", at + 2), ("-", at + 2))
        self.add("jack", "foot switch", tip=("h", at), sleeve=("-", at + 3))
        return at

    def place_foot(self, at):
        """Two buttons, each with a foot switch on the same line. The jack has the tip for the first, the ring for the second."""
        self.place_button_with_pedal(at, "jack", tip=("h", at), sleeve=("-", at + 3))
        self.choose("tap")
        self.place_button_with_pedal(at + 6, "jack_ring", ring=("h", at + 6))
        self.feed("tap", at + 6)
        return at

    def place_button_with_pedal(self, at, kind, **jack):
        self.add("resistor", "1 kΩ", end=("d", at), other=("f", at))
        self.add("resistor", "10 kΩ", end=("i", at), other=("+", at))
        self.add("capacitor", "100 nF", one=("b", at), other=("b", at + 2))
        self.wire("black", ("e", at + 2), ("-", at + 2))
        self.wire(self.wire_color, ("c", at), ("c", at + 3))
        self.place_button(at + 3)
        self.add(kind, "foot switch", **jack)

    def place_headphones(self):
        """From the sound card over a potentiometer and an amplifier to the socket; all outside the board."""
        left, right, common, left_level, right_level, left_out, right_out, common_out, five, minus = (("*", n) for n in range(1, 11))
        self.add("audio plug", "sound card", left=left, right=right, sleeve=common)
        self.add("potentiometer", "potentiometer", left_3=left, left_2=left_level, left_1=common, right_3=right, right_2=right_level,
                 right_1=common)
        self.add("amplifier", "amplifier", IN_L=left_level, IN_R=right_level, IN_GND=common, OUT_L=left_out, OUT_R=right_out,
                 OUT_GND=common_out, plus=five, minus=minus)
        self.add("USB cable", "USB cable", plus=five, minus=minus)
        self.add("headphone socket", "socket", tip=left_out, ring=right_out, sleeve=common_out)

    def place_midi_out(self, at):
        emitter, base, collector, ring, tip = at, at + 1, at + 2, at + 6, at + 8
        self.add("resistor", "1 kΩ", end=("c", base), other=("f", base))
        self.add("transistor", "2N3906", emitter=("g", emitter), base=("g", base), collector=("g", collector))
        self.add("resistor", "3.3 kΩ", end=("i", base), other=("+", base))
        self.wire(self.plus["wire"], ("j", emitter), ("+", emitter))
        self.add("resistor", "33 Ω", end=("i", collector), other=("i", ring))
        self.add("resistor", "10 Ω", end=("i", tip), other=("-", tip))
        self.add("socket", "MIDI socket", pin_4=("j", ring), pin_5=("j", tip), pin_2=("-", tip + 1))
        return base

    def place_midi_in(self, at):
        """The optocoupler is turned by 180°: its pins 3, 2, 1 are above the gap, 4, 5, 6 below it."""
        output, ground, supply, loose, cathode, anode = at, at + 1, at + 2, at, at + 1, at + 2
        ground_strip, supply_strip, tip, ring = at - 4, at - 3, at + 5, at + 7
        self.add("optocoupler", "H11L1", pin_1=("f", anode), pin_2=("f", cathode), pin_3=("f", loose), pin_4=("e", output),
                 pin_5=("e", ground), pin_6=("e", supply))
        self.wire("black", ("e", ground_strip), ("-", ground_strip))
        self.wire("black", ("b", ground_strip), ("b", ground))
        self.wire(self.plus["wire"], ("e", supply_strip), ("+", supply_strip))
        self.wire(self.plus["wire"], ("d", supply_strip), ("d", supply))
        self.add("resistor", "1 kΩ", end=("c", supply_strip), other=("c", output))
        self.add("capacitor", "100 nF", one=("a", ground), other=("a", supply))
        self.wire(self.wire_color, ("h", cathode), ("h", tip))
        self.add("diode", "1N4148", anode=("i", tip), cathode=("i", anode))
        self.add("resistor", "220 Ω", end=("g", anode), other=("g", ring))
        self.add("socket", "MIDI socket", pin_4=("j", ring), pin_5=("j", tip))
        return output

    def add(self, kind, value, **legs):
        holes = tuple((name.replace("_", " "), Hole(*place)) for name, place in legs.items())
        self.pieces.append(Piece(kind, value, self.role, holes))

    def wire(self, color, start, end):
        self.add("wire", color, start=start, end=end)

    def check_holes(self):
        """One leg a hole: a breadboard takes no more."""
        taken = {}
        legs = [(hole, piece.kind) for piece in self.pieces for _, hole in piece.legs if hole.row != "*"]
        for hole, kind in legs + [(hole, "feed") for _, _, hole in self.feeds]:
            if not 1 <= hole.column <= COLUMNS:
                raise SystemExit(f"{self.name}: {hole} is not on the board")
            if (hole.row, hole.column) in taken:
                raise SystemExit(f"{self.name}: {hole} has both {kind} and {taken[hole.row, hole.column]}")
            taken[hole.row, hole.column] = kind

    def nets(self):
        """The legs of each net, sorted. Wires join nets and are not listed. Nor are the two pairs of legs that a button
        always joins."""
        root = {}

        def find(strip):
            while root.get(strip, strip) != strip:
                strip = root[strip]
            return strip

        ties = [(p.legs[0][1], p.legs[1][1]) for p in self.pieces if p.kind == "wire"]
        for piece in (p for p in self.pieces if p.kind == "button"):
            ties += [(piece.hole("near"), piece.hole("near twin")), (piece.hole("far"), piece.hole("far twin"))]
        ties += [(p.hole("load minus"), p.hole("diode anode")) for p in self.pieces if p.kind == "solenoid"]
        for a, b in ties:
            root[find(a.strip)] = find(b.strip)
        members = {}
        for pin, _, hole in self.feeds + self.loose:
            members.setdefault(find(hole.strip), set()).add(f"{pin['name']} (pin {pin['pin']})")
        for piece in self.pieces:
            if piece.kind == "wire":
                continue
            for leg, hole in piece.legs:
                if leg.endswith("twin"):
                    continue
                named = piece.value if leg in ("end", "other", "one", "near", "far") else f"{piece.value} {leg}"
                members.setdefault(find(hole.strip), set()).add(f"{piece.role}: {named}")
        return sorted(sorted(net) for net in members.values())
