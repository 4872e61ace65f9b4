package main

import (
	"context"
	"database/sql"
	_ "embed" // for the SQL
	"errors"
	"fmt"
	"io"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2" // the driver

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// filesSQL has the table of recorded calls and their totals.
//
//go:embed files.sql
var filesSQL string

// runFiles reads a directory with calls files into DuckDB and prints the totals. It
// returns how many totals differ from calls.Sum.
func runFiles(ctx context.Context, out, errs io.Writer, dir string) (differences int, err error) {
	groups, err := calls.Sum(calls.Options{By: [][]string{{calls.ByDay, calls.ByProvider, calls.ByModel}}}, dir)
	counted := groups[0]
	switch {
	case len(counted) == 0:
		return 0, errors.Join(fmt.Errorf("there are no calls in %s", dir), err)
	case err != nil:
		fmt.Fprintln(errs, err) // unreadable lines; the totals don't include them
	}
	stored, err := totals(ctx, dir)
	if err != nil {
		return 0, err
	}
	return compareFiles(out, counted, stored), nil
}

// totals returns DuckDB's totals by day, provider and model.
func totals(ctx context.Context, dir string) ([]calls.Group, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // SQL variables belong to a connection
	for _, statement := range []string{"SET VARIABLE dir = '" + strings.ReplaceAll(dir, "'", "''") + "'", filesSQL} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	rows, err := db.QueryContext(ctx, `
		SELECT CAST(day AS VARCHAR), coalesce(provider, ''), coalesce(model, ''), calls, unpriced, CAST(coalesce(usd, 0) AS VARCHAR)
		FROM totals ORDER BY ALL`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []calls.Group
	for rows.Next() {
		r := calls.Group{Values: make([]string, 3)}
		if err := rows.Scan(&r.Values[0], &r.Values[1], &r.Values[2], &r.Calls, &r.Unpriced, &r.USD); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

func compareFiles(out io.Writer, counted, stored []calls.Group) (differences int) {
	calls, unpriced, usd := 0, 0, prices.USD("0")
	sums := make(map[string]string)
	for _, r := range stored {
		sums[strings.Join(r.Values, " ")] = line(&r)
		calls, unpriced = calls+r.Calls, unpriced+r.Unpriced
		usd = usd.Add(r.USD)
	}
	for _, r := range counted {
		key := strings.Join(r.Values, " ")
		if sums[key] != line(&r) {
			differences++
			fmt.Fprintf(out, "%s: calls.Sum has %s, the warehouse %q\n", key, line(&r), sums[key])
		}
		delete(sums, key)
	}
	for key, only := range sums {
		differences++
		fmt.Fprintf(out, "%s: only the warehouse has %s\n", key, only)
	}
	fmt.Fprintf(out, "%s USD; calls: %d, of which without a known cost: %d; %d sums by day and model, %d differences\n",
		usd, calls, unpriced, len(counted), differences)
	return differences
}

// line formats a row's totals, with the cost as its shortest decimal.
func line(r *calls.Group) string {
	return fmt.Sprintf("%d calls, %d unpriced, %s USD", r.Calls, r.Unpriced, prices.USD("0").Add(r.USD))
}
