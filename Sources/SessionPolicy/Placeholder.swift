// SessionPolicy
