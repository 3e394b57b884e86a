/// Handles a signal from now on, unless the caller of this program has it ignored (nohup).
///
/// - Parameter handler: nil for the usual effect of the signal.
public func handleSignal(_ number: Int32, by handler: (@convention(c) (Int32) -> Void)?) {
    let former = signal(number, handler)
    if unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
    }
}
