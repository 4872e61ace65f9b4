// Package mail finds, sends and prints messages, for the commands and for the tools of an agent. An error of this package that has no type of
// package client is a name that is wrong or cannot be found.
package mail

import "github.com/mesh-gateway/mesh-go/client"

// Kinds are the kinds of messages.
var Kinds = []string{
	string(client.KindFYI), string(client.KindQuestion), string(client.KindAnswer), string(client.KindStatus), string(client.KindUnblock),
}
