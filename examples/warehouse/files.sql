-- recorded has a row for each call in the calls files in a directory, also in object storage. usd is exact: the cost when the
-- call was made, or NULL where it was not known. A line that was torn by a crash has no row. Set the variable dir first. A
-- bucket also needs INSTALL httpfs.
CREATE TABLE recorded AS
SELECT make_timestamp(epoch_us(time)) AS called_at, * EXCLUDE (time) -- in UTC
FROM read_json(getvariable('dir') || '/**/*.jsonl*', format = 'newline_delimited', ignore_errors = true, columns = {
    provider: 'VARCHAR', model: 'VARCHAR', id: 'VARCHAR', mode: 'VARCHAR', time: 'TIMESTAMPTZ',
    usage: 'JSON', -- the provider's own object
    requests: 'MAP(VARCHAR, BIGINT)', labels: 'MAP(VARCHAR, VARCHAR)', path: 'VARCHAR', status: 'INTEGER', attempt: 'INTEGER',
    stream: 'BOOLEAN', complete: 'BOOLEAN', duration_ms: 'DOUBLE',
    usd: 'DECIMAL(38, 18)', source: 'VARCHAR', unpriced: 'VARCHAR' -- the price used, and why the cost is unknown
})
WHERE time IS NOT NULL;

CREATE VIEW totals AS
SELECT CAST(called_at AS DATE) AS day, provider, model, count(*) AS calls, count(*) - count(usd) AS unpriced, sum(usd) AS usd
FROM recorded
GROUP BY ALL;
