/// Imports the C library for all programs; no other file in Sources imports it directly. The files in this folder
/// contain memory-safe wrappers for some of the library's functions.
#if canImport(Darwin)
    @_exported import Darwin
    let monotonicClock = CLOCK_MONOTONIC_RAW
    let wakingClock = CLOCK_UPTIME_RAW
#else
    @_exported @unsafe @preconcurrency import Glibc
    let monotonicClock = CLOCK_BOOTTIME
    let wakingClock = CLOCK_MONOTONIC
#endif

func reading(of clock: clockid_t) -> timespec {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return time
}

/// The local time zone's offset from UTC in seconds, positive to the east.
///
/// - Parameter time: seconds since 1970-01-01T00:00:00Z.
public func timeZoneOffset(at time: Int) -> Int {
    var (seconds, local) = unsafe (time_t(time), tm())
    unsafe localtime_r(&seconds, &local)
    return unsafe local.tm_gmtoff
}

/// The system's description of an error number, such as "No space left on device".
public func systemMessage(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
}

/// The value of an environment variable; nil if it is not set.
public func environmentVariable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
}

/// Sets an environment variable unless it is already set. The first call for a variable must come before other threads
/// are started.
public func setEnvironmentVariable(_ name: String, ifMissing value: String) {
    unsafe setenv(name, value, 0)
}

/// The environment that is passed to child processes. It is never changed while there are other threads.
func inheritedEnvironment() -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    unsafe environ
}

/// The user's home directory according to the user database; nil if it is not known.
public func homeDirectory() -> String? {
    unsafe getpwuid(getuid()).flatMap { unsafe $0.pointee.pw_dir }.map { unsafe String(cString: $0) }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }

    static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        unsafe Unmanaged<ThreadBody>.fromOpaque(context!).takeRetainedValue().run()
        return nil
    }
}

/// Runs a function on a new thread, which ends when the function returns.
///
/// - Returns: false if the system cannot start another thread.
public func startThread(_ run: @escaping @Sendable () -> Void) -> Bool {
    #if canImport(Darwin)
        var thread: pthread_t?
    #else
        var thread = pthread_t()
    #endif
    let body = unsafe Unmanaged.passRetained(ThreadBody(run))
    guard unsafe pthread_create(&thread, nil, { unsafe ThreadBody.run($0) }, body.toOpaque()) == 0 else {
        unsafe body.release()
        return false
    }
    #if canImport(Darwin)
        if let thread = unsafe thread { unsafe pthread_detach(thread) }
    #else
        pthread_detach(thread)
    #endif
    return true
}

/// A value that only one thread at a time can use. A thread can also wait until the value meets a condition.
@safe public final class Monitor<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let bell = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    public init(_ value: Value) {
        self.value = value
        unsafe pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            unsafe pthread_cond_init(bell, nil)
        #else
            var attributes = pthread_condattr_t()
            unsafe pthread_condattr_init(&attributes)
            unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            unsafe pthread_cond_init(bell, &attributes)
        #endif
    }

    deinit {
        unsafe pthread_cond_destroy(bell)
        unsafe pthread_mutex_destroy(mutex)
        unsafe bell.deallocate()
        unsafe mutex.deallocate()
    }

    public func withLock<Result>(_ act: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return act(&value)
    }

    /// Waits until `find` returns a result. `find` is called immediately, and again each time this thread wakes.
    ///
    /// - Returns: nil if the deadline passes first.
    public func wait<Result>(
        until deadline: Deadline? = nil, _ find: (inout Value) -> Result?
    ) -> Result? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = find(&value) { return result }
            guard let deadline else {
                unsafe pthread_cond_wait(bell, mutex)
                continue
            }
            if deadline.hasPassed() { return nil }
            let (seconds, fraction) = deadline.remaining().components
            var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(fraction / 1_000_000_000))
            #if canImport(Darwin)
                unsafe pthread_cond_timedwait_relative_np(bell, mutex, &time)
            #else
                let now = reading(of: CLOCK_MONOTONIC)
                let nanoseconds = now.tv_nsec + time.tv_nsec
                time.tv_sec += now.tv_sec + nanoseconds / 1_000_000_000
                time.tv_nsec = nanoseconds % 1_000_000_000
                unsafe pthread_cond_timedwait(bell, mutex, &time)
            #endif
        }
    }

    /// Wakes one waiting thread, if there is one. Call this after a change that a thread may be waiting for.
    public func notify() {
        unsafe pthread_cond_signal(bell)
    }
}

/// A buffer with arbitrary contents. The pages of a large buffer usually take no memory until they are used.
func uninitializedBytes(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { $1 = $0.count }
}

/// The index of the first occurrence of a byte in a part of a buffer; nil if there is none.
func firstPlace(of byte: UInt8, in buffer: [UInt8], _ part: Range<Int>) -> Int? {
    unsafe buffer.withUnsafeBytes { bytes in
        unsafe memchr(bytes.baseAddress! + part.lowerBound, Int32(byte), part.count)
            .map { unsafe UnsafeRawPointer($0) - bytes.baseAddress! }
    }
}
