select
    shipments.shipment_id,
    shipments.order_id,
    orders.store_id,
    shipments.carrier,
    shipments.shipment_status,
    shipments.shipped_at,
    shipments.promised_on,
    shipments.delivered_at,
    date_diff('day', shipments.shipped_at, shipments.delivered_at) as transit_days,
    coalesce(cast(shipments.delivered_at as date) > shipments.promised_on, false) as is_late,
    shipments.shipping_cost
from {{ ref('stg_shipments') }} as shipments
inner join {{ ref('stg_orders') }} as orders
    on shipments.order_id = orders.order_id
