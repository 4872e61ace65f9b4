-- The numbers of package report, computed again. Amounts are whole units of 1e-12 US dollars, which HUGEINT holds exactly.
CREATE MACRO units(usd) AS CAST(CAST(usd AS DECIMAL(38, 12)) * 1000000000000 AS HUGEINT);

-- half_even returns a / b as a whole number, rounded half to even. b is positive.
CREATE MACRO floored(a, b) AS a // b - CASE WHEN a % b < 0 THEN 1 ELSE 0 END;
CREATE MACRO half_even(a, b) AS floored(a, b) + CASE
    WHEN 2 * (a - floored(a, b) * b) > b THEN 1
    WHEN 2 * (a - floored(a, b) * b) = b AND floored(a, b) % 2 <> 0 THEN 1
    ELSE 0
END;

CREATE TABLE costs AS
SELECT model, time AS called_at, CAST(time AS DATE) AS day, status, units(usd) AS usd,
    CASE
        WHEN CAST(time AS DATE) >= getvariable('today') - 28 AND CAST(time AS DATE) < getvariable('today') THEN 1
        WHEN CAST(time AS DATE) >= getvariable('today') - 56 AND CAST(time AS DATE) < getvariable('today') - 28 THEN 0
    END AS period
FROM read_json(getvariable('dir') || '/*.jsonl', format = 'newline_delimited',
    columns = {model: 'VARCHAR', time: 'TIMESTAMP', status: 'INTEGER', usd: 'DECIMAL(38, 18)'});

-- The calls that count for the split: with a cost, and a status of 2xx or none.
CREATE VIEW counted AS
SELECT model,
    CAST(count(*) FILTER (period = 0) AS HUGEINT) AS n0, CAST(count(*) FILTER (period = 1) AS HUGEINT) AS n1,
    coalesce(sum(usd) FILTER (period = 0), 0) AS usd0, coalesce(sum(usd) FILTER (period = 1), 0) AS usd1
FROM costs WHERE usd IS NOT NULL AND (status IS NULL OR status BETWEEN 200 AND 299)
GROUP BY model;

-- All fractions have one denominator: the product of the numbers of earlier calls, by model and in all.
CREATE VIEW split AS
WITH whole AS (SELECT sum(n0) AS n0, sum(n1) AS n1, sum(usd0) AS usd0 FROM counted),
denominator AS (
    SELECT (SELECT n0 FROM whole) * list_reduce(list(n0), lambda a, b: a * b) AS d FROM counted WHERE n0 > 0 AND n1 > 0
), change AS (
    SELECT coalesce(sum(usd) FILTER (period = 1), 0) - coalesce(sum(usd) FILTER (period = 0), 0) AS usd FROM costs
), parts AS (
    SELECT half_even((n1 - n0) * usd0, n0) AS more,
        half_even((SELECT sum(CASE WHEN c.n0 > 0 AND c.n1 > 0 THEN (c.n1 - c.n0) * c.usd0 * (d // c.n0) WHEN c.n0 = 0 THEN c.usd1 * d ELSE -c.usd0 * d END)
            FROM counted c, denominator) - (n1 - n0) * usd0 * (SELECT d // whole.n0 FROM denominator), (SELECT d FROM denominator)) AS mix
    FROM whole
)
SELECT change.usd, more, mix, change.usd - more - mix AS dearer FROM change, parts;

-- The month, in units. A forecast of a day is the mean of the same weekday in the two weeks before it is made.
CREATE VIEW daily AS
SELECT d.day, coalesce(sum(usd), 0) AS usd
FROM (SELECT CAST(unnest(generate_series((SELECT min(day) FROM costs), getvariable('today'), INTERVAL 1 DAY)) AS DATE) AS day) d
LEFT JOIN costs USING (day) GROUP BY d.day;

CREATE VIEW month AS
WITH days_left AS (SELECT CAST(last_day(getvariable('today')) - getvariable('today') + 1 AS INTEGER) AS n),
forecast AS (
    SELECT sum(h.usd) / 2 AS usd, sum(h.usd) FILTER (i = 0) / 2 AS first_day
    FROM days_left, range(n) AS ahead(i), daily AS h
    WHERE h.day < getvariable('today') AND h.day >= getvariable('today') - 14 AND (getvariable('today') + CAST(i AS INTEGER) - h.day) % 7 = 0
), parts AS (
    SELECT (SELECT coalesce(sum(usd), 0) FROM daily WHERE day < getvariable('today') AND day >= date_trunc('month', getvariable('today'))) AS before,
        (SELECT usd FROM daily WHERE day = getvariable('today')) AS today,
        usd + greatest(0, (SELECT usd FROM daily WHERE day = getvariable('today')) - first_day) AS rest
    FROM forecast
)
SELECT (before + today) / 1e12 AS spent, (before + rest) / 1e12 AS usd FROM parts;
