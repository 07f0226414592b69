#: limit=200
# It plays without its saved state too: a full disk, a folder without write permission, other users' files, damaged files.
# shellcheck shell=sh disable=SC2034,SC2154

plug
echo 'audio: {device: none}' | configuration

# play_on: two changes of the state while it plays, further apart than the save interval.
play_on() {
  press play
  sleep 3.1
  press faster
  sleep 4.2
  press faster
  sleep 3
}

# said_once PATTERN: besides its settings and the missing real-time rights it has logged this and nothing else.
said_once() {
  grep -vE ' BPM, |real-time|priority' "$results/$run.err" >"$results/$run.said" || true
  check "$run: warnings" 1 "$(wc -l <"$results/$run.said")"
  logged 1 "$1"
}

# --- Failing writes ---------------------------------------------------------------------------------------------------
mkdir /run/full /run/readonly /run/owned /run/kept
mount -t tmpfs -o size=16k full /run/full
head -c 60000 /dev/zero >/run/full/ballast 2>/dev/null || true
state=/run/full
start_metronome full-disk
play_on
said_once 'No space left'
rm /run/full/ballast
press slower
sleep 70
logged 1 'can be saved again'
check 'the state is saved once there is room' 'tempo 121' "$(grep '^tempo' /run/full/state)"
end_metronome TERM

mount -t tmpfs readonly /run/readonly
mount -o remount,ro /run/readonly
state=/run/readonly
start_metronome read-only
play_on
said_once 'Read-only'
end_metronome TERM

# A folder and a file of root's; the program runs as another user.
chmod 755 /run/owned
echo 'of root' >/run/owned/state
chmod 600 /run/owned/state
chgrp 997 /dev/gpiochip*
chmod 660 /dev/gpiochip*
state=/run/owned
metronome_as='setpriv --reuid 1000 --regid 1000 --groups 29,997 --'
start_metronome owned-by-others lateness_us=60
play_on
said_once 'Permission denied'
end_metronome TERM
check 'files of other owners are unchanged' 'of root' "$(cat /run/owned/state)"

# The file alone is root's: it may be good, so it is kept, and nothing is saved.
chown 1000 /run/owned
start_metronome file-of-others lateness_us=60
play_on
said_once 'Permission denied'
end_metronome TERM
check "$run: the file is unchanged" 'of root' "$(cat /run/owned/state)"
check "$run: only the practice log is created beside it" 'lock practice.log state' "$(ls /run/owned | grep -v '^control$' | paste -sd' ')"
check "$run: the practice log" ' 10 s 6 bars 120 to 122 BPM 4/4' "$(cut -d' ' -f2- /run/owned/practice.log | tr -s ' ')"
metronome_as=

# --- Unreadable state -------------------------------------------------------------------------------------------------
state=/run/kept
start_metronome good
logged 0 'state'
press faster
press numerator
hold denominator 0.9
sleep 3
end_metronome TERM
cp /run/kept/state /run/good
check 'the kept state' 'tempo 121,signature 1/16' "$(grep -E '^(tempo|signature)' /run/good | paste -sd,)"

# checked FILE: appends the correct checksum.
checked() { echo "checksum $(gzip -c "$1" | tail -c 8 | head -c 4 | od -An -tx4 | tr -d ' ')" >>"$1"; }

# spoil NAME: makes the file to be read from a valid one.
spoil() {
  file=/run/kept/state
  case $1 in
    damaged) sed 's/^tempo 121/tempo 131/' /run/good >$file ;;
    truncated) head -c 40 /run/good >$file ;;
    empty) : >$file ;;
    foreign) head -c 3000 /dev/urandom >$file ;;
    future)
      sed -e 's/^metronome state 1$/metronome state 9/' -e '/^checksum/d' /run/good >$file
      checked $file
      ;;
  esac
}

# Without an older file the configuration applies.
for fault in damaged truncated empty foreign future; do
  rm -f /run/kept/*
  spoil $fault
  cp /run/kept/state /run/spoilt
  start_metronome "$fault-only-one"
  play_on
  said_once 'state.damaged'
  end_metronome TERM
  check "$run: the damaged file is kept unchanged under another name" yes "$(cmp -s /run/spoilt /run/kept/state.damaged && echo yes)"
  check "$run: the new state is saved" 'tempo 122' "$(grep '^tempo' /run/kept/state)"
done

# With a valid older file: that one applies.
for fault in damaged truncated empty foreign future; do
  rm -f /run/kept/*
  cp /run/good /run/kept/state.previous
  spoil $fault
  start_metronome "$fault-with-another"
  play_on
  said_once 'state.damaged'
  end_metronome TERM
  check "$run: the new state is saved" 'tempo 123' "$(grep '^tempo' /run/kept/state)"
done
