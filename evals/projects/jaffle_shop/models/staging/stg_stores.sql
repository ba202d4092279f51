select
    id as store_id,
    name as store_name,
    cast(opened_at as date) as opened_on,
    tax_rate
from {{ source('raw', 'raw_stores') }}
