extension Duration {
    /// For Foundation's and Dispatch's timers.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
