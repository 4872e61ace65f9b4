package focus

import "github.com/mesh-gateway/mesh-go/internal/argument"

func invalid(field, value, reason string) error { return argument.New("focus", field, value, reason) }
