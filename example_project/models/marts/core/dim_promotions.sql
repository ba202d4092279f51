select
    promotion_id,
    promotion_name,
    promotion_type,
    discount_percent,
    starts_on,
    ends_on
from {{ ref('stg_promotions') }}
