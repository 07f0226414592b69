# Functions for the tests of the scenarios. POSIX sh, for busybox.
# shellcheck shell=sh

# sleep_until SECOND: waits until this second since power-on. All cores share one instruction counter, so a loop here would delay the
# edges of the program under test.
sleep_until() { sleep $(($1 - $(cut -d. -f1 /proc/uptime))); }

# stop_metronome: ends the program whose process is in $metronome, prints its log from /tmp/log, and its exit code.
# shellcheck disable=SC2154
stop_metronome() {
  kill -TERM "$metronome"
  ended=0
  wait "$metronome" || ended=$?
  echo 'bench: begin log'
  cat /tmp/log
  echo "bench: stopped $ended"
}

# card ID: the number of the sound card with this id.
card() { readlink "/proc/asound/$1" | tr -d '[:lower:]'; }

# start_gadget: connects a USB-MIDI device to the Pi, on the simulated bus of dummy_hcd. Its card is Bench on the side of the Pi and
# gadget on the side of the device.
start_gadget() {
  for module in usb-common usbcore udc-core configfs libcomposite snd-hwdep mc snd-usbmidi-lib snd-usb-audio usb_f_midi dummy_hcd; do
    insmod "/mod/$module.ko"
  done
  mount -t configfs configfs /sys/kernel/config
  gadget=/sys/kernel/config/usb_gadget/bench
  mkdir -p $gadget/strings/0x409 $gadget/configs/c.1 $gadget/functions/midi.0
  echo 0x1d6b >$gadget/idVendor
  echo 0x0104 >$gadget/idProduct
  echo Bench >$gadget/strings/0x409/product
  echo gadget >$gadget/functions/midi.0/id
  ln -s $gadget/functions/midi.0 $gadget/configs/c.1
  ls /sys/class/udc >$gadget/UDC
  sleep 1
}
