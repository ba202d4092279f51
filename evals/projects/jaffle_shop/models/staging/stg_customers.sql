select
    id as customer_id,
    trim(name) as customer_name
from {{ source('raw', 'raw_customers') }}
