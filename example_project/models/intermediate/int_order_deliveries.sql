-- An order has arrived when the last of its parcels has.
select
    order_id,
    count(*) as parcel_count,
    min(shipped_at) as shipped_at,
    max(promised_on) as promised_on,
    case when count(*) = count(delivered_at) then max(delivered_at) end as delivered_at
from {{ ref('stg_shipments') }}
group by order_id
