// SessionPolicyTests
