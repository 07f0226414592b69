"""Tests of the layers: imports are below their users, and omitted arrows follow from others."""

import unittest

from layers import Layout, apart, ranks, reduced


class LayersTest(unittest.TestCase):
    house = {
        "roof": ["wall", "ground", "lamp"], "wall": ["ground"], "lamp": ["wire"], "wire": [], "ground": [],
        "tower": ["roof"]}

    def test_import_that_follows_from_others_is_omitted(self):
        self.assertEqual(reduced(self.house)["roof"], ["wall", "lamp"])

    def test_target_is_above_all_its_imports(self):
        rank = ranks(self.house)
        for user, direct in self.house.items():
            for below in direct:
                self.assertGreater(rank[user], rank[below])

    def test_target_without_imports_is_directly_below_its_user(self):
        self.assertEqual(ranks({"high": ["middle", "own"], "middle": ["low"], "low": [], "own": []})["own"], 1)

    def test_boxes_of_a_layer_do_not_touch(self):
        layout = Layout(self.house, {name: 100 for name in self.house})
        for layer in layout.layers:
            places = [layout.centre[node] for node in layer]
            for (left, a), (right, b) in zip(zip(layer, places), zip(layer[1:], places[1:])):
                self.assertGreaterEqual(b - a + 1e-6, (layout.widths[left] + layout.widths[right]) / 2 + Layout.GAP)

    def test_arrow_over_several_layers_has_a_lane_in_each(self):
        layout = Layout({"a": ["b", "d"], "b": ["c"], "c": ["e"], "d": ["f"], "e": [], "f": []}, dict.fromkeys("abcdef", 50))
        for (user, below), lanes in layout.routes.items():
            level = {node: number for number, layer in enumerate(layout.layers) for node in layer}
            self.assertEqual(level[below] - level[user] - 1, len(lanes))

    def test_free_positions_are_kept(self):
        self.assertEqual(apart([0, 50], [0, 10]), [0, 50])
        self.assertEqual(apart([5, 5], [0, 10]), [0, 10])


if __name__ == "__main__":
    unittest.main()
