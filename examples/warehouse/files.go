package main

import (
	"context"
	"database/sql"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// fileSums returns the sums of a folder of calls files by day and model, from DuckDB. An amount has up to 15 decimal places.
func fileSums(ctx context.Context, db *sql.DB, dir string) ([]meter.Row, error) {
	rows, err := db.QueryContext(ctx, `
		SELECT strftime(time, '%Y-%m-%d') AS day, model, count(*), count(*) - count(usd), CAST(sum(usd) AS VARCHAR),
			sum(coalesce(u.input_tokens, 0) - CASE provider WHEN 'openai' THEN coalesce(u.input_tokens_details.cached_tokens, 0) ELSE 0 END),
			sum(coalesce(u.input_tokens_details.cached_tokens, u.cache_read_input_tokens, 0)), sum(coalesce(u.output_tokens, 0))
		FROM (SELECT provider, model, time, usd, usage AS u FROM read_json('`+dir+`/*.jsonl', format = 'newline_delimited', columns = {
			provider: 'VARCHAR', model: 'VARCHAR', time: 'TIMESTAMP', usd: 'DECIMAL(38, 15)',
			usage: 'STRUCT(input_tokens BIGINT, output_tokens BIGINT, cache_read_input_tokens BIGINT, input_tokens_details STRUCT(cached_tokens BIGINT))'}))
		GROUP BY day, model ORDER BY day, model`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []meter.Row
	for rows.Next() {
		r := meter.Row{By: make([]string, 2)}
		if err := rows.Scan(&r.By[0], &r.By[1], &r.Calls, &r.Unpriced, &r.USD, &r.Usage.Input, &r.Usage.CacheRead, &r.Usage.Output); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}
