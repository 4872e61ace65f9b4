// Package calls keeps a program's calls in files, and adds them up. A file has one JSON
// line per call:
//
//	log, err := calls.OpenLog("/var/log/calls")
//	m, err := meter.New(meter.WithRecorder(log.Record))
//	…
//	err = log.Close() // reports records that were not written
//
//	groups, err := calls.Sum(calls.Options{By: [][]string{{calls.ByDay, calls.ByModel}}}, "/var/log/calls")
//
// [Read] yields single records. Other programs may write the files, too: a line needs a
// model, a time, and a usage object or a cost. Options.Decode reads other formats. The
// package sends nothing and does not need net/http.
//
// # Errors
//
// A line that can't be read is a [*LineError], and reading continues. Failed writes are
// errors in [Log.Err], not in the call. Invalid options are a [*ValueError]. No error
// quotes a line.
//
// # Limits
//
// A line has at most 1 MiB. Memory grows with groups, not with files. Recognizing
// [Copies] takes at most 300 MB more: ids of the last 6 to 12 million calls are kept, and
// up to 100,000 lines, or 16 MiB, wait for others with final counts. Copies beyond these
// limits count.
//
// Several processes can write to one directory. A Log may be used concurrently.
package calls
