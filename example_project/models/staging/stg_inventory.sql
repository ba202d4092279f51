select
    snapshot_on,
    store_id,
    product_id,
    quantity_on_hand,
    reorder_point
from {{ ref('raw_inventory') }}
