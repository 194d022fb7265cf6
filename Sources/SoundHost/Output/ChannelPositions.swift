internal import AudioRealtime
internal import PulseClient

// The server's names for loudspeakers and the mixer's.
extension Channel {
    var position: ChannelMap.Position {
        switch self {
        case .mono: .mono
        case .left: .frontLeft
        case .right: .frontRight
        case .center: .frontCenter
        case .lfe: .lfe
        case .rearLeft: .rearLeft
        case .rearRight: .rearRight
        case .sideLeft: .sideLeft
        case .sideRight: .sideRight
        case .rearCenter: .rearCenter
        case .frontLeftOfCenter: .frontLeftOfCenter
        case .frontRightOfCenter: .frontRightOfCenter
        case .aux: .aux0
        }
    }

    init(_ position: ChannelMap.Position) {
        switch position {
        case .mono: self = .mono
        case .frontLeft: self = .left
        case .frontRight: self = .right
        case .frontCenter: self = .center
        case .lfe: self = .lfe
        case .rearLeft: self = .rearLeft
        case .rearRight: self = .rearRight
        case .sideLeft: self = .sideLeft
        case .sideRight: self = .sideRight
        case .rearCenter: self = .rearCenter
        case .frontLeftOfCenter: self = .frontLeftOfCenter
        case .frontRightOfCenter: self = .frontRightOfCenter
        // The mixer has no ceiling, and matches what has but a number by its index.
        default: self = .aux
        }
    }
}
