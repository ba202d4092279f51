select
    store_id,
    store_name,
    city,
    market_code,
    store_format,
    opened_on,
    floor_area_m2
from {{ ref('raw_stores') }}
