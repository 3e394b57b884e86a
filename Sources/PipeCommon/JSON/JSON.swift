/// A value in a JSON text (RFC 8259) that is being read. Its numbers stay as they were written, digit by digit, so
/// that a price never becomes a binary floating-point number on its way.
///
/// It points into the text and copies nothing until it is asked to; it is good as long as `JSONParser.parse` runs.
public struct JSON {
    public enum Kind: UInt8, Sendable {
        case null, `true`, `false`, number, string, array, object
    }

    let text: UnsafePointer<UInt8>
    /// The node of this value; those of what is in it follow.
    let node: UnsafePointer<JSONNode>

    public var kind: Kind { node.pointee.kind }

    /// Behind the last node of what is in it.
    var end: UnsafePointer<JSONNode> { node + Int(node.pointee.size) }

    /// The member of an object; nil when there is none, or when it is `null`.
    public subscript(name: String) -> JSON? {
        guard kind == .object else { return nil }
        var name = name
        let member = name.withUTF8 { name in
            children.first { $0.node.pointee.name.isEqual(to: name, in: text) }
        }
        return member?.kind == .null ? nil : member
    }

    /// The element of an array, counted from 0.
    public subscript(index: Int) -> JSON? {
        guard kind == .array, children.indices.contains(index) else { return nil }
        return children[index]
    }

    /// The values in an array or an object.
    public var children: [JSON] {
        var children: [JSON] = []
        var child = node + 1
        while child < end {
            children.append(JSON(text: text, node: child))
            child += Int(child.pointee.size)
        }
        return children
    }

    public var string: String? {
        kind == .string ? node.pointee.value.string(in: text) : nil
    }

    public var number: String? {
        kind == .number ? node.pointee.value.string(in: text) : nil
    }

    /// The name of a member; empty for what is none.
    public var name: String { node.pointee.name.string(in: text) }

    /// A string or a number as its bytes, without escapes.
    func withBytes<Value>(_ use: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        node.pointee.value.withBytes(in: text, use)
    }
}
