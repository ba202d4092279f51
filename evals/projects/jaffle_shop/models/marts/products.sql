with recipe as (
    select
        product_id,
        count(*) as supply_count,
        sum(unit_cost) as supply_cost
    from {{ ref('stg_supplies') }}
    group by product_id
)

select
    product.product_id,
    product.product_name,
    product.product_type,
    product.product_description,
    product.price,
    coalesce(recipe.supply_count, 0) as supply_count,
    coalesce(recipe.supply_cost, 0) as supply_cost
from {{ ref('stg_products') }} as product
left join recipe on product.product_id = recipe.product_id
