select
    customers.customer_id,
    customers.customer_name,
    customers.country,
    customers.segment,
    count(orders.order_id) as lifetime_orders,
    coalesce(sum(orders.net_amount), 0) as lifetime_value,
    cast(min(orders.ordered_at) as date) as first_ordered_on,
    cast(max(orders.ordered_at) as date) as last_ordered_on
from {{ ref('dim_customers') }} as customers
left join {{ ref('fct_orders') }} as orders
    on
        customers.customer_id = orders.customer_id
        and orders.order_status != 'cancelled'
group by
    customers.customer_id,
    customers.customer_name,
    customers.country,
    customers.segment
