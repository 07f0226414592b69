#if LINUX_BOARD
  import BoardCheck
  import CLibrary
  import ControlSocket
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeConfiguration
  import MetronomeControl
  import MetronomeCore
  import MetronomeEngine
  import StateFiles

  /// Learns pedals and knobs: listens to all input devices while a person presses or turns one, and keeps what it does in the state
  /// folder. Control thread.
  final class InputLearning {
    private struct Attempt {
      var learner: InputLearner
      var use: LearnedControls.Use
      var request: LearnRequest
      var outcome: InputLearner.Outcome?
    }

    /// Applies the file of the learned controls.
    private let reload: () -> Void
    private let board: LinuxBoard
    private let folder: String
    private let wake: @Sendable () -> Void
    private let saved = Mailbox<Failure?>()
    private var controls: LearnedControls
    private var attempt: Attempt?
    /// The answer to send when the file is on the disk, and the request that it answers.
    private var saving: (request: LearnRequest, answer: ControlMessage, former: LearnedControls)?
    private var answers: [(ControlMessage, client: UInt64)] = []
    private let clock = LinuxClock()

    /// - Parameter folder: the state folder, which this process has locked.
    init(_ board: LinuxBoard, in folder: String, wake: @escaping @Sendable () -> Void, reload: @escaping () -> Void) {
      (self.board, self.folder, self.wake, self.reload) = (board, folder, wake, reload)
      // A file that cannot be read was reported when it was loaded. The next control that is learned replaces it.
      controls = (try? LearnedControls(inFolder: folder)) ?? LearnedControls()
    }

    /// Answers a request; the answer to ``LearnRequest/Action/learn(_:)`` follows with ``takeAnswers(at:)``.
    func answer(_ request: LearnRequest) -> [ControlMessage] {
      switch request.action {
      case .list: return list()
      case .cancel:
        end(.failed("nothing was learned"))
        return [ControlMessage("done")]
      case .forget(let number):
        guard saving == nil else { return [Self.isSaving] }
        guard controls.items.indices.contains(number - 1) else {
          return [Self.refused("there is no control \(number)")]
        }
        var new = controls
        new.removeItem(at: number - 1)
        save(new, ControlMessage("done"), for: request)
        return []
      case .learn(let use):
        guard saving == nil else { return [Self.isSaving] }
        end(.failed("another person has begun to learn a control"))
        guard board.learnInputs({ [weak self] touch in self?.receive(touch) }) else {
          return [Self.refused("input devices cannot be watched on this computer")]
        }
        attempt = Attempt(learner: InputLearner(isDial: use.isDial, at: clock.now), use: use, request: request)
        return []
      }
    }

    /// Ends learning because the input devices are opened anew.
    func interrupt() { end(.failed("the configuration was reloaded; try again")) }

    /// The answers that have become due. Returns them with their clients, and when to call again.
    func takeAnswers(at now: Instant) -> (answers: [(ControlMessage, client: UInt64)], deadline: Instant?) {
      if let outcome = attempt?.outcome ?? attempt?.learner.settle(at: now) { end(outcome) }
      if let saving, let failure = saved.drain().last {
        self.saving = nil
        if let failure {
          controls = saving.former
          reply(Self.refused("the control cannot be saved: \(failure.message)"), to: saving.request)
        } else {
          reply(saving.answer, to: saving.request)
          reload()
        }
      }
      defer { answers = [] }
      return (answers, attempt?.learner.deadline)
    }

    /// The devices are being read, so the attempt ends later.
    private func receive(_ touch: InputTouch) {
      guard attempt?.outcome == nil, let outcome = attempt?.learner.receive(touch, at: clock.now) else { return }
      attempt?.outcome = outcome
      wake()
    }

    /// Ends an attempt, if there is one.
    private func end(_ outcome: InputLearner.Outcome) {
      guard let attempt else { return }
      self.attempt = nil
      _ = board.learnInputs(nil)
      switch outcome {
      case .failed(let why): reply(Self.refused(why), to: attempt.request)
      case .learned(let control):
        var new = controls
        do throws(ControlsAreFull) { try new.add(control, for: attempt.use) } catch {
          return reply(Self.refused(error.text), to: attempt.request)
        }
        let answer = ControlMessage("done", ["device": control.device.name, "control": control.kind.name])
        save(new, answer, for: attempt.request)
      }
    }

    private func save(_ new: LearnedControls, _ answer: ControlMessage, for request: LearnRequest) {
      let (folder, saved, wake) = (folder, saved, wake)
      do {
        _ = try BlockingThread(name: "learn") {
          saved.post(InputLearning.write(new, to: folder))
          wake()
        }.join(until: .zero)
        (saving, controls) = ((request, answer, controls), new)
      } catch {
        reply(Self.refused("the control cannot be saved: no thread can be started"), to: request)
      }
    }

    /// Returns why the file cannot be written. May block.
    private static func write(_ controls: LearnedControls, to folder: String) -> Failure? {
      do throws(HardwareError) {
        let files = try FileFolder(folder)
        let temporary = LearnedControls.file + ".new"
        try files.write(temporary, Array(controls.yaml.utf8))
        _ = try files.rename(temporary, to: LearnedControls.file)
        try files.synchronize()
        return nil
      } catch {
        return Failure.cannotBeMade(Failure.text(error))
      }
    }

    private func reply(_ message: ControlMessage, to request: LearnRequest) {
      answers.append((request.answer(message), client: request.client))
    }

    private static var isSaving: ControlMessage { refused("the last change is being saved; try again") }

    private static func refused(_ why: String) -> ControlMessage { ControlMessage("refused", ["why": why]) }

    private func list() -> [ControlMessage] {
      let items = controls.items.enumerated().map { place, item in
        ControlMessage(
          "control",
          [
            "number": String(place + 1), "device": item.device, "control": item.control, "command": item.use.command,
            "dial": item.use.dial,
          ])
      }
      return items + [ControlMessage("done", ["count": String(items.count)])]
    }
  }

  extension LearnedControls.Use {
    fileprivate var isDial: Bool { if case .dial = self { true } else { false } }
    fileprivate var command: String? { if case .command(let command) = self { command.words } else { nil } }
    fileprivate var dial: String? { if case .dial(let dial) = self { dial.rawValue } else { nil } }
  }
#endif
