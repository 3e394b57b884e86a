/// The version of all programs and scripts.
public let version = "1.0.0"
