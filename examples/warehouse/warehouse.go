package main

import (
	"context"
	"database/sql"
	_ "embed" // for the SQL
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// SQL described in docs/scale.md: the tables, and the view that prices calls.
var (
	//go:embed tables.sql
	tablesSQL string
	//go:embed cost.sql
	costSQL string
)

// warehouse is an in-memory DuckDB database.
type warehouse struct {
	connector *duckdb.Connector
	*sql.DB
}

func open(ctx context.Context) (*warehouse, error) {
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return nil, err
	}
	w := &warehouse{connector, sql.OpenDB(connector)}
	w.SetMaxOpenConns(1) // SQL variables belong to a connection
	if err := w.createTables(ctx); err != nil {
		return nil, fmt.Errorf("create the tables: %w", err)
	}
	return w, nil
}

func (w *warehouse) createTables(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "warehouse")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "prices.csv")
	if err := writePrices(name); err != nil {
		return err
	}
	for _, statement := range []string{"SET VARIABLE prices_csv = '" + name + "'", tablesSQL, costSQL} {
		if _, err := w.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func writePrices(name string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := prices.BuiltIn().WriteCSV(file); err != nil {
		return err
	}
	return file.Close()
}

func (w *warehouse) load(ctx context.Context, calls []call) error {
	conn, err := w.connector.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	rows, err := duckdb.NewAppenderFromConn(conn, "", "calls")
	if err != nil {
		return err
	}
	for i := range calls {
		c, u := &calls[i], &calls[i].usage
		err := rows.AppendRow(int64(i), string(c.provider), c.model, c.mode, c.at,
			u.Input, u.ToolInput, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, u.Output)
		if err != nil {
			return err
		}
	}
	return rows.Close()
}

// days returns sums by day, and by day and model if it has a priced call.
func (w *warehouse) days(ctx context.Context) (sums, error) {
	rows, err := w.QueryContext(ctx, `
		SELECT CAST(CAST(called_at AS DATE) AS VARCHAR), coalesce(model, ''), CAST(coalesce(sum(usd), 0) AS VARCHAR),
			CASE WHEN model IS NULL THEN count(*) - count(usd) ELSE 0 END
		FROM priced_calls
		GROUP BY GROUPING SETS ((CAST(called_at AS DATE)), (CAST(called_at AS DATE), model))
		HAVING model IS NULL OR count(usd) > 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := sums{}
	for rows.Next() {
		var k key
		var s sum
		if err := rows.Scan(&k.day, &k.model, &s.exact, &s.unpriced); err != nil {
			return nil, err
		}
		if s.usd, err = strconv.ParseFloat(s.exact, 64); err != nil {
			return nil, err
		}
		all[k] = s
	}
	return all, rows.Err()
}
