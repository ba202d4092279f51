select
    ticket_id,
    customer_id,
    order_id,
    opened_at,
    resolved_at,
    channel,
    topic,
    priority,
    satisfaction_score
from {{ ref('raw_support_tickets') }}
