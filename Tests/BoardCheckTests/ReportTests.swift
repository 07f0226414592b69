import HardwareAbstraction
import MetronomeCore
import Testing

@testable import BoardCheck

@Suite struct ReportTests {
  @Test func findingsOfAGoodBoxArePrintedAsATable() {
    #expect(
      FindingTable().text(Box.facts.findings) == """
        configuration
          right     file                      /etc/metronome/metronome.yaml
        computer
          right     model                     Raspberry Pi 4 Model B Rev 1.4
          right     kernel                    6.12.34+rpt-rpi-v8, an ordinary kernel, which is sufficient
          right     governor                  performance (4 processors)
          right     voltage                   high enough
          right     throttling                none
          right     clock                     synchronised
        rights
          right     real-time                 pi may use real-time priority
          right     memlock                   pi may lock memory
          right     real-time of the service  metronome may use real-time priority
          right     memlock of the service    metronome may lock memory
          right     gpio                      pi may use the GPIO chips (group gpio)
          right     audio                     pi may use the sound cards (group audio)
          –         input                     not needed: the configuration does not use pedals and encoders
          right     wake-up                   metronome may keep the processor out of deep idle states
        lines
          right     libgpiod                  2.2.1
          right     chip                      gpiochip0 [pinctrl-bcm2711], 58 lines
          right     light                     GPIO17 (offset 17 of gpiochip0), free, active high
          right     pendulum                  GPIO27 (offset 27 of gpiochip0), free, active high
          right     buzzer                    GPIO22 (offset 22 of gpiochip0), free, active high
          right     play                      GPIO5 (offset 5 of gpiochip0), free, reads open
          right     slower                    GPIO6 (offset 6 of gpiochip0), free, reads open
          right     faster                    GPIO16 (offset 16 of gpiochip0), free, reads open
          right     numerator                 GPIO26 (offset 26 of gpiochip0), free, reads open
          right     denominator               GPIO25 (offset 25 of gpiochip0), free, reads open
          right     tap                       GPIO24 (offset 24 of gpiochip0), free, reads open
        sound
          right     card                      hw:CARD=Headphones: 48000 Hz, s16, 2 channels, periods of 256 frames, a buffer of 1024 (21.333 ms)
          right     clock                     +12.5 ppm relative to the system clock over 4.5 s, smooth playback position
        state
          right     folder                    /var/lib/metronome, writable by metronome
          right     room                      953 MiB free
        service
          right     at boot                   enabled
          right     metronome                 running: 120 BPM 4/4 stopped
        31 right, 0 doubtful, 0 wrong

        """)
    #expect(Box.facts.findings.exitCode == 0)
  }

  private static let few: [Finding] = [
    Finding(.lines, "light", .wrong("GPIO17 is in use by \"led\"", remedy: "end it")),
    Finding(.sound, "clock", .right("runs", figures: ["drift_ppm": -12.3, "rate_hz": 48_000])),
    Finding(.state, "room", .doubtful("little\u{7}", remedy: "make room")),
    Finding(.service, "metronome", .absent("systemd is not running")),
  ]

  @Test func remediesFollowFindingsAndControlCharactersAreEscaped() {
    #expect(
      FindingTable().text(ReportTests.few) == """
        lines
          WRONG     light      GPIO17 is in use by "led"
                    → end it
        sound
          right     clock      runs
        state
          doubtful  room       littleU+0007
                    → make room
        service
          –         metronome  systemd is not running
        1 right, 1 doubtful, 1 wrong

        """)
  }

  @Test func onlyTheStateIsColored() {
    let line = FindingTable(isColored: true).lines(ReportTests.few[0], 5)[0]
    #expect(line == "  \u{1B}[1;31mWRONG   \u{1B}[0m  light  GPIO17 is in use by \"led\"")
  }

  @Test func findingsEncodeAsJSON() throws {
    #expect(
      try FindingJSON.text(ReportTests.few) == #"""
        {"exit":2,"findings":[\#
        {"area":"lines","figures":{},"remedy":"end it","state":"wrong","subject":"light","text":"GPIO17 is in use by \"led\""},\#
        {"area":"sound","figures":{"drift_ppm":-12.3,"rate_hz":48000},"remedy":null,"state":"right","subject":"clock","text":"runs"},\#
        {"area":"state","figures":{},"remedy":"make room","state":"doubtful","subject":"room","text":"little\u0007"},\#
        {"area":"service","figures":{},"remedy":null,"state":"absent","subject":"metronome","text":"systemd is not running"}\#
        ],"state":"wrong","version":1}

        """#)
  }

  @Test func worstFindingDecidesTheExitCode() {
    #expect(ReportTests.few.exitCode == 2)
    #expect(Array(ReportTests.few[1...]).exitCode == 1)
    #expect([ReportTests.few[1], ReportTests.few[3]].exitCode == 0)
    #expect([Finding]().exitCode == 0)
  }
}
