#: boots=2
# A chip and a card that appear five seconds after the boot are used: the chip first, then the card, and vice versa.
# shellcheck shell=sh disable=SC2034,SC2154

cards='snd_dummy snd_aloop snd_virmidi'

before_systemd() {
  for card in $cards; do echo "$card.0" >"/sys/bus/platform/drivers/$card/unbind"; done
}

plug_card() { echo snd_dummy.0 >/sys/bus/platform/drivers/snd_dummy/bind; }
card_plays() { grep -q RUNNING /proc/asound/card0/pcm0p/sub0/status; }

# waits: the program waits for missing hardware, and reports it.
waits() {
  sleep 5
  check 'the service waits' activating "$(shows ActiveState)"
  holds 'the status reports the waiting' says_status 'waiting for'
  holds 'the log reports the waiting' log_has 'waiting for the GPIO lines'
  pid=$(shows MainPID)
}

# plays_light: a press starts the light.
plays_light() {
  since=$(uptime_seconds)
  sleep 6
  holds "$1" [ "$(flashes "$since")" -ge 10 ]
}

boot_1() {
  waits
  plug
  holds 'active soon after the chip appeared' within 3 is_active
  press play
  plays_light 'the light plays'
  plug_card
  holds 'the card plays soon after it appeared' within 5 card_plays
  holds 'the service no longer waits' within 5 sh -c "! systemctl show -P StatusText $service | grep -q waiting"
  check 'the same process' "$pid" "$(shows MainPID)"
  # The chip is unplugged and plugged in again while the box plays.
  unplug
  sleep 3
  holds 'the service waits for the chip again' says_status 'waiting for'
  plug
  within 5 holds_lines 9
  plays_light 'the light plays again'
  check 'still the same process' "$pid" "$(shows MainPID)"
}

boot_2() {
  waits
  plug_card
  holds 'active soon after the card appeared' within 5 is_active
  holds 'the service waits for the chip' says_status 'waiting for'
  sleep 2
  plug
  within 5 holds_lines 9
  press play
  plays_light 'the light plays'
  holds 'the card plays' card_plays
  check 'the same process' "$pid" "$(shows MainPID)"
}
