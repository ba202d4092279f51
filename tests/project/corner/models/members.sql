select id as member_id, team_id, team_id as home_team_id from {{ ref('people') }}
