select 1 as product_id, id from {{ ref('teams') }} join (select 1 as id) on true
