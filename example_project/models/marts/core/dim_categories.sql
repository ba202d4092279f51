select
    category_id,
    category,
    subcategory,
    return_window_days,
    "order"
from {{ ref('stg_categories') }}
