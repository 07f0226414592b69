/// Why a file cannot be a click's sound, for the person who wants it to be.
public enum WAVError: Error, Hashable, Sendable {
  case empty
  /// Another kind of file, by its name.
  case otherFormat(String)
  case notWAV
  /// It ends before what it announces.
  case cutShort
  case noFormat
  case noSamples
  /// Samples that are neither whole numbers nor floating point, by their code and, if known, name.
  case encoding(Int, String?)
  case sampleSize(bits: Int)
  /// The sizes of samples and frames contradict each other.
  case contradiction
  case channels(Int)
  case rate(Int)
  /// In whole seconds, rounded up.
  case tooLong(seconds: Int)
  /// A sample that is no number, or more than a hundred times full scale.
  case noSound(frame: Int)

  /// What is wrong, as the end of a sentence about the file.
  public var problem: String {
    switch self {
    case .empty: "the file is empty"
    case .otherFormat(let name): "this is \(name), not a WAV file"
    case .notWAV: "this is not a WAV file"
    case .cutShort: "the file is cut short"
    case .noFormat: "the file does not say what its samples are (it has no \"fmt \" chunk before them)"
    case .noSamples: "there are no samples in it"
    case .encoding(let code, let name): "its samples are \(name ?? "of kind \(code)")"
    case .sampleSize(let bits): "its samples have \(bits) bits"
    case .contradiction: "it contradicts itself about the size of its samples"
    case .channels(let count): "it has \(count) channels"
    case .rate(let rate): "it has \(rate) frames a second"
    case .tooLong(let seconds): "it lasts \(seconds) s"
    case .noSound(let frame): "frame \(frame) holds a sample that is no number, or far beyond full scale"
    }
  }

  /// What would be right.
  public var remedy: String {
    switch self {
    case .empty, .cutShort, .noFormat, .contradiction: "save or copy it again"
    case .otherFormat, .notWAV, .encoding:
      "save it as WAV with 16, 24 or 32 bits or floating point"
    case .noSamples: "save it again, with sound; for no sound leave samples of 0 in it"
    case .sampleSize: "save it with 16, 24 or 32 bits or floating point"
    case .channels: "save it with 1 channel or 2"
    case .rate: "save it with a rate from \(WAVSound.rates.lowerBound) to \(WAVSound.rates.upperBound) Hz"
    case .tooLong: "a click has at most \(WAVSound.longest) s; cut it"
    case .noSound: "save it again, with samples between -1 and 1"
    }
  }
}

extension WAVError: CustomStringConvertible {
  public var description: String { "\(problem); \(remedy)" }
}
