package sessions

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// beginClaude reads a Claude Code file. Each content block in a response is one assistant
// line that repeats the response's id and its usage, which may grow. Forks copy these
// lines; agents may copy them under another requestId.
func beginClaude(f *file) {
	l := &f.line
	f.fields = fields{
		"type": &l.kind, "subtype": &l.event, "timestamp": &l.time, "sessionId": &l.session, "cwd": &l.cwd, "uuid": &l.uuid, "requestId": &l.request,
		"isApiErrorMessage": &l.failed, "startTime": &l.start, "modelUsage": func() { f.members(f.claudeState) },
		"message": fields{"id": &l.id, "model": &l.model, "usage": f.claudeUsage},
	}
	f.take = func() {
		at := f.at()
		if f.wrong != nil {
			return
		}
		s := f.claudeSession()
		s.takeLine(f, at)
		switch kind := f.repeated(l.kind); {
		case kind == "cost-state":
			s.addState(f)
		case kind == "system" && f.repeated(l.event) == "compact_boundary":
			s.compactions = append(s.compactions, place{f.number, at})
			f.bytes += 32
		case kind != "assistant", l.failed, string(l.model) == `"<synthetic>"`:
		case !l.usage:
			f.fail(errNoUsage)
		case l.time == nil:
			f.fail(errTime)
		case l.counts.sum() > 0 || len(l.advisors) > 0:
			f.addClaude(s, at)
		}
	}
}

// claudeSession returns the state kept for this file. An agent's file has its parent's
// session id.
func (f *file) claudeSession() *claudeFile {
	s := f.claude[f.index]
	if s == nil {
		s = &claudeFile{index: f.index, agent: strings.HasPrefix(filepath.Base(f.path), "agent-")}
		f.claude[f.index] = s
		f.bytes += 500
	}
	if s.session == "" {
		s.session = f.repeated(f.line.session)
	}
	return s
}

func (f *file) addClaude(s *claudeFile, at int64) {
	l := &f.line
	id := textOf(l.id)
	form := f.claudeForm(id, f.repeated(l.model), string(l.extra), l.split)
	c := f.claudeCall(form, id, cmp.Or(id, textOf(l.request)), at, l.counts)
	s.addLine(f, c, at)
	for i, a := range l.advisors {
		form := f.claudeForm(id, f.repeated(a.model), "", a.split)
		c := f.claudeCall(form, "", cmp.Or(id, textOf(l.request))+"/advisor/"+strconv.Itoa(i), at, a.counts)
		s.addLine(f, c, at)
	}
}

const maxAdvisors = 1000

// claudeForm takes the platform from the message id's prefix. If the model belongs to a
// provider other than Anthropic, that provider serves Anthropic's API.
func (f *file) claudeForm(id, model, extra string, split bool) *sharedForm {
	l := &f.line
	of := form{
		program: "claude-code", provider: "anthropic", model: model, project: projectOf(f.repeated(l.cwd)), session: f.repeated(l.session),
		extra: extra, split: split,
	}
	switch p, known := models.ProviderOf(model); {
	case strings.HasPrefix(id, "msg_bdrk_"):
		of.platform = string(prices.PlatformBedrock)
	case strings.HasPrefix(id, "msg_vrtx_"):
		of.platform = string(prices.PlatformVertex)
	case known && p != models.Anthropic:
		of.provider, of.api = string(p), "anthropic"
	}
	return f.form(of)
}

// claudeCall adds a call. If the call is already known, it keeps the earlier time and the
// larger counts.
func (f *file) claudeCall(form *sharedForm, id, key string, at int64, n counts) *call {
	request := digest("request", textOf(f.line.request))
	k := digest("", key)
	c := f.store.index[k]
	if c == nil || k == 0 {
		c = f.addNew(form, id, k, at, n)
		c.request = request
		return c
	}
	other := request != c.request && request != 0 && c.request != 0
	if c.seen != f.index || other {
		if f.copy(c, other && n != c.counts); other && n != c.counts {
			f.notes.add("claude-code", f.path, "requests with one id have different counts, of which the largest count; they are also in %s", f.files[c.file])
		}
	}
	c.seen, c.time = f.index, min(c.time, at)
	if n.sum() > c.counts.sum() {
		of := form.form
		of.project, of.session = c.project, c.session
		c.counts, c.sharedForm = n, f.form(of)
	}
	return c
}

func (f *file) claudeUsage() {
	l := &f.line
	split := false
	l.usage = f.usageOf(&l.counts, &split, func(key []byte) {
		if string(key) == "iterations" {
			f.elements(f.iteration)
			return
		}
		f.extra(key)
	}) > 0
	l.split = l.split || split
	l.counts.add(l.compaction)
	l.addRequests()
}

// addRequests keeps separate counts for each request in a response: the price can depend
// on a request's prompt length.
func (l *lineFields) addRequests() {
	if len(l.requests) < 2 || len(l.requests) > maxAdvisors || bytes.Contains(l.extra, []byte(`"iterations"`)) {
		return
	}
	entries := make([][]byte, len(l.requests))
	for i, n := range l.requests {
		entries[i] = n.object(anthropicNames, n[writes5m]+n[writes1h] > 0)
	}
	l.extra = append(append(l.extra, `,"iterations":[`...), bytes.Join(entries, []byte("},"))...)
	l.extra = append(l.extra, "}]"...)
}

// usageOf reads a usage object into n and returns its number of members. more must read
// each member that isn't a known count.
func (f *file) usageOf(n *counts, split *bool, more func(key []byte)) (members int) {
	total := int64(0)
	f.members(func(key []byte) {
		members++
		switch string(key) {
		case "input_tokens":
			n[input] = f.count()
		case "output_tokens":
			n[output] = f.count()
		case "cache_read_input_tokens":
			n[reads] = f.count()
		case "cache_creation_input_tokens":
			total = f.count()
		case "cache_creation":
			f.object(fields{"ephemeral_5m_input_tokens": &n[writes5m], "ephemeral_1h_input_tokens": &n[writes1h]})
			*split = true
		case "server_tool_use":
			f.members(func(tool []byte) {
				if string(tool) == "web_search_requests" {
					n[searches] = f.count()
					return
				}
				more(tool)
			})
		case "output_tokens_details":
			f.value()
		default:
			more(key)
		}
	})
	n[writes] = max(total, n[writes5m]+n[writes1h])
	return members
}

// extra keeps a member that may change the price. inference_geo only matters if it's
// "us".
func (f *file) extra(key []byte) {
	if len(bytes.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789_")) > 0 {
		f.value()
		return
	}
	count, tool := bytes.HasSuffix(key, []byte("_tokens")), bytes.HasSuffix(key, []byte("_requests"))
	begin := f.Mark()
	if (count || tool) && f.count() == 0 {
		return
	} else if !count && !tool {
		f.value()
	}
	switch value := f.Since(begin); {
	case string(value) == "null" || string(value) == `"standard"`:
	case !count && !tool && string(key) != "service_tier" && string(key) != "speed" && (string(key) != "inference_geo" || string(value) != `"us"`):
	case len(value)+len(key)+len(f.line.extra) > 4*longestText:
		f.fail(errExtra)
	case tool:
		f.line.extra = fmt.Appendf(f.line.extra, `,"server_tool_use_details":{"%s":%s}`, key, value)
	default:
		f.line.extra = append(append(append(append(f.line.extra, `,"`...), key...), `":`...), value...)
	}
}

// advisor is another model's usage within a response.
type advisor struct {
	model  []byte
	counts counts
	split  bool
}

// iteration reads an entry in iterations. Advisors appear nowhere else. The usage
// object's own counts lack compactions, so these are added; they do include message
// entries.
func (f *file) iteration() {
	var a advisor
	var kind []byte
	begin := f.Mark()
	f.usageOf(&a.counts, &a.split, func(key []byte) {
		value := f.value()
		switch string(key) {
		case "type":
			kind = value
		case "model":
			a.model = value
		}
	})
	l := &f.line
	switch string(kind) {
	case `"advisor_message"`:
		if a.counts.sum() > 0 && len(l.advisors) < maxAdvisors {
			l.advisors = append(l.advisors, a)
		}
	case `"message"`, "":
		l.requests = append(l.requests, a.counts)
	case `"compaction"`:
		l.requests = append(l.requests, a.counts)
		l.compaction.add(a.counts)
		l.split = l.split || a.split
	default: // as for a fallback, which mixes models
		if value := f.Since(begin); f.wrong == nil && len(value)+len(l.extra) <= 4*longestText && !bytes.Contains(l.extra, []byte(`"iterations"`)) {
			l.extra = append(append(append(l.extra, `,"iterations":[`...), value...), ']')
		}
	}
}
