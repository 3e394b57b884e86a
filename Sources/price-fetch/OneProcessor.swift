import PipeCommon

/// Keeps this program on the processor that it is on. URLSession passes a request from thread to thread a dozen times,
/// and waking a thread on another processor costs more than it is worth: a fifth of the whole.
enum OneProcessor {
    /// To be called before there is a second thread. Where it can't be done nothing is lost.
    static func stay() {
        #if os(Linux)
            // Swift's Glibc leaves out what <sched.h> has for _GNU_SOURCE only.
            typealias GetProcessor = @convention(c) () -> Int32
            typealias SetAffinity = @convention(c) (pid_t, Int, UnsafeRawPointer) -> Int32
            guard let get = dlsym(nil, "sched_getcpu"), let set = dlsym(nil, "sched_setaffinity") else {
                return
            }
            let current = Int(unsafeBitCast(get, to: GetProcessor.self)())
            var processors = cpu_set_t()
            let size = MemoryLayout<cpu_set_t>.size
            guard 0..<size * 8 ~= current else { return }
            withUnsafeMutableBytes(of: &processors) { bytes in
                bytes.bindMemory(to: UInt.self)[current / UInt.bitWidth] = 1 << (current % UInt.bitWidth)
            }
            _ = unsafeBitCast(set, to: SetAffinity.self)(0, size, &processors)
        #endif
    }
}
