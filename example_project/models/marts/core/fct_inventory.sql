select
    strftime(snapshot_on, '%Y%m%d') || '-' || store_id || '-' || product_id
        as inventory_snapshot_key,
    snapshot_on,
    store_id,
    product_id,
    quantity_on_hand,
    reorder_point,
    quantity_on_hand = 0 as is_out_of_stock
from {{ ref('stg_inventory') }}
