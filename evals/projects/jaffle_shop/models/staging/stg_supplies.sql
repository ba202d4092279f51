select
    id as supply_id,
    sku as product_id,
    name as supply_name,
    perishable as is_perishable,
    {{ dollars('cost') }} as unit_cost
from {{ source('raw', 'raw_supplies') }}
