package response

// itemNode is an output item, or a step in Gemini's interactions.
var itemNode = &Node{End: ItemEnd, Base: place(nil, map[string]Field{
	"type": ItemType, "action.type": ItemAction, "arguments.queries[]": ItemQuery,
	"container_id": ItemContainer, "environment.container_id": ItemContainer,
}, nil)}

// responses reads an event in OpenAI's responses API. The first events have the requested
// tier, the final one has the billed tier.
func (r *Reader) responses(d *Document) {
	if d.depth == 0 {
		return
	}
	r.name(d)
	r.setBackground(d)
	switch d.kind {
	case "response.completed", "response.incomplete", "response.failed", "response.done": // the last in the Realtime API
		r.text[Tier], r.usage, r.merged, r.tools = d.text[Tier], d.used(), nil, d.tools
		r.final = r.usage != nil
	}
}

func (r *Reader) setBackground(d *Document) {
	r.background, r.pending = d.background, d.text[Status] == "queued" || d.text[Status] == "in_progress"
}

func (t *tools) addOpenAI(add func(tool string, n int64)) {
	if t.counted {
		add("web_search", t.billedSearches)
	} else {
		add("web_search", t.searches)
	}
	add("unknown", t.others)
	add("file_search", t.files)
	add("code_interpreter", int64(len(t.containers)))
	add("shell", int64(len(t.shells)))
	if t.imageTokens > 0 {
		add("image_generation", max(1, t.images))
	} else {
		add("image_generation", t.images)
	}
}
