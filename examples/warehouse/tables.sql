-- calls has a row for each call, as prices.ParseUsage returns its usage. model is the id in the price table; called_at is in UTC.
CREATE TABLE calls (
    id BIGINT NOT NULL, provider VARCHAR NOT NULL, model VARCHAR NOT NULL, mode VARCHAR NOT NULL, called_at TIMESTAMP NOT NULL,
    input BIGINT NOT NULL, tool_input BIGINT NOT NULL, cache_read BIGINT NOT NULL,
    cache_write_5m BIGINT NOT NULL, cache_write_1h BIGINT NOT NULL, output BIGINT NOT NULL
);

-- per_token returns a price per million tokens as a price per token. A price that is empty is not known, which is NULL.
CREATE MACRO per_token(per_mtok) AS
    CAST(CAST(nullif(per_mtok, '') AS DECIMAL(15, 9)) * CAST('0.000001' AS DECIMAL(6, 6)) AS DECIMAL(18, 15));

-- prices has a row for each price of text, from the file that prices.List.WriteCSV has written. An open time is a far one.
CREATE TABLE prices AS
SELECT
    provider, model_hint AS model, mode,
    CAST(tier_threshold_tokens AS BIGINT) AS tier,
    coalesce(CAST(nullif(valid_from, '') AS TIMESTAMP), TIMESTAMP '0001-01-01') AS valid_from,
    coalesce(CAST(nullif(valid_until, '') AS TIMESTAMP), TIMESTAMP '9999-12-31') AS valid_until,
    per_token(input_per_mtok) AS input, per_token(output_per_mtok) AS output,
    per_token(cache_read_per_mtok) AS cache_read,
    per_token(cache_write_5m_per_mtok) AS cache_write_5m, per_token(cache_write_1h_per_mtok) AS cache_write_1h
FROM read_csv(getvariable('prices_csv'), header = true, all_varchar = true)
-- Every request to a search model has a fee that no response counts, so its cost is not known.
WHERE modality = 'text' AND model_hint NOT LIKE '%-search-preview%' AND model_hint NOT LIKE '%-search-api%';

-- A batch of OpenAI and Anthropic costs half of every price; other modes need rows too.
INSERT INTO prices
SELECT provider, model, 'batch', tier, valid_from, valid_until,
    input * 0.5, output * 0.5, cache_read * 0.5, cache_write_5m * 0.5, cache_write_1h * 0.5
FROM prices WHERE provider IN ('openai', 'anthropic') AND mode = 'standard';
