select
    order_id,
    customer_id,
    store_id,
    promotion_id,
    visitor_id,
    order_status,
    -- three systems write the channel, each in its own case
    lower(trim(channel)) as channel,
    ordered_at,
    shipping_fee
from {{ ref('raw_orders') }}
