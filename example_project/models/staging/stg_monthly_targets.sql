select
    market_code,
    target_month,
    revenue_target
from {{ ref('raw_monthly_targets') }}
