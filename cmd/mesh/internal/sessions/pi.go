package sessions

// beginPi reads pi, which states each call's cost.
func beginPi(f *file) {
	of := form{program: "pi", api: "anthropic", split: true}
	l := &f.line
	usage := l.counts.fields("input", "output", "cacheRead", "cacheWrite")
	usage["cacheWrite1h"], usage["totalTokens"], usage["cost"] = &l.counts[writes1h], &l.total[0], fields{"total": &l.usd}
	f.fields = fields{
		"type": &l.kind, "timestamp": &l.time, "id": &l.uuid, "cwd": &l.cwd,
		"message": fields{"role": &l.event, "provider": &l.provider, "model": &l.model, "responseId": &l.id, "usage": usage},
	}
	f.take = func() {
		switch kind := f.repeated(l.kind); {
		case kind == "session":
			of.session, of.project = textOf(l.uuid), projectOf(f.repeated(l.cwd))
		case kind == "message" && f.repeated(l.event) == "assistant":
			if at, ok := f.dated(); ok {
				f.addPi(of, at)
			}
		}
	}
}

func (f *file) addPi(of form, at int64) {
	l := &f.line
	of.model = f.repeated(l.model)
	of.bill(f.repeated(l.provider))
	n := l.counts
	n[writes] = max(n[writes], n[writes1h])
	n[writes5m] = n[writes] - n[writes1h]
	if sum := n[input] + n[output] + n[reads] + n[writes]; l.total[0] != 0 && l.total[0] != sum {
		f.notes.add(of.program, of.session, "the total of a message is not the sum of its counts")
	}
	id := textOf(l.id)
	key := digest("", id)
	if id == "" && l.uuid != nil { // copied with its time
		key = digest(of.program, string(l.uuid)+string(l.time))
	}
	if c := f.addCall(of, id, key, at, n); c != nil {
		f.addCost(f.total(of.program, of.session), c, l.usd)
	}
}
