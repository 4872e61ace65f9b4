package soak_test

import (
	"flag"
	"os"
	"testing"
	"time"
)

var (
	soakFor   = flag.Duration("soak", 2*time.Second, "how long messages are sent; from 10s on by 200 nodes")
	seedFlag  = flag.Uint64("seed", 0, "what the faults are made from; 0 takes one by chance")
	asGateway = flag.Int("gateway", 0, "be the gateway of so many nodes: the test starts itself with this")
)

// TestMain clears the environment: exported variables of a developer must not change the results.
func TestMain(m *testing.M) {
	os.Unsetenv("MESH_GATEWAY_TOKEN")
	os.Unsetenv("MESH_GATEWAY_URL")
	flag.Parse()
	if *asGateway > 0 {
		if err := beGateway(*asGateway, *seedFlag); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}
