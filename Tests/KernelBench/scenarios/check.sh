#: limit=200
#: kernel=snd_aloop.pcm_substreams=1 snd_dummy.pcm_substreams=1
# What `metronome check` says of a good board, and of one with each of some thirty faults: its name, what mends it, the exit
# code, and nothing else.
# shellcheck shell=sh disable=SC2034,SC2154

# finds NAME CODE SUMMARY PATTERN...: so ends a check, so many are doubtful and wrong (`1 doubtful, 0 wrong`), and each of these
# is in what it prints; `~` in a pattern is the arrow before the remedy, on the next line.
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

# standard [LINE]...: the configuration as built in, without sound, and these lines.
standard() { printf '%s\n' 'audio: {device: none}' "$@" | configuration; }

# card_of DRIVER bind|unbind
card_of() { echo "snd_$1.0" >"/sys/bus/platform/drivers/snd_$1/$2"; }

# The machine's own service of time has nothing to do with this kernel's clock.
mount -t tmpfs units /etc/systemd/system
mkdir /run/state
standard

# --- The chip -------------------------------------------------------------------------------------------------------
finds chip-missing 2 '0 doubtful, 1 wrong' 'WRONG +chip +this system has no GPIO chip .*~ run this on the computer'

mkdir "$gpio_sim" "$gpio_sim/bank0"
echo 28 >"$gpio_sim/bank0/num_lines"
echo another-chip >"$gpio_sim/bank0/label"
echo 1 >"$gpio_sim/live"
finds wrong-label 2 '0 doubtful, 1 wrong' 'WRONG +chip +none is labelled pinctrl-\*, .*there are gpiochip[0-9]+ \[another-chip\]~ set chip: in .*configuration.yaml to the label'
standard 'chip: yet-another'
finds label-missing 2 '0 doubtful, 1 wrong' 'WRONG +chip +there is no yet-another; there are .*\[another-chip\]~ set chip:'
unplug

# A line that has a name of its own as well as its number.
mkdir "$gpio_sim" "$gpio_sim/bank0" "$gpio_sim/bank0/line4"
echo 28 >"$gpio_sim/bank0/num_lines"
echo pinctrl-bcm2711 >"$gpio_sim/bank0/label"
echo LAMP >"$gpio_sim/bank0/line4/name"
echo 1 >"$gpio_sim/live"
standard 'outputs: {light: {line: LAMP}, pendulum: {line: 4}, buzzer: {line: none}}' \
  'buttons: {play: {line: 5}, slower: {line: 6}, faster: {line: 7}, numerator: {line: 8}, denominator: {line: 9}, tap: {line: 10}}'
finds one-line-twice 2 '0 doubtful, 2 wrong' 'WRONG +light +LAMP \(offset 4 of gpiochip[0-9]+\) is the pendulum.s line, too~ give each a line of its own: outputs.light.line' \
  'WRONG +pendulum +LAMP .* is the light.s line'
unplug

plug 17 led
standard
finds line-held 2 '0 doubtful, 1 wrong' 'WRONG +light +GPIO17 \(offset 17 of gpiochip[0-9]+\) is in use by "led"~ end what holds it .* outputs.light.line'
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
check 'good: nobody has written to a line' "$before" "$(writes)"
measured=
standard

# A Raspberry Pi that is well.
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

# The firmware's word.
# shellcheck disable=SC2016 # for the shell of that program
printf '#!/bin/sh\necho "throttled=$(cat /run/throttled)"\n' >/run/vcgencmd
chmod 755 /run/vcgencmd
old_path=$PATH PATH=/run:$PATH
export PATH
echo 0x0 >/run/throttled
finds not-throttled 0 '0 doubtful, 0 wrong' 'right +throttling +none' 'right +voltage'
echo 0x50005 >/run/throttled
finds under-voltage 2 '1 doubtful, 1 wrong' 'WRONG +voltage +the supply.s voltage is too low at this moment~ use the power supply' \
  'doubtful +throttling .*being slowed down.*0x50005'
echo 0x50000 >/run/throttled
finds under-voltage-before 1 '2 doubtful, 0 wrong' 'doubtful +voltage .*has been too low since the start~ use the power supply'
echo 0x80008 >/run/throttled
finds throttled 1 '1 doubtful, 0 wrong' 'doubtful +throttling .*being slowed down for heat or voltage \(0x80008\)~ give the box air'
PATH=$old_path
umount /sys/firmware

mkdir /etc/systemd/system/sysinit.target.wants
: >/etc/systemd/system/sysinit.target.wants/systemd-timesyncd.service
finds clock-not-synchronised 1 '1 doubtful, 0 wrong' 'doubtful +clock +not synchronised, though systemd-timesyncd is to do that~ connect the network'
rm -r /etc/systemd/system/sysinit.target.wants

# --- Rights ---------------------------------------------------------------------------------------------------------
chmod 777 /run/state
chmod 666 /dev/cpu_dma_latency 2>/dev/null || true
nobody='setpriv --reuid 65534 --regid 65534 --groups'
echo 'audio: {device: Dummy}' | configuration
metronome_as="prlimit --rtprio=80:80 --memlock=unlimited:unlimited -- $nobody 29,997 --"
finds ordinary-user 0 '0 doubtful, 0 wrong' 'right +gpio +nobody may use the GPIO chips' 'right +audio' 'right +memlock +nobody may'
metronome_as="prlimit --rtprio=80:80 --memlock=unlimited:unlimited -- $nobody 29 --"
finds no-group-gpio 2 '0 doubtful, 2 wrong' 'WRONG +gpio +nobody may not use /dev/gpiochip[0-9]+ .*~ (sudo usermod -aG [a-z0-9-]+ nobody, and log in again)' \
  'WRONG +chip +/dev/gpiochip[0-9]+ cannot be opened \(Permission denied\)~ do what "gpio" says above, under rights'
metronome_as="prlimit --rtprio=80:80 --memlock=unlimited:unlimited -- $nobody 997 --"
finds no-group-audio 2 '0 doubtful, 2 wrong' 'WRONG +audio +nobody may not use /dev/snd/controlC0 \(group audio\)~ sudo usermod -aG audio nobody, and log in again' \
  'WRONG +card +/dev/snd/controlC0 may not be opened~ do what "audio" says above, under rights'
standard
metronome_as="prlimit --rtprio=0:0 --memlock=unlimited:unlimited -- $nobody 29,997 --"
finds no-real-time 1 '1 doubtful, 0 wrong' 'doubtful +real-time +nobody may have no real-time priority of 80.*~ run as root, or: echo .nobody - rtprio 80. \| sudo tee'
metronome_as="prlimit --rtprio=80:80 --memlock=65536:65536 -- $nobody 29,997 --"
finds no-memlock 1 '1 doubtful, 0 wrong' 'doubtful +memlock +nobody may lock only 64 KiB.*~ run as root, or: echo .nobody - memlock unlimited'
metronome_as="prlimit --rtprio=80:80 --memlock=unlimited:unlimited -- $nobody 29,997 --"
chmod 600 /dev/gpiochip*
finds no-rule 2 '0 doubtful, 2 wrong' 'WRONG +gpio .*~ echo .SUBSYSTEM=="gpio", GROUP="gpio", MODE="0660". \| sudo tee /etc/udev/rules.d'
chmod 660 /dev/gpiochip*
metronome_as=

# --- Lines ----------------------------------------------------------------------------------------------------------
standard 'outputs: {light: {line: GPIO99}}'
finds line-missing 2 '0 doubtful, 2 wrong' 'WRONG +chip .*has not all the lines~ ' 'WRONG +light +gpiochip[0-9]+ \[pinctrl-bcm2711\] has no GPIO99~ set outputs.light.line in'
standard 'chip: pinctrl-bcm2711' 'buttons: {tap: {line: 99}}'
finds offset-missing 2 '0 doubtful, 1 wrong' 'WRONG +tap .*has no line 99~ set buttons.tap.line in .* offset of 0 to 27'
# The simulated chip's own pull-up would win against the contact.
standard 'buttons: {play: {line: GPIO5, bias: disabled}}'
contact play closed
finds button-stuck 1 '1 doubtful, 0 wrong' 'doubtful +play +GPIO5 .*reads pressed now \(low\)~ let go of it; .*short between its wire and ground'
contact play open
standard 'buttons: {play: {line: GPIO5, active: high, bias: pull-down}}'
finds button-open-the-other-way 0 '0 doubtful, 0 wrong' 'right +play'
standard

# --- Sound ----------------------------------------------------------------------------------------------------------
echo 'audio: {device: Headphones}' | configuration
finds named-card-missing 2 '0 doubtful, 1 wrong' 'WRONG +card +there is no sound card "Headphones"; there are Dummy, Loopback~ plug it in, or set audio.device in .* to one of Dummy, Loopback'
echo 'audio: {device: Loopback}' | configuration
finds coarse-card 0 '0 doubtful, 0 wrong' 'right +clock .*in steps of 1 ms'
echo 'audio: {device: Loopback, volume: 0}' | configuration
finds volume-zero 1 '1 doubtful, 0 wrong' 'doubtful +volume +audio.volume is 0: no click is heard~ set audio.volume in .* to 0.8'
echo 'audio: {device: Loopback, period: 64, periods: 4}' | configuration
finds short-buffer 1 '1 doubtful, 0 wrong' 'doubtful +buffer +a buffer of 5.333 ms: below 10 ms .*~ set audio.period to 256 in .*configuration.yaml'
echo 'audio: {device: Loopback}' | configuration
hold_card
finds card-occupied 2 '0 doubtful, 1 wrong' "WRONG +card +Loopback is in use by holder \(process $holder\)~ end it \(kill $holder\)"
let_card_go
card_of aloop unbind
card_of virmidi unbind 2>/dev/null || true
printf vc4hdmi0 >/sys/class/sound/card0/id
echo 'audio: {device: auto}' | configuration
finds screens-only 1 '1 doubtful, 0 wrong' 'doubtful +card +no card but those of screens \(vc4hdmi0\).*~ plug in a USB card.*audio.device: vc4hdmi0'
card_of dummy unbind
finds no-card 1 '1 doubtful, 0 wrong' 'doubtful +card +there is no sound card that plays: no clicks~ plug one in'
echo 'audio: {device: none}' | configuration
finds no-sound-wanted 0 '0 doubtful, 0 wrong' '– +card +none is asked for'
standard 'outputs: {light: {line: none}, pendulum: {line: none}, buzzer: {line: none}}'
finds no-outputs 2 '0 doubtful, 1 wrong' 'WRONG +outputs +no output has a line, and audio.device is none.*~ in .*configuration.yaml set outputs.light.line'
standard

# --- Memory ---------------------------------------------------------------------------------------------------------
mkdir /run/damaged
echo garbage >/run/damaged/state
state=/run/damaged
finds state-damaged 1 '1 doubtful, 0 wrong' 'doubtful +memory +state is no state of a metronome, and there is no other: the next start sets it aside as state.damaged.*~ copy a good one to /run/damaged/state'
check 'state-damaged: the file is left as it is' garbage "$(cat /run/damaged/state)"
ln -s /run/unmounted /run/dangling
state=/run/dangling
finds state-dangling 2 '0 doubtful, 1 wrong' 'WRONG +folder +/run/dangling is a link to /run/unmounted, which is not there.*~ mount the disk .* or sudo rm /run/dangling, then sudo install -d -o root -m 750 /run/dangling'
state=/run/missing
finds state-missing 2 '0 doubtful, 1 wrong' 'WRONG +folder +there is no /run/missing.*~ sudo install -d -o root -m 750 /run/missing'
mkdir /run/readonly /run/full /run/owned
mount -t tmpfs readonly /run/readonly
mount -o remount,ro /run/readonly
state=/run/readonly
finds state-read-only 2 '0 doubtful, 1 wrong' 'WRONG +folder .*cannot be written to.*~ sudo mount -o remount,rw'
mount -t tmpfs -o size=16k full /run/full
head -c 60000 /dev/zero >/run/full/ballast 2>/dev/null || true
state=/run/full
finds state-full 2 '0 doubtful, 1 wrong' 'WRONG +room +the disk of /run/full is full.*~ make room'
chmod 755 /run/owned
state=/run/owned
metronome_as="prlimit --rtprio=80:80 --memlock=unlimited:unlimited -- $nobody 29,997 --"
finds state-of-others 2 '0 doubtful, 1 wrong' 'WRONG +folder +nobody may not write to /run/owned.*~ sudo chown -R nobody /run/owned'
metronome_as=
state=/run/vcgencmd
finds state-no-folder 2 '0 doubtful, 1 wrong' 'WRONG +folder +/run/vcgencmd is no folder~ sudo mv'
state=

# --- The configuration ----------------------------------------------------------------------------------------------
echo 'tempo: [' | configuration
finds bad-syntax 2 '0 doubtful, 1 wrong' 'WRONG +file +.*configuration.yaml:[0-9]+:[0-9]+: .*~ '
printf 'audio: {device: none}\ntemp: 120\n' | configuration
finds unknown-key 2 '0 doubtful, 1 wrong' 'WRONG +file +.*configuration.yaml:2:1: .*~ .*tempo'
echo 'outputs: {light: {line: GPIO22}}' | configuration
finds line-configured-twice 2 '0 doubtful, 1 wrong' 'WRONG +file .*GPIO22 already belongs to outputs.buzzer'
configured=/run/nothing.yaml
finds configuration-missing 2 '0 doubtful, 1 wrong' 'WRONG +file +/run/nothing.yaml: there is no such file~ check the path'
configured=

# --- Inputs ---------------------------------------------------------------------------------------------------------
printf '%s\n' 'audio: {device: none}' 'inputs:' '  - {device: "Bench Pedal", keys: {KEY_PAGEDOWN: tap}}' | configuration
finds pedal-missing 1 '1 doubtful, 0 wrong' 'doubtful +Bench Pedal +is not plugged in~ plug it in'
plug_device pedal 'Bench Pedal' key:109
finds pedal-there 0 '0 doubtful, 0 wrong' 'right +Bench Pedal +/dev/input/event[0-9]+'
unplug_device pedal

# --- The service, as its manager would tell -------------------------------------------------------------------------
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
finds service-waits 1 '1 doubtful, 0 wrong' 'doubtful +metronome +waits: waiting for a GPIO chip~ '
unit activating enabled watchdog 6
echo SubState=auto-restart >>/run/unit
finds service-loops 2 '0 doubtful, 1 wrong' 'WRONG +metronome +ends and is started again and again \(watchdog, exit code 6\)~ journalctl -u metronome'
echo LoadState=bad-setting >/run/unit
finds service-bad-unit 2 '0 doubtful, 1 wrong' 'WRONG +metronome +its unit or a drop-in of it cannot be used \(bad-setting\).*~ systemctl status metronome'
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
