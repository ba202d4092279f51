{{ config(materialized='table') }}

with days as (

    select cast(range as date) as date_day
    from range(date '2021-01-01', date '2026-01-01', interval 1 day)

)

select
    date_day,
    -- the fiscal year starts on the first of February
    cast(
        date_trunc('quarter', date_day - interval 1 month) + interval 1 month as date
    ) as fiscal_quarter,
    cast(
        date_trunc('year', date_day - interval 1 month) + interval 1 month as date
    ) as fiscal_year
from days
