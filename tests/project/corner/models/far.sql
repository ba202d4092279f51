select reach as far_reach, n from {{ ref('after_passing') }}
