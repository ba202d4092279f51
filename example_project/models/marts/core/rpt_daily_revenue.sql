-- Booked amounts, cancelled orders included: the tills' daily closing, not the revenue metric.
select
    cast(ordered_at as date) as order_date,
    count(*) as order_count,
    sum(net_amount) as booked_revenue,
    sum(order_total) as booked_total
from {{ ref('fct_orders') }}
group by cast(ordered_at as date)
