{{ config(alias='people_archive', schema='archive') }}
select id, email as contact, full_name, length(email) as mail_length, 'a' as kind, 'x' as mood
from {{ ref('people') }}
