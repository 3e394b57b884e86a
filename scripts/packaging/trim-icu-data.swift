// Copies ICU's common data without the parts that price-format does not use. It formats numbers, money and times in every
// locale; it does not sort, break lines, convert character sets or name languages.
//
// Usage: trim-icu-data DATA TRIMMED
//
// The data is a header, whose first two bytes are its length, and a table of contents: a count, then for each item the
// offsets of its name and its contents from the beginning of the table. Numbers are little-endian. The items are sorted by
// name, and each begins at a multiple of 16.
// https://unicode-org.github.io/icu/userguide/icu_data/

import Foundation

let unused: Set = ["brkitr", "coll", "lang", "region", "translit", "unit"]
let unusedEndings = [".cnv", ".spp", ".cfu"]

func isUsed(_ name: String) -> Bool {
    let path = name.split(separator: "/")
    return !(path.count > 2 && unused.contains(String(path[1]))) && !unusedEndings.contains { name.hasSuffix($0) }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("trim-icu-data: error: \(message)\n".utf8))
    exit(65)
}

func number(_ data: Data, at place: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(data[place + $1]) << (8 * $1) }
}

func bytes(of number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else { fail("expected two files") }
let data = try Data(contentsOf: URL(fileURLWithPath: arguments[1]))
guard data.count > 32, data[2] == 0xDA, data[3] == 0x27, data[12..<16].elementsEqual("CmnD".utf8) else {
    fail("this is not ICU's common data")
}
let table = Int(data[0]) | Int(data[1]) << 8
let count = number(data, at: table)
let places = (0..<count).map { number(data, at: table + 4 + 8 * $0 + 4) } + [data.count - table]

var items: [(name: Data, contents: Data)] = []
for index in 0..<count {
    let start = table + number(data, at: table + 4 + 8 * index)
    let name = data[start...].prefix { $0 != 0 }
    if isUsed(String(decoding: name, as: UTF8.self)) {
        items.append((name, data[table + places[index]..<table + places[index + 1]]))
    }
}

var names = Data()
var contents = Data()
var entries = Data(bytes(of: items.count))
let namesPlace = 4 + 8 * items.count
let contentsPlace = (namesPlace + items.reduce(0) { $0 + $1.name.count + 1 } + 15) / 16 * 16
for item in items {
    entries += bytes(of: namesPlace + names.count) + bytes(of: contentsPlace + contents.count)
    names += item.name + [0]
    contents += item.contents
    contents += Data(count: -contents.count & 15)
}
names += Data(count: contentsPlace - namesPlace - names.count)
try (data[..<table] + entries + names + contents).write(to: URL(fileURLWithPath: arguments[2]))
