select
    stores.store_id,
    stores.store_name,
    stores.city,
    stores.market_code,
    markets.country,
    markets.sales_region as region,
    stores.store_format,
    stores.opened_on,
    stores.floor_area_m2
from {{ ref('stg_stores') }} as stores
inner join {{ ref('stg_markets') }} as markets
    on stores.market_code = markets.market_code
