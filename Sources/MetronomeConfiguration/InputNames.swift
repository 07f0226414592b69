import HardwareAbstraction

extension KeyCode {
  /// The key with this name, such as `KEY_PAGEDOWN` or `BTN_0`, or with this number; nil if there is no such key.
  package init?(name: String) {
    guard
      let number = InputNames.keys.first(where: { $0.name == name })?.number
        ?? wholeNumber(name).flatMap({ UInt16(exactly: $0) }),
      (1...KeyCode.highest).contains(number)
    else { return nil }
    self.init(number: number)
  }

  /// The kernel's `KEY_MAX`.
  private static let highest: UInt16 = 0x2FF

  /// The first name of the key; its number if it has no name in ``InputNames``.
  package var name: String { InputNames.keys.first { $0.number == number }?.name ?? String(number) }

  package static var names: [String] { InputNames.keys.map(\.name) }
}

extension AxisCode {
  /// The axis with this name, such as `REL_X`; nil if there is no such axis.
  package init?(name: String) {
    guard let number = InputNames.axes.first(where: { $0.name == name })?.number else { return nil }
    self.init(number: number)
  }

  /// The name of the axis; its number if it has no name in ``InputNames``.
  package var name: String { InputNames.axes.first { $0.number == number }?.name ?? String(number) }

  /// The names of all axes except the high-resolution wheels, which repeat `REL_WHEEL` and `REL_HWHEEL`.
  package static var names: [String] { InputNames.axes.map(\.name) }
}

/// Names and numbers from the kernel's `linux/input-event-codes.h`. If a number has several names, the usual name comes first.
private enum InputNames {
  static let keys = names(in: keyNames)
  static let axes = names(in: axisNames)

  /// - Parameter text: each line has a number, and the names of this and the following numbers; `=` joins names of one number.
  private static func names(in text: String) -> [(name: String, number: UInt16)] {
    text.split(separator: "\n").flatMap { line in
      let words = line.split(separator: " ")
      return zip(UInt16(words[0])!..., words.dropFirst()).flatMap { number, names in
        names.split(separator: "=").map { (String($0), number) }
      }
    }
  }
}

extension InputNames {
  /// The keys of keyboards, remote controls, pedals, mice and gamepads. Other keys have only a number.
  fileprivate static let keyNames = """
    1 KEY_ESC KEY_1 KEY_2 KEY_3 KEY_4 KEY_5 KEY_6 KEY_7 KEY_8 KEY_9 KEY_0 KEY_MINUS KEY_EQUAL KEY_BACKSPACE KEY_TAB
    16 KEY_Q KEY_W KEY_E KEY_R KEY_T KEY_Y KEY_U KEY_I KEY_O KEY_P KEY_LEFTBRACE KEY_RIGHTBRACE KEY_ENTER KEY_LEFTCTRL
    30 KEY_A KEY_S KEY_D KEY_F KEY_G KEY_H KEY_J KEY_K KEY_L KEY_SEMICOLON KEY_APOSTROPHE KEY_GRAVE KEY_LEFTSHIFT
    43 KEY_BACKSLASH KEY_Z KEY_X KEY_C KEY_V KEY_B KEY_N KEY_M KEY_COMMA KEY_DOT KEY_SLASH KEY_RIGHTSHIFT
    55 KEY_KPASTERISK KEY_LEFTALT KEY_SPACE KEY_CAPSLOCK KEY_F1 KEY_F2 KEY_F3 KEY_F4 KEY_F5 KEY_F6 KEY_F7 KEY_F8
    67 KEY_F9 KEY_F10 KEY_NUMLOCK KEY_SCROLLLOCK KEY_KP7 KEY_KP8 KEY_KP9 KEY_KPMINUS KEY_KP4 KEY_KP5 KEY_KP6
    78 KEY_KPPLUS KEY_KP1 KEY_KP2 KEY_KP3 KEY_KP0 KEY_KPDOT
    85 KEY_ZENKAKUHANKAKU KEY_102ND KEY_F11 KEY_F12 KEY_RO KEY_KATAKANA KEY_HIRAGANA KEY_HENKAN KEY_KATAKANAHIRAGANA
    94 KEY_MUHENKAN KEY_KPJPCOMMA KEY_KPENTER KEY_RIGHTCTRL KEY_KPSLASH KEY_SYSRQ KEY_RIGHTALT KEY_LINEFEED KEY_HOME
    103 KEY_UP KEY_PAGEUP KEY_LEFT KEY_RIGHT KEY_END KEY_DOWN KEY_PAGEDOWN KEY_INSERT KEY_DELETE KEY_MACRO KEY_MUTE
    114 KEY_VOLUMEDOWN KEY_VOLUMEUP KEY_POWER KEY_KPEQUAL KEY_KPPLUSMINUS KEY_PAUSE KEY_SCALE KEY_KPCOMMA
    122 KEY_HANGEUL=KEY_HANGUEL KEY_HANJA KEY_YEN KEY_LEFTMETA KEY_RIGHTMETA KEY_COMPOSE KEY_STOP KEY_AGAIN KEY_PROPS
    131 KEY_UNDO KEY_FRONT KEY_COPY KEY_OPEN KEY_PASTE KEY_FIND KEY_CUT KEY_HELP KEY_MENU KEY_CALC KEY_SETUP KEY_SLEEP
    143 KEY_WAKEUP KEY_FILE KEY_SENDFILE KEY_DELETEFILE KEY_XFER KEY_PROG1 KEY_PROG2 KEY_WWW KEY_MSDOS
    152 KEY_COFFEE=KEY_SCREENLOCK KEY_ROTATE_DISPLAY=KEY_DIRECTION KEY_CYCLEWINDOWS KEY_MAIL KEY_BOOKMARKS
    157 KEY_COMPUTER KEY_BACK KEY_FORWARD KEY_CLOSECD KEY_EJECTCD KEY_EJECTCLOSECD KEY_NEXTSONG KEY_PLAYPAUSE
    165 KEY_PREVIOUSSONG KEY_STOPCD KEY_RECORD KEY_REWIND KEY_PHONE KEY_ISO KEY_CONFIG KEY_HOMEPAGE KEY_REFRESH
    174 KEY_EXIT KEY_MOVE KEY_EDIT KEY_SCROLLUP KEY_SCROLLDOWN KEY_KPLEFTPAREN KEY_KPRIGHTPAREN KEY_NEW KEY_REDO
    183 KEY_F13 KEY_F14 KEY_F15 KEY_F16 KEY_F17 KEY_F18 KEY_F19 KEY_F20 KEY_F21 KEY_F22 KEY_F23 KEY_F24
    200 KEY_PLAYCD KEY_PAUSECD KEY_PROG3 KEY_PROG4 KEY_ALL_APPLICATIONS=KEY_DASHBOARD KEY_SUSPEND KEY_CLOSE KEY_PLAY
    208 KEY_FASTFORWARD KEY_BASSBOOST KEY_PRINT KEY_HP KEY_CAMERA KEY_SOUND KEY_QUESTION KEY_EMAIL KEY_CHAT KEY_SEARCH
    218 KEY_CONNECT KEY_FINANCE KEY_SPORT KEY_SHOP KEY_ALTERASE KEY_CANCEL KEY_BRIGHTNESSDOWN KEY_BRIGHTNESSUP
    226 KEY_MEDIA KEY_SWITCHVIDEOMODE KEY_KBDILLUMTOGGLE KEY_KBDILLUMDOWN KEY_KBDILLUMUP KEY_SEND KEY_REPLY
    233 KEY_FORWARDMAIL KEY_SAVE KEY_DOCUMENTS KEY_BATTERY KEY_BLUETOOTH KEY_WLAN KEY_UWB KEY_UNKNOWN KEY_VIDEO_NEXT
    242 KEY_VIDEO_PREV KEY_BRIGHTNESS_CYCLE KEY_BRIGHTNESS_AUTO=KEY_BRIGHTNESS_ZERO KEY_DISPLAY_OFF KEY_WWAN=KEY_WIMAX
    247 KEY_RFKILL KEY_MICMUTE
    352 KEY_OK KEY_SELECT
    398 KEY_RED KEY_GREEN KEY_YELLOW KEY_BLUE KEY_CHANNELUP KEY_CHANNELDOWN KEY_FIRST KEY_LAST KEY_AB KEY_NEXT
    408 KEY_RESTART KEY_SLOW KEY_SHUFFLE KEY_BREAK KEY_PREVIOUS
    512 KEY_NUMERIC_0 KEY_NUMERIC_1 KEY_NUMERIC_2 KEY_NUMERIC_3 KEY_NUMERIC_4 KEY_NUMERIC_5 KEY_NUMERIC_6
    519 KEY_NUMERIC_7 KEY_NUMERIC_8 KEY_NUMERIC_9
    256 BTN_0 BTN_1 BTN_2 BTN_3 BTN_4 BTN_5 BTN_6 BTN_7 BTN_8 BTN_9
    272 BTN_LEFT BTN_RIGHT BTN_MIDDLE BTN_SIDE BTN_EXTRA BTN_FORWARD BTN_BACK BTN_TASK
    288 BTN_TRIGGER BTN_THUMB BTN_THUMB2 BTN_TOP BTN_TOP2 BTN_PINKIE BTN_BASE BTN_BASE2 BTN_BASE3 BTN_BASE4 BTN_BASE5
    299 BTN_BASE6
    303 BTN_DEAD BTN_SOUTH=BTN_A BTN_EAST=BTN_B BTN_C BTN_NORTH=BTN_X BTN_WEST=BTN_Y BTN_Z BTN_TL BTN_TR BTN_TL2
    313 BTN_TR2 BTN_SELECT BTN_START BTN_MODE BTN_THUMBL BTN_THUMBR
    544 BTN_DPAD_UP BTN_DPAD_DOWN BTN_DPAD_LEFT BTN_DPAD_RIGHT
    """

  /// The axes that report how far they were moved.
  fileprivate static let axisNames = "0 REL_X REL_Y REL_Z REL_RX REL_RY REL_RZ REL_HWHEEL REL_DIAL REL_WHEEL REL_MISC"
}
