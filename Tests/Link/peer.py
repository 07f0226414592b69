"""A peer of a Link session, written by others (LinkPython), which answers to lines of JSON on its standard input."""

import json
import sys
import time

import link


def state(peer):
    session = peer.captureSessionState()
    return {"peers": peer.numPeers(), "tempo": session.tempo(), "playing": session.isPlaying(),
            "playing_at": session.timeForIsPlaying(), "now": peer.clock().micros()}


def visit(times, stay, own, tempo):
    """Peers with a tempo of their own join the session of this tempo, one after another; how many have joined within 6 s."""
    joined = 0
    for _ in range(times):
        peer = link.Link(own)
        peer.enabled = True
        end = time.monotonic() + 6
        while abs(peer.captureSessionState().tempo() - tempo) > 0.001 and time.monotonic() < end:
            time.sleep(0.005)
        joined += peer.numPeers() > 0 and abs(peer.captureSessionState().tempo() - tempo) < 0.001
        time.sleep(stay)
        peer.enabled = False
    return {"joined": joined}


def answer(peer, request):
    kind = request.pop("do")
    if kind == "visit":
        return visit(**request)
    session = peer.captureSessionState()
    now = peer.clock().micros()
    if kind == "phase":
        return {"phase": [session.phaseAtTime(at, request["quantum"]) for at in request["at"]]}
    if kind == "time":
        return {"at": session.timeAtBeat(request["beat"], request["quantum"])}
    if kind == "tempo":
        session.setTempo(request["bpm"], now)
        peer.commitSessionState(session)
    if kind == "play":
        session.setIsPlaying(request["playing"], request.get("at", now))
        peer.commitSessionState(session)
    if kind == "jump":
        session.forceBeatAtTime(session.beatAtTime(now, 4.0) + request["beats"], now, 4.0)
        peer.commitSessionState(session)
    return state(peer)


def main(bpm, enabled):
    peer = link.Link(bpm)
    peer.startStopSyncEnabled = True
    peer.enabled = enabled
    for line in sys.stdin:
        print(json.dumps(answer(peer, json.loads(line))), flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2:] != ["apart"])
