// Package calls keeps the calls of a program in files, and adds them up. A file has a line of JSON for each call:
//
//	log, err := calls.OpenLog("/var/log/calls")
//	m, err := meter.New(meter.WithRecorder(log.Record))
//	…
//	err = log.Close() // reports records that were not written
//
//	groups, err := calls.Sum(calls.Options{By: [][]string{{calls.ByDay, calls.ByModel}}}, "/var/log/calls")
//
// [Read] yields the records one by one. Other programs may write the files too: a line needs a model, a time and a usage object.
// Files of other formats are read through Options.Decode.
// The package sends nothing and does not need net/http.
//
// # Errors
//
// A line that cannot be read is a [*LineError], and the others are still read. A record that cannot be written is an error of its
// [Log], and not of the call. Invalid options are a [*ValueError]. No error contains a part of a line.
//
// # Limits
//
// A line has at most 1 MiB. Memory does not grow with the files, but with the number of groups. To recognize [Copies], sums need up to 300 MB in addition: 16 bytes and room to
// grow for each of the last 6 to 12 million calls with an id, and the lines of up to 100,000 calls without final counts, or that fetched a
// stored response. Copies beyond that count.
//
// Any number of processes can write to one folder. A Log is safe for concurrent use.
package calls
