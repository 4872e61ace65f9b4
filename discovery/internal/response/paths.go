package response

import (
	"errors"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Node is a place in a document.
type Node struct {
	// Field is what the value means.
	Field Field
	// Members are the members of an object that matter, besides those of Base. End is set at its end.
	Members map[string]*Node
	Base    *Node
	End     Field
	// Others is the place of the members that neither Members nor Base has.
	Others *Node
	// Element is the element of an array.
	Element *Node
	// Wraps is set for an object that holds the response, and Batch if that is in the results of a batch.
	Wraps, Batch bool
}

// Member returns the place of a member, or nil.
func (n *Node) Member(name []byte) *Node {
	if child := n.Members[string(name)]; child != nil {
		return child
	}
	if n.Base != nil {
		return n.Base.Member(name)
	}
	return n.Others
}

// itemNode is a part of the output, and a step of Gemini's interactions.
var itemNode = &Node{End: ItemEnd, Members: map[string]*Node{
	"type":         {Field: ItemType},
	"action":       {Members: map[string]*Node{"type": {Field: ItemAction}}},
	"container_id": {Field: ItemContainer},
	"environment":  {Members: map[string]*Node{"container_id": {Field: ItemContainer}}},
	"arguments":    {Members: map[string]*Node{"queries": {Element: &Node{Field: ItemQuery}}}},
}}

// grounding has what Gemini searched for.
var grounding = &Node{Members: map[string]*Node{
	"webSearchQueries":   {Element: &Node{Field: Query}},
	"imageSearchQueries": {Element: &Node{Field: ImageQuery}},
	"groundingChunks":    {Element: &Node{Members: map[string]*Node{"maps": {Field: Maps}}}},
}}

// whole is a response of any API. The names that APIs share mean the same.
var whole = &Node{Members: map[string]*Node{
	"object": {Field: Object}, "status": {Field: Status}, "background": {Field: Background},
	"id": {Field: ID}, "model": {Field: Model}, "service_tier": {Field: Tier}, "usage": {Field: Usage}, "provider": {Field: Upstream},
	"x_groq":     {Members: map[string]*Node{"usage": {Field: Usage}}},
	"responseId": {Field: ID}, "modelVersion": {Field: Model}, "usageMetadata": {Field: Metadata},
	"promptFeedback": {Field: Feedback},
	"modelStatus":    {Members: map[string]*Node{"modelStage": {Field: ModelStage}, "retirementTime": {Field: RetirementTime}}},
	"serverContent":  {Members: map[string]*Node{"turnComplete": {Field: TurnComplete}, "groundingMetadata": grounding}},
	"choices":        {Element: &Node{End: CandidateEnd, Members: map[string]*Node{"finish_reason": {Field: FinishReason}}}},
	"candidates": {Element: &Node{End: CandidateEnd, Members: map[string]*Node{
		"finishReason": {Field: FinishReason}, "groundingMetadata": grounding,
	}}},
	"output": {Element: itemNode},
	"steps":  {Element: itemNode}, "outputs": {Element: itemNode}, // the newer and the older name
	"tool_usage": {Others: &Node{Members: map[string]*Node{"num_requests": {Field: OtherUses}}}, Members: map[string]*Node{
		"web_search": {Members: map[string]*Node{"num_requests": {Field: Searches}}},
		"image_gen":  {Members: map[string]*Node{"total_tokens": {Field: ImageTokens}}},
	}},
}}

var (
	held    = &Node{Wraps: true, Base: whole}
	batched = &Node{Wraps: true, Batch: true, Base: whole}
)

// Root is the place of a document itself.
var Root = &Node{Base: whole, Members: map[string]*Node{
	"type": {Field: Kind}, "event_type": {Field: Kind}, "error": {Field: Failure},
	"custom_id": {Field: Line}, "batch_request_id": {Field: Line},
	"message": held, "interaction": held, "chat_get_completion": batched,
	"response":     {Wraps: true, Base: whole, Members: map[string]*Node{"body": batched, "chat_get_completion": batched}},
	"result":       {Members: map[string]*Node{"message": batched}},
	"batch_result": {Members: map[string]*Node{"response": {Members: map[string]*Node{"chat_get_completion": batched}}}},
	"delta":        {Base: itemNode, End: ItemEnd, Members: map[string]*Node{"stop_reason": {Field: StopReason}}},
	"step":         itemNode,
}}

// EachOf reads the documents of a JSON array, one after the other. It reports whether data is one array of objects.
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

// skipped is the place of a value that does not matter.
var skipped = new(Node)

// walk reads the value at a place.
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
