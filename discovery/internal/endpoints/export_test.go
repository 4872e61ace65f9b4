package endpoints

// State returns how a target is counted.
func (t *Target) State() string {
	switch {
	case t.Free:
		return "free"
	case t.Unknown:
		return "unknown"
	case t.Uncounted != "":
		return "uncounted"
	}
	return ""
}
