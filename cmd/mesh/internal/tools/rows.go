package tools

import (
	"fmt"
	"slices"

	"github.com/mesh-gateway/mesh-go/client"
)

// maxInvalid is how many messages that cannot be decoded a result names.
const maxInvalid = 10

// invalidNote returns a note about rows that cannot be decoded, or "". It has the ids of messages, but no names, which other nodes
// have chosen.
func invalidNote(rows []*client.RowError) string {
	var ids []int64
	for _, row := range rows {
		if row.ID != 0 && len(ids) < maxInvalid && !slices.Contains(ids, row.ID) {
			ids = append(ids, row.ID)
		}
	}
	switch {
	case len(rows) == 0:
		return ""
	case len(ids) == 0:
		return fmt.Sprintf("rows that cannot be decoded are left out: %d", len(rows))
	}
	return fmt.Sprintf("messages that cannot be decoded are left out: %d, ids %v", len(rows), ids)
}
