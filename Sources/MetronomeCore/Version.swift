/// The version of this package and of its programs: three numbers with points between them, as
/// [Semantic Versioning](https://semver.org) explains.
///
/// This is the only place of the version. Its tag is `v` and the same. Packages, CHANGELOG.md and pages that have
/// another version fail the checks.
public let programVersion = "0.2.0"
