select
    products.product_id,
    products.sku,
    products.product_name,
    products.brand,
    products.category_id,
    categories.category,
    categories.subcategory,
    products.supplier_id,
    products.list_price,
    products.unit_cost,
    products.launched_on,
    products.discontinued_on,
    products.discontinued_on is not null as is_discontinued
from {{ ref('stg_products') }} as products
inner join {{ ref('stg_categories') }} as categories
    on products.category_id = categories.category_id
