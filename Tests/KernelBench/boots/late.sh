#: boots=2
# A chip and a card that come five seconds after the boot are used: the chip first, then the card, and the other way round.
# shellcheck shell=sh disable=SC2034,SC2154

cards='snd_dummy snd_aloop snd_virmidi'

before_systemd() {
  for card in $cards; do echo "$card.0" >"/sys/bus/platform/drivers/$card/unbind"; done
}

plug_card() { echo snd_dummy.0 >/sys/bus/platform/drivers/snd_dummy/bind; }
card_plays() { grep -q RUNNING /proc/asound/card0/pcm0p/sub0/status; }

# waits: for what is not there, and says so.
waits() {
  sleep 5
  check 'it waits' activating "$(shows ActiveState)"
  holds 'and says so' says_status 'waiting for'
  holds 'in the log, too' log_has 'waits for the GPIO lines'
  pid=$(shows MainPID)
}

# plays_light: a press is heard and seen.
plays_light() {
  since=$(uptime_seconds)
  sleep 6
  holds "$1" [ "$(flashes "$since")" -ge 10 ]
}

boot_1() {
  waits
  plug
  holds 'active soon after the chip came' within 3 is_active
  press play
  plays_light 'the light plays'
  plug_card
  holds 'the card plays soon after it came' within 5 card_plays
  holds 'nothing is waited for any more' within 5 sh -c "! systemctl show -P StatusText $service | grep -q waiting"
  check 'the same process' "$pid" "$(shows MainPID)"
  # Pulled out and plugged in again while it plays.
  unplug
  sleep 3
  holds 'it waits for the chip again' says_status 'waiting for'
  plug
  within 5 holds_lines 9
  plays_light 'the light plays again'
  check 'still the same process' "$pid" "$(shows MainPID)"
}

boot_2() {
  waits
  plug_card
  holds 'active soon after the card came' within 5 is_active
  holds 'it waits for the chip' says_status 'waiting for'
  sleep 2
  plug
  within 5 holds_lines 9
  press play
  plays_light 'the light plays'
  holds 'the card plays' card_plays
  check 'the same process' "$pid" "$(shows MainPID)"
}
