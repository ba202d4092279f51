select
    market_code || '-' || strftime(target_month, '%Y-%m') as monthly_target_key,
    market_code,
    target_month,
    revenue_target
from {{ ref('stg_monthly_targets') }}
