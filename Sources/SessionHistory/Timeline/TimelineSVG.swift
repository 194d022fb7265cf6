/// A timeline as SVG, complete in itself, in light and dark, with patterns beside colours.
package struct TimelineSVG: Sendable {
    private let layout: TimelineLayout

    /// A drawing of a layout.
    package init(_ layout: TimelineLayout) { self.layout = layout }

    /// The document.
    package var text: String {
        let size = "\(number(layout.size.width)) \(number(layout.size.height))"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" width="\(number(layout.size.width))" \
            height="\(number(layout.size.height))" role="img" aria-label="Timeline of sound sessions">
            \(Self.style)
            \(Self.patterns)
            <rect class="paper" width="100%" height="100%"/>
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    /// A page with the drawing.
    package var page: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
        <title>Timeline of sound sessions</title><style>body{margin:0}svg{max-width:100%;height:auto}</style></head><body>
        \(text)</body></html>

        """
    }

    private var parts: [String] {
        grid + layout.levels.flatMap(levels) + layout.bars.map(bar) + layout.marks.map(mark) + layout.arrows.map(arrow)
            + layout.bars.compactMap(\.label).map { write($0, "word") }
            + layout.arrows.compactMap(\.label).map { write($0, "rule") }
            + layout.names.map { write($0, "name") } + layout.legend.flatMap(legend)
    }

    private var grid: [String] {
        let plot = layout.plot
        let ticks = layout.ticks.flatMap { tick in
            [
                "<path class=\"grid\" d=\"M\(number(tick.x)) \(number(plot.y))V\(number(plot.bottom + 4))\"/>",
                write(tick.label, "name"),
            ]
        }
        return ticks + [
            "<path class=\"axis\" d=\"M\(number(plot.x)) \(number(plot.bottom))H\(number(plot.right))\"/>"
        ]
    }

    private func bar(_ bar: TimelineLayout.Bar) -> String {
        rectangle(bar.box, bar.state, "<title>\(escaped(bar.hint))</title>")
    }

    private func rectangle(_ box: Box, _ state: Span.State, _ content: String = "") -> String {
        let place =
            "x=\"\(number(box.x))\" y=\"\(number(box.y))\" width=\"\(number(box.width))\" height=\"\(number(box.height))\""
        let pattern = Self.patterned.contains(state) ? "<rect \(place) fill=\"url(#\(state.rawValue))\"/>" : ""
        return "<g>\(content)<rect class=\"\(state.rawValue)\" \(place)/>\(pattern)</g>"
    }

    private func levels(_ field: LevelField) -> [String] {
        let (left, right) = (number(field.box.x), number(field.box.right))
        let scale = field.scale.flatMap { line in
            ["<path class=\"grid\" d=\"M\(left) \(number(line.y))H\(right)\"/>", write(line.label, "name")]
        }
        let runs = field.runs.compactMap { run -> String? in
            guard let first = run.first, let last = run.last else { return nil }
            let bottom = number(field.box.bottom)
            // A single interval has a width, too.
            let ends = (number(first.x - 0.5), number(last.x + 0.5))
            let places = run.map { "L\(number($0.x)) \(number($0.y))" }.joined()
            return "<path class=\"level\" d=\"M\(ends.0) \(bottom)V\(number(first.y))\(places)H\(ends.1)V\(bottom)Z\"/>"
        }
        return scale + ["<g><title>\(escaped(field.hint))</title>"] + runs + ["</g>", write(field.name, "name")]
    }

    private func arrow(_ arrow: TimelineLayout.Arrow) -> String {
        let head = arrow.to > arrow.from ? -6.0 : 6.0
        let (x, tip) = (number(arrow.x), number(arrow.to))
        return """
            <g class="arrow"><title>\(escaped(arrow.hint))</title><circle cx="\(x)" cy="\(number(arrow.from))" r="2.5"/>\
            <path d="M\(x) \(number(arrow.from))V\(tip)"/>\
            <path d="M\(number(arrow.x - 4)) \(number(arrow.to + head))L\(x) \(tip)L\(number(arrow.x + 4)) \(number(arrow.to + head))"/></g>
            """
    }

    private func mark(_ mark: TimelineLayout.MarkLine) -> String {
        let (x, plot) = (number(mark.x), layout.plot)
        return "<g class=\"mark\"><title>\(escaped(mark.mark.text))</title>"
            + "<path d=\"M\(x) \(number(mark.label?.box.y ?? plot.y - 4))V\(number(plot.bottom))\"/></g>"
            + (mark.label.map { write($0, "name") } ?? "")
    }

    private func legend(_ entry: TimelineLayout.LegendEntry) -> [String] {
        [rectangle(entry.box, entry.state), write(entry.label, "name")]
    }

    /// A text that takes exactly the room that the layout gave it, whatever the font.
    private func write(_ label: Label, _ style: String) -> String {
        guard !label.text.isEmpty else { return "" }
        return "<text class=\"\(style)\" x=\"\(number(label.box.x))\" y=\"\(number(label.box.y + 11.5))\" "
            + "textLength=\"\(number(label.box.width))\" lengthAdjust=\"spacingAndGlyphs\">\(escaped(label.text))</text>"
    }

    private func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    /// A name of another program as XML text.
    private func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // XML has no other control characters, nor these two.
            case let scalar where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): result += " "
            case "\u{FFFE}", "\u{FFFF}": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static let patterned: [Span.State] = [.interrupted, .waiting, .stopped, .ducked, .muted]

    private static let style = """
        <style>
        text{font:12px "DejaVu Sans Mono",monospace;fill:#1a1a1a;white-space:pre}
        .paper{fill:#fff}.grid{stroke:#d5d5d5}.axis{stroke:#555}
        .active{fill:#8fbce6}.interrupted{fill:#f3b6ad}.waiting{fill:#e9e3f5}.stopped{fill:#cfcfcf}
        .playing{fill:#1f6aa5}.ducked{fill:#f2cf73}.muted{fill:#c9b5e0}
        .pattern{stroke:#000;stroke-opacity:.45;stroke-width:1.2;fill:none}
        .arrow path{stroke:#b3261e;stroke-width:1.6;fill:none}.arrow circle{fill:#b3261e}
        .mark path{stroke:#555;stroke-dasharray:3 3;fill:none}.level{fill:#3d7a5a;fill-opacity:.75}
        .word,.rule{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-opacity:.85}
        @media (prefers-color-scheme:dark){
        text{fill:#ececec}.paper{fill:#161616}.grid{stroke:#383838}.axis{stroke:#aaa}
        .active{fill:#23537d}.interrupted{fill:#7a2f28}.waiting{fill:#3d3552}.stopped{fill:#4d4d4d}
        .playing{fill:#79b8ee}.ducked{fill:#7d6214}.muted{fill:#57427a}.pattern{stroke:#fff}
        .arrow path{stroke:#ff8a80}.arrow circle{fill:#ff8a80}.mark path{stroke:#aaa}.level{fill:#7fc9a2}
        .word,.rule{stroke:#161616}}
        </style>
        """

    private static let patterns = """
        <defs>
        \(pattern("interrupted", "M0 8L8 0M-2 2L2 -2M6 10L10 6"))
        \(pattern("waiting", "M3 4h2"))
        \(pattern("stopped", "M0 4h8"))
        \(pattern("ducked", "M0 0L8 8M-2 6L2 10M6 -2L10 2"))
        \(pattern("muted", "M1 1L7 7M7 1L1 7"))
        </defs>
        """

    private static func pattern(_ name: String, _ path: String) -> String {
        "<pattern id=\"\(name)\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><path class=\"pattern\" d=\"\(path)\"/></pattern>"
    }
}
