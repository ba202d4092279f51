select
    id as order_id,
    customer as customer_id,
    store_id,
    ordered_at,
    cast(ordered_at as date) as order_date,
    {{ dollars('subtotal') }} as subtotal,
    {{ dollars('tax_paid') }} as tax_paid,
    {{ dollars('order_total') }} as order_total
from {{ source('raw', 'raw_orders') }}
