select
    supplier_id,
    supplier_name,
    country,
    lead_time_days,
    rating
from {{ ref('raw_suppliers') }}
