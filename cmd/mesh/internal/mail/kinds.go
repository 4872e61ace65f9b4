package mail

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/client"
)

// Kinds are the kinds of messages.
var Kinds = []string{
	string(client.KindFYI), string(client.KindQuestion), string(client.KindAnswer), string(client.KindStatus), string(client.KindUnblock),
}

// Kind returns the kind of that name, or "" for "".
func Kind(name string) (client.Kind, error) {
	if name != "" && !slices.Contains(Kinds, name) {
		return "", fmt.Errorf("kind %q must be %s", name, alternatives(Kinds))
	}
	return client.Kind(name), nil
}

// alternatives returns "a, b or c".
func alternatives(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
