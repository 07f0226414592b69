import BoardSimulation
import MetronomeConfiguration

/// The configurations that a simulated box takes over in its course.
package final class SimulatedReloads {
  /// One of them, and when it is put in place.
  package struct Appointment {
    package var reload: Script.Reload
    /// The file's path.
    package var path: String
    package var result: Result<Reading, ConfigurationError>
  }

  /// In force.
  package private(set) var current: Reading
  /// Does with a line what is to be done with it.
  private let tell: (String) -> Void
  /// What the board is to be made of.
  let wires: (Configuration) -> SimulatedBoard.Options
  /// Told of each that is taken over, and of the one before.
  package var follow: (_ new: Reading, _ old: Reading) -> Void = { _, _ in }
  /// What the board is made of; another than ``current`` when that was put in place of it while the box was off.
  private var wired: Reading

  init(_ first: Reading, wires: @escaping (Configuration) -> SimulatedBoard.Options, tell: @escaping (String) -> Void) {
    current = first
    wired = first
    self.wires = wires
    self.tell = tell
  }

  /// Takes one over, now, or says why not. A box that is off has it from its next beginning on.
  func take(_ result: Result<Reading, ConfigurationError>, in simulation: Simulation) {
    switch result {
    case .failure(let error): tell(Reading.refusal(error.description))
    case .success(let reading):
      let old = current
      current = reading
      if simulation.isOn {
        wired = reading
        simulation.reconfigure(
          reading.options, board: wires(reading.configuration), changes: reading.boardChanges(from: old))
      }
      follow(reading, old)
      tell(reading.news(since: old))
    }
  }

  /// Begins the box anew with what is in force.
  func begin(_ simulation: Simulation) {
    let changes = current.boardChanges(from: wired)
    wired = current
    simulation.begin(current.options, board: wires(current.configuration), changes: changes)
  }

  /// Reads the files of a script.
  ///
  /// - Parameter folder: where relative paths count from; empty for the working directory.
  package static func read(_ reloads: [Script.Reload], from folder: String) -> [Appointment] {
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

  /// Takes the files of a script from texts, by their names.
  package static func read(_ reloads: [Script.Reload], texts: [String: String]) -> [Appointment] {
    reloads.map { reload in
      guard let text = texts[reload.file] else { return read([reload], from: "")[0] }
      do throws(ConfigurationError) {
        let reading = try Reading(try Configuration(yaml: Array(text.utf8), file: reload.file))
        return Appointment(reload: reload, path: reload.file, result: .success(reading))
      } catch {
        return Appointment(reload: reload, path: reload.file, result: .failure(error))
      }
    }
  }
}
