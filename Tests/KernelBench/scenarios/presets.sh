# Presets by buttons and by `metronome presets`, recalled at the bar line; and a saved state that survives a power cut.
# shellcheck shell=sh disable=SC2034,SC2154

plug
presets_of_box='
  preset_next: {line: GPIO12}
  preset_previous: {line: GPIO13}
  preset_1: {line: GPIO19}
  preset_2: {line: GPIO20}
  preset_3: {line: GPIO21}
  preset_4: {line: GPIO23}'
printf 'audio: {device: none}\nautoplay: last\nbuttons:%s\n' "$presets_of_box" | configuration
buttons=12
state=/run/state
mkdir $state

# --- Buttons --------------------------------------------------------------------------------------------------------
start_metronome by-hand
press preset_next
sleep 1.5
press slower
hold preset_1 0.7
sleep 1
press numerator
press numerator
press numerator
press play
sleep 1.2
press faster
hold preset_3 0.6
sleep 2
# Unchanged up to the bar line; 119 in 4/4 from there on, then the settings of the next preset.
press preset_1
sleep 3.1
press preset_2
sleep 2.9
press preset_previous
sleep 3.3
press preset_next
press preset_next
sleep 4.4
# The second recall wins, and a change before the bar line takes effect there.
press preset_1
press preset_2
press faster
sleep 5
# There is no fourth preset.
press preset_4
sleep 2
hold play 0.8
sleep 2.5
check 'the state file holds the stored presets' '1:119:4/4 2:120:3/4 3:120:3/4' \
  "$(sed -n 's/^preset \([^ ]*\) \([^ ]*\) \(.*\)/\3:\1:\2/p' $state/state | tr '\n' ' ' | sed 's/ $//')"
# The power is cut, more than 2 s after the last change.
end_metronome KILL 137

# --- Power on again: it was playing, in silent mode -------------------------------------------------------------------
start_metronome plugged-in-again
sleep 2
press preset_next
sleep 4
hold play 0.8
sleep 3
chord slower faster
press faster
sleep 1
press play
end_metronome TERM

# --- After a stop it does not play, and the list is edited while no metronome runs ------------------------------------
presets save 'Blue in Green' --tempo 54 --signature 4/4 >"$results/presets.log"
presets move 'Blue in Green' 1 >>"$results/presets.log"
presets delete 2 >>"$results/presets.log"
presets list >"$results/presets.list"
check 'the presets are listed in order' 'Blue in Green,1,3' "$(grep -oE 'Blue in Green|\b[0-9]$' "$results/presets.list" | paste -sd,)"

start_metronome edited
press preset_1
press play
sleep 3
# The same while it runs: a saved preset is available at the next press, a recalled one starts with the next bar.
presets save Seven --tempo 210 --signature 7/8 >>"$results/presets.log"
sleep 1
mark elsewhere recall 2
presets recall 1 >>"$results/presets.log"
sleep 9
press slower
sleep 5
hold preset_2 0.7
sleep 3
check 'neither preset is lost' 'Blue in Green,1,3,Seven' \
  "$(presets list | grep -oE 'Blue in Green|Seven|\b[0-9]$' | paste -sd,)"
end_metronome TERM

# --- Power off while it plays -----------------------------------------------------------------------------------------
start_metronome at-once
sleep 3
press preset_4
sleep 4
end_metronome TERM

# --- Tempo and signature always from the configuration, but the presets are restored ----------------------------------
printf 'audio: {device: none}\nrestore: false\nbuttons:%s\n' "$presets_of_box" | configuration
start_metronome not-restored
press play
sleep 1.7
press preset_4
sleep 3
end_metronome TERM
