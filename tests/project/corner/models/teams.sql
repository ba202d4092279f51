select id as team_id, title from {{ ref('raw_teams') }}
