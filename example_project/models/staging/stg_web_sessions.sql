select
    session_id,
    visitor_id,
    customer_id,
    started_at,
    device,
    traffic_source,
    pages_viewed
from {{ ref('raw_web_sessions') }}
