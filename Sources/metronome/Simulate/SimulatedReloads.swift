import BoardSimulation
import MetronomeConfiguration

/// The configurations that a simulation takes over in its course.
final class SimulatedReloads {
  /// One of them, and when it is put in place.
  struct Appointment {
    var reload: Script.Reload
    /// The file's path.
    var path: String
    var result: Result<Reading, ConfigurationError>
  }

  /// In force.
  private(set) var current: Reading
  /// Does with a line what is to be done with it.
  private let tell: (String) -> Void
  /// What the board is to be made of.
  private let wires: (Configuration) -> SimulatedBoard.Options
  /// Told of each that is taken over, and of the one before.
  var follow: (_ new: Reading, _ old: Reading) -> Void = { _, _ in }

  init(_ first: Reading, wires: @escaping (Configuration) -> SimulatedBoard.Options, tell: @escaping (String) -> Void) {
    current = first
    self.wires = wires
    self.tell = tell
  }

  /// Takes one over, now, or says why not.
  func take(_ result: Result<Reading, ConfigurationError>, in simulation: Simulation) {
    switch result {
    case .failure(let error): tell(Reading.refusal(error.description))
    case .success(let reading):
      let old = current
      current = reading
      simulation.reconfigure(
        reading.options, board: wires(reading.configuration), changes: reading.boardChanges(from: old))
      follow(reading, old)
      tell(reading.news(since: old))
    }
  }

  /// Reads the files of a script.
  ///
  /// - Parameter folder: where relative paths count from; empty for the working directory.
  static func read(_ reloads: [Script.Reload], from folder: String) -> [Appointment] {
    reloads.map { reload in
      let isWhole = folder.isEmpty || reload.file.hasPrefix("/")
      let path = isWhole ? reload.file : folder + "/" + reload.file
      do throws(ConfigurationError) {
        let reading = try Reading(try Configuration.read(path: path))
        return Appointment(reload: reload, path: path, result: .success(reading))
      } catch {
        return Appointment(reload: reload, path: path, result: .failure(error))
      }
    }
  }
}
