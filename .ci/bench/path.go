package main

import "strconv"

type path struct {
	name, program string
	args          []string
	// count is the number of operations in a run that takes about 0.1 s.
	count int
	// load counts calls through a proxy, in one operation.
	load bool
}

// paths returns the paths in docs/testing.md.
func (b *bench) paths() []path {
	command := func(name string, args ...string) path {
		return path{name: name, program: "command", args: args, count: 1}
	}
	const from, to = "--from=2026-11-01", "--to=2026-11-21"
	proxy := command("proxy, a call at 16 connections", "meter", "--no-project", "--upstream", "openai="+b.upstream+"/v1", "--", executable(), "-load")
	proxy.load, proxy.count = true, 1000
	return []path{
		command("mesh retired --scan, JSON words", "retired", "--scan", "words.json"),
		command("mesh retired --scan, a tree", "retired", "--scan", "tree"),
		{"scan.Find, 200 kB of prose", "scan", []string{"find"}, 500, false},
		command("mesh scan, a tree", "scan", "tree"),
		{"meter, a response of 2 kB", "meter", []string{"response"}, 5000, false},
		{"meter, calls to 8 hosts", "meter", []string{"hosts"}, 1000, false},
		{"meter, 1,000 events of AWS", "meter", []string{"events"}, 100, false},
		command("mesh usage, 100,000 calls", "usage", "calls", "--by=day,model,label:team", "-o=csv"),
		proxy,
		{"Send", "client", []string{"send"}, 3000, false},
		{"Fetch, 1,000 rows", "client", []string{"fetch"}, 20, false},
		{"decode, 1,000 rows", "client", []string{"decode"}, 50, false},
		{"encode, 1,000 rows", "client", []string{"encode"}, 200, false},
		{"CostOf, 6 calls", "prices", []string{"cost"}, 10000, false},
		{"ParseResponse, 2 bodies", "prices", []string{"response"}, 10000, false},
		command("report, 100,000 calls", "usage", "calls", "--html=page.html", from, to),
		command("sessions", "usage", "sessions", "-o=csv"),
	}
}

// arguments returns the arguments for a run, and how often the program runs its
// operation.
func (p path) arguments() (args []string, count int) {
	if p.load {
		return append(p.args[:len(p.args):len(p.args)], strconv.Itoa(p.count)), 1
	}
	return p.args, p.count
}
