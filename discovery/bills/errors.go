package bills

import "github.com/mesh-gateway/mesh-go/internal/argument"

// ValueError reports an invalid argument. Its fields are Field, the Go name of the argument, or of the field in it;
// Value, the argument, or "" if it could be a secret; and Reason, what it must be. The text of the error has all three. It matches
// client.ErrMesh. It is the type that packages client and discovery have under the same name.
type ValueError = argument.ValueError

func invalid(field, value, reason string) error { return argument.New("bills", field, value, reason) }
