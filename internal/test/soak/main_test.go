package soak_test

import (
	"flag"
	"os"
	"testing"
	"time"
)

var (
	soakFor   = flag.Duration("soak", time.Second, "how long messages are sent; 200 nodes for 10s and more")
	seedFlag  = flag.Uint64("seed", 0, "seed of the faults; 0 is a random one")
	asServer  = flag.String("serve", "", "run as a server that shares messages at the gateway with this address; the test starts itself with it")
	leaseFlag = flag.Duration("lease", shareLease, "lease of -serve")
	asSpool   = flag.String("spool", "", "folder of the finished answers of -serve")
	asGateway = flag.Int("gateway", 0, "run as the gateway for this number of nodes; the test starts itself with it")
)

// TestMain clears the environment: exported variables of a developer must not change the results.
func TestMain(m *testing.M) {
	os.Unsetenv("MESH_GATEWAY_TOKEN")
	os.Unsetenv("MESH_GATEWAY_URL")
	flag.Parse()
	if *asServer != "" {
		if err := runServer(*asServer, *asSpool); err != nil {
			panic(err)
		}
		return
	}
	if *asGateway > 0 {
		if err := runGateway(*asGateway, *seedFlag); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}
