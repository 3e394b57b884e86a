// Copies ICU's common data without most of the parts that price-format does not use. price-format formats numbers,
// money and times in every locale. It does not need ICU to sort text, break lines or convert character sets. It does
// not print the names of languages, of currencies or, except for Greenwich Mean Time, of time zones.
//
// Usage: trim DATA TRIMMED
//
// The data consists of a header, a table of contents, and the items. The first two bytes of the header contain its
// length. The table contains the number of items and, for each item, the offsets of its name and of its contents from
// the beginning of the table. Numbers are little-endian. The items are sorted by name, and each begins at a multiple of
// 16 bytes.
// https://unicode-org.github.io/icu/userguide/icu_data/

import Foundation

let unused: Set = ["brkitr", "coll", "lang", "region", "translit", "unit"]
let unusedEndings = [".cnv", ".spp", ".cfu", "unames.icu", "cnvalias.icu", ".nrm"]

/// The parts of a name such as `icudt76l/curr/de.res`.
func path(_ name: Data) -> [Substring] {
    String(decoding: name, as: UTF8.self).split(separator: "/")
}

func isUsed(_ name: Data) -> Bool {
    let path = path(name)
    return !(path.count > 2 && unused.contains(String(path[1])))
        && !unusedEndings.contains { path.last!.hasSuffix($0) }
}

/// A bundle without the names of currencies and most time zones, and with entries only for the given currencies.
/// price-format uses only the symbol of a currency and, if the currency has its own number format, this format. For
/// time zones, it uses only the format of an offset from Greenwich and the name of an offset of zero.
func trimmed(_ root: Resource, keeping currencies: Set<[UInt8]>) -> Resource {
    guard case .table(let entries) = root else { return root }
    return .table(
        entries.compactMap { entry in
            guard case .table(var values) = entry.value else { return entry }
            switch String(decoding: entry.key, as: UTF8.self) {
            case "CurrencyPlurals": return nil
            case "Currencies":
                values = values.filter { currencies.contains($0.key) }
                for index in values.indices {
                    values[index].value = .array(symbols(values[index]))
                }
            case "zoneStrings":
                // Keeps the few texts that define the format of offsets, and the separate name of an offset of zero.
                values.removeAll {
                    if case .table = $0.value { $0.key != Array("meta:GMT".utf8) } else { false }
                }
            default: break
            }
            return Resource.Entry(key: entry.key, value: .table(values))
        })
}

/// The items of a currency, with the symbol in place of the name. If the currency has its own number format, the format
/// is kept.
func symbols(_ currency: Resource.Entry) -> [Resource] {
    guard case .array(let items) = currency.value else { fail("a currency without a list of names") }
    return [items[0], items[0]] + items.dropFirst(2)
}

/// The codes of the currencies in a bundle that have their own number format or a symbol other than their code. If a
/// currency is not in the result for any bundle, its entries are not needed: if a currency has no entries, ICU uses the
/// code as the symbol.
func currenciesWithSymbols(_ root: Resource) -> [[UInt8]] {
    guard case .table(let entries) = root else { return [] }
    return entries.filter { $0.key == Array("Currencies".utf8) }.flatMap { entry in
        guard case .table(let values) = entry.value else { return [[UInt8]]() }
        return values.map { ($0.key, symbols($0)) }.filter {
            $1.count > 2 || $1[0] != .text($0.map(UInt16.init))
        }.map(\.0)
    }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("trim: error: \(message)\n".utf8))
    exit(65)
}

func number(_ data: Data, at place: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(data[place + $1]) << (8 * $1) }
}

func bytes(of number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else { fail("wrong number of arguments: expected DATA and TRIMMED") }
let data = try Data(contentsOf: URL(fileURLWithPath: arguments[1]))
guard data.count > 32, data[2] == 0xDA, data[3] == 0x27, data[12..<16].elementsEqual("CmnD".utf8) else {
    fail("the input file is not an ICU common data file")
}
let table = Int(data[0]) | Int(data[1]) << 8
let count = number(data, at: table)
let places = (0..<count).map { number(data, at: table + 4 + 8 * $0 + 4) } + [data.count - table]

var items: [(name: Data, contents: Data)] = []
for index in 0..<count {
    let start = table + number(data, at: table + 4 + 8 * index)
    let name = data[start...].prefix { $0 != 0 }
    if isUsed(name) {
        items.append((name, data[table + places[index]..<table + places[index + 1]]))
    }
}

for folder: Substring in ["curr", "zone"] {
    let indices = items.indices.filter { path(items[$0].name).dropFirst().first == folder }
    let bundles = indices.map { ResourceBundle(Array(items[$0].contents)) }
    guard let pool = indices.firstIndex(where: { path(items[$0].name).last! == "pool.res" }) else {
        fail("the folder \(folder) of the ICU data contains no pool.res")
    }
    let roots = bundles.map { $0.root(pool: bundles[pool]) }
    let currencies = Set(roots.compactMap { $0 }.flatMap(currenciesWithSymbols))
    for (place, index) in indices.enumerated() {
        // Bundles that contain a resource of an unsupported type stay unchanged. If there are any, the pool also stays
        // unchanged, because these bundles may need its keys and texts. Otherwise, the pool keeps only the keys and
        // texts that its own root uses.
        guard let root = roots[place], place != pool || !roots.contains(nil) else { continue }
        items[index].contents = Data(bundles[place].contents(trimmed(root, keeping: currencies)))
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
