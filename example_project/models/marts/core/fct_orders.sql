with orders as (

    select * from {{ ref('stg_orders') }}

),

amounts as (

    select
        order_id,
        sum(quantity) as item_count,
        sum(gross_amount) as gross_amount,
        sum(discount_amount) as discount_amount,
        sum(line_amount) as net_amount
    from {{ ref('int_order_items_priced') }}
    group by order_id

),

deliveries as (

    select * from {{ ref('int_order_deliveries') }}

),

first_orders as (

    select * from {{ ref('int_first_orders') }}

),

stores as (

    select * from {{ ref('stg_stores') }}

),

timed as (

    select
        orders.*,
        stores.market_code,
        deliveries.promised_on,
        case
            -- goods bought in a store leave with the customer
            when orders.channel = 'store' and orders.order_status != 'cancelled'
                then orders.ordered_at
            else deliveries.delivered_at
        end as delivered_at
    from orders
    inner join stores on orders.store_id = stores.store_id
    left join deliveries on orders.order_id = deliveries.order_id

)

select
    timed.order_id,
    timed.customer_id,
    timed.store_id,
    timed.market_code,
    timed.promotion_id,
    timed.order_status,
    timed.channel,
    timed.ordered_at,
    timed.delivered_at,
    timed.promised_on,
    case
        when timed.channel != 'store'
            then date_diff('day', timed.ordered_at, timed.delivered_at)
    end as delivery_days,
    case
        when timed.channel != 'store'
            then cast(timed.delivered_at as date) > timed.promised_on
    end as is_late,
    amounts.item_count,
    amounts.gross_amount,
    amounts.discount_amount,
    amounts.net_amount,
    timed.shipping_fee,
    amounts.net_amount + timed.shipping_fee as order_total,
    first_orders.first_order_id is not null as is_first_order
from timed
inner join amounts on timed.order_id = amounts.order_id
left join first_orders on timed.order_id = first_orders.first_order_id
