import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// A place in the source code that can be changed, and the change.
struct Site {
    enum Change {
        case delete
        case negate
        /// Another expression of the same type replaces the original.
        case constant(String)
        /// Another operator replaces the operator in the range `sign`.
        case infix(String, sign: Range<Int>)
        /// Like `infix`, but for an assignment that is a whole statement.
        case assign(String, sign: Range<Int>)
    }

    /// The path of the file, relative to the project's folder.
    let file: String
    /// The number of the line, starting at 1.
    let line: Int
    /// The range of the original text, as byte offsets in the file.
    let range: Range<Int>
    let change: Change
    /// The position among the sites of the file. Of several sites with the same range, the outermost comes first.
    let order: Int
    /// The original text and a description of the change, for the user.
    let text: String

    /// The name of the folder in `Sources` that contains the file.
    var module: String { String(file.split(separator: "/")[1]) }
}

/// Finds the possible changes in one file. Conditionally compiled code, attributes, enum cases and generic arguments
/// are not changed.
final class SiteFinder: SyntaxVisitor {
    private static let otherOperators = [
        "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "===",
        "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "+", "/": "*", "%": "+", "&+": "&-", "&-": "&+",
        "&*": "&+", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "&",
    ]
    private static let otherAssignments = [
        "+=": "-=", "-=": "+=", "*=": "+=", "/=": "*=", "|=": "&=", "&=": "|=", "&+=": "&-=", "&-=": "&+=",
    ]

    private let file: String
    private let places: SourceLocationConverter
    private(set) var sites: [Site] = []

    static func sites(in text: String, of file: String) -> [Site] {
        let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: text)) { _ in }
        let finder = SiteFinder(file, tree)
        finder.walk(tree)
        return finder.sites
    }

    private init(_ file: String, _ tree: Syntax) {
        self.file = file
        places = SourceLocationConverter(fileName: file, tree: tree)
        super.init(viewMode: .sourceAccurate)
    }

    private func range(_ node: some SyntaxProtocol) -> Range<Int> {
        node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
    }

    private func add(_ node: some SyntaxProtocol, _ change: Site.Change, _ description: String) {
        let line = places.location(for: node.positionAfterSkippingLeadingTrivia).line
        let words = node.trimmedDescription.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let text = "`\(words.count > 70 ? words.prefix(70) + "…" : words)`: \(description)"
        sites.append(
            Site(file: file, line: line, range: range(node), change: change, order: sites.count, text: text))
    }

    // MARK: Skipped code

    override func visit(_: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: GenericArgumentClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    // MARK: Conditions

    override func visit(_ element: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let condition) = element.condition { add(condition, .negate, "negated") }
        return .visitChildren
    }

    override func visit(_ choice: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        add(choice.condition, .negate, "negated")
        return .visitChildren
    }

    override func visit(_ clause: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        add(clause.condition, .negate, "negated")
        return .visitChildren
    }

    // MARK: Operators

    override func visit(_ pair: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        let sign = pair.operator.trimmedDescription
        if let other = Self.otherOperators[sign] {
            add(pair, .infix(other, sign: range(pair.operator)), "`\(sign)` becomes `\(other)`")
        } else if let other = Self.otherAssignments[sign], pair.parent?.is(CodeBlockItemSyntax.self) == true {
            add(pair, .assign(other, sign: range(pair.operator)), "`\(sign)` becomes `\(other)`")
        }
        return .visitChildren
    }

    override func visit(_ expression: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        let isCondition = [.conditionElement, .ternaryExpr].contains(expression.parent?.kind)
        if expression.operator.text == "!", !isCondition { add(expression, .negate, "negated") }
        return .visitChildren
    }

    // MARK: Constants

    override func visit(_ literal: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard let number = literal.representedLiteralValue else { return .skipChildren }
        let other = number == 0 ? 1 : number == 1 ? 0 : number + 1
        add(literal, .constant("\(other)"), "becomes `\(other)`")
        return .skipChildren
    }

    override func visit(_ literal: FloatLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard let number = literal.representedLiteralValue else { return .skipChildren }
        add(literal, .constant("\(number * 2 + 1)"), "becomes `\(number * 2 + 1)`")
        return .skipChildren
    }

    override func visit(_ literal: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        add(literal, .constant(literal.trimmedDescription == "true" ? "false" : "true"), "negated")
        return .skipChildren
    }

    /// The first character of a single-line string literal becomes `#`, unless the literal is raw or contains
    /// an interpolation. A string that is empty or begins with an escape is completely replaced by `#`.
    override func visit(_ literal: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard literal.openingPounds == nil, literal.openingQuote.text == "\"",
            let text = literal.representedLiteralValue
        else { return .visitChildren }
        let source = literal.trimmedDescription
        let rest = text.isEmpty || source.hasPrefix("\"\\") ? "\"" : String(source.dropFirst(2))
        add(literal, .constant("\"#" + rest), "becomes `\"#\(rest)`")
        return .skipChildren
    }

    // MARK: Statements

    override func visit(_ item: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        if isStatement(item), !isResult(item) { add(item, .delete, "deleted") }
        return .visitChildren
    }

    private func isStatement(_ item: CodeBlockItemSyntax) -> Bool {
        switch item.item {
        case .decl: false
        case .expr: true
        case .stmt(let statement):
            switch statement.kind {
            case .returnStmt, .throwStmt, .breakStmt, .continueStmt: !mustLeave(item)
            case .expressionStmt, .forStmt, .whileStmt: true
            case .guardStmt:
                statement.cast(GuardStmtSyntax.self).conditions.allSatisfy {
                    $0.condition.is(ExprSyntax.self)
                }
            default: false
            }
        @unknown default: false
        }
    }

    private func list(_ item: CodeBlockItemSyntax) -> CodeBlockItemListSyntax? {
        item.parent?.as(CodeBlockItemListSyntax.self)
    }

    /// Whether the item is the last statement of a guard, of a case, or of a function with a result.
    private func mustLeave(_ item: CodeBlockItemSyntax) -> Bool {
        guard let list = list(item), list.last?.id == item.id else { return false }
        let owner = list.parent?.parent
        return list.parent?.is(SwitchCaseSyntax.self) == true || owner?.is(GuardStmtSyntax.self) == true
            || owner?.as(FunctionDeclSyntax.self)?.signature.returnClause != nil
    }

    /// Whether the item is the only statement of a closure, an accessor, a case, or a function with a result.
    private func isResult(_ item: CodeBlockItemSyntax) -> Bool {
        guard let list = list(item), list.count == 1, let block = list.parent else { return false }
        if let function = block.parent?.as(FunctionDeclSyntax.self) {
            return function.signature.returnClause != nil
        }
        return [.closureExpr, .accessorBlock, .accessorDecl, .switchCase].contains(block.kind)
            || block.parent?.is(AccessorDeclSyntax.self) == true
    }
}
