select
    cast(order_month as date) as order_month,
    category,
    revenue,
    cost_amount,
    refund_amount,
    revenue - cost_amount - refund_amount as contribution
from {{ ref('int_category_months') }}
