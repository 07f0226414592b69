"""The same wiring as a harness, for WireViz: each part with its wires, as it is soldered without a breadboard."""

from pins import header

CODES = {
    "black": "BK", "red": "RD", "yellow": "YE", "orange": "OG", "violet": "VT", "green": "GN", "grey": "GY", "blue": "BU",
    "brown": "BN", "turquoise": "TQ", "pink": "PK",
}
BARE = {"bgcolor_title": "#e8eef5", "show_pincount": False}
PI = "Raspberry Pi"
RAILS = {"minus": "Rail −", "plus": "Rail +"}
ROOM = "\u00a0"
"""Graphviz thinks that letters are narrower than they are: the space keeps the last one off the frame."""


def said(*lines):
    return "\n".join(line + ROOM for line in lines)


class Harness:
    """Of one variant. A pin of the header takes one socket, so what several parts want of the same pin comes from a rail."""

    def __init__(self, pins, name):
        self.pins, self.variant = pins, pins.variants[name]
        self.nodes, self.bundles, self.connections, self.used = {}, {}, [], {}
        self.rails = {}
        for rail, supply in self.variant["supplies"].items():
            roles = [placed["role"] for placed in self.variant["parts"] if supply in pins.parts[placed["part"]]["ends"]]
            wanted = {self.supply(supply, role) for role in roles}
            if len(wanted) < len(roles):
                self.rail(RAILS[rail], supply, roles)
        for placed in self.variant["parts"]:
            self.part(placed["role"], pins.parts[placed["part"]])
        if "card" in self.variant:
            self.card(self.variant["card"])

    def pin(self, number):
        """Notes that a pin is used, and says where it is."""
        self.used[number] = header()[number]
        return PI, number

    def supply(self, supply, role):
        """The pin next to a role that has a supply."""
        return self.pins.lines[role]["ground"] if supply == "ground" else self.pins.supplies[supply]["pin"]

    def rail(self, name, supply, roles):
        wire = self.pins.supplies[supply]
        labels = [said(f"from pin {wire['pin']}"), *(said("to " + role) for role in roles)]
        self.nodes[name] = {"type": said("strip of strip board,", f"joins all {wire['name']}"), "pinlabels": labels, **BARE}
        self.rails[supply] = {role: (name, place) for place, role in enumerate(roles, start=2)}
        self.join(name, [(self.pin(wire["pin"]), wire["wire"])])

    def part(self, role, part):
        line, ends = self.pins.lines[role], []
        for end in part["ends"]:
            if end == "signal":
                ends.append((self.pin(line["pin"]), line["wire"]))
            elif end in self.rails:
                ends.append((self.rails[end][role], self.pins.supplies[end]["wire"]))
            else:
                ends.append((self.pin(self.supply(end, role)), self.pins.supplies[end]["wire"]))
        components = [f"{one['part']}: {one['value']}" for one in part["components"]]
        labels = [said(label) for label in part["ends"].values()]
        self.nodes[role] = {"type": said(*components), "pinlabels": labels, **BARE}
        if "inside" in part:
            self.nodes[role]["notes"] = said(part["inside"])
        self.join(role, ends)

    def join(self, to, ends):
        """A bundle with a wire for each end, to the pins 1, 2, … of `to`."""
        bundle = f"{to} wires"
        colours = [CODES[colour] for _, colour in ends]
        self.bundles[bundle] = {"category": "bundle", "colors": colours, "show_name": False, "show_wirecount": False}
        for place, ((start, pin), _) in enumerate(ends, start=1):
            self.connections.append([{start: [pin]}, {bundle: [place]}, {to: [place]}])

    def card(self, card):
        """The card plugs in without a wire: arrows."""
        taken = card["pins"] | card.get("shared", {})
        for pin in taken:
            self.pin(pin)
        taken = dict(sorted(taken.items())) or {"USB": "USB plug"}
        if "USB" in taken:
            self.used["USB"] = "socket"
        self.nodes[card["name"]] = {
            "type": said(*card["said"]), "pins": list(taken), "pinlabels": [said(use) for use in taken.values()], **BARE,
        }
        self.connections.append([{PI: list(taken)}, "-->", {card["name"]: list(taken)}])

    def yaml(self):
        """What WireViz draws, as it is to be written in YAML."""
        order = sorted(self.used, key=lambda pin: (isinstance(pin, str), pin))
        labels = [self.used[pin] + ROOM for pin in order]
        pi = {PI: {"type": "40-pin header" + ROOM, "pins": order, "pinlabels": labels, **BARE}}
        title = f"label=\"{self.variant['title']}\\n\\n\" labelloc=t fontsize=24 ranksep=1.3"
        return {
            "options": {"fontname": "DejaVu Sans", "mini_bom_mode": False, "bgcolor": "WH", "color_mode": "full"},
            "connectors": pi | self.nodes, "cables": self.bundles, "connections": self.connections,
            "tweak": {"append": title},
        }
