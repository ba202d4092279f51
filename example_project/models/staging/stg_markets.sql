select
    market_code,
    country,
    sales_region,
    currency,
    vat_percent
from {{ ref('raw_markets') }}
