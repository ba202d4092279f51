select
    tickets.ticket_id,
    tickets.customer_id,
    customers.email as contact,
    tickets.order_id,
    tickets.opened_at,
    tickets.resolved_at,
    tickets.channel,
    tickets.topic,
    tickets.priority,
    round(date_diff('minute', tickets.opened_at, tickets.resolved_at) / 60.0, 2)
        as resolution_hours,
    tickets.resolved_at is null as is_open,
    tickets.satisfaction_score
from {{ ref('stg_support_tickets') }} as tickets
inner join {{ ref('stg_customers') }} as customers
    on tickets.customer_id = customers.customer_id
