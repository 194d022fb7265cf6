// HeadlessServer
