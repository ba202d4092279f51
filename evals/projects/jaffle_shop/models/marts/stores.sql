select
    store_id,
    store_name,
    opened_on,
    tax_rate
from {{ ref('stg_stores') }}
