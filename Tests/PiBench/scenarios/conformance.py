"""The conformance suite of boards. Wires connect the lines of the board to free lines, and its MIDI ports lead to a USB gadget. Two cases are
left out: the chip of a Pi cannot be removed, and the simulated bus is never full."""

WIRES = {17: 4, 27: 7, 22: 8, 23: 9, 12: 10, 5: 11, 6: 13, 16: 18, 26: 19, 25: 20, 24: 21}
"""The wires of WiredHeader.swift: the lines of the outputs and of the buttons, and free lines."""
PRESSES = []
TEST = """#!/bin/sh
. /helpers.sh
start_gadget
for module in evdev uinput; do insmod /mod/$module.ko; done
echo 'bench: begin conformance'
/board-conformance wires hw:Loopback,0 /hand-device gadget=$(ls /sys/class/udc) 2>&1
echo "bench: conformance ended $?"
"""
LEAST = 59
"""The least number of cases and checks."""


def judge(checks, record):
    lines = record.output("conformance").splitlines()
    passed = [line for line in lines if line.startswith("ok ")]
    failed = [line for line in lines if line.startswith("FAILED ")]
    checks("the suite ended with 0", "bench: conformance ended 0\n" in record.console)
    checks("no case fails", not failed, "; ".join(failed))
    checks("the suite is whole", len(passed) >= LEAST and f"{len(passed)} passed, 0 failed" in lines, f"{len(passed)} cases")
