select
    customer_id,
    customer_name,
    email,
    phone,
    birth_date,
    city,
    country,
    segment,
    loyalty_tier,
    accepts_marketing,
    signed_up_on
from {{ ref('stg_customers') }}
