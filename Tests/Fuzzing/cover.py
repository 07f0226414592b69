"""Selects the inputs of a corpus: those that reach most code edges, over all parsers.

    cover.py LIMIT CONTROL...

Each CONTROL is the control file of a libFuzzer merge by set cover, which lists the features that each input reaches: the edges, each
with how often it was taken. Inputs are selected until every edge is reached or LIMIT inputs are selected, each time the one that reaches
the most edges that none of the others reaches. Inputs that add no edge are selected last, by features. Prints the selected paths, and
the share of the edges of each parser to standard error.
"""

import sys
from pathlib import Path

COUNTERS_PER_EDGE = 8
"""libFuzzer's features of one edge: the ranges of the number of times it was taken."""


def inputs(control):
    """{path: features} of a control file. The smallest inputs come first."""
    lines = control.read_text().splitlines()
    count = int(lines[0])
    paths = lines[2:2 + count]
    rows = [line.split() for line in lines[2 + count:] if line.startswith("FT ")]
    return {paths[int(row[1])]: {int(feature) for feature in row[2:]} for row in rows}


def selected(sets, most):
    """At most so many keys of `sets` whose sets cover the most, largest addition first."""
    left, chosen = {key: set(values) for key, values in sets.items()}, []
    while left and len(chosen) < most:
        key = max(left, key=lambda each: len(left[each]))
        added = left.pop(key)
        if not added:
            break
        chosen.append(key)
        for values in left.values():
            values -= added
    return chosen


def main(limit, *controls):
    features, edges = {}, {}
    for control in controls:
        for path, own in inputs(Path(control)).items():
            features[path] = {(control, feature) for feature in own}
            edges[path] = {(control, feature // COUNTERS_PER_EDGE) for feature in own}
    chosen = selected(edges, int(limit))
    covered = set().union(*(features[path] for path in chosen))
    rest = {path: own - covered for path, own in features.items() if path not in chosen}
    chosen += selected(rest, int(limit) - len(chosen))
    for control in controls:
        every = {edge for own in edges.values() for edge in own if edge[0] == control}
        kept = {edge for path in chosen for edge in edges[path] if edge[0] == control}
        count = sum(next(iter(features[path]))[0] == control for path in chosen)
        print(f"{Path(control).stem:<14} {count:4} inputs, {len(kept):5} of {len(every):5} code edges", file=sys.stderr)
    print("\n".join(chosen))


main(*sys.argv[1:])
