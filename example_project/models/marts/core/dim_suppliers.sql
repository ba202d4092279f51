select
    supplier_id,
    supplier_name,
    country,
    lead_time_days,
    cast(rating as enum ('A', 'B', 'C')) as supplier_rating
from {{ ref('stg_suppliers') }}
