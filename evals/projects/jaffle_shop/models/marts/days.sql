-- Whole months from the first order to the last, so that running totals stop where the data stops.
with bounds as (
    select
        date_trunc('month', min(order_date)) as first_day,
        last_day(max(order_date)) as final_day
    from {{ ref('stg_orders') }}
)

select cast(unnest(generate_series(first_day, final_day, interval 1 day)) as date) as day
from bounds
