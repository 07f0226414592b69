#: quick=both
# The program reports unavailable hardware by its name, and exits with the code for it. It continues without optional hardware.
# shellcheck shell=sh disable=SC2034,SC2154

silent='audio: {device: none}'

# First no chip, then a chip with another name, both with --no-wait. Without --no-wait the program waits for the chip
# (chip-late).
options=--no-wait
echo "$silent" | configuration
refuses no-chip 69 'chip|gpio'
plug
printf 'chip: pinctrl-rp1\n%s\n' "$silent" | configuration
refuses missing-chip 69 'pinctrl-rp1'
printf 'chip: /dev/gpiochip7\n%s\n' "$silent" | configuration
refuses missing-chip-by-path 69 'gpiochip7'

# A missing card, with --no-wait.
echo 'audio: {device: Theremin}' | configuration
refuses missing-card 69 'Theremin'
options=

# Errors that waiting cannot fix end the program at once in every mode: a missing line, or a file that is not a chip.
for options in '' --wait --no-wait; do
  printf 'outputs: {light: {line: GPIO99}}\n%s\n' "$silent" | configuration
  refuses "missing-line$options" 69 'GPIO99'
  printf 'chip: pinctrl-bcm2711\noutputs: {light: {line: GPIO99}}\n%s\n' "$silent" | configuration
  refuses "missing-line-of-named-chip$options" 69 'GPIO99'
  printf 'chip: pinctrl-bcm2711\noutputs: {light: {line: 99}}\n%s\n' "$silent" | configuration
  refuses "missing-offset$options" 69 'line 99' '0 to 27'
  printf 'chip: /dev/null\n%s\n' "$silent" | configuration
  refuses "no-chip-file$options" 69 '/dev/null is not a GPIO chip'
done
options=

unplug

# A late chip without the configured line ends the waiting.
printf 'outputs: {light: {line: GPIO99}}\n%s\n' "$silent" | configuration
begin late-and-wrong
sleep 2
logged 1 'waiting for the GPIO lines: no GPIO chip'
plug
await_end 'a chip without the line' 69
logged 1 'no GPIO99|has no GPIO99|GPIO99 \(light\)'
unplug

# Lines held by other programs: an output, then a button.
echo "$silent" | configuration
plug 17 siren
refuses busy-output 69 'GPIO17' 'siren'
unplug
plug 25 doorbell
refuses busy-button 69 'GPIO25' 'doorbell'
unplug

# A second metronome gets no line, and the first continues.
plug
start_metronome first-of-two
press play
sleep 1.2
refuses second-of-two 69 'GPIO(17|27|22|5|6|16|26|25|24)' '.metronome'
sleep 2.3
end_metronome TERM

# Invalid configurations.
printf 'tempo: 120\nsignatur: 4/4\n' | configuration
refuses unknown-key 78 'configuration\.yaml:2:1' 'signatur' 'signature'
printf 'tempo: 12000\n' | configuration
refuses tempo-out-of-range 78 'configuration\.yaml:1:8' '999'
printf 'outputs:\n  light: {line: GPIO17}\n  buzzer: {line: GPIO17}\n' | configuration
refuses line-used-twice 78 'configuration\.yaml:3:' 'GPIO17'
printf 'tempo: [\n' | configuration
refuses not-yaml 78 'configuration\.yaml'
rm "$results/configuration.yaml"
refuses no-configuration 66 'configuration\.yaml'
