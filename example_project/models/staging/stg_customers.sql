select
    customer_id,
    first_name,
    last_name,
    first_name || ' ' || last_name as customer_name,
    email,
    phone,
    birth_date,
    city,
    country,
    segment,
    loyalty_tier,
    accepts_marketing,
    signed_up_on
from {{ ref('raw_customers') }}
