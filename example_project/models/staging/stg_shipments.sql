select
    shipment_id,
    order_id,
    carrier,
    shipped_at,
    promised_on,
    delivered_at,
    shipment_status,
    shipping_cost
from {{ ref('raw_shipments') }}
