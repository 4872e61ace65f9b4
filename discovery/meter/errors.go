package meter

import "github.com/mesh-gateway/mesh-go/internal/argument"

// ValueError reports an invalid argument. Its fields are Field, Value and Reason: the Go name of the argument, what it is, and what it
// must be. It matches client.ErrMesh, and is the type that packages client and discovery have under the same name.
type ValueError = argument.ValueError
