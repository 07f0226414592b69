"""The same wiring as a harness, for WireViz: each part with its wires, as it is soldered without a breadboard."""

CODES = {
    "black": "BK", "red": "RD", "yellow": "YE", "orange": "OG", "violet": "VT", "green": "GN", "grey": "GY", "blue": "BU",
    "brown": "BN", "turquoise": "TQ", "pink": "PK",
}
BARE = {"bgcolor_title": "#e8eef5", "show_pincount": False}


def harness(pins, name):
    """What WireViz draws, as it is to be written in YAML."""
    variant = pins.variants[name]
    used, parts, bundles, connections = {}, {}, {}, []
    for placed in variant["parts"]:
        role, part = placed["role"], pins.parts[placed["part"]]
        line = pins.lines[role]
        ends = {"signal": (line["pin"], f"GPIO{line['bcm']}", line["wire"])}
        for supply, say in pins.supplies.items():
            ends[supply] = (line["ground"] if supply == "ground" else say["pin"], say["name"], say["wire"])
        # Graphviz thinks that letters are narrower than they are: the space keeps the last one off the frame.
        ends = [(*ends[end], label + "\u00a0") for end, label in part["ends"].items()]
        used.update({pin: label for pin, label, _, _ in ends})
        parts[role] = {"type": part["table"][0], "pinlabels": [end[3] for end in ends], **BARE}
        if "inside" in part:
            parts[role]["notes"] = part["inside"]
        bundle = f"{role} wires"
        bundles[bundle] = {
            "category": "bundle", "colors": [CODES[end[2]] for end in ends], "show_name": False, "show_wirecount": False,
        }
        places = list(range(1, len(ends) + 1))
        connections.append([{"Raspberry Pi": [end[0] for end in ends]}, {bundle: places}, {role: places}])
    order = sorted(used)
    header = {"Raspberry Pi": {"type": "40-pin header", "pins": order, "pinlabels": [used[pin] for pin in order], **BARE}}
    return {
        "options": {"fontname": "DejaVu Sans", "mini_bom_mode": False, "bgcolor": "WH"},
        "connectors": header | parts, "cables": bundles, "connections": connections,
    }
