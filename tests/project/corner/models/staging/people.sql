select id, email, full_name, team_id, api_token from {{ ref('raw_people') }}
