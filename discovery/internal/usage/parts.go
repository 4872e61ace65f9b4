package usage

import (
	"errors"
	"strings"

	"github.com/go-faster/jx"
)

// modality reads an entry such as {"modality": "AUDIO", "tokenCount": 7}. Tokens that are not of text make the modality a
// mode, since the list prices are those of text.
func (c *counts) modality(d *jx.Decoder, name string) error {
	var entry counts
	var modality string
	err := eachMember(d, name, func(key []byte) error {
		switch string(key) {
		case "modality":
			text, err := d.Str()
			if err != nil {
				return malformed(name)
			}
			modality = strings.ToLower(text)
			return nil
		case "tokenCount", "token_count", "tokens":
			return entry.count(d, totalTokens, name+".", string(key))
		}
		return skip(d, name)
	})
	if err == nil && entry.value[totalTokens] > 0 && modality != "text" {
		c.addMode(mediaMode(modality))
	}
	return err
}

// Media are the modes of tokens other than text. No mode of a request replaces them.
var Media = []string{"audio", "image", "video", "document", "unknown-modality"}

func mediaMode(modality string) string {
	for _, mode := range Media {
		if modality == mode {
			return mode
		}
	}
	return Media[len(Media)-1]
}

// otherModel is the mode of tokens that are billed at the prices of another model. No mode of a request replaces it.
const otherModel = "other-model"

// iteration reads an entry of Anthropic's iterations. The counts of a compaction are not in those of the object itself. Nor are
// those of an advisor, which is another model, and after a fallback the entries are of several models.
func (c *counts) iteration(d *jx.Decoder) error {
	var entry counts
	kind := ""
	err := eachMember(d, "iterations", func(key []byte) (err error) {
		if string(key) != "type" {
			return entry.member(d, top, "iterations.", key)
		}
		if kind, err = d.Str(); err != nil {
			return malformed("iterations")
		}
		return nil
	})
	switch {
	case err != nil, kind == "", kind == "message":
		return err
	case kind != "compaction":
		c.addMode(otherModel)
		return nil
	}
	more, err := anthropicMessages.usage(&entry)
	var wrong *Error
	if errors.As(err, &wrong) {
		return &Error{"iterations." + wrong.Field, wrong.Reason}
	}
	return c.compaction.add(&more)
}

func eachMember(d *jx.Decoder, name string, member func(key []byte) error) error {
	if d.Next() != jx.Object {
		return &Error{name, "must hold objects"}
	}
	members, err := d.ObjIter()
	if err != nil {
		return malformed(name)
	}
	for members.Next() {
		if err := member(members.Key()); err != nil {
			return err
		}
	}
	if members.Err() != nil {
		return malformed(name)
	}
	return nil
}
