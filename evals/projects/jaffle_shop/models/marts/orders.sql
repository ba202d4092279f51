with contents as (
    select
        order_id,
        count(*) as item_count,
        count(*) filter (where is_food) as food_item_count,
        count(*) filter (where is_drink) as drink_item_count,
        sum(supply_cost) as supply_cost
    from {{ ref('order_items') }}
    group by order_id
)

select
    receipt.order_id,
    receipt.customer_id,
    receipt.store_id,
    receipt.ordered_at,
    receipt.order_date,
    receipt.subtotal,
    receipt.tax_paid,
    receipt.order_total,
    coalesce(contents.item_count, 0) as item_count,
    coalesce(contents.food_item_count, 0) as food_item_count,
    coalesce(contents.drink_item_count, 0) as drink_item_count,
    coalesce(contents.supply_cost, 0) as supply_cost,
    row_number() over (
        partition by receipt.customer_id
        order by receipt.ordered_at, receipt.order_id
    ) = 1 as is_first_order
from {{ ref('stg_orders') }} as receipt
left join contents on receipt.order_id = contents.order_id
