/// A resource in one of ICU's bundles. Arrays and tables contain further resources.
indirect enum Resource: Hashable {
    struct Entry: Hashable {
        var key: [UInt8]
        var value: Resource
    }

    /// The text as UTF-16 units.
    case text([UInt16])
    case integer(UInt32)
    case array([Resource])
    /// The entries, sorted by key.
    case table([Entry])
}

/// The contents of one of ICU's `.res` files. The file begins with a header, whose first two bytes contain the header's
/// length. The header is followed by the root, the indexes, the zero-terminated keys, the UTF-16 units and the
/// resources; each of these parts begins at a multiple of four bytes. A resource is described by a type in 4 bits and
/// an offset or a number in 28 bits. The bundles of a folder may share keys and texts, which are then in the folder's
/// `pool.res`.
/// https://github.com/unicode-org/icu/blob/main/icu4c/source/common/uresdata.h
struct ResourceBundle {
    private let header: [UInt8]
    private let body: [UInt8]

    init(_ contents: [UInt8]) {
        let size = Int(contents[0]) | Int(contents[1]) << 8
        (header, body) = (Array(contents[..<size]), Array(contents[size...]))
    }

    private func word(_ place: Int) -> UInt32 { UInt32(unit(4 * place)) | UInt32(unit(4 * place + 2)) << 16 }
    private func unit(_ place: Int) -> UInt16 { UInt16(body[place]) | UInt16(body[place + 1]) << 8 }

    private var keysBegin: Int { 4 + 4 * Int(word(1) & 0xFF) }
    private var unitsBegin: Int { 4 * Int(word(2)) }
    private var attributes: UInt32 { word(6) }
    private var sharesKeys: Bool { attributes & 4 != 0 }
    /// Texts before this offset are in the pool. `sharedTexts16` is the corresponding limit for 16-bit references.
    private var sharedTexts: Int { Int(word(1) >> 8 | (attributes & 0xF000) << 12) }
    private var sharedTexts16: Int { Int(attributes >> 16) }

    /// - Returns: nil if the bundle contains a resource of an unsupported type.
    func root(pool: ResourceBundle) -> Resource? { resource(word(0), pool) }

    private func resource(_ reference: UInt32, _ pool: ResourceBundle) -> Resource? {
        let place = Int(reference & 0xFFF_FFFF)
        switch reference >> 28 {
        case 0 where place == 0: return .text([])
        case 2:
            let count = Int(unit(4 * place))
            let items = (place * 2 + 1 + count + 1) / 2
            return table(count, keys: 4 * place + 2, pool) { word(items + $0) }
        case 5:
            let (begin, count) = (unitsBegin + 2 * place, Int(unit(unitsBegin + 2 * place)))
            return table(count, keys: begin + 2, pool) { text(at: begin + 2 + 2 * (count + $0)) }
        case 6:
            return .text(
                place < sharedTexts
                    ? pool.units(from: place) : units(from: place - sharedTexts))
        case 7: return .integer(reference & 0xFFF_FFFF)
        case 8: return array((0..<Int(word(place))).map { word(place + 1 + $0) }, pool)
        case 9:
            let begin = unitsBegin + 2 * place
            return array((0..<Int(unit(begin))).map { text(at: begin + 2 + 2 * $0) }, pool)
        default: return nil
        }
    }

    /// Reads a 16-bit reference, which always refers to a text, and returns the same reference in 32 bits.
    private func text(at place: Int) -> UInt32 {
        let reference = Int(unit(place))
        let isShared = reference < sharedTexts16
        return 6 << 28 | UInt32(isShared ? reference : reference - sharedTexts16 + sharedTexts)
    }

    private func array(_ items: [UInt32], _ pool: ResourceBundle) -> Resource? {
        let values = items.compactMap { resource($0, pool) }
        return values.count == items.count ? .array(values) : nil
    }

    private func table(
        _ count: Int, keys: Int, _ pool: ResourceBundle, _ item: (Int) -> UInt32
    ) -> Resource? {
        let entries = (0..<count).compactMap { index in
            resource(item(index), pool).map {
                Resource.Entry(key: key(Int(unit(keys + 2 * index)), pool), value: $0)
            }
        }
        return entries.count == count ? .table(entries) : nil
    }

    private func key(_ place: Int, _ pool: ResourceBundle) -> [UInt8] {
        // The end of the bundle's own keys; 0 if it uses only keys of the pool.
        let end = unitsBegin > keysBegin ? unitsBegin : 0
        return sharesKeys && place >= end
            ? pool.bytes(from: place - end + pool.keysBegin) : bytes(from: place)
    }

    private func bytes(from place: Int) -> [UInt8] { Array(body[place...].prefix { $0 != 0 }) }

    /// Reads the text at an offset, which is given in units. A long text is preceded by its length, which takes one to
    /// three units. The first of these units is always a low surrogate (0xDC00 to 0xDFFF), with which no short text
    /// begins.
    private func units(from place: Int) -> [UInt16] {
        let begin = unitsBegin + 2 * place
        func units(_ count: Int, after skipped: Int) -> [UInt16] {
            (0..<count).map { unit(begin + 2 * (skipped + $0)) }
        }
        switch unit(begin) {
        case 0xDC00..<0xDFEF: return units(Int(unit(begin) & 0x3FF), after: 1)
        case 0xDFEF..<0xDFFF:
            return units(Int(unit(begin) - 0xDFEF) << 16 | Int(unit(begin + 2)), after: 2)
        case 0xDFFF: return units(Int(unit(begin + 2)) << 16 | Int(unit(begin + 4)), after: 3)
        default:
            let count = (0...).first { unit(begin + 2 * $0) == 0 }!
            return units(count, after: 0)
        }
    }

    /// The contents of a `.res` file with the header of this bundle and the given root. The file does not need a pool.
    func contents(_ root: Resource) -> [UInt8] {
        var writer = BundleWriter()
        return header + writer.body(root, attributes: attributes & 1)
    }
}

/// Builds the part of a bundle that follows the header. Each key and each resource is written only once.
private struct BundleWriter {
    private static let indexes = 8
    private var keys: [UInt8] = []
    private var places: [[UInt8]: Int] = [:]
    /// The first unit is the empty text.
    private var units: [UInt16] = [0]
    private var texts: [[UInt16]: Int] = [[]: 0]
    private var words: [UInt32] = []
    private var written: [Resource: UInt32] = [:]
    private var begin = 0
    private var longestTable = 0

    mutating func body(_ root: Resource, attributes: UInt32) -> [UInt8] {
        collect(root)
        while keys.count % 4 != 0 { keys.append(0) }
        if units.count % 2 != 0 { units.append(0) }
        let keysEnd = 1 + Self.indexes + keys.count / 4
        begin = keysEnd + units.count / 2
        let reference = write(root)
        let end = begin + words.count
        let numbers = [Self.indexes, keysEnd, end, end, longestTable, Int(attributes), begin, 0]
        let indexes = [reference] + numbers.map { UInt32($0) }
        return bytes(indexes) + keys + bytes(units) + bytes(words)
    }

    private func bytes<T: FixedWidthInteger>(_ numbers: [T]) -> [UInt8] {
        numbers.flatMap { number in (0..<T.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }

    private mutating func collect(_ resource: Resource) {
        switch resource {
        case .text(let text):
            if texts[text] != nil { return }
            guard text.count <= 0x3EE else { fail("a text in a resource bundle exceeds 1006 UTF-16 units") }
            texts[text] = units.count
            units += (text.count > 40 ? [0xDC00 | UInt16(text.count)] : []) + text + [0]
        case .integer: break
        case .array(let items): for item in items { collect(item) }
        case .table(let entries):
            longestTable = max(longestTable, entries.count)
            for entry in entries {
                if places[entry.key] == nil {
                    places[entry.key] = 4 * (1 + Self.indexes) + keys.count
                    keys += entry.key + [0]
                }
                collect(entry.value)
            }
        }
    }

    private mutating func write(_ resource: Resource) -> UInt32 {
        if let reference = written[resource] { return reference }
        let reference: UInt32
        switch resource {
        case .text(let text): reference = 6 << 28 | UInt32(texts[text]!)
        case .integer(let number): reference = 7 << 28 | number
        case .array(let items):
            let references = items.map { write($0) }
            reference = 8 << 28 | UInt32(begin + words.count)
            words += [UInt32(items.count)] + references
        case .table(let entries):
            let references = entries.map { write($0.value) }
            reference = 2 << 28 | UInt32(begin + words.count)
            var heads = [UInt16(entries.count)] + entries.map { UInt16(places[$0.key]!) }
            if heads.count % 2 != 0 { heads.append(0) }
            words += (0..<heads.count / 2).map { UInt32(heads[2 * $0]) | UInt32(heads[2 * $0 + 1]) << 16 }
            words += references
        }
        written[resource] = reference
        return reference
    }
}
