/// The one version of the four programs and the two scripts.
public let version = "1.0.0"
