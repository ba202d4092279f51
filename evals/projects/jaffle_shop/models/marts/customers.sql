with history as (
    select
        customer_id,
        count(*) as order_count,
        min(order_date) as first_order_date,
        max(order_date) as last_order_date,
        sum(subtotal) as lifetime_spend,
        sum(tax_paid) as lifetime_tax
    from {{ ref('orders') }}
    group by customer_id
)

select
    customer.customer_id,
    customer.customer_name,
    case when history.order_count > 1 then 'returning' else 'new' end as customer_type,
    history.first_order_date,
    history.last_order_date,
    coalesce(history.order_count, 0) as order_count,
    coalesce(history.lifetime_spend, 0) as lifetime_spend,
    coalesce(history.lifetime_tax, 0) as lifetime_tax
from {{ ref('stg_customers') }} as customer
left join history on customer.customer_id = history.customer_id
