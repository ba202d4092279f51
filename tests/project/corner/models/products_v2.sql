select 1 as product_id, 'x' as name
