package wire_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// Decoders are reused and keep short strings of earlier documents. Each document has strings of its own here, in one length, so
// that they compete for the same places.
func TestDocumentsShareNoTextThatDiffers(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for tenant := range 8 {
		wg.Go(func() {
			name := func(row int) string { return fmt.Sprintf("tenant-%d-row-%03d", tenant, row) }
			rows := make([]string, 200)
			for i := range rows {
				rows[i] = fmt.Sprintf(`{"id":1,"from_node":%q,"to_node":"b","kind":"fyi","created_at":"c",%q:%q}`, name(i), name(i), name(i))
			}
			for range 20 {
				var list gateway.MessageList
				assert.NoError(t, list.UnmarshalJSON([]byte("["+strings.Join(rows, ",")+"]")))
				for i, m := range list.Messages {
					assert.Equal(t, name(i), m.FromNode)
					assert.Contains(t, m.AdditionalProperties, name(i))
				}
			}
		})
	}
	wg.Wait()
}
