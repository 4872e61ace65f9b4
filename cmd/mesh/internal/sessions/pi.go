package sessions

type piLine struct {
	Type, Timestamp, ID, Cwd string
	Message                  struct {
		Role, Provider, Model, ResponseID string
		Usage                             struct {
			Input, Output, CacheRead, CacheWrite, CacheWrite1h, TotalTokens count
			Cost                                                            struct{ Total float64 }
		}
	}
}

// beginPi reads pi, which states each call's cost.
func beginPi(f *file) {
	of := form{program: "pi", api: "anthropic", split: true}
	decodes(f, func(one *piLine) error {
		m := &one.Message
		u := &m.Usage
		switch {
		case one.Type == "session":
			of.session, of.project = short(one.ID), projectOf(short(one.Cwd))
		case one.Type == "message" && m.Role == "assistant":
			at, err := timeOf(one.Timestamp)
			if err != nil {
				return err
			}
			of := of
			of.model = short(m.Model)
			of.bill(m.Provider)
			n := counts{input: int64(u.Input), output: int64(u.Output), reads: int64(u.CacheRead), writes: int64(max(u.CacheWrite, u.CacheWrite1h)), writes1h: int64(u.CacheWrite1h)}
			n[writes5m] = n[writes] - n[writes1h]
			if sum := n[input] + n[output] + n[reads] + n[writes]; u.TotalTokens != 0 && int64(u.TotalTokens) != sum {
				f.notes.add(of.program, of.session, "the total of a message is not the sum of its counts")
			}
			id := short(m.ResponseID)
			key := digest("", id)
			if id == "" && one.ID != "" { // copied with its time
				key = digest(of.program, one.ID+one.Timestamp)
			}
			if c := f.addCall(of, id, key, at, n); c != nil {
				f.addCost(f.total(of.program, of.session), c, u.Cost.Total)
			}
		}
		return nil
	})
}
