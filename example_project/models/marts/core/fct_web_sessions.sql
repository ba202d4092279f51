select
    session_id,
    visitor_id,
    customer_id,
    started_at,
    device,
    traffic_source,
    pages_viewed
from {{ ref('stg_web_sessions') }}
