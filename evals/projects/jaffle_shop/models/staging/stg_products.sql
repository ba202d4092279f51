select
    sku as product_id,
    trim(name) as product_name,
    type as product_type,
    trim(description) as product_description,
    {{ dollars('price') }} as price
from {{ source('raw', 'raw_products') }}
