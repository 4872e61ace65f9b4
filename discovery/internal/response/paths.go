package response

import (
	"errors"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Node is a place in a document.
type Node struct {
	Field Field
	// Members are the relevant members in addition to Base's; "*" is any other one. End is
	// set at the object's end.
	Members map[string]*Node
	Base    *Node
	End     Field
	Element *Node
	// Wraps is set for an object that holds the response, and Batch if it is a batch result.
	Wraps, Batch bool
}

// Member returns the place for a member, or nil.
func (n *Node) Member(name []byte) *Node {
	if child := n.Members[string(name)]; child != nil {
		return child
	}
	if n.Base != nil {
		return n.Base.Member(name)
	}
	return n.Members["*"]
}

// place returns an object's place. Paths are member names joined by dots; [] is an array
// element, and * any member without a path.
func place(base *Node, fields map[string]Field, places map[string]*Node) *Node {
	n := &Node{Base: base}
	for path, field := range fields {
		if at := n.at(path); field == CandidateEnd || field == ItemEnd {
			at.End = field
		} else {
			at.Field = field
		}
	}
	for path, shared := range places {
		*n.at(path) = *shared
	}
	return n
}

// at adds a place at a path.
func (n *Node) at(path string) *Node {
	for step := range strings.SplitSeq(path, ".") {
		name, isArray := strings.CutSuffix(step, "[]")
		if n.Members == nil {
			n.Members = map[string]*Node{}
		}
		if n.Members[name] == nil {
			n.Members[name] = new(Node)
		}
		n = n.Members[name]
		if isArray && n.Element == nil {
			n.Element = new(Node)
		}
		if isArray {
			n = n.Element
		}
	}
	return n
}

// whole has the members from all APIs, because a name means the same in each.
var whole = place(nil, map[string]Field{
	"object": Object, "status": Status, "background": Background,
	"id": ID, "model": Model, "service_tier": Tier, "usage": Usage, "provider": Upstream, "x_groq.usage": Usage,
	"responseId": ID, "modelVersion": Model, "usageMetadata": Metadata, "promptFeedback": Feedback,
	"modelStatus.modelStage": ModelStage, "modelStatus.retirementTime": RetirementTime, "serverContent.turnComplete": TurnComplete,
	"choices[]": CandidateEnd, "choices[].finish_reason": FinishReason,
	"candidates[]": CandidateEnd, "candidates[].finishReason": FinishReason,
	"tool_usage.web_search.num_requests": Searches, "tool_usage.image_gen.total_tokens": ImageTokens, "tool_usage.*.num_requests": OtherUses,
}, map[string]*Node{
	"serverContent.groundingMetadata": grounding, "candidates[].groundingMetadata": grounding,
	"output[]": itemNode,
	"steps[]":  itemNode, "outputs[]": itemNode, // the newer and the older name
})

var (
	held    = &Node{Wraps: true, Base: whole}
	batched = &Node{Wraps: true, Batch: true, Base: whole}
)

// Root is the document itself.
var Root = place(whole, map[string]Field{
	"type": Kind, "event_type": Kind, "error": Failure, "custom_id": Line, "batch_request_id": Line,
}, map[string]*Node{
	"message": held, "interaction": held, "chat_get_completion": batched,
	"response":       {Wraps: true, Base: whole, Members: map[string]*Node{"body": batched, "chat_get_completion": batched}},
	"result.message": batched, "batch_result.response.chat_get_completion": batched,
	"delta": {Base: itemNode, End: ItemEnd, Members: map[string]*Node{"stop_reason": {Field: StopReason}}},
	"step":  itemNode,
})

// EachOf reads the documents in a JSON array. It reports whether data is an array of
// objects.
func EachOf(data []byte, each func(*Document)) bool {
	var d jsonread.Decoder
	d.Reset(data)
	return eachElement(&d, func() error {
		if d.Next() != jsonread.Object {
			return errElement
		}
		doc := new(Document)
		err := doc.walk(&d, Root, 0)
		each(doc)
		return err
	}) == nil && d.AtEnd()
}

var errElement = errors.New("an element is not an object")

func eachElement(d *jsonread.Decoder, read func() error) error {
	elements := d.Array()
	for elements.Next() {
		if err := read(); err != nil {
			return err
		}
	}
	return elements.Err()
}

var skipped = new(Node)

func (d *Document) walk(from *jsonread.Decoder, n *Node, depth int) error {
	switch kind := from.Next(); {
	case kind == jsonread.Object && (n.Members != nil || n.Base != nil):
		return d.members(from, n, depth)
	case kind == jsonread.Array && n.Element != nil:
		return eachElement(from, func() error { return d.walk(from, n.Element, depth) })
	case n.Field == None:
		return from.Skip()
	}
	raw, err := from.Raw()
	if err == nil {
		d.Set(n.Field, depth, raw)
	}
	return err
}

func (d *Document) members(from *jsonread.Decoder, n *Node, depth int) error {
	if n.Wraps {
		depth++
		d.Enter(n, depth)
	}
	members := from.Object()
	for members.Next() {
		child := n.Member(members.Key())
		if child == nil {
			child = skipped
		}
		if err := d.walk(from, child, depth); err != nil {
			return err
		}
	}
	if n.End != None && members.Err() == nil {
		d.Set(n.End, depth, nil)
	}
	return members.Err()
}
