package mail

import (
	"fmt"
	"slices"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// Kinds are the kinds of messages.
var Kinds = []string{
	string(client.KindFYI), string(client.KindQuestion), string(client.KindAnswer), string(client.KindStatus), string(client.KindUnblock),
}

// Kind returns the kind of that name, or "" for "".
func Kind(name string) (client.Kind, error) {
	if name != "" && !slices.Contains(Kinds, name) {
		return "", fmt.Errorf("kind %q must be %s", name, output.Alternatives(Kinds))
	}
	return client.Kind(name), nil
}
