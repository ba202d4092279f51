select
    order_id,
    visitor_id,
    customer_id,
    ordered_at as purchased_at
from {{ ref('stg_orders') }}
where
    visitor_id is not null
    and order_status != 'cancelled'
