select 1 as product_id
