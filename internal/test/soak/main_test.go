package soak_test

import (
	"flag"
	"os"
	"testing"
	"time"
)

var (
	soakFor   = flag.Duration("soak", time.Second, "how long nodes send messages; from 10s on, there are 200 nodes")
	seedFlag  = flag.Uint64("seed", 0, "fault seed; 0 picks a random one")
	asServer  = flag.String("serve", "", "run as a server that shares messages, with the gateway at this address; the test starts itself with it")
	leaseFlag = flag.Duration("lease", shareLease, "lease for -serve")
	asSpool   = flag.String("spool", "", "directory for finished answers, for -serve")
	asGateway = flag.Int("gateway", 0, "run as the gateway for this many nodes; the test starts itself with it")
)

// A developer's exported variables must not change the results.
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
