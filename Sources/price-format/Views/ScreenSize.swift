/// The size of a terminal in character cells.
struct ScreenSize: Equatable {
    var columns: Int
    var rows: Int
}
