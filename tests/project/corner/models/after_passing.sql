select id, lower(mail) as reach, 1 as n from {{ ref('passing') }}
