select
    supply_id || '/' || product_id as product_supply_id,
    supply_id,
    product_id,
    supply_name,
    is_perishable,
    unit_cost
from {{ ref('stg_supplies') }}
