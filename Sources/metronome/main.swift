print("metronome")
