internal import AudioRealtime
internal import PulseClient

// The server's names for loudspeakers and the mixer's.
extension Channel {
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
        case .aux0, .topCenter, .topFrontLeft, .topFrontRight, .topFrontCenter, .topRearLeft, .topRearRight,
            .topRearCenter:
            self = .aux
        }
    }
}

extension ChannelMap.Position {
    init(_ channel: Channel) {
        switch channel {
        case .mono: self = .mono
        case .left: self = .frontLeft
        case .right: self = .frontRight
        case .center: self = .frontCenter
        case .lfe: self = .lfe
        case .rearLeft: self = .rearLeft
        case .rearRight: self = .rearRight
        case .sideLeft: self = .sideLeft
        case .sideRight: self = .sideRight
        case .rearCenter: self = .rearCenter
        case .frontLeftOfCenter: self = .frontLeftOfCenter
        case .frontRightOfCenter: self = .frontRightOfCenter
        case .aux: self = .aux0
        }
    }
}
