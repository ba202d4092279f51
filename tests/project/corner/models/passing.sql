{{ config(materialized='ephemeral') }}
select id, email as mail from {{ ref('people') }}
