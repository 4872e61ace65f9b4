-- priced_calls has the cost of each call in US dollars, exactly, or NULL where it is not known.
CREATE VIEW priced_calls AS
WITH prompts AS (
    SELECT *,
        -- The length of the whole prompt chooses the tier. Tool input is billed, and is not part of the prompt.
        input + cache_read + cache_write_5m + cache_write_1h AS prompt,
        CASE
            WHEN mode <> '' THEN mode
            -- DeepSeek's hours since 2026-08-16: Monday to Friday, except on Chinese public holidays.
            WHEN provider = 'deepseek' AND called_at >= TIMESTAMP '2026-08-16 16:00:00' THEN CASE
                WHEN extract(isodow FROM called_at) <= 5 AND extract(hour FROM called_at) IN (1, 2, 3, 6, 7, 8, 9)
                    AND CAST(called_at AS DATE) NOT IN (
                        DATE '2026-09-25', DATE '2026-10-01', DATE '2026-10-02', DATE '2026-10-05', DATE '2026-10-06', DATE '2026-10-07'
                    ) THEN 'peak'
                ELSE 'off-peak'
            END
            ELSE 'standard'
        END AS price_mode
    FROM calls
), candidates AS (
    SELECT c.*,
        p.input AS p_input, p.output AS p_output, p.cache_read AS p_cache_read,
        p.cache_write_5m AS p_cache_write_5m, p.cache_write_1h AS p_cache_write_1h,
        row_number() OVER (PARTITION BY c.id ORDER BY p.tier DESC) AS choice
    FROM prompts c
    LEFT JOIN prices p
        ON p.provider = c.provider AND p.model = c.model AND p.mode = c.price_mode
        -- First the period, then the highest tier that the prompt reaches.
        AND c.called_at >= p.valid_from AND c.called_at < p.valid_until
        AND c.prompt >= p.tier
)
SELECT id, provider, model, called_at,
    CASE
        WHEN p_input IS NULL AND p_output IS NULL THEN NULL -- no price in force, or a model that is listed without one
        -- Tokens without a price make the cost NULL; no tokens cost nothing, whether the price is known or not.
        ELSE CASE WHEN input + tool_input = 0 THEN 0 ELSE CAST(input + tool_input AS DECIMAL(18, 0)) * p_input END
            + CASE WHEN cache_read = 0 THEN 0 ELSE CAST(cache_read AS DECIMAL(18, 0)) * p_cache_read END
            + CASE WHEN cache_write_5m = 0 THEN 0 ELSE CAST(cache_write_5m AS DECIMAL(18, 0)) * p_cache_write_5m END
            + CASE WHEN cache_write_1h = 0 THEN 0 ELSE CAST(cache_write_1h AS DECIMAL(18, 0)) * p_cache_write_1h END
            + CASE WHEN output = 0 THEN 0 ELSE CAST(output AS DECIMAL(18, 0)) * p_output END
    END AS usd
FROM candidates
WHERE choice = 1;
