select
    return_id,
    order_item_id,
    returned_at,
    quantity,
    return_reason,
    refund_amount
from {{ ref('raw_returns') }}
