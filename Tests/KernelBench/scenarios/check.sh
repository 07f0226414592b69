#: limit=200
#: kernel=snd_aloop.pcm_substreams=1 snd_dummy.pcm_substreams=1
# `metronome check` on a good board, and on one with each of some thirty faults: the fault's name, its fix, the exit code,
# and nothing else.
# shellcheck shell=sh disable=SC2034,SC2154

# finds NAME CODE SUMMARY PATTERN...: a check ends with this code and this summary (`1 doubtful, 0 wrong`), and its output
# contains each pattern; `~` in a pattern is the arrow before the fix, on the next line.
finds() {
  name=$1 wanted=$2 summary=$3
  shift 3
  code=0
  # shellcheck disable=SC2086 # a command and its arguments
  ${metronome_as:-} timeout 60 "$here/metronome" check --for "${measured:-1}" --state "${state:-/run/state}" \
    --config "${configured:-$results/configuration.yaml}" >"$results/$name.table" 2>"$results/$name.err" </dev/null || code=$?
  check "$name: exit code" "$wanted" "$code"
  check "$name: summary" "$summary" "$(tail -n 1 "$results/$name.table" | sed 's/^[0-9]* right, //')"
  check "$name: nothing on standard error" 0 "$(wc -c <"$results/$name.err")"
  tr '\n' '~' <"$results/$name.table" | sed 's/~ *→/~/g' >"$results/$name.said"
  for pattern; do
    said=$(cat "$results/$name.said")
    if grep -qE -- "$pattern" "$results/$name.said"; then said=yes; fi
    check "$name: says /$pattern/" yes "$said"
  done
}

# standard [LINE]...: the built-in configuration without sound, with these lines added.
standard() { printf '%s\n' 'audio: {device: none}' "$@" | configuration; }

# card_of DRIVER bind|unbind
card_of() { echo "snd_$1.0" >"/sys/bus/platform/drivers/snd_$1/$2"; }

# The machine's own time service does not set this kernel's clock.
mount -t tmpfs units /etc/systemd/system
mkdir /run/state
standard

# --- The chip -------------------------------------------------------------------------------------------------------
finds chip-missing 2 '0 doubtful, 1 wrong' 'WRONG +chip +this system has no GPIO chip .*~ run this on the computer that the parts are wired to'

mkdir "$gpio_sim" "$gpio_sim/bank0"
echo 28 >"$gpio_sim/bank0/num_lines"
echo another-chip >"$gpio_sim/bank0/label"
echo 1 >"$gpio_sim/live"
finds wrong-label 2 '0 doubtful, 1 wrong' 'WRONG +chip +no chip has a label pinctrl-\*, .*the chips are gpiochip[0-9]+ \[another-chip\]~ set chip: in .*configuration.yaml to the label'
standard 'chip: yet-another'
finds label-missing 2 '0 doubtful, 1 wrong' 'WRONG +chip +no chip is named or labelled yet-another; the chips are .*\[another-chip\]~ set chip:'
unplug

# A line with a name besides its number.
mkdir "$gpio_sim" "$gpio_sim/bank0" "$gpio_sim/bank0/line4"
echo 28 >"$gpio_sim/bank0/num_lines"
echo pinctrl-bcm2711 >"$gpio_sim/bank0/label"
echo LAMP >"$gpio_sim/bank0/line4/name"
echo 1 >"$gpio_sim/live"
standard 'outputs: {light: {line: LAMP}, pendulum: {line: 4}, buzzer: {line: none}}' \
  'buttons: {play: {line: 5}, slower: {line: 6}, faster: {line: 7}, numerator: {line: 8}, denominator: {line: 9}, tap: {line: 10}}'
finds one-line-twice 2 '0 doubtful, 2 wrong' 'WRONG +light +LAMP \(offset 4 of gpiochip[0-9]+\) is also the line of pendulum~ set outputs.light.line in .* to another line' \
  'WRONG +pendulum +LAMP .* is also the line of light'
unplug

plug 17 led
standard
finds line-held 2 '0 doubtful, 1 wrong' 'WRONG +light +GPIO17 \(offset 17 of gpiochip[0-9]+\) is in use by "led"~ end the program that uses it, .* outputs.light.line'
unplug

# --- A good board ---------------------------------------------------------------------------------------------------
plug
chmod 660 /dev/gpiochip*
chgrp 997 /dev/gpiochip*
chgrp -R 29 /dev/snd
chmod 660 /dev/snd/*
measured=5
echo 'audio: {device: Dummy}' | configuration
writes() { grep -c 'gpio_value: .* set ' "$tracing/trace" || true; }
before=$(writes)
finds good 0 '0 doubtful, 0 wrong' 'right +chip +gpiochip[0-9]+ \[pinctrl-bcm2711\], 28 lines' 'right +light +GPIO17 \(offset 17 of gpiochip[0-9]+\), free' \
  'right +play +GPIO5 .*free, reads open' 'right +card +hw:CARD=Dummy: 48000 Hz, s16, 2 channels, periods of 256 frames' \
  'right +clock +\+0 ppm .* over [45]' 'right +folder +/run/state' 'right +real-time +root may'
check 'good: no line is written' "$before" "$(writes)"

# --- MIDI ports -----------------------------------------------------------------------------------------------------
virmidi='midi: {out: [{device: VirMIDI}, {device: Other}], in: "hw:CARD=VirMIDI,DEV=1"}'
printf 'audio: {device: Dummy}\n%s\n' "$virmidi" | configuration
finds midi 1 '1 doubtful, 0 wrong' 'right +VirMIDI +/dev/snd/midiC2D0, clock out' \
  'right +hw:CARD=VirMIDI,DEV=1 +/dev/snd/midiC2D1, clock in' 'doubtful +Other +is not plugged in'
"$here/midi-ear" 0 1 >/dev/null &
listener=$!
sleep 0.2
finds midi-used 1 '2 doubtful, 0 wrong' 'doubtful +hw:CARD=VirMIDI,DEV=1 +/dev/snd/midiC2D1, clock in: another program uses it, midi-ear'
kill $listener
wait $listener
measured=
standard

# A healthy Raspberry Pi.
mount -t tmpfs firmware /sys/firmware
mkdir -p /sys/firmware/devicetree/base
printf 'Raspberry Pi 4 Model B Rev 1.4\0' >/sys/firmware/devicetree/base/model
mount -t tmpfs cpu /sys/devices/system/cpu
for number in 0 1 2 3; do
  mkdir -p /sys/devices/system/cpu/cpu$number/cpufreq
  echo performance >/sys/devices/system/cpu/cpu$number/cpufreq/scaling_governor
done
finds good-pi 0 '0 doubtful, 0 wrong' 'right +model +Raspberry Pi 4 Model B Rev 1.4~' 'right +governor +performance \(4 processors\)'

# --- The computer ---------------------------------------------------------------------------------------------------
for governor in ondemand powersave; do
  echo $governor >/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor
  finds "governor-$governor" 1 '1 doubtful, 0 wrong' "doubtful +governor +performance \(3 processors\), $governor \(1 processor\).*~ echo performance \| sudo tee /sys/devices"
done
umount /sys/devices/system/cpu

# The firmware's status.
# shellcheck disable=SC2016 # for the shell of that program
printf '#!/bin/sh\necho "throttled=$(cat /run/throttled)"\n' >/run/vcgencmd
chmod 755 /run/vcgencmd
old_path=$PATH PATH=/run:$PATH
export PATH
echo 0x0 >/run/throttled
finds not-throttled 0 '0 doubtful, 0 wrong' 'right +throttling +none' 'right +voltage'
echo 0x50005 >/run/throttled
finds under-voltage 2 '1 doubtful, 1 wrong' 'WRONG +voltage +the supply voltage is too low now~ use the power supply' \
  'doubtful +throttling .*is throttled because.*0x50005'
echo 0x50000 >/run/throttled
finds under-voltage-before 1 '2 doubtful, 0 wrong' 'doubtful +voltage .*was too low at some time since boot~ use the power supply'
echo 0x80008 >/run/throttled
finds throttled 1 '1 doubtful, 0 wrong' 'doubtful +throttling .*is throttled because of heat or low voltage \(0x80008\)~ improve the cooling'
PATH=$old_path
umount /sys/firmware

mkdir /etc/systemd/system/sysinit.target.wants
: >/etc/systemd/system/sysinit.target.wants/systemd-timesyncd.service
finds clock-not-synchronised 1 '1 doubtful, 0 wrong' 'doubtful +clock +not yet synchronised by systemd-timesyncd~ connect the network'
rm -r /etc/systemd/system/sysinit.target.wants

# --- Permissions ------------------------------------------------------------------------------------------------------
chmod 777 /run/state
chmod 666 /dev/cpu_dma_latency 2>/dev/null || true
# A home of its own: with the plugins of PulseAudio installed, alsa-lib writes there.
mkdir -m 777 /run/home
nobody='env HOME=/run/home setpriv --reuid 65534 --regid 65534 --groups'
echo 'audio: {device: Dummy}' | configuration
metronome_as="prlimit --rtprio=80:80 --memlock=unlimited:unlimited -- $nobody 29,997 --"
finds ordinary-user 0 '0 doubtful, 0 wrong' 'right +gpio +nobody may use the GPIO chips' 'right +audio' 'right +memlock +nobody may'
metronome_as="prlimit --rtprio=80:80 --memlock=unlimited:unlimited -- $nobody 29 --"
finds no-group-gpio 2 '0 doubtful, 2 wrong' 'WRONG +gpio +nobody may not use /dev/gpiochip[0-9]+ .*~ (sudo usermod -aG [a-z0-9-]+ nobody, and log in again)' \
  'WRONG +chip +/dev/gpiochip[0-9]+ cannot be opened \(Permission denied\)~ apply the fix for "gpio" under rights above'
metronome_as="prlimit --rtprio=80:80 --memlock=unlimited:unlimited -- $nobody 997 --"
finds no-group-audio 2 '0 doubtful, 2 wrong' 'WRONG +audio +nobody may not use /dev/snd/controlC0 \(group audio\)~ sudo usermod -aG audio nobody, and log in again' \
  'WRONG +card +nobody has no permission to open /dev/snd/controlC0~ apply the fix for "audio" under rights above'
standard
metronome_as="prlimit --rtprio=0:0 --memlock=unlimited:unlimited -- $nobody 29,997 --"
finds no-real-time 1 '1 doubtful, 0 wrong' 'doubtful +real-time +nobody may not use real-time priority 80.*~ run as root, or: echo .nobody - rtprio 80. \| sudo tee'
metronome_as="prlimit --rtprio=80:80 --memlock=65536:65536 -- $nobody 29,997 --"
finds no-memlock 1 '1 doubtful, 0 wrong' 'doubtful +memlock +nobody may lock only 64 KiB.*~ run as root, or: echo .nobody - memlock unlimited'
metronome_as="prlimit --rtprio=80:80 --memlock=unlimited:unlimited -- $nobody 29,997 --"
chmod 600 /dev/gpiochip*
finds no-rule 2 '0 doubtful, 2 wrong' 'WRONG +gpio .*~ echo .SUBSYSTEM=="gpio", GROUP="gpio", MODE="0660". \| sudo tee /etc/udev/rules.d'
chmod 660 /dev/gpiochip*
metronome_as=

# --- Lines ----------------------------------------------------------------------------------------------------------
standard 'outputs: {light: {line: GPIO99}}'
finds line-missing 2 '0 doubtful, 2 wrong' 'WRONG +chip .*lacks some of the configured lines~ ' 'WRONG +light +gpiochip[0-9]+ \[pinctrl-bcm2711\] has no GPIO99~ set outputs.light.line in'
standard 'chip: pinctrl-bcm2711' 'buttons: {tap: {line: 99}}'
finds offset-missing 2 '0 doubtful, 1 wrong' 'WRONG +tap .*has no line 99~ set buttons.tap.line in .* offset of 0 to 27'
# The simulated chip's own pull-up would override the contact.
standard 'buttons: {play: {line: GPIO5, bias: disabled}}'
contact play closed
finds button-stuck 1 '1 doubtful, 0 wrong' 'doubtful +play +GPIO5 .*reads pressed now \(low\)~ release it; .*short circuit between its wire and ground'
contact play open
standard 'buttons: {play: {line: GPIO5, active: high, bias: pull-down}}'
finds button-open-the-other-way 0 '0 doubtful, 0 wrong' 'right +play'
standard

# --- Sound ----------------------------------------------------------------------------------------------------------
echo 'audio: {device: Headphones}' | configuration
finds named-card-missing 2 '0 doubtful, 1 wrong' 'WRONG +card +no sound card is named "Headphones"; the cards are Dummy, Loopback~ plug it in, or set audio.device in .* to one of Dummy, Loopback'
echo 'audio: {device: Loopback}' | configuration
finds coarse-card 0 '0 doubtful, 0 wrong' 'right +clock .*playback position in steps of 1 ms'
echo 'audio: {device: Loopback, volume: 0}' | configuration
finds volume-zero 1 '1 doubtful, 0 wrong' 'doubtful +volume +audio.volume is 0: no click is heard~ set audio.volume in .* to 0.8'
echo 'audio: {device: Loopback, period: 64, periods: 4}' | configuration
finds short-buffer 1 '1 doubtful, 0 wrong' 'doubtful +buffer +a buffer of 5.333 ms: below 10 ms .*~ set audio.period to 256 in .*configuration.yaml'
echo 'audio: {device: Loopback}' | configuration
hold_card
finds card-occupied 2 '0 doubtful, 1 wrong' "WRONG +card +Loopback is in use by holder \(process $holder\)~ end the program \(kill $holder\)"
release_card
card_of aloop unbind
card_of virmidi unbind 2>/dev/null || true
printf vc4hdmi0 >/sys/class/sound/card0/id
echo 'audio: {device: auto}' | configuration
finds screens-only 1 '1 doubtful, 0 wrong' 'doubtful +card +the only sound cards are those of screens \(vc4hdmi0\).*~ plug in a USB sound card.*audio.device in .* to vc4hdmi0'
card_of dummy unbind
finds no-card 1 '1 doubtful, 0 wrong' 'doubtful +card +no sound card supports playback: no clicks~ plug in a sound card'
echo 'audio: {device: none}' | configuration
finds no-sound-wanted 0 '0 doubtful, 0 wrong' '– +card +no sound card is configured'
standard 'outputs: {light: {line: none}, pendulum: {line: none}, buzzer: {line: none}}'
finds no-outputs 2 '0 doubtful, 1 wrong' 'WRONG +outputs +no output has a line, and audio.device is none.*~ in .*configuration.yaml set outputs.light.line'
standard

# --- State ------------------------------------------------------------------------------------------------------------
mkdir /run/damaged
echo garbage >/run/damaged/state
state=/run/damaged
finds state-damaged 1 '1 doubtful, 0 wrong' 'doubtful +memory +state is not a metronome state file, and no other copy exists: the next start renames state to state.damaged.*~ copy a backup to /run/damaged/state'
check 'state-damaged: the file is unchanged' garbage "$(cat /run/damaged/state)"
ln -s /run/unmounted /run/dangling
state=/run/dangling
finds state-dangling 2 '0 doubtful, 1 wrong' 'WRONG +folder +/run/dangling is a link to /run/unmounted, which does not exist.*~ mount the disk .* or sudo rm /run/dangling, then sudo install -d -o root -m 750 /run/dangling'
state=/run/missing
finds state-missing 2 '0 doubtful, 1 wrong' 'WRONG +folder +/run/missing does not exist.*~ sudo install -d -o root -m 750 /run/missing'
mkdir /run/readonly /run/full /run/owned
mount -t tmpfs readonly /run/readonly
mount -o remount,ro /run/readonly
state=/run/readonly
finds state-read-only 2 '0 doubtful, 1 wrong' 'WRONG +folder .*is on a read-only disk.*~ sudo mount -o remount,rw'
mount -t tmpfs -o size=16k full /run/full
head -c 60000 /dev/zero >/run/full/ballast 2>/dev/null || true
state=/run/full
finds state-full 2 '0 doubtful, 1 wrong' 'WRONG +room +the disk of /run/full is full.*~ free some space'
chmod 755 /run/owned
state=/run/owned
metronome_as="prlimit --rtprio=80:80 --memlock=unlimited:unlimited -- $nobody 29,997 --"
finds state-of-others 2 '0 doubtful, 1 wrong' 'WRONG +folder +nobody may not write to /run/owned.*~ sudo chown -R nobody /run/owned'
metronome_as=
state=/run/vcgencmd
finds state-no-folder 2 '0 doubtful, 1 wrong' 'WRONG +folder +/run/vcgencmd is not a folder~ sudo mv'
state=

# --- The configuration ----------------------------------------------------------------------------------------------
echo 'tempo: [' | configuration
finds bad-syntax 2 '0 doubtful, 1 wrong' 'WRONG +file +.*configuration.yaml:[0-9]+:[0-9]+: .*~ '
printf 'audio: {device: none}\ntemp: 120\n' | configuration
finds unknown-key 2 '0 doubtful, 1 wrong' 'WRONG +file +.*configuration.yaml:2:1: .*~ .*tempo'
echo 'outputs: {light: {line: GPIO22}}' | configuration
finds line-configured-twice 2 '0 doubtful, 1 wrong' 'WRONG +file .*GPIO22 is already used by outputs.buzzer'
configured=/run/nothing.yaml
finds configuration-missing 2 '0 doubtful, 1 wrong' 'WRONG +file +/run/nothing.yaml: no such file~ check the path'
configured=

# --- Inputs ---------------------------------------------------------------------------------------------------------
printf '%s\n' 'audio: {device: none}' 'inputs:' '  - {device: "Bench Pedal", keys: {KEY_PAGEDOWN: tap}}' | configuration
finds pedal-missing 1 '1 doubtful, 0 wrong' 'doubtful +Bench Pedal +is not plugged in~ plug it in'
plug_device pedal 'Bench Pedal' key:109
finds pedal-there 0 '0 doubtful, 0 wrong' 'right +Bench Pedal +/dev/input/event[0-9]+'
unplug_device pedal

# --- The service, as reported by the service manager ------------------------------------------------------------------
echo 'audio: {device: none}' | configuration
mkdir -p /run/systemd/system
printf '#!/bin/sh\ncat /run/unit\n' >/run/systemctl
chmod 755 /run/systemctl
PATH=/run:$PATH
unit() {
  printf '%s\n' LoadState=loaded "ActiveState=$1" "UnitFileState=$2" "Result=${3:-success}" "ExecMainStatus=${4:-0}" User=root \
    LimitRTPRIO=80 LimitMEMLOCK=infinity "StatusText=${5:-}" >/run/unit
}
unit active enabled success 0 '120 BPM 4/4 stopped'
rm -f /run/vcgencmd
finds service-runs 0 '0 doubtful, 0 wrong' 'right +at boot +enabled' 'right +metronome +running: 120 BPM 4/4 stopped'
unit failed enabled exit-code 69
finds service-failed 2 '0 doubtful, 1 wrong' 'WRONG +metronome +failed \(exit-code, exit code 69\)~ journalctl -u metronome'
unit inactive disabled
finds service-off 1 '2 doubtful, 0 wrong' 'doubtful +at boot .*~ sudo systemctl enable metronome' 'doubtful +metronome +not running.*~ sudo systemctl start metronome'
unit activating enabled success 0 'waiting for a GPIO chip'
finds service-waits 1 '1 doubtful, 0 wrong' 'doubtful +metronome +starting: waiting for a GPIO chip~ '
unit activating enabled watchdog 6
echo SubState=auto-restart >>/run/unit
finds service-loops 2 '0 doubtful, 1 wrong' 'WRONG +metronome +exits and is restarted again and again \(watchdog, exit code 6\)~ journalctl -u metronome'
echo LoadState=bad-setting >/run/unit
finds service-bad-unit 2 '0 doubtful, 1 wrong' 'WRONG +metronome +systemd rejects its unit or a drop-in \(bad-setting\).*~ systemctl status metronome'
echo LoadState=masked >/run/unit
finds service-masked 2 '0 doubtful, 1 wrong' 'WRONG +metronome +masked.*~ sudo systemctl unmask metronome'
echo LoadState=not-found >/run/unit
finds service-missing 0 '0 doubtful, 0 wrong' '– +metronome +not installed'
rm -r /run/systemctl /run/systemd
PATH=$old_path

# --- While a metronome runs -----------------------------------------------------------------------------------------
card_of dummy bind
echo 'audio: {device: Dummy}' | configuration
launch playing
press play
sleep 3
finds running 0 '0 doubtful, 0 wrong' 'right +light +GPIO17 .*in use by the running metronome, output' 'right +card +Dummy, in use by the running metronome'
end_metronome TERM
