"""Lays targets out in layers: the imports of a target are below it.

The method of Sugiyama, Tagawa and Toda ("Methods for visual understanding of hierarchical system structures", 1981): it assigns
layers, then orders each layer so that few arrows cross, then computes positions. An arrow that crosses a layer also has a
position in it.
"""

from itertools import combinations, pairwise


def reduced(imports):
    """The imports without those that follow from other imports (the transitive reduction)."""

    def reach(target):
        return {target}.union(*(reach(below) for below in imports[target]))

    return {
        target: [
            below for below in direct if not any(below in reach(other) for other in direct if other != below)]
        for target, direct in imports.items()}


def ranks(imports):
    """The level of each target: above all its imports. A target without imports is directly below its lowest user."""

    def rank(target):
        return 1 + max(map(rank, imports[target])) if imports[target] else 0

    found = {target: rank(target) for target in imports}
    for target in imports:
        users = [user for user in imports if target in imports[user]]
        if users and not imports[target]:
            found[target] = min(found[user] for user in users) - 1
    return found


class Layout:
    """Positions of boxes: `centre` by target, `layers` of targets from the highest to the lowest, `routes` of arrows."""

    GAP = 26
    # The width of a position that only an arrow passes.
    LANE = 20

    def __init__(self, imports, widths):
        self.edges = [(user, below) for user, direct in reduced(imports).items() for below in direct]
        rank = ranks(imports)
        highest = max(rank.values())
        self.layers = [sorted(target for target in imports if rank[target] == level) for level in range(highest, -1, -1)]
        self.widths = dict(widths)
        self.routes = {}
        self.links = []
        for user, below in self.edges:
            lanes = [(user, below, level) for level in range(rank[user] - 1, rank[below], -1)]
            for lane in lanes:
                self.layers[highest - lane[2]].append(lane)
                self.widths[lane] = self.LANE
            self.routes[user, below] = lanes
            self.links += pairwise([user, *lanes, below])
        self.order()
        self.place()

    def neighbours(self, node):
        return [b if a == node else a for a, b in self.links if node in (a, b)]

    def crossings(self):
        index = {node: place for layer in self.layers for place, node in enumerate(layer)}
        level = {node: number for number, layer in enumerate(self.layers) for node in layer}
        return sum(
            (index[a] - index[c]) * (index[b] - index[d]) < 0
            for (a, b), (c, d) in combinations(self.links, 2) if level[a] == level[c])

    def order(self):
        """Sorts each layer by the positions of its neighbours, in sweeps down and up. Keeps the order with the fewest crossings."""
        best = (self.crossings(), [list(layer) for layer in self.layers])
        for sweep in range(24):
            index = {node: place / len(layer) for layer in self.layers for place, node in enumerate(layer)}
            down = sweep % 2 == 0
            for number in range(len(self.layers)) if down else reversed(range(len(self.layers))):
                beside = set(self.layers[number - 1] if down and number else [])
                if not down and number + 1 < len(self.layers):
                    beside = set(self.layers[number + 1])

                def middle(node):
                    near = [index[other] for other in self.neighbours(node) if other in beside]
                    return sum(near) / len(near) if near else index[node]

                self.layers[number].sort(key=middle)
                for place, node in enumerate(self.layers[number]):
                    index[node] = (place + 0.5) / len(self.layers[number])
            best = min(best, (self.crossings(), [list(layer) for layer in self.layers]), key=lambda found: found[0])
        self.layers = best[1]

    def place(self):
        """Moves every box as close to the middle of its neighbours as the boxes beside it allow."""
        self.centre = {}
        for layer in self.layers:
            for node, place in zip(layer, self.offsets(layer)):
                self.centre[node] = place - self.offsets(layer)[-1] / 2
        for sweep in range(40):
            for layer in self.layers if sweep % 2 else reversed(self.layers):
                wanted = []
                for node in layer:
                    near = [self.centre[other] for other in self.neighbours(node)]
                    wanted.append(sum(near) / len(near) if near else self.centre[node])
                for node, place in zip(layer, apart(wanted, self.offsets(layer))):
                    self.centre[node] = place
        left = min(self.centre[node] - self.widths[node] / 2 for layer in self.layers for node in layer)
        self.centre = {node: place - left for node, place in self.centre.items()}
        self.width = max(self.centre[node] + self.widths[node] / 2 for layer in self.layers for node in layer)

    def offsets(self, layer):
        """The centres of the boxes if they were side by side."""
        found = [0.0]
        for left, right in pairwise(layer):
            found.append(found[-1] + (self.widths[left] + self.widths[right]) / 2 + self.GAP)
        return found


def apart(wanted, offsets):
    """The positions closest to the wanted ones (least squares) whose distances are at least those of the offsets.

    Isotonic regression by pooling adjacent violators (Ayer and others, 1955).
    """
    pools = []
    for place, offset in zip(wanted, offsets):
        pools.append([place - offset, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (first, count), (second, more) = pools[-2:]
            pools[-2:] = [[(first * count + second * more) / (count + more), count + more]]
    flat = [value for value, count in pools for _ in range(count)]
    return [value + offset for value, offset in zip(flat, offsets)]
