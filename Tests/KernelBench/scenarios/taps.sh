# Tapped tempi: stopped and playing, in quarters and in eighths, rounded and not, with missing and doubled taps, and with
# taps that start playback.
# shellcheck shell=sh

plug

# steady MILLISECONDS: eight taps.
steady() { tap_at 1000 "$1" "$1" "$1" "$1" "$1" "$1" "$1"; }

play_all() {
  # While stopped, taps set the tempo.
  tap_at 1000 634 629 641 628
  press play
  sleep 2.345
  steady 500
  sleep 1.1
  steady 461
  sleep 1.3
  # Uneven taps: the nearest beat moves to the tap, and the next ones follow the fit.
  tap_at 1000 713 731 698 722 709 727 715 720 701
  sleep 2.2
  # One tap missing, one doubled.
  tap_at 1000 600 600 1200 600 600 50 550 600
  sleep 1.7
  # Two taps give no tempo, nor do taps with another change in between.
  tap_at 1000 400
  sleep 3
  tap_at 1000 400
  press faster
  tap_at 230 400
  sleep 2
  # A slower tempo by half, and a long pause, start a new run.
  tap_at 1000 400 400 400 900 900 900
  sleep 3
  tap_at 1000 350 350 350
  sleep 2
  press play
  sleep 0.5
}

for rounds in true false; do
  printf 'audio: {device: none}\ntap: {round: %s}\n' $rounds | configuration
  start_metronome "rounded-$rounds"
  play_all
  end_metronome TERM
done

# In eighths, in a bar of seven.
printf 'audio: {device: none}\nsignature: 7/8\n' | configuration
start_metronome eighths
play_all
end_metronome TERM

# The third tap starts playback, in the bar that began with the first tap.
for signature in 4/4 3/4 2/4; do
  printf 'audio: {device: none}\nsignature: %s\ntap: {starts: true}\n' $signature | configuration
  start_metronome "started-in-${signature%/*}"
  tap_at 1000 487 503 497 510 493
  sleep 4
  press play
  sleep 0.5
  tap_at 1000 700 700
  sleep 3
  end_metronome TERM
done
