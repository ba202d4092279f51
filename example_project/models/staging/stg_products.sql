select
    product_id,
    sku,
    product_name,
    brand,
    category_id,
    supplier_id,
    list_price,
    unit_cost,
    launched_on,
    discontinued_on
from {{ ref('raw_products') }}
